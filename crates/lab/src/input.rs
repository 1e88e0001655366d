//! Inputs: made once, the same bytes on every machine, kept in the cache.

use crate::error::{Error, Result};
use crate::suite::Input;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// An input as a file that is in the page cache, and as bytes to feed and to compare with.
#[derive(Debug)]
pub struct Ready {
    /// The file.
    pub path: PathBuf,
    /// What is in it.
    pub contents: Vec<u8>,
}

/// Makes the input in `cache` unless it is there, and reads it.
///
/// # Errors
/// When the cache cannot be written or read.
pub fn ready(input: &Input, cache: &Path) -> Result<Ready> {
    let folder = cache.join("inputs");
    fs::create_dir_all(&folder).map_err(|cause| Error::file(&folder, cause))?;
    let path = folder.join(name(input));
    if !path.exists() {
        // Written beside it and renamed: an interrupted run must not leave half an input.
        let part = folder.join(format!("{}.{}.part", name(input), std::process::id()));
        let made = make(input, &part).and_then(|()| fs::rename(&part, &path));
        if let Err(cause) = made {
            drop(fs::remove_file(&part));
            return Err(Error::file(&path, cause));
        }
    }
    let contents = fs::read(&path).map_err(|cause| Error::file(&path, cause))?;
    Ok(Ready { path, contents })
}

fn name(input: &Input) -> String {
    match (input.seq, input.text_mib) {
        (Some(last), _) => format!("seq-{last}.txt"),
        (_, Some(mib)) => format!("text-{mib}-mib.txt"),
        (None, None) => unreachable!("a suite with such an input is refused"),
    }
}

fn make(input: &Input, path: &Path) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
    if let Some(last) = input.seq {
        for number in 1..=last {
            writeln!(out, "{number}")?;
        }
    }
    if let Some(mib) = input.text_mib {
        text(mib << 20, &mut out)?;
    }
    out.flush()
}

/// Lines of 1 to 16 lower-case words, from a fixed seed, exactly `bytes` long with a newline at
/// the end.
fn text(bytes: u64, out: &mut impl Write) -> io::Result<()> {
    let mut random = SplitMix64(0x6c69_7373_6f6d);
    let mut line = Vec::with_capacity(256);
    let mut left = bytes;
    while left > 0 {
        line.clear();
        for _ in 0..=random.next() % 16 {
            let mut letters = random.next();
            for _ in 0..2 + random.next() % 8 {
                line.push(b'a' + (letters % 26) as u8);
                letters /= 26;
            }
            line.push(b' ');
        }
        line.truncate(usize::try_from(left).unwrap_or(usize::MAX));
        *line.last_mut().expect("a line has a word") = b'\n';
        out.write_all(&line)?;
        left -= line.len() as u64;
    }
    Ok(())
}

/// The generator of Steele, Lea and Flood (2014): a counter and a finaliser.
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(seq: Option<u64>, text_mib: Option<u64>) -> Input {
        Input { id: "i".into(), label: "I".into(), seq, text_mib }
    }

    #[test]
    fn numbers_are_those_of_seq() {
        let cache = lissom_testkit::folder();
        let made = ready(&input(Some(12), None), cache.path()).unwrap();
        assert_eq!(fs::read(&made.path).unwrap(), b"1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n");
        assert_eq!(made.contents.len(), 27);
    }

    #[test]
    fn text_is_exactly_as_long_as_asked_and_always_the_same() {
        let cache = lissom_testkit::folder();
        let made = ready(&input(None, Some(1)), cache.path()).unwrap();
        let bytes = made.contents;
        assert_eq!(bytes.len(), 1 << 20);
        assert!(bytes.ends_with(b"\n"));
        // bufio.Scanner refuses lines of 64 KiB; these stay far below.
        assert!(bytes.split(|&byte| byte == b'\n').all(|line| line.len() < 200));
        let mut again = Vec::new();
        text(1 << 20, &mut again).unwrap();
        assert!(again == bytes);
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_named() {
        let cache = lissom_testkit::folder();
        let blocked = cache.path().join("file");
        fs::write(&blocked, "").unwrap();
        let message = ready(&input(Some(1), None), &blocked).unwrap_err().to_string();
        assert!(message.contains("/file/inputs: "), "{message}");
    }
}
