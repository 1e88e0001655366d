//! Every kernel against the naive twin, at every alignment and length.

use super::*;
use crate::tr::bytes::ByteSet;
use crate::tr::program::Program;

/// What a program means, said as plainly as possible.
fn naive(program: &Program, bytes: &[u8]) -> Vec<u8> {
    let mut result = Vec::new();
    for &byte in bytes {
        if program.delete.contains(byte) {
            continue;
        }
        let byte = program.map[usize::from(byte)];
        if program.squeeze.contains(byte) && result.last() == Some(&byte) {
            continue;
        }
        result.push(byte);
    }
    result
}

/// A small generator, the same on every machine (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

fn set(members: &[(u8, u8)]) -> ByteSet {
    let mut set = ByteSet::EMPTY;
    for &(first, last) in members {
        set.insert_range(first, last);
    }
    set
}

const NONE: ByteSet = ByteSet::EMPTY;

fn program(change: impl Fn(u8) -> u8, delete: ByteSet, squeeze: ByteSet) -> Program {
    Program { map: core::array::from_fn(|byte| change(byte as u8)), delete, squeeze }
}

/// Programs that reach every function of every kernel.
fn programs() -> Vec<Program> {
    let same = |b| b;
    let letters = set(&[(b'A', b'Z'), (b'a', b'z')]);
    let mut random = Random(42);
    let mut scattered = ByteSet::EMPTY;
    let mut shuffled: [u8; 256] = core::array::from_fn(|byte| byte as u8);
    for at in (1..256).rev() {
        shuffled.swap(at, random.below(at as u64 + 1) as usize);
        if random.below(2) == 0 {
            scattered.insert_range(at as u8, at as u8);
        }
    }
    let rot13 = |b: u8| match b.to_ascii_lowercase() {
        b'a'..=b'm' => b + 13,
        b'n'..=b'z' => b - 13,
        _ => b,
    };
    let one = |byte| set(&[(byte, byte)]);
    let lines = |b: u8| if b.is_ascii_alphabetic() { b } else { b'\n' };
    vec![
        program(same, NONE, NONE),
        program(|b| b.to_ascii_uppercase(), NONE, NONE),
        program(rot13, NONE, NONE),
        program(|b| if b == b'a' { b'Z' } else { b }, NONE, NONE),
        program(|b| b.wrapping_add(131), NONE, NONE),
        program(|b| shuffled[usize::from(b)], NONE, NONE),
        program(same, one(b'a'), NONE),
        program(same, letters, NONE),
        program(same, letters.complement(), NONE),
        program(same, scattered, NONE),
        program(same, set(&[(0, 255)]), NONE),
        program(same, NONE, one(b'a')),
        program(same, NONE, letters),
        program(same, NONE, scattered),
        program(same, NONE, set(&[(0, 255)])),
        program(lines, NONE, one(b'\n')),
        program(|b| shuffled[usize::from(b)], NONE, scattered),
        program(same, letters, scattered),
        program(same, one(b'b'), one(b'a')),
    ]
}

/// Data with runs, rare and frequent bytes, and every byte value.
fn data(random: &mut Random, length: usize) -> Vec<u8> {
    let kind = random.below(4);
    let mut bytes = Vec::with_capacity(length + 70);
    while bytes.len() < length {
        let byte = match kind {
            0 => random.next() as u8,
            1 => b"ab \n"[random.below(4) as usize],
            2 if random.below(40) > 0 => 0xF0,
            _ => b'a' + random.below(4) as u8,
        };
        let run = match random.below(8) {
            0 => random.below(70),
            1 | 2 => 2,
            _ => 1,
        };
        bytes.extend(std::iter::repeat_n(byte, run as usize));
    }
    bytes.truncate(length);
    bytes
}

/// Bytes before and after the data, which nobody may touch.
const GUARD: usize = 128;

/// Runs `transform` over `bytes` at an alignment of its own, between guards; appends the result.
fn run_guarded(
    transform: &mut Transform<'_>,
    bytes: &[u8],
    alignment: usize,
    buffer: &mut Vec<u8>,
    result: &mut Vec<u8>,
) {
    // Vectors are aligned to 16 by the allocator; what counts is that all offsets occur.
    let from = GUARD + alignment;
    let to = from + bytes.len();
    buffer.clear();
    buffer.resize(to + GUARD, 0xA5);
    buffer[from..to].copy_from_slice(bytes);
    let kept = transform.run(&mut buffer[from..to]);
    result.extend_from_slice(&buffer[from..from + kept]);
    let guards = [0xA5; GUARD + 64];
    assert!(
        buffer[..from] == guards[..from] && buffer[to..] == guards[..GUARD],
        "{:?} wrote beyond {} bytes at {alignment}",
        transform.kernel,
        bytes.len()
    );
}

