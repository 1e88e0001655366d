//! Lines shown some other way than they are: `-b`, `-e`, `-n`, `-s`, `-t`, `-v`, `-A`, `-E`, `-T`.
//!
//! Budget: no allocation. Per 128 KiB of input: one `read`, and a `write` per 256 KiB of output or
//! per read that could block. One copy in user space. [`State`] is what the output depends on
//! besides the bytes: it outlives files, as the numbering and an unfinished line do.
//!
//! The plain algorithm is [`scalar`]: one byte at a time. The others ([`blocks`]) look at 64 bytes
//! at once.

pub mod blocks;
pub mod counter;
pub mod lines;
pub mod scalar;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
pub mod x86;

use super::Fault;
use super::options::Options;
use super::sink::Sink;
use super::source::{Into, Source};
use crate::cpu::Kernel;
use crate::rt::io::{Errno, enlarge_pipe};
use counter::Counter;

/// Bytes read at once.
const CHUNK: usize = 128 * 1024;

/// A multiple of this is read before a pipe counts as worth enlarging.
const MUCH: usize = 64 * 1024;

/// Kernels may read, and ignore, so many bytes beyond the input.
pub const INPUT_SLACK: usize = 192;

/// The size of the input's buffer.
pub const INPUT_BYTES: usize = CHUNK + INPUT_SLACK;

/// Input that kernels look through for lines before they write them.
pub const SPAN: usize = 16 * 1024;

/// The room that kernels need to take a step: either 64 bytes, each a numbered line with its end,
/// or one line of up to a span; with what vectors write beyond the end, and two bytes for a
/// carriage return that was held back.
pub const OUTPUT_MARGIN: usize = SPAN + 64 * (counter::WIDTH_MAX + 2) + 2;

/// Scratch of the kernels: where the newlines of a span are.
pub type Places = [u16; SPAN + 64];

/// What is known of the input so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// The number of the next line.
    pub counter: Counter,
    /// The next byte begins a line.
    pub fresh: bool,
    /// The line before was empty. Of interest at the beginning of a line only.
    pub after_blank: bool,
    /// A carriage return is held back: `^M` if a newline follows, itself if not.
    pub carriage: bool,
}

impl State {
    /// Before the first byte.
    #[must_use]
    pub fn new() -> Self {
        Self { counter: Counter::new(), fresh: true, after_blank: false, carriage: false }
    }
}

impl Default for State {
    fn default() -> Self {
        Self::new()
    }
}

/// How far one call of a kernel came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Bytes of the input that are done with.
    pub read: usize,
    /// Bytes of output.
    pub written: usize,
}

/// What a byte becomes, newlines apart.
pub struct Escapes {
    /// The bytes of it, lowest first.
    pub text: [u32; 256],
    /// How many they are: 1 to 4.
    pub length: [u8; 256],
    /// The options it was made of.
    pub options: Options,
}

impl Escapes {
    /// For `-v` and `-T`, and for `-E` where `-v` leaves no other care to be taken at line ends.
    #[must_use]
    pub fn new(options: Options) -> Self {
        let mut escapes = Self { text: [0; 256], length: [1; 256], options };
        for byte in 0..=255_u8 {
            let mut text = [0; 4];
            let mut length = 0;
            for &shown in Shown::new(byte, options).bytes() {
                text[length] = shown;
                length += 1;
            }
            escapes.text[usize::from(byte)] = u32::from_le_bytes(text);
            escapes.length[usize::from(byte)] = length as u8;
        }
        escapes
    }
}

/// How one byte is shown; at most four bytes.
pub struct Shown([u8; 4], usize);

