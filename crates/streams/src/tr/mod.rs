//! `tr`: translate, squeeze or delete bytes.

use crate::rt::Process;
use crate::text::Reporter;

/// Runs `tr`; returns its exit status.
#[must_use]
pub fn run(process: &mut Process) -> u8 {
    let reporter = Reporter::new(process);
    reporter.print("{} (Lissom)\n")
}
