//! The project's own commands, run as `cargo xtask COMMAND`.
//!
//! Reading order: `args` (what can be asked), `programs` (the one table of what the family
//! ships), then a module a command. `tidy` holds the house rules as pure functions over files.
//!
//! Status: 0 done, 1 a negative answer (a rule broken, a limit exceeded, a test failed), 2 usage
//! or failure.

mod args;
mod budget;
mod cargo;
mod ci;
mod count;
mod error;
mod flags;
mod follow;
mod fuzz;
mod gen_docs;
mod install;
mod programs;
mod repo;
mod tidy;

use args::Command;
use std::ffi::OsString;
use std::process::ExitCode;

/// Runs one command; `arguments` without the program's own name.
pub fn run(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    match args::parse(arguments).and_then(dispatch) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            if let Some(line) = error.line() {
                eprintln!("xtask: {line}");
            }
            ExitCode::from(error.status())
        }
    }
}

fn dispatch(command: Command) -> error::Result {
    match command {
        Command::Help => {
            print!("{}", args::HELP);
            Ok(())
        }
        Command::Budget { update } => budget::run(update),
        Command::Ci => ci::run(),
        Command::Fuzz { program, cases } => fuzz::run(program.as_deref(), cases),
        Command::Gen { check } => gen_docs::run(check),
        Command::Install(options) => install::run(&options),
        Command::Tidy { bless } => tidy::run(bless),
        Command::Uninstall(place) => install::uninstall(&place),
    }
}
