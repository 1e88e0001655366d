//! Beside GNU's `tr`: generated command lines and inputs, bytes, status and messages compared.
//!
//! `LISSOM_FUZZ_CASES` and `LISSOM_FUZZ_SEED` make it longer, or another one.

use std::io::Write as _;
use std::num::NonZero;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

use super::generate::{Case, Random};
use super::gnu;
use crate::support::{Outcome, lissom_tr, plain};

/// Cases by default: what two cores do in well under a minute.
const CASES: u64 = 12_000;

/// What a pipe holds without anybody reading: such inputs need no thread to feed them.
const PIPE_BYTES: usize = 64 << 10;

const KERNELS: [&str; 5] = ["", "scalar", "sse2", "avx2", "avx512"];

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).map_or(default, |text| text.parse().expect("a number"))
}

fn outcome(command: &mut Command, case: &Case) -> Outcome {
    assert!(case.input.len() <= PIPE_BYTES);
    let (reader, mut writer) = std::io::pipe().expect("a pipe");
    writer.write_all(&case.input).expect("it fits");
    drop(writer);
    command.env_remove("LC_ALL");
    command.envs(case.environment.iter().copied());
    command.args(&case.arguments).stdin(reader);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    Outcome::from(command.output().expect("the program runs"))
}

/// The difference of case `number` to GNU's, if there is one.
fn difference(seed: u64, number: u64, kernels: &[&str]) -> Option<String> {
    let case = Case::new(seed, number);
    let kernel = kernels[Random::new(number).below(kernels.len())];
    let ours = outcome(lissom_tr().env("LISSOM_KERNEL", kernel), &case);
    let gnus = outcome(&mut plain(gnu()?, "tr"), &case);
    if ours == gnus {
        return None;
    }
    Some(format!(
        "seed {seed}, case {number}, kernel {kernel:?}: tr {:?} with {:?} on {} bytes\n{}",
        case.arguments,
        case.environment,
        case.input.len(),
        ours.beside(&gnus),
    ))
}

/// The kernels this machine has: the program refuses the others.
fn kernels() -> Vec<&'static str> {
    let runs = |kernel: &&str| {
        let mut command = lissom_tr();
        command.env("LISSOM_KERNEL", kernel).args(["a", "b"]).stdin(Stdio::null());
        let runs = command.output().expect("the program runs").status.success();
        if !runs {
            eprintln!("NOT RUN: this machine lacks kernel {kernel}");
        }
        runs
    };
    KERNELS.into_iter().filter(runs).collect()
}

#[test]
fn behaves_as_gnu_does() {
    if gnu().is_none() {
        return;
    }
    let cases = number("LISSOM_FUZZ_CASES", CASES);
    let seed = number("LISSOM_FUZZ_SEED", 1);
    let kernels = kernels();
    assert!(kernels.len() >= 2, "the widest kernel and the scalar one at least");
    let next = AtomicU64::new(0);
    let work = || {
        let mut found = Vec::new();
        while found.len() < 5 {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= cases {
                break;
            }
            found.extend(difference(seed, number, &kernels));
        }
        found
    };
    let threads = std::thread::available_parallelism().map_or(2, NonZero::get);
    let found: Vec<String> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let joined = workers.into_iter().map(|worker| worker.join().expect("no panic"));
        joined.flatten().collect()
    });
    assert!(found.is_empty(), "{} differences\n{}", found.len(), found.join("\n"));
}

#[test]
fn the_cases_are_worth_running() {
    // A generator that only makes errors, or none, would prove little.
    let Some(gnu) = gnu() else { return };
    let (mut fine, mut refused, mut warned, mut changed) = (0, 0, 0, 0);
    for number in 0..300 {
        let case = Case::new(7, number);
        let outcome = outcome(&mut plain(gnu, "tr"), &case);
        fine += u32::from(outcome.status == Some(0));
        refused += u32::from(outcome.status == Some(1));
        warned += u32::from(outcome.status == Some(0) && !outcome.stderr.is_empty());
        changed += u32::from(outcome.status == Some(0) && outcome.stdout != case.input);
    }
    assert_eq!(fine + refused, 300);
    assert!(fine > 150, "{fine} run");
    assert!(refused > 30, "{refused} refused");
    assert!(warned > 0, "{warned} warned of");
    assert!(changed > 100, "{changed} do something");
}
