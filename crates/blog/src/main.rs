//! Parse, run, turn the outcome into an exit status.

use clap::Parser;
use clap::error::ErrorKind;
use lissom_blog::cli::{Cli, Command};
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let outcome = match cli.command {
        Command::Serve(arguments) => lissom_blog::serve(&arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // One write, so that lines of two programs on one terminal do not mix. If standard
            // error is gone there is nobody left to tell.
            let _ = std::io::stderr().write_all(error.report().as_bytes());
            ExitCode::from(2)
        }
    }
}

/// `--help` and `--version` go to standard output; a mistake is one line on standard error.
fn usage(error: &clap::Error) -> ExitCode {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        let _ = write!(std::io::stdout(), "{error}");
        return ExitCode::SUCCESS;
    }
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        let _ = writeln!(std::io::stderr(), "lissom-blog: usage: no command given (see --help)");
        return ExitCode::from(2);
    }
    let text = error.to_string();
    let paragraph: Vec<&str> =
        text.lines().take_while(|line| !line.is_empty()).map(str::trim).collect();
    let cause = paragraph.join(" ");
    let cause = cause.strip_prefix("error: ").unwrap_or(&cause);
    let _ = writeln!(std::io::stderr(), "lissom-blog: usage: {cause} (see --help)");
    ExitCode::from(2)
}
