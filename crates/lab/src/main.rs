//! `lissom`: the lab.

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = lissom_lab::cli::Cli::parse();
    match lissom_lab::run(&cli) {
        Ok(code) => code,
        Err(error) => {
            lissom_lab::warn(&error.to_string());
            error.exit_code()
        }
    }
}
