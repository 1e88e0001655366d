//! How fast each kernel of `tr` is, in a buffer that stays in the cache.
//!
//! `cargo bench -p lissom-streams --bench tr` measures; without `--bench`, as under `cargo test`,
//! every case runs once over a small buffer. Either way each result is compared with the scalar
//! kernel's. Figures are bytes in per second, and include a copy of the input into the buffer,
//! whose own speed is the first line.

use std::hint::black_box;
use std::time::{Duration, Instant};

use lissom_streams::cpu::Kernel;
use lissom_streams::tr::kernel::Transform;
use lissom_streams::tr::plan::Plan;
use lissom_streams::tr::program::{Options, Program, compile_one, compile_two};

/// Command lines of the table in the article, and what they are called there.
const CASES: [(&str, &[&str]); 12] = [
    ("upper case", &["a-z", "A-Z"]),
    ("rot13", &["a-zA-Z", "n-za-mN-ZA-M"]),
    ("any map", &[r"\000-\377", r"\200-\377\000-\177"]),
    ("one byte for another", &["e", "X"]),
    ("delete a frequent byte", &["-d", r"\n"]),
    ("delete a rare byte", &["-d", r"\r"]),
    ("delete a complement", &["-cd", r"[:alnum:]\n"]),
    ("squeeze one byte", &["-s", " "]),
    ("squeeze letters", &["-s", "a-z"]),
    ("words to lines", &["-cs", "A-Za-z", r"\n"]),
    ("delete and squeeze", &["-ds", "a-m", "n-z"]),
    ("nothing", &["a", "a"]),
];

fn compile(arguments: &[&'static str]) -> Program {
    let (flags, sets) = match arguments {
        [flags, sets @ ..] if flags.starts_with('-') => (*flags, sets),
        sets => ("", sets),
    };
    let options = Options {
        complement: flags.contains('c'),
        delete: flags.contains('d'),
        squeeze: flags.contains('s'),
        truncate: false,
    };
    match sets {
        [one] => compile_one(options, one.as_bytes()),
        [one, two] => compile_two(options, one.as_bytes(), two.as_bytes()),
        _ => unreachable!("one set or two"),
    }
    .expect("a right command line")
}

/// A map in which no two neighbours go together.
fn scattered() -> Program {
    let mut program = compile(&["a", "b"]);
    program.map = core::array::from_fn(|byte| (byte as u8).wrapping_mul(7).rotate_left(3));
    program
}

/// Lines of words, about as English is.
fn text(length: usize) -> Vec<u8> {
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize
    };
    let mut text = Vec::with_capacity(length + 100);
    while text.len() < length {
        for _ in 0..4 + next() % 10 {
            for _ in 0..1 + next() % 10 {
                text.push(b"etaoinshrdlucmfwypvbgkjqxzee"[next() % 28]);
            }
            let spaces = if next() % 20 == 0 { 3 } else { 1 };
            text.extend(std::iter::repeat_n(b' ', spaces));
        }
        text.push(b'\n');
    }
    text.truncate(length);
    text
}

/// The best of some runs: what the machine can do when nobody disturbs it.
fn best(bytes: usize, is_bench: bool, mut run: impl FnMut()) -> f64 {
    let rounds = if is_bench { 200 } else { 1 };
    let timed = |_| {
        let start = Instant::now();
        run();
        start.elapsed()
    };
    let best = (0..rounds).map(timed).min().unwrap_or(Duration::MAX);
    bytes as f64 / best.as_secs_f64() / 1e9
}

fn main() {
    let is_bench = std::env::args().any(|argument| argument == "--bench");
    let input = text(if is_bench { 256 << 10 } else { 5000 });
    let mut buffer = vec![0; input.len()];
    let copy = best(input.len(), is_bench, || black_box(&mut buffer).copy_from_slice(&input));
    println!("{:24} {:>9.2} GB/s", "copy alone", copy);
    let mut programs: Vec<_> = CASES.iter().map(|&(name, line)| (name, compile(line))).collect();
    programs.push(("scattered map", scattered()));
    for (name, program) in programs {
        let plan = Plan::new(&program);
        let mut expected = input.clone();
        let kept = Transform::new(&plan, Some(Kernel::Scalar)).run(&mut expected);
        expected.truncate(kept);
        print!("{name:24}");
        for kernel in Kernel::ALL {
            if !kernel.is_available() {
                print!(" {:>9} NOT RUN", kernel.name());
                continue;
            }
            let mut transform = Transform::new(&plan, Some(kernel));
            let mut kept = 0;
            let speed = best(input.len(), is_bench, || {
                buffer.copy_from_slice(&input);
                transform.restart();
                kept = transform.run(black_box(&mut buffer));
            });
            assert!(buffer[..kept] == expected, "{name} by {}", kernel.name());
            print!(" {:>7} {speed:>6.2}", kernel.name());
        }
        println!();
    }
}
