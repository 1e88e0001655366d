//! How fast each kernel of `cat` formats, in a buffer that stays in the cache.
//!
//! `cargo bench -p lissom-streams --bench cat` measures; without `--bench`, as under `cargo test`,
//! every case runs once over a small buffer. Either way each result is compared with the scalar
//! kernel's. Figures are bytes in per second.

use std::hint::black_box;
use std::time::{Duration, Instant};

use lissom_streams::cat::format::{
    Escapes, INPUT_SLACK, OUTPUT_MARGIN, Places, SPAN, State, format,
};
use lissom_streams::cat::options::Options;
use lissom_streams::cpu::Kernel;

const PLAIN: Options = Options {
    number: false,
    number_nonblank: false,
    squeeze: false,
    ends: false,
    tabs: false,
    nonprinting: false,
};

const CASES: [(&str, Options); 9] = [
    ("-n", Options { number: true, ..PLAIN }),
    ("-b", Options { number_nonblank: true, ..PLAIN }),
    ("-s", Options { squeeze: true, ..PLAIN }),
    ("-E", Options { ends: true, ..PLAIN }),
    ("-T", Options { tabs: true, ..PLAIN }),
    ("-v", Options { nonprinting: true, ..PLAIN }),
    ("-A", Options { nonprinting: true, ends: true, tabs: true, ..PLAIN }),
    ("-nA", Options { number: true, nonprinting: true, ends: true, tabs: true, ..PLAIN }),
    ("-sn", Options { squeeze: true, number: true, ..PLAIN }),
];

/// Lines of 0 to 100 bytes, one in ten with a tab; or any bytes.
fn input(length: usize, random: bool) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state >> 16
    };
    let mut bytes = Vec::with_capacity(length + 128);
    while bytes.len() < length {
        if random {
            bytes.push(next() as u8);
            continue;
        }
        if next() % 10 == 0 {
            bytes.push(b'\t');
        }
        let line = next() % 101;
        bytes.extend((0..line).map(|_| b"etaoin shrdlu"[(next() % 13) as usize]));
        bytes.push(b'\n');
    }
    bytes.truncate(length);
    bytes
}

/// Formats all of `input`, which has the slack at its end, into `output`; returns its length.
fn run(
    kernel: Kernel,
    escapes: &Escapes,
    input: &[u8],
    output: &mut [u8],
    places: &mut Places,
) -> usize {
    let mut state = State::new();
    let length = input.len() - INPUT_SLACK;
    let (mut read, mut written) = (0, 0);
    while read < length {
        let rest = (&input[read..], length - read);
        let room = &mut output[written..];
        let progress = format(kernel, escapes, &mut state, rest.0, rest.1, room, places);
        read += progress.read;
        written += progress.written;
    }
    written
}

fn main() {
    let measures = std::env::args().any(|argument| argument == "--bench");
    let length = if measures { 64 * 1024 } else { 3000 };
    let mut places: Box<Places> = vec![0; SPAN + 64].try_into().expect("its length");
    for random in [false, true] {
        let mut bytes = input(length, random);
        bytes.extend([0; INPUT_SLACK]);
        let mut output = vec![0; 12 * length + 2 * OUTPUT_MARGIN];
        for (name, options) in CASES {
            let escapes = Escapes::new(options);
            let written = run(Kernel::Scalar, &escapes, &bytes, &mut output, &mut places);
            let expected = output[..written].to_vec();
            for kernel in Kernel::ALL.into_iter().filter(|kernel| kernel.is_available()) {
                let mut rounds = 0_u32;
                let start = Instant::now();
                loop {
                    let input = black_box(&bytes);
                    let written = run(kernel, &escapes, input, &mut output, &mut places);
                    rounds += 1;
                    assert!(output[..written] == expected, "{name} {kernel:?}");
                    if !measures || start.elapsed() > Duration::from_millis(100) {
                        break;
                    }
                }
                if measures {
                    let seconds = start.elapsed().as_secs_f64();
                    let rate = f64::from(rounds) * length as f64 / seconds / 1e9;
                    let kind = if random { "random" } else { "text" };
                    println!("{name:4} {kind:6} {:7} {rate:7.2} GB/s", kernel.name());
                }
            }
        }
    }
}
