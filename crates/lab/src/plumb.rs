//! What stands at both ends of a contender: a pipe that is kept full, a pipe that is kept empty.
//!
//! The feeder writes from memory and the drain reads into memory, as the programs at both ends of
//! a real pipeline do. Handing pages on by `splice` would be faster, and would flatter a contender
//! that splices: then nobody in the whole pipeline would touch a byte. Both run in this process, so
//! their time is never the contender's; their pipes have the size the kernel gives (64 KiB) unless
//! the contender asks for more, as it may in real life.

use rustix::fs::{Mode, OFlags};
use rustix::io::{Errno, FdFlags, fcntl_setfd};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;

/// What one call moves at most: twice an ordinary pipe, so that neither end is the bottleneck.
const CHUNK_BYTES: usize = 128 << 10;

/// What a feeder that is in a hurry writes over and over: it stays in a core's own cache.
const HOT_BYTES: usize = 256 << 10;

/// A pipe, read end first, that a child inherits only where it is told to.
///
/// # Errors
/// When there are too many open files.
pub fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(pipe_with(PipeFlags::CLOEXEC)?)
}

/// A terminal in raw mode: the end that a program writes to, and the end to read from.
///
/// # Errors
/// When there are no more terminals.
pub fn terminal() -> io::Result<(OwnedFd, Screen)> {
    let screen = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
    grantpt(&screen)?;
    unlockpt(&screen)?;
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let program = rustix::fs::open(ptsname(&screen, Vec::new())?, flags, Mode::empty())?;
    let mut modes = tcgetattr(&program)?;
    modes.make_raw();
    tcsetattr(&program, OptionalActions::Now, &modes)?;
    fcntl_setfd(&screen, FdFlags::CLOEXEC)?;
    Ok((program, Screen(File::from(screen))))
}

/// The end of a terminal that a person would look at.
pub struct Screen(File);

impl Read for Screen {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.0.read(buffer) {
            // What Linux says when the last writer has left.
            Err(error) if error.raw_os_error() == Some(Errno::IO.raw_os_error()) => Ok(0),
            other => other,
        }
    }
}

/// Writes `contents` into the pipe and closes it. A reader that leaves early ends it, without
/// error.
///
/// When it is `hot`, as many bytes are written, but all from the beginning of `contents`: a program
/// that makes its output has it in the cache, and a feeder that fetched everything from memory
/// would be slower than the contenders it feeds.
///
/// # Errors
/// When the pipe cannot be written for another reason.
pub fn feed(contents: &[u8], hot: bool, pipe: OwnedFd) -> io::Result<()> {
    let mut pipe = File::from(pipe);
    for chunk in contents.chunks(CHUNK_BYTES).zip((0..).step_by(CHUNK_BYTES)).map(|(chunk, at)| {
        let from = if hot { at % HOT_BYTES } else { at };
        &contents[from..from + chunk.len()]
    }) {
        match pipe.write_all(chunk) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => break,
            other => other?,
        }
    }
    Ok(())
}

/// Reads to the end and throws the bytes away.
///
/// # Errors
/// When `source` cannot be read.
pub fn discard(mut source: impl Read) -> io::Result<()> {
    let mut chunk = vec![0; CHUNK_BYTES];
    while read(&mut source, &mut chunk)? > 0 {}
    Ok(())
}

fn read(source: &mut impl Read, chunk: &mut [u8]) -> io::Result<usize> {
    loop {
        match source.read(chunk) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

/// How an output compares with what was expected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Bytes that came.
    pub bytes: u64,
    /// Bytes that should have come.
    pub expected_bytes: u64,
    /// Offset of the first byte that is another, or that is missing or too many.
    pub first_difference: Option<u64>,
}

/// Reads to the end and compares with `expected`, byte by byte.
///
/// # Errors
/// When `source` cannot be read.
pub fn compare(mut source: impl Read, expected: &[u8]) -> io::Result<Comparison> {
    let mut chunk = vec![0; CHUNK_BYTES];
    let mut got = 0;
    let mut first_difference = None;
    loop {
        let count = read(&mut source, &mut chunk)?;
        if count == 0 {
            break;
        }
        if first_difference.is_none() {
            let wanted = expected.get(got..).unwrap_or_default();
            let wanted = &wanted[..count.min(wanted.len())];
            if chunk[..count] != *wanted {
                let same = chunk.iter().zip(wanted).take_while(|(a, b)| a == b).count();
                first_difference = Some((got + same) as u64);
            }
        }
        got += count;
    }
    if got < expected.len() {
        first_difference.get_or_insert(got as u64);
    }
    Ok(Comparison { bytes: got as u64, expected_bytes: expected.len() as u64, first_difference })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(output: &[u8], expected: &[u8]) -> Comparison {
        let (read, write) = pipe().unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| feed(output, false, write).unwrap());
            compare(File::from(read), expected).unwrap()
        })
    }

    #[test]
    fn a_difference_is_found_where_it_is() {
        let long: Vec<u8> = (0..300_000_u32).map(|i| (i % 251) as u8).collect();
        let mut flipped = long.clone();
        flipped[200_000] ^= 1;
        let doubled = [&long[..], b"x"].concat();
        for (output, expected, difference) in [
            (&long[..], &long[..], None),
            (&flipped, &long, Some(200_000)),
            (&long[..299_999], &long, Some(299_999)),
            (&doubled, &long, Some(300_000)),
            (b"", b"", None),
            (b"", b"a", Some(0)),
            (b"a", b"", Some(0)),
        ] {
            let comparison = compared(output, expected);
            assert_eq!(comparison.first_difference, difference);
            assert_eq!(comparison.bytes, output.len() as u64);
            assert_eq!(comparison.expected_bytes, expected.len() as u64);
        }
    }

    #[test]
    fn a_hot_feeder_writes_as_much_as_there_is() {
        let long: Vec<u8> = (0..1_000_001_u32).map(|i| (i % 251) as u8).collect();
        let (read, write) = pipe().unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| feed(&long, true, write).unwrap());
            let comparison = compare(File::from(read), &long).unwrap();
            assert_eq!(comparison.bytes, 1_000_001);
            assert_eq!(comparison.first_difference, Some(HOT_BYTES as u64));
        });
    }

    #[test]
    fn a_reader_that_leaves_early_is_no_error() {
        let (read, write) = pipe().unwrap();
        drop(read);
        feed(&vec![b'x'; 3 << 20], true, write).unwrap();
    }

    #[test]
    fn a_terminal_passes_every_byte_and_ends_with_its_writer() {
        let (program, screen) = terminal().unwrap();
        let bytes: Vec<u8> = (0..=255).cycle().take(100_000).collect();
        std::thread::scope(|scope| {
            scope.spawn(|| feed(&bytes, false, program).unwrap());
            assert_eq!(compare(screen, &bytes).unwrap().first_difference, None);
        });
    }

    #[test]
    fn discarding_ends_with_the_writer() {
        let (read, write) = pipe().unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| feed(&vec![b'x'; 3 << 20], true, write).unwrap());
            discard(File::from(read)).unwrap();
        });
    }
}
