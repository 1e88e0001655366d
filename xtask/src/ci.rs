//! `ci`: everything `make test` checks, step by step, with a summary.
//!
//! A failed step does not stop the others: one run names all that is wrong. The last line counts
//! tests (`N passed, N failed`, and `N skipped` when a test or a check could not run here).

use crate::cargo;
use crate::count::Count;
use crate::error::{Error, Result};
use crate::follow::follow;
use crate::repo;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Something to check.
struct Step {
    name: &'static str,
    /// Program and arguments; `cargo` is the one that runs us.
    command: Vec<String>,
    /// Relative to the root.
    folder: String,
    environment: &'static [(&'static str, &'static str)],
    /// Whether its output holds test results. Other steps print many of their own words.
    counts: bool,
}

impl Step {
    fn cargo(name: &'static str, arguments: &str) -> Self {
        let words = std::iter::once("cargo").chain(arguments.split(' '));
        Step {
            name,
            command: words.map(str::to_owned).collect(),
            folder: String::new(),
            environment: &[],
            counts: false,
        }
    }
}

/// The steps, cheapest answer first. `tidy` and `budget` run as children so that a step is always
/// a program with output and a status.
fn steps(files: &[String]) -> Vec<Step> {
    let mut steps = vec![
        Step::cargo("fmt", "fmt --all --check"),
        Step::cargo(
            "clippy",
            "clippy --workspace --all-targets --locked --quiet --keep-going -- -D warnings",
        ),
        Step {
            environment: &[("RUSTDOCFLAGS", "-D warnings")],
            ..Step::cargo("doc", "doc --workspace --no-deps --locked --quiet --keep-going")
        },
        Step::cargo("tidy", "xtask tidy"),
    ];
    if found("go") {
        for module in files.iter().filter_map(|path| path.strip_suffix("/go.mod")) {
            steps.push(Step {
                command: ["go", "vet", "./..."].map(str::to_owned).to_vec(),
                folder: module.to_owned(),
                ..Step::cargo("go vet", "")
            });
        }
    }
    steps.push(Step::cargo("budget", "xtask budget"));
    let tests = "test --workspace --locked --no-fail-fast";
    steps.push(Step { counts: true, ..Step::cargo("tests", tests) });
    steps
}

/// How a step went.
struct Outcome {
    name: String,
    /// Why it failed.
    failure: Option<String>,
    took: Duration,
}

/// `cargo xtask ci`.
pub(crate) fn run() -> Result {
    let root = repo::root()?;
    let files = repo::files(&root)?;
    let was_clean = repo::changes(&root)?.is_empty();

    let mut outcomes = Vec::new();
    let mut total = Count::default();
    for step in steps(&files) {
        let name = match step.folder.as_str() {
            "" => step.name.to_owned(),
            folder => format!("{} {folder}", step.name),
        };
        println!("== {name}");
        let started = Instant::now();
        let mut count = Count::default();
        let failure = carry_out(&step, &root, &mut count).err();
        let took = started.elapsed();
        println!(
            "== {name}: {}, {:.1} s",
            if failure.is_none() { "ok" } else { "FAILED" },
            took.as_secs_f64()
        );
        println!();
        total.add(count);
        outcomes.push(Outcome { name, failure, took });
    }
    outcomes.push(left_behind(&root, was_clean)?);
    conclude(&outcomes, &total)
}

/// Builds and tests leave nothing beside what they found, except under `target/`.
fn left_behind(root: &Path, was_clean: bool) -> Result<Outcome> {
    let changes = if was_clean { repo::changes(root)? } else { String::new() };
    let failure = (!changes.is_empty()).then(|| format!("the run left behind:\n{changes}"));
    let name =
        if was_clean { "clean tree" } else { "clean tree (not checked: it was not clean before)" };
    Ok(Outcome { name: name.to_owned(), failure, took: Duration::ZERO })
}