impl Shown {
    /// By `-v`, `-T`, and `-E`; a carriage return before a newline is the caller's care.
    #[must_use]
    pub fn new(byte: u8, options: Options) -> Self {
        let mut shown = Self([0; 4], 0);
        match byte {
            b'\n' if options.ends => shown.push(b'$').push(b'\n'),
            b'\t' if options.tabs => shown.push(b'^').push(b'I'),
            b'\n' | b'\t' => shown.push(byte),
            _ if !options.nonprinting => shown.push(byte),
            _ => {
                if byte >= 128 {
                    shown.push(b'M').push(b'-');
                }
                match byte & 127 {
                    low @ (0..32 | 127) => shown.push(b'^').push(low ^ 64),
                    low => shown.push(low),
                }
            }
        };
        shown
    }

    /// The bytes to write.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.0[..self.1]
    }

    fn push(&mut self, byte: u8) -> &mut Self {
        self.0[self.1] = byte;
        self.1 += 1;
        self
    }
}

/// Formats the first `length` bytes of `input`, or as many as `output` has room for.
///
/// `input` is [`INPUT_SLACK`] longer than `length`; `output` has at least [`OUTPUT_MARGIN`].
/// Progress is made whenever `length` is not 0.
pub fn format(
    kernel: Kernel,
    escapes: &Escapes,
    state: &mut State,
    input: &[u8],
    length: usize,
    output: &mut [u8],
    places: &mut Places,
) -> Progress {
    assert!(length + INPUT_SLACK <= input.len() && output.len() >= OUTPUT_MARGIN);
    #[cfg(target_arch = "x86_64")]
    if kernel > Kernel::Scalar {
        return x86::format(kernel, escapes, state, input, length, output, places);
    }
    let _ = (kernel, places);
    scalar::format(escapes.options, state, &input[..length], output)
}

/// The formatting of a whole run.
pub struct Formatter<'a> {
    escapes: Escapes,
    kernel: Kernel,
    state: State,
    buffer: &'a mut [u8; INPUT_BYTES],
    places: &'a mut Places,
    /// Bytes read so far, until the input's pipe has been enlarged.
    read: usize,
}

impl<'a> Formatter<'a> {
    /// Formats by `options`, with a kernel that this machine has.
    #[must_use]
    pub fn new(
        options: Options,
        kernel: Kernel,
        buffer: &'a mut [u8; INPUT_BYTES],
        places: &'a mut Places,
    ) -> Self {
        Self {
            escapes: Escapes::new(options),
            kernel,
            state: State::new(),
            buffer,
            places,
            read: 0,
        }
    }

    /// Formats `source` to its end.
    ///
    /// # Errors
    /// Reading or writing failed.
    pub fn copy(
        &mut self,
        source: &mut Source,
        sink: &mut Sink<'_>,
        may_hold: bool,
    ) -> Result<(), Fault> {
        loop {
            let chunk = Into::Buffer(&mut self.buffer[..CHUNK]);
            let length = source.read(chunk, sink, may_hold)?;
            if length == 0 {
                return Ok(());
            }
            if self.read < MUCH {
                self.read += length;
                if self.read >= MUCH {
                    enlarge_pipe(source.fd());
                }
            }
            self.show(length, sink).map_err(Fault::Write)?;
        }
    }

    /// Formats the first `length` bytes of the buffer.
    fn show(&mut self, length: usize, sink: &mut Sink<'_>) -> Result<(), Errno> {
        let mut at = 0;
        while at < length {
            if sink.room().len() < OUTPUT_MARGIN {
                sink.flush()?;
            }
            let progress = format(
                self.kernel,
                &self.escapes,
                &mut self.state,
                &self.buffer[at..],
                length - at,
                sink.room(),
                self.places,
            );
            sink.hold(progress.written);
            at += progress.read;
        }
        Ok(())
    }

    /// After the last operand: what was held back.
    ///
    /// # Errors
    /// Writing failed.
    pub fn finish(&mut self, sink: &mut Sink<'_>) -> Result<(), Errno> {
        if core::mem::take(&mut self.state.carriage) {
            if sink.room().is_empty() {
                sink.flush()?;
            }
            sink.room()[0] = b'\r';
            sink.hold(1);
        }
        Ok(())
    }
}
