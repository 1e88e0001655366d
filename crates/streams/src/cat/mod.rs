//! `cat`: concatenate files to standard output.

pub mod options;

use crate::rt::Process;
use crate::text::Reporter;

/// Runs `cat`; returns its exit status.
#[must_use]
pub fn run(process: &mut Process) -> u8 {
    let reporter = Reporter::new(process);
    let (_options, operands) = match options::parse(process, reporter) {
        Ok(parsed) => parsed,
        Err(status) => return status,
    };
    u8::from(!operands.is_empty())
}
