//! `lissom-tr` as its users see it.

mod differential;
mod faults;
mod generate;
mod words;

use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Output};
use std::sync::OnceLock;

use crate::support::Outcome;

impl From<Output> for Outcome {
    fn from(output: Output) -> Self {
        Self {
            status: output.status.code(),
            signal: output.status.signal(),
            stdout: output.stdout,
            stderr: output.stderr,
        }
    }
}

/// The installed GNU `tr`, or `None` where there is none, said once and loudly; under `CI` that is
/// a failure.
fn gnu() -> Option<&'static str> {
    static FOUND: OnceLock<bool> = OnceLock::new();
    const PATH: &str = "/usr/bin/tr";
    let found = FOUND.get_or_init(|| {
        let output = Command::new(PATH).arg("--version").output();
        let found = output.is_ok_and(|output| output.stdout.starts_with(b"tr (GNU coreutils)"));
        if !found {
            lissom_testkit::absent("GNU tr");
        }
        found
    });
    found.then_some(PATH)
}
