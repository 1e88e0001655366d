//! What `cat` is asked to do.

use crate::cli::{Grammar, Long, Parser};
use crate::rt::{Arg, Process};
use crate::text::Reporter;

/// How lines are to be shown. All false: as they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// `-n`: number all lines.
    pub number: bool,
    /// `-b`: number lines that are not empty; overrules `number`.
    pub number_nonblank: bool,
    /// `-s`: of several empty lines in a row, the first only.
    pub squeeze: bool,
    /// `-E`: `$` before each newline, and `^M` for a carriage return that stands before one.
    pub ends: bool,
    /// `-T`: `^I` for a tab.
    pub tabs: bool,
    /// `-v`: `^X` and `M-x` for what is not printable, but newline and tab.
    pub nonprinting: bool,
}

impl Options {
    /// Whether bytes pass unchanged.
    #[must_use]
    pub fn is_plain(self) -> bool {
        self == Self::default()
    }
}

static GRAMMAR: Grammar = Grammar {
    short: b"benstuvAET",
    long: &[
        Long { name: "number-nonblank", value: b'b' },
        Long { name: "number", value: b'n' },
        Long { name: "squeeze-blank", value: b's' },
        Long { name: "show-nonprinting", value: b'v' },
        Long { name: "show-ends", value: b'E' },
        Long { name: "show-tabs", value: b'T' },
        Long { name: "show-all", value: b'A' },
        Long { name: "help", value: HELP },
        Long { name: "version", value: VERSION },
    ],
    permutes: true,
};

const HELP: u8 = 1;
const VERSION: u8 = 2;

const HELP_TEXT: &str = "\
Usage: {} [OPTION]... [FILE]...
Write the FILEs, one after the other, to standard output.
Without FILE, and where FILE is -, read standard input.

  -A, --show-all           same as -vET
  -b, --number-nonblank    number the lines that are not empty; overrules -n
  -e                       same as -vE
  -E, --show-ends          put $ at the end of each line
  -n, --number             number all lines
  -s, --squeeze-blank      of several empty lines in a row, write one
  -t                       same as -vT
  -T, --show-tabs          write tabs as ^I
  -u                       ignored: nothing is held back anyway
  -v, --show-nonprinting   write control bytes as ^X and the upper half as M-x,
                             but not newlines and tabs
      --help               print this and exit
      --version            print the version and exit

Examples:
  {} a - b   Write a, then standard input, then b.
  {}         Copy standard input to standard output.
";

const VERSION_TEXT: &str = concat!("cat (Lissom) ", env!("CARGO_PKG_VERSION"), "\n");

/// Reads the options of `process`; returns them and the operands.
///
/// # Errors
/// The status to exit with at once: help or version was asked for, or an option was wrong. The
/// user has been told.
pub fn parse(process: &mut Process, reporter: Reporter) -> Result<(Options, &'static [Arg]), u8> {
    let mut options = Options::default();
    let mut parser = Parser::new(&GRAMMAR, process);
    while let Some(option) = parser.next() {
        match option {
            Ok(HELP) => return Err(reporter.print(HELP_TEXT)),
            Ok(VERSION) => return Err(reporter.print(VERSION_TEXT)),
            Ok(letter) => options.apply(letter),
            Err(bad) => {
                reporter.bad_option(bad, &GRAMMAR);
                return Err(1);
            }
        }
    }
    Ok((options, parser.operands()))
}

impl Options {
    fn apply(&mut self, letter: u8) {
        match letter {
            b'b' => self.number_nonblank = true,
            b'n' => self.number = true,
            b's' => self.squeeze = true,
            b'E' => self.ends = true,
            b'T' => self.tabs = true,
            b'v' => self.nonprinting = true,
            b'e' => (self.nonprinting, self.ends) = (true, true),
            b't' => (self.nonprinting, self.tabs) = (true, true),
            b'A' => (self.nonprinting, self.ends, self.tabs) = (true, true, true),
            // `-u`: POSIX asks for it; nothing is buffered.
            _ => {}
        }
    }
}
