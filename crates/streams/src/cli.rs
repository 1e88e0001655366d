//! Options as `getopt_long` reads them, over the kernel's own argument vector.
//!
//! Clusters, `--`, unambiguous abbreviations of long forms, operands moved behind the options
//! unless `POSIXLY_CORRECT` is set. No option of `cat` or `tr` takes an argument, which keeps this
//! small. Nothing is copied: the operands are gathered at the front of the vector in place.

use crate::rt::{Arg, Process};

/// A long form.
pub struct Long {
    /// Without the dashes.
    pub name: &'static str,
    /// What [`Parser::next`] returns for it: the short form, or any byte of the program's choice.
    pub value: u8,
}

/// What a program accepts.
pub struct Grammar {
    /// The short forms.
    pub short: &'static [u8],
    /// The long forms, in the order in which an ambiguity lists them.
    pub long: &'static [Long],
    /// Whether options may follow operands, when `POSIXLY_CORRECT` is not set.
    pub permutes: bool,
}

/// An argument that the grammar does not allow; `text::Reporter::bad_option` words it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bad {
    /// No such short form.
    Short(u8),
    /// No such long form: the argument without its dashes.
    Unknown(&'static [u8]),
    /// An abbreviation of several long forms: the argument without its dashes.
    Ambiguous(&'static [u8]),
    /// The long form takes no argument, and was given one.
    Argument(&'static str),
}

/// Walks the arguments once; then has the operands.
pub struct Parser {
    grammar: &'static Grammar,
    arguments: &'static mut [Arg],
    /// The next argument to look at.
    at: usize,
    /// Where the next operand goes; never behind `at`.
    kept: usize,
    /// What is left of a cluster of short forms.
    cluster: &'static [u8],
    permutes: bool,
}

impl Parser {
    /// Takes over the arguments of `process`, leaving it an empty vector.
    pub fn new(grammar: &'static Grammar, process: &mut Process) -> Self {
        Self {
            grammar,
            permutes: grammar.permutes && process.variable("POSIXLY_CORRECT").is_none(),
            arguments: core::mem::take(&mut process.arguments),
            at: 1,
            kept: 1,
            cluster: &[],
        }
    }

    /// The next option, or what is wrong with it; `None` once only operands are left.
    #[allow(
        clippy::should_implement_trait,
        reason = "not an iterator: the operands are there only after the last one"
    )]
    pub fn next(&mut self) -> Option<Result<u8, Bad>> {
        if let [letter, rest @ ..] = self.cluster {
            self.cluster = rest;
            return Some(self.short(*letter));
        }
        while let Some(&argument) = self.arguments.get(self.at) {
            self.at += 1;
            match argument.bytes() {
                b"--" => break,
                [b'-', b'-', long @ ..] => return Some(self.long(long)),
                [b'-', letter, rest @ ..] => {
                    self.cluster = rest;
                    return Some(self.short(*letter));
                }
                _ if self.permutes => self.keep(argument),
                _ => {
                    self.at -= 1;
                    break;
                }
            }
        }
        while let Some(&operand) = self.arguments.get(self.at) {
            self.at += 1;
            self.keep(operand);
        }
        None
    }

    /// The operands, in the order given. Complete once [`Parser::next`] has returned `None`.
    #[must_use]
    pub fn operands(self) -> &'static [Arg] {
        self.arguments.get(1..self.kept).unwrap_or_default()
    }

    fn keep(&mut self, operand: Arg) {
        self.arguments[self.kept] = operand;
        self.kept += 1;
    }

    fn short(&self, letter: u8) -> Result<u8, Bad> {
        if self.grammar.short.contains(&letter) { Ok(letter) } else { Err(Bad::Short(letter)) }
    }

    fn long(&self, text: &'static [u8]) -> Result<u8, Bad> {
        let equals = text.iter().position(|&byte| byte == b'=');
        let name = &text[..equals.unwrap_or(text.len())];
        let mut candidates = self.grammar.candidates(name);
        let found = match (candidates.next(), candidates.next()) {
            (None, _) => return Err(Bad::Unknown(text)),
            (Some(only), None) => only,
            (Some(_), Some(_)) => (self.grammar.long.iter())
                .find(|long| long.name.as_bytes() == name)
                .ok_or(Bad::Ambiguous(text))?,
        };
        if equals.is_some() { Err(Bad::Argument(found.name)) } else { Ok(found.value) }
    }
}

impl Grammar {
    /// The long forms that `name` abbreviates, itself included.
    pub fn candidates(&self, name: &[u8]) -> impl Iterator<Item = &'static Long> {
        (self.long.iter()).filter(move |long| long.name.as_bytes().starts_with(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::{CStr, CString};

    static GRAMMAR: Grammar = Grammar {
        short: b"nb",
        long: &[
            Long { name: "number-nonblank", value: b'b' },
            Long { name: "number", value: b'n' },
            Long { name: "help", value: b'h' },
        ],
        permutes: true,
    };

    fn leak(text: &str) -> Arg {
        let text: &'static CStr = Box::leak(CString::new(text).unwrap().into_boxed_c_str());
        Arg::new(text)
    }

    /// Parses `line` as arguments; compares the options, up to an error, and the operands.
    fn check(line: &str, environment: &str, expected: &[Result<u8, Bad>], operands: &[&str]) {
        let arguments = std::iter::once("cat").chain(line.split_whitespace()).map(leak);
        let mut process = Process {
            arguments: Vec::leak(arguments.collect()),
            environment: Vec::leak(environment.split_whitespace().map(leak).collect()),
        };
        let mut parser = Parser::new(&GRAMMAR, &mut process);
        let mut got = Vec::new();
        while let Some(option) = parser.next() {
            got.push(option);
        }
        assert_eq!(got, expected, "{line}");
        let got: Vec<_> = (parser.operands().iter())
            .map(|operand| std::str::from_utf8(operand.bytes()).unwrap())
            .collect();
        assert_eq!(got, operands, "{line}");
    }

    #[test]
    fn reads_clusters_long_forms_and_abbreviations() {
        check("", "", &[], &[]);
        check("-nb", "", &[Ok(b'n'), Ok(b'b')], &[]);
        check("--number --number-", "", &[Ok(b'n'), Ok(b'b')], &[]);
        check("--h - x", "", &[Ok(b'h')], &["-", "x"]);
    }

    #[test]
    fn moves_operands_behind_options() {
        check("x -n y -- -b", "", &[Ok(b'n')], &["x", "y", "-b"]);
        check("x -n", "POSIXLY_CORRECT=", &[], &["x", "-n"]);
        check("-b x -n -- y", "A=1 POSIXLY_CORRECT=1", &[Ok(b'b')], &["x", "-n", "--", "y"]);
        check("-- -- -n", "", &[], &["--", "-n"]);
    }

    #[test]
    fn names_what_is_wrong() {
        check("-xn", "", &[Err(Bad::Short(b'x')), Ok(b'n')], &[]);
        check("-n-", "", &[Ok(b'n'), Err(Bad::Short(b'-'))], &[]);
        check("--num=3", "", &[Err(Bad::Ambiguous(b"num=3"))], &[]);
        check("--number=3", "", &[Err(Bad::Argument("number"))], &[]);
        check("--he=", "", &[Err(Bad::Argument("help"))], &[]);
        check("--what=3", "", &[Err(Bad::Unknown(b"what=3"))], &[]);
        check("--=", "", &[Err(Bad::Ambiguous(b"="))], &[]);
    }
}
