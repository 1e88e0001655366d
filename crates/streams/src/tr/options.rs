//! What `tr` is asked to do.

use super::program::Options;
use crate::cli::{Grammar, Long, Parser};
use crate::rt::{Arg, Process};
use crate::text::Reporter;

static GRAMMAR: Grammar = Grammar {
    short: b"AcCdst",
    long: &[
        Long { name: "complement", value: b'c' },
        Long { name: "delete", value: b'd' },
        Long { name: "squeeze-repeats", value: b's' },
        Long { name: "truncate-set1", value: b't' },
        Long { name: "help", value: HELP },
        Long { name: "version", value: VERSION },
    ],
    // GNU's `tr` takes everything from the first operand on for operands.
    permutes: false,
};

const HELP: u8 = 1;
const VERSION: u8 = 2;

const HELP_TEXT: &str = r"Usage: {} [OPTION]... SET1 [SET2]
Copy standard input to standard output, byte by byte: replace what is in SET1
by what stands at the same place in SET2, or delete it, or squeeze it.

  -c, -C, --complement       SET1 is all bytes that it does not name
  -d, --delete               delete the bytes of SET1
  -s, --squeeze-repeats      of each run of a byte in the last SET, write one;
                               done after replacing or deleting
  -t, --truncate-set1        leave alone what SET2 is too short for; without
                               this, the last byte of SET2 is repeated
      --help                 print this and exit
      --version              print the version and exit

A SET is a string of bytes, in which some have a meaning:
  A-Z        the bytes from A to Z
  [X*], [X*N]
             in SET2: X as often as SET1 asks for, or N times; N is octal
             if it begins with 0
  [:NAME:]   a class: alnum, alpha, blank, cntrl, digit, graph, lower, print,
             punct, space, upper, xdigit; in a SET2 that replaces, only lower
             and upper, opposite one of both in SET1
  [=X=]      X and its equivalents, which is X
  \NNN       the byte of octal value NNN, of one to three digits
  \a \b \f \n \r \t \v \\
             bell, backspace, form feed, newline, return, tab, vertical tab,
             backslash; a backslash takes the meaning from any other byte

Examples:
  {} a-z A-Z           Write all letters large.
  {} -d '\r'           Remove carriage returns.
  {} -cs A-Za-z '\n'   Write one word on each line.
";

const VERSION_TEXT: &str = concat!("tr (Lissom) ", env!("CARGO_PKG_VERSION"), "\n");

/// Reads the options of `process`; returns them, the operands, and who reports from now on.
///
/// # Errors
/// The status to exit with at once: help or version was asked for, or an option was wrong. The
/// user has been told.
pub fn parse(
    process: &mut Process,
    mut reporter: Reporter,
) -> Result<(Options, &'static [Arg], Reporter), u8> {
    let mut options = Options::default();
    let mut parser = Parser::new(&GRAMMAR, process);
    while let Some(option) = parser.next() {
        match option {
            Ok(HELP) => return Err(reporter.print(HELP_TEXT)),
            Ok(VERSION) => return Err(reporter.print(VERSION_TEXT)),
            // Undocumented in GNU's, and with a byte-only `tr` visible in messages only.
            Ok(b'A') => reporter = reporter.in_c_locale(),
            Ok(b'c' | b'C') => options.complement = true,
            Ok(b'd') => options.delete = true,
            Ok(b's') => options.squeeze = true,
            // `-t`: all other letters are errors.
            Ok(_) => options.truncate = true,
            Err(bad) => {
                reporter.bad_option(bad, &GRAMMAR);
                return Err(1);
            }
        }
    }
    Ok((options, parser.operands(), reporter))
}

/// The one or two strings that `options` want, of which the second may be empty for want of one.
///
/// # Errors
/// The status to exit with: there are too few operands or too many. The user has been told.
pub fn sets(
    options: Options,
    operands: &'static [Arg],
    reporter: Reporter,
) -> Result<(&'static [u8], Option<&'static [u8]>), u8> {
    // `-d` wants one set, `-ds` and a translation two, `-s` either.
    let least = if options.delete == options.squeeze { 2 } else { 1 };
    let most = if options.delete && !options.squeeze { 1 } else { 2 };
    let misused = |what, operand: Option<&Arg>, why: Option<&str>| {
        let mut message = reporter.message();
        message.text(what);
        if let Some(operand) = operand {
            message.text(" ").quoted(operand.bytes());
        }
        message.text("\n").text(why.unwrap_or_default());
        reporter.point_to_help(&mut message);
        let _ = message.send();
        Err(1)
    };
    match *operands {
        [] => misused("missing operand", None, None),
        [ref first] if least == 2 => {
            let why = if options.squeeze {
                "Two strings must be given when both deleting and squeezing repeats.\n"
            } else {
                "Two strings must be given when translating.\n"
            };
            misused("missing operand after", Some(first), Some(why))
        }
        [_, ref second] if most == 1 => misused(
            "extra operand",
            Some(second),
            Some("Only one string may be given when deleting without squeezing repeats.\n"),
        ),
        [first] => Ok((first.bytes(), None)),
        [first, second] => Ok((first.bytes(), Some(second.bytes()))),
        _ => misused("extra operand", Some(&operands[most]), None),
    }
}