/// Runs `program` over `bytes` in parts that end at `cuts`.
fn check(kernel: Kernel, program: &Program, bytes: &[u8], cuts: &[usize], alignment: usize) {
    let plan = Plan::new(program);
    let mut transform = Transform::new(&plan, Some(kernel));
    let (mut buffer, mut got) = (Vec::new(), Vec::new());
    let mut start = 0;
    for &end in cuts.iter().chain([&bytes.len()]) {
        let part = &bytes[start..end];
        run_guarded(&mut transform, part, alignment, &mut buffer, &mut got);
        start = end;
    }
    let expected = naive(program, bytes);
    assert!(
        got == expected,
        "{kernel:?}, alignment {alignment}, cuts {cuts:?}, {plan:?}\n{bytes:?}\n\
         became\n{got:?}, not\n{expected:?}",
    );
}

/// The kernels that run here. Those that do not are named, lest their absence pass for success.
fn kernels() -> Vec<Kernel> {
    let (here, absent): (Vec<_>, Vec<_>) =
        Kernel::ALL.into_iter().partition(|kernel| kernel.is_available());
    for kernel in absent {
        eprintln!("NOT RUN: this machine lacks kernel {}", kernel.name());
    }
    here
}

#[test]
fn every_alignment_and_length() {
    // Miri is a thousand times slower: there, the lengths around each vector's width.
    let (alignments, lengths): (usize, Vec<usize>) = if cfg!(miri) {
        (2, vec![0, 1, 15, 16, 17, 31, 33, 63, 65, 130])
    } else {
        (64, (0..=300).collect())
    };
    let kernels = kernels();
    let (mut buffer, mut got) = (Vec::new(), Vec::new());
    let mut random = Random(1);
    for program in programs() {
        let plan = Plan::new(&program);
        // Made once for each plan: asking what the processor can do is slow on virtual machines.
        let start = |&kernel| Transform::new(&plan, Some(kernel));
        let mut transforms: Vec<_> = kernels.iter().map(start).collect();
        for &length in &lengths {
            let bytes = data(&mut random, length);
            let expected = naive(&program, &bytes);
            for transform in &mut transforms {
                for alignment in 0..alignments {
                    got.clear();
                    transform.restart();
                    run_guarded(transform, &bytes, alignment, &mut buffer, &mut got);
                    assert!(
                        got == expected,
                        "{:?}, alignment {alignment}, {plan:?}\n{bytes:?}\n\
                         became\n{got:?}, not\n{expected:?}",
                        transform.kernel,
                    );
                }
            }
        }
    }
}

#[test]
fn any_cut_of_the_data_gives_the_same() {
    let rounds = if cfg!(miri) { 3 } else { 400 };
    let programs = programs();
    for kernel in kernels() {
        let mut random = Random(2);
        for _ in 0..rounds {
            for program in &programs {
                let length = random.below(600) as usize;
                let bytes = data(&mut random, length);
                let count = random.below(12);
                let mut cuts: Vec<usize> =
                    (0..count).map(|_| random.below(length as u64 + 1) as usize).collect();
                cuts.sort_unstable();
                check(kernel, program, &bytes, &cuts, random.below(64) as usize);
            }
        }
    }
}

/// Nothing to see without help: under AddressSanitizer or Valgrind, a load or store beyond an
/// allocation of just the right size is an error.
#[test]
fn allocations_of_the_exact_size() {
    let mut random = Random(5);
    for program in programs() {
        let plan = Plan::new(&program);
        for kernel in kernels() {
            let mut transform = Transform::new(&plan, Some(kernel));
            for length in 0..=if cfg!(miri) { 40 } else { 300 } {
                let bytes = data(&mut random, length);
                let mut exact = bytes.clone().into_boxed_slice();
                transform.restart();
                let kept = transform.run(&mut exact);
                assert!(exact[..kept] == naive(&program, &bytes), "{kernel:?}, {plan:?}");
            }
        }
    }
}

#[test]
fn one_byte_at_a_time() {
    let programs = programs();
    for kernel in kernels() {
        let mut random = Random(3);
        for program in &programs {
            let bytes = data(&mut random, 200);
            let cuts: Vec<usize> = (0..200).collect();
            check(kernel, program, &bytes, &cuts, 0);
        }
    }
}

#[test]
fn random_programs() {
    let rounds = if cfg!(miri) { 5 } else { 2000 };
    for kernel in kernels() {
        let mut random = Random(4);
        for _ in 0..rounds {
            let any = |random: &mut Random| {
                let mut set = ByteSet::EMPTY;
                for _ in 0..random.below(9) {
                    let first = random.next() as u8;
                    set.insert_range(first, first.saturating_add(random.below(40) as u8));
                }
                set
            };
            let (delete, squeeze) = (any(&mut random), any(&mut random));
            let mut program = program(|b| b, NONE, squeeze);
            if random.below(2) == 0 {
                program.delete = delete;
            } else {
                for _ in 0..random.below(9) {
                    let (first, add) = (random.next() as u8, random.next() as u8);
                    let constant = random.below(2) == 0;
                    for byte in first..=first.saturating_add(random.below(60) as u8) {
                        program.map[usize::from(byte)] =
                            if constant { add } else { byte.wrapping_add(add) };
                    }
                }
            }
            let bytes = data(&mut random, 500);
            let cut = random.below(500) as usize;
            check(kernel, &program, &bytes, &[cut], 1);
        }
    }
}
