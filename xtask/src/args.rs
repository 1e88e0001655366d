//! What can be asked.

use crate::error::{Error, Result};
use lexopt::prelude::*;
use std::ffi::OsString;
use std::path::PathBuf;

/// Printed by `--help` and by a call without arguments.
pub(crate) const HELP: &str = "\
Usage: cargo xtask COMMAND

  ci                        everything `make test` checks, with a summary
  tidy [--bless]            the house rules; --bless rewrites the deps.allow files
  gen [--check]             manual pages and completions from the flag tables
  budget [--update]         binary sizes, system calls and memory against budget.toml;
                            --update writes back what has become smaller
  fuzz [PROGRAM] [--cases N]
                            the differential suites at length (default 1,000,000 cases)
  install --prefix DIR [--drop-in] [--destdir DIR]
                            build and install; --drop-in also links the replaced names;
                            what an earlier call installed and this one does not is removed
  uninstall --prefix DIR [--destdir DIR]
                            remove exactly what was installed

Status: 0 done, 1 a rule, limit or test failed, 2 usage or failure.
";

/// Differential cases of one `fuzz` call unless told otherwise.
const FUZZ_CASES: u64 = 1_000_000;

/// One call, understood.
#[derive(Debug, PartialEq)]
pub(crate) enum Command {
    Help,
    Budget { update: bool },
    Ci,
    Fuzz { program: Option<String>, cases: u64 },
    Gen { check: bool },
    Install(Install),
    Tidy { bless: bool },
    Uninstall(Place),
}

/// Where an installation lives.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Place {
    /// The folder that will hold `bin/` and `share/`.
    pub(crate) prefix: PathBuf,
    /// Stands before `prefix` while a package is being built; empty otherwise.
    pub(crate) destdir: PathBuf,
}

/// What to install and where.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Install {
    pub(crate) place: Place,
    /// Also link the names our programs replace.
    pub(crate) drop_in: bool,
}

/// Reads a command line without the program's own name.
pub(crate) fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Command> {
    let mut parser = lexopt::Parser::from_args(arguments);
    let usage = |error: lexopt::Error| Error::Usage(error.to_string());
    let name = match parser.next().map_err(usage)? {
        None | Some(Short('h') | Long("help")) => return Ok(Command::Help),
        Some(Value(name)) => name,
        Some(other) => return Err(usage(other.unexpected())),
    };
    let mut flags = Flags::read(&name.to_string_lossy(), &mut parser).map_err(usage)?;
    if flags.help {
        return Ok(Command::Help);
    }
    let command = match name.to_str() {
        Some("budget") => Command::Budget { update: flags.update },
        Some("ci") => Command::Ci,
        Some("fuzz") => Command::Fuzz {
            program: flags.program.take(),
            cases: flags.cases.unwrap_or(FUZZ_CASES),
        },
        Some("gen") => Command::Gen { check: flags.check },
        Some("install") => {
            Command::Install(Install { drop_in: flags.drop_in, place: flags.place("install")? })
        }
        Some("tidy") => Command::Tidy { bless: flags.bless },
        Some("uninstall") => Command::Uninstall(flags.place("uninstall")?),
        _ => {
            let name = name.to_string_lossy();
            return Err(Error::Usage(format!("no command is called '{name}'")));
        }
    };
    Ok(command)
}

/// The flags of all commands together; each command accepts its own.
#[derive(Default)]
struct Flags {
    bless: bool,
    cases: Option<u64>,
    check: bool,
    destdir: PathBuf,
    drop_in: bool,
    help: bool,
    prefix: Option<PathBuf>,
    program: Option<String>,
    update: bool,
}

impl Flags {
    fn read(
        command: &str,
        parser: &mut lexopt::Parser,
    ) -> std::result::Result<Self, lexopt::Error> {
        let mut flags = Flags::default();
        while let Some(argument) = parser.next()? {
            match (command, argument) {
                (_, Short('h') | Long("help")) => flags.help = true,
                ("tidy", Long("bless")) => flags.bless = true,
                ("gen", Long("check")) => flags.check = true,
                ("budget", Long("update")) => flags.update = true,
                ("fuzz", Long("cases")) => flags.cases = Some(parser.value()?.parse()?),
                ("fuzz", Value(name)) if flags.program.is_none() => {
                    flags.program = Some(name.string()?);
                }
                ("install", Long("drop-in")) => flags.drop_in = true,
                ("install" | "uninstall", Long("prefix")) => {
                    flags.prefix = Some(parser.value()?.into());
                }
                ("install" | "uninstall", Long("destdir")) => {
                    flags.destdir = parser.value()?.into();
                }
                (_, other) => return Err(other.unexpected()),
            }
        }
        Ok(flags)
    }

    fn place(self, command: &str) -> Result<Place> {
        let prefix = self
            .prefix
            .filter(|prefix| !prefix.as_os_str().is_empty())
            .ok_or_else(|| Error::Usage(format!("{command} needs --prefix DIR")))?;
        Ok(Place { prefix, destdir: self.destdir })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: std::result::Result<Command, &str>) {
        let parsed = parse(line.split_whitespace().map(OsString::from));
        match (parsed, expected) {
            (Ok(parsed), Ok(expected)) => assert_eq!(parsed, expected, "{line}"),
            (Err(Error::Usage(text)), Err(part)) => assert!(text.contains(part), "{line}: {text}"),
            (parsed, expected) => panic!("{line}: {parsed:?} instead of {expected:?}"),
        }
    }

    #[test]
    fn commands_are_understood() {
        check("", Ok(Command::Help));
        check("-h", Ok(Command::Help));
        check("tidy --help", Ok(Command::Help));
        check("tidy --bless", Ok(Command::Tidy { bless: true }));
        check("gen --check", Ok(Command::Gen { check: true }));
        check("budget", Ok(Command::Budget { update: false }));
        let fuzz = |program: Option<&str>, cases| Command::Fuzz {
            program: program.map(str::to_owned),
            cases,
        };
        check("fuzz", Ok(fuzz(None, FUZZ_CASES)));
        check("fuzz cat --cases 5", Ok(fuzz(Some("cat"), 5)));
        let place = || Place { prefix: "/p".into(), destdir: "/d".into() };
        let install = Install { place: place(), drop_in: true };
        check("install --drop-in --prefix /p --destdir /d", Ok(Command::Install(install)));
        check("uninstall --prefix=/p --destdir=/d", Ok(Command::Uninstall(place())));
    }

    #[test]
    fn nonsense_is_refused_by_name() {
        check("frobnicate", Err("frobnicate"));
        check("--frob", Err("--frob"));
        check("tidy --check", Err("--check"));
        check("tidy all", Err("all"));
        check("fuzz cat tr", Err("tr"));
        check("fuzz --cases many", Err("many"));
        check("install", Err("--prefix"));
        check("install --prefix", Err("--prefix"));
        check("install --prefix=", Err("--prefix"));
    }

    #[test]
    fn help_names_every_command() {
        for name in "budget ci fuzz gen install tidy uninstall".split(' ') {
            assert!(HELP.contains(&format!("\n  {name}")), "{name}");
        }
    }
}
