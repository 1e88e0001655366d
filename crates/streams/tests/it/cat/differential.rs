//! Beside GNU's `cat`: generated command lines, files and inputs; bytes, status and messages
//! compared.
//!
//! `LISSOM_FUZZ_CASES` and `LISSOM_FUZZ_SEED` make it longer, or another one.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::num::NonZero;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

use super::generate::{Case, Output, Random, write_files};
use super::{GNU, gnu};
use crate::support::{Outcome, lissom_cat, plain};

/// Cases by default: what two cores do in well under a minute.
const CASES: u64 = 8000;

const KERNELS: [&str; 5] = ["", "scalar", "sse2", "avx2", "avx512"];

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).map_or(default, |text| text.parse().expect("a number"))
}

/// Runs one program; its standard output is in the outcome, wherever it led.
fn outcome(mut command: Command, case: &Case, files: &Path, scratch: &Path) -> Outcome {
    command.env_remove("LC_ALL").envs(case.environment.iter().copied());
    command.args(&case.arguments).current_dir(files);
    if case.input_is_file {
        let path = scratch.join("input");
        fs::write(&path, &case.input).expect("a file");
        command.stdin(File::open(path).expect("a file"));
    } else {
        // It fits: no thread has to feed it.
        let (reader, mut writer) = std::io::pipe().expect("a pipe");
        writer.write_all(&case.input).expect("it fits");
        command.stdin(reader);
    }
    let path = scratch.join("output");
    let open = |path: &Path, append| {
        let mut options = OpenOptions::new();
        let options = options.create(true).append(append).write(!append);
        options.open(path).expect("a file to write")
    };
    command.stderr(Stdio::piped()).stdout(match case.output {
        Output::Pipe => Stdio::piped(),
        Output::Full => open(Path::new("/dev/full"), false).into(),
        Output::Null => open(Path::new("/dev/null"), false).into(),
        Output::File | Output::Append => {
            fs::write(&path, b"before\n").expect("a file");
            open(&path, case.output == Output::Append).into()
        }
    });
    let mut outcome = Outcome::from(command.output().expect("the program runs"));
    if matches!(case.output, Output::File | Output::Append) {
        outcome.stdout = fs::read(&path).expect("the output");
    }
    outcome
}

/// The difference of case `number` to GNU's, if there is one.
fn difference(
    (seed, number): (u64, u64),
    kernels: &[&str],
    files: &Path,
    scratch: &Path,
) -> Option<String> {
    let case = Case::new(seed, number);
    let kernel = kernels[Random::new(number).below(kernels.len())];
    let mut ours = lissom_cat();
    ours.env("LISSOM_KERNEL", kernel);
    let ours = outcome(ours, &case, files, scratch);
    let gnus = outcome(plain(GNU, "cat"), &case, files, scratch);
    if ours == gnus {
        return None;
    }
    Some(format!(
        "seed {seed}, case {number}, kernel {kernel:?}: cat {:?} with {:?}, {} bytes of input \
         (file: {}), to {:?}\n{}",
        case.arguments,
        case.environment,
        case.input.len(),
        case.input_is_file,
        case.output,
        ours.beside(&gnus),
    ))
}

/// The kernels this machine has: the program refuses the others.
fn kernels() -> Vec<&'static str> {
    let runs = |kernel: &&str| {
        let mut command = lissom_cat();
        command.env("LISSOM_KERNEL", kernel).arg("-n").stdin(Stdio::null());
        let runs = command.output().expect("the program runs").status.success();
        if !runs {
            eprintln!("NOT RUN: this machine lacks kernel {kernel}");
        }
        runs
    };
    KERNELS.into_iter().filter(runs).collect()
}

#[test]
fn does_what_gnu_does() {
    if gnu().is_none() {
        return;
    }
    let cases = number("LISSOM_FUZZ_CASES", CASES);
    let seed = number("LISSOM_FUZZ_SEED", 1);
    let kernels = kernels();
    let files = lissom_testkit::folder();
    write_files(seed, files.path());
    let next = AtomicU64::new(0);
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    let found: Vec<String> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    let scratch = lissom_testkit::folder();
                    let mut found = Vec::new();
                    while found.len() < 5 {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= cases {
                            break;
                        }
                        let place = (files.path(), scratch.path());
                        found.extend(difference((seed, number), &kernels, place.0, place.1));
                    }
                    found
                })
            })
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a worker")).collect()
    });
    assert!(found.is_empty(), "{}", found.join("\n"));
}
