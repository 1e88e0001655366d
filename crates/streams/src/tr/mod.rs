//! `tr`: translate, squeeze or delete bytes.
//!
//! Control plane, once: [`options`] reads the command line, [`set`] the set strings, [`program`]
//! makes tables of them and [`plan`] picks the cheapest way to apply those. Data plane: [`pump`]
//! moves the data through a [`kernel`].

pub mod bytes;
pub mod kernel;
mod messages;
pub mod options;
pub mod plan;
pub mod program;
pub mod pump;
pub mod set;
mod walk;

use crate::cpu::{self, Kernel};
use crate::rt::Process;
use crate::rt::arena::Arena;
use crate::text::Reporter;
use kernel::Transform;
use plan::Plan;
use program::{Options, Program, SetError};
use pump::Failure;

static BUFFER: Arena<{ pump::BUFFER_BYTES }> = Arena::new();

/// Runs `tr`; returns its exit status.
#[must_use]
pub fn run(process: &mut Process) -> u8 {
    match translate(process) {
        Ok(()) => 0,
        Err(status) => status,
    }
}

/// All of `tr`; the error is a status, and the user has been told.
fn translate(process: &mut Process) -> Result<(), u8> {
    let reporter = Reporter::new(process);
    let forced = match process.variable(cpu::OVERRIDE) {
        None | Some(b"") => None,
        Some(name) => Some(Kernel::choose(Some(name)).map_err(|_| reporter.bad_kernel(name))?),
    };
    let (options, operands, reporter) = options::parse(process, reporter)?;
    let (first, second) = options::sets(options, operands, reporter)?;
    let program = compile(options, first, second, reporter).map_err(|error| {
        messages::fail(reporter, error);
        1
    })?;
    let plan = Plan::new(&program);
    let buffer = BUFFER.take().expect("a process runs `tr` once");
    let transform = &mut Transform::new(&plan, forced);
    pump::pump(transform, buffer).map_err(|failure| {
        match failure {
            Failure::Read(error) => reporter.failed("read error", error),
            Failure::Write(error) => reporter.failed("write error", error),
        }
        1
    })
}

/// Compiles the sets, warning on the way of what is accepted but dubious.
fn compile<'a>(
    options: Options,
    first: &'a [u8],
    second: Option<&'a [u8]>,
    reporter: Reporter,
) -> Result<Program, SetError<'a>> {
    // A string's warnings come before its errors, and the first string before the second.
    for text in [Some(first), second].into_iter().flatten() {
        set::warnings(text).for_each(|warning| messages::warn(reporter, warning));
        program::check_syntax(text)?;
    }
    match second {
        None => program::compile_one(options, first),
        Some(second) => program::compile_two(options, first, second),
    }
}
