//! The plain algorithm: one byte at a time, every option asked about at every byte.
//!
//! It is what runs where no other kernel does, and what the others are tested against.

use super::{OUTPUT_MARGIN, Progress, Shown, State};
use crate::cat::options::Options;

/// Formats `input`, or as much of it as `output` has room for.
pub fn format(options: Options, state: &mut State, input: &[u8], output: &mut [u8]) -> Progress {
    let mut out = Output { output, written: 0 };
    let mut read = 0;
    while read < input.len() && out.output.len() - out.written >= OUTPUT_MARGIN {
        one(options, state, input[read], &mut out);
        read += 1;
    }
    Progress { read, written: out.written }
}

struct Output<'a> {
    output: &'a mut [u8],
    written: usize,
}

impl Output<'_> {
    fn put(&mut self, bytes: &[u8]) {
        self.output[self.written..][..bytes.len()].copy_from_slice(bytes);
        self.written += bytes.len();
    }
}

fn one(options: Options, state: &mut State, byte: u8, out: &mut Output<'_>) {
    if core::mem::take(&mut state.carriage) {
        out.put(if byte == b'\n' { b"^M" } else { b"\r" });
    }
    let blank = state.fresh && byte == b'\n';
    if blank && state.after_blank && options.squeeze {
        return;
    }
    if state.fresh {
        let numbered = if options.number_nonblank { !blank } else { options.number };
        if numbered {
            let (text, length) = state.counter.take();
            out.put(&text[..length]);
        }
    }
    if byte == b'\n' {
        state.after_blank = blank;
    }
    state.fresh = byte == b'\n';
    if byte == b'\r' && options.ends && !options.nonprinting {
        state.carriage = true;
        return;
    }
    out.put(Shown::new(byte, options).bytes());
}
