//! Every kernel against a formatter that has nothing in common with them.

use super::*;

/// What `cat` shows, written down as simply as possible: all input at once, line by line.
fn naive(options: Options, input: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut number = 0;
    let mut after_blank = false;
    for line in input.split_inclusive(|&byte| byte == b'\n') {
        let body = line.strip_suffix(b"\n").unwrap_or(line);
        let blank = line == b"\n";
        if blank && after_blank && options.squeeze {
            continue;
        }
        after_blank = blank;
        if !blank && options.number_nonblank || options.number && !options.number_nonblank {
            number += 1;
            out.extend(format!("{number:6}\t").bytes());
        }
        for (index, &byte) in body.iter().enumerate() {
            let at_end = index + 1 == body.len() && body.len() < line.len();
            match byte {
                b'\t' if options.tabs => out.extend(b"^I"),
                b'\t' => out.push(b'\t'),
                b'\r' if options.ends && at_end => out.extend(b"^M"),
                _ if !options.nonprinting => out.push(byte),
                0..32 => out.extend([b'^', byte + 64]),
                32..127 => out.push(byte),
                127 => out.extend(b"^?"),
                128..160 => out.extend([b'M', b'-', b'^', byte - 128 + 64]),
                160..255 => out.extend([b'M', b'-', byte - 128]),
                255 => out.extend(b"M-^?"),
            }
        }
        if body.len() < line.len() {
            out.extend(if options.ends { &b"$\n"[..] } else { b"\n" });
        }
    }
    out
}

/// What `kernel` makes of `input`, given to it in `pieces`, `offset` bytes into its buffer, with
/// `room` for output per call.
fn shown(
    kernel: Kernel,
    options: Options,
    input: &[u8],
    pieces: usize,
    offset: usize,
    room: usize,
) -> Vec<u8> {
    let escapes = Escapes::new(options);
    let mut state = State::new();
    let mut out = Vec::new();
    let mut output = vec![0; room];
    let mut places = Box::new([0; SPAN + 64]);
    for piece in input.chunks(pieces.max(1)) {
        // What follows the input must not matter.
        let mut buffer = vec![b'\n'; offset];
        buffer.extend(piece);
        buffer.extend([b'\n'; INPUT_SLACK / 2]);
        buffer.extend([b'\n'; INPUT_SLACK / 2]);
        let mut at = 0;
        while at < piece.len() {
            let rest = &buffer[offset + at..];
            let length = piece.len() - at;
            let progress =
                format(kernel, &escapes, &mut state, rest, length, &mut output, &mut places);
            assert!(progress.read > 0 && progress.written <= room);
            out.extend(&output[..progress.written]);
            at += progress.read;
        }
    }
    if state.carriage {
        out.push(b'\r');
    }
    out
}

fn kernels() -> impl Iterator<Item = Kernel> {
    Kernel::ALL.into_iter().filter(|kernel| kernel.is_available())
}

fn all_options() -> impl Iterator<Item = Options> {
    (0..64_u32).map(|bits| {
        let bit = |place: u32| bits >> place & 1 == 1;
        Options {
            number: bit(0),
            number_nonblank: bit(1),
            squeeze: bit(2),
            ends: bit(3),
            tabs: bit(4),
            nonprinting: bit(5),
        }
    })
}

/// A small generator: xorshift.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Bytes of one of several textures.
    fn bytes(&mut self, length: usize, texture: usize) -> Vec<u8> {
        let rare = |random: u64, common: u8| match random >> 8 & 15 {
            0 => b'\n',
            1 => random as u8,
            _ => common,
        };
        (0..length)
            .map(|_| {
                let random = self.next() >> 16;
                match texture {
                    0 => random as u8,
                    1 => b"\n\n\r\ta\x80"[random as usize % 6],
                    2 => b'\n',
                    3 => rare(random, b'x'),
                    4 => [b'\r', b'\n'][random as usize & 1],
                    _ => rare(random, b'\t'),
                }
            })
            .collect()
    }
}

const TEXTURES: usize = 6;

#[test]
fn all_options_are_shown_right_at_all_lengths() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for (place, options) in all_options().enumerate() {
        // A quarter of the lengths for each set of options: unoptimised builds are slow.
        for length in (place % 4..=300).step_by(4) {
            let input = random.bytes(length, length % TEXTURES);
            let expected = naive(options, &input);
            for kernel in kernels() {
                let offset = (random.next() % 64) as usize;
                let got = shown(kernel, options, &input, length, offset, 65536);
                assert_eq!(got, expected, "{kernel:?} {options:?} {offset} {input:?}");
            }
        }
    }
}

#[test]
fn all_alignments_of_all_lengths() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let paths = [
        Options { nonprinting: true, ends: true, tabs: true, ..Options::default() },
        Options { squeeze: true, ..Options::default() },
        Options { number: true, ..Options::default() },
        Options { number_nonblank: true, tabs: true, ends: true, ..Options::default() },
        Options { ends: true, ..Options::default() },
    ];
    for length in 0..=300 {
        let input = random.bytes(length, length % TEXTURES);
        let expected = paths.map(|options| naive(options, &input));
        for kernel in kernels() {
            for offset in 0..64 {
                let path = (length + offset) % paths.len();
                let got = shown(kernel, paths[path], &input, length, offset, 65536);
                assert_eq!(got, expected[path], "{kernel:?} {path} {offset} {input:?}");
            }
        }
    }
}

#[test]
fn pieces_and_room_make_no_difference() {
    let mut random = Random(0x1234_5678_9abc_def1);
    for options in all_options() {
        for texture in 0..TEXTURES {
            let length = 500 + (random.next() % 500) as usize;
            let input = random.bytes(length, texture);
            let expected = naive(options, &input);
            for kernel in kernels() {
                for pieces in [1, 63, 65, 400] {
                    let room = OUTPUT_MARGIN + (random.next() % 100) as usize;
                    let got = shown(kernel, options, &input, pieces, 0, room);
                    assert_eq!(got, expected, "{kernel:?} {options:?} {pieces} {room}");
                }
            }
        }
    }
}

#[test]
fn every_byte_beside_every_other_is_shown_right() {
    let input: Vec<u8> =
        (0..=255_u8).flat_map(|first| (0..=255).flat_map(move |second| [first, second])).collect();
    for options in all_options() {
        let expected = naive(options, &input);
        for kernel in kernels() {
            let got = shown(kernel, options, &input, 10_000, 3, 40_000);
            assert!(got == expected, "{kernel:?} {options:?}");
        }
    }
}

#[test]
fn many_lines_are_numbered_beyond_six_digits() {
    let options = Options { number: true, ..Options::default() };
    let input = vec![b'\n'; 1_000_100];
    let expected = naive(options, &input);
    for kernel in kernels() {
        let got = shown(kernel, options, &input, CHUNK, 0, 262_144);
        assert!(got == expected, "{kernel:?}");
    }
}