/// Prints the summary, the count last.
fn conclude(outcomes: &[Outcome], total: &Count) -> Result {
    println!("== summary");
    for Outcome { name, failure, took } in outcomes {
        let verdict = if failure.is_some() { "FAILED" } else { "ok" };
        println!("{:>7.1} s  {verdict:<6}  {name}", took.as_secs_f64());
    }
    for Outcome { name, failure, .. } in outcomes {
        if let Some(failure) = failure {
            println!("{name}: {failure}");
        }
    }
    for line in total.failures.iter().chain(&total.skips) {
        println!("{line}");
    }
    let ran = total.passed + total.failed > 0;
    if !ran {
        println!("no test was run");
    }
    println!("{total}");
    let fine = ran && total.failed == 0 && outcomes.iter().all(|outcome| outcome.failure.is_none());
    if fine { Ok(()) } else { Err(Error::Negative) }
}

/// Runs one step and shows its output as it comes; the error is why it failed.
fn carry_out(step: &Step, root: &Path, count: &mut Count) -> std::result::Result<(), String> {
    let [program, arguments @ ..] = step.command.as_slice() else {
        return Err("nothing to run".to_owned());
    };
    let mut command = match program.as_str() {
        "cargo" => cargo::command(root),
        other => Command::new(other),
    };
    command
        .args(arguments)
        .current_dir(root.join(&step.folder))
        .envs(step.environment.iter().copied())
        .stdin(Stdio::null());
    let status = follow(command, |line| {
        if step.counts {
            count.take_result(line);
            count.take_failure(line);
        }
        count.take_skip(line);
    });
    match status {
        Err(error) => Err(format!("{program}: {error}")),
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(status.to_string()),
    }
}

/// Whether a program is on the search path.
fn found(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(script: &str) -> Step {
        Step {
            command: ["sh", "-c", script].map(str::to_owned).to_vec(),
            counts: true,
            ..Step::cargo("sample", "")
        }
    }

    fn outcome(failure: Option<&str>) -> Outcome {
        Outcome { name: "x".to_owned(), failure: failure.map(str::to_owned), took: Duration::ZERO }
    }

    #[test]
    fn a_step_is_followed_on_both_streams() {
        let mut count = Count::default();
        let script =
            "echo 'test result: ok. 3 passed; 0 failed; 0 ignored;'; echo 'SKIPPED: x' >&2";
        assert_eq!(carry_out(&step(script), Path::new("/"), &mut count), Ok(()));
        assert_eq!((count.passed, count.skips.len()), (3, 1));
    }

    #[test]
    fn a_failed_step_says_why() {
        let mut count = Count::default();
        let failed = carry_out(&step("exit 3"), Path::new("/"), &mut count);
        assert!(failed.unwrap_err().contains('3'));
        let mut missing = step("");
        missing.command[0] = "no-such-program".to_owned();
        let failed = carry_out(&missing, Path::new("/"), &mut count);
        assert!(failed.unwrap_err().starts_with("no-such-program: "));
    }

    #[test]
    fn only_tests_that_ran_and_steps_that_went_well_are_a_success() {
        let counted = |passed, failed| Count { passed, failed, ..Count::default() };
        let good = [outcome(None)];
        assert!(conclude(&good, &counted(1, 0)).is_ok());
        assert!(conclude(&good, &counted(1, 1)).is_err());
        assert!(conclude(&good, &counted(0, 0)).is_err());
        assert!(conclude(&[outcome(None), outcome(Some("status 1"))], &counted(1, 0)).is_err());
    }

    #[test]
    fn what_a_run_leaves_behind_is_found() {
        let folder = lissom_testkit::folder();
        let git = Command::new("git").arg("init").arg("--quiet").arg(folder.path()).status();
        assert!(git.unwrap().success());
        assert!(left_behind(folder.path(), true).unwrap().failure.is_none());
        std::fs::write(folder.path().join("core"), "").unwrap();
        assert!(left_behind(folder.path(), true).unwrap().failure.is_some());
        assert!(left_behind(folder.path(), false).unwrap().failure.is_none());
    }
}
