//! `cat`: concatenate files to standard output.
//!
//! One operand after the other is a [`source::Source`]. What it gives goes through [`plain`] if
//! bytes pass unchanged, through [`format`] if lines are to be shown some other way, into one
//! [`sink::Sink`].

pub mod format;
pub mod options;
pub mod plain;
pub mod sink;
pub mod source;

use crate::cpu::{Kernel, OVERRIDE};
use crate::rt::arena::{Arena, Once};
use crate::rt::sys::{self, From, STDIN, STDOUT, Stat};
use crate::rt::{Arg, Process};
use crate::text::Reporter;
use format::Formatter;
use sink::Sink;
use source::Source;

/// What ended an operand before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Reading failed: reported, and the next operand is next.
    Read(sys::Errno),
    /// Writing failed: nothing else makes sense.
    Write(sys::Errno),
}

static OUTPUT: Arena<{ sink::BYTES }> = Arena::new();
static INPUT: Arena<{ format::INPUT_BYTES }> = Arena::new();
static PLACES: Once<format::Places> = Once::holding([0; format::SPAN + 64]);

/// Runs `cat`; returns its exit status.
#[must_use]
pub fn run(process: &mut Process) -> u8 {
    let reporter = Reporter::new(process);
    let (options, operands) = match options::parse(process, reporter) {
        Ok(parsed) => parsed,
        Err(status) => return status,
    };
    let buffer = OUTPUT.take().expect("run is called once a process");
    let sink = match Sink::new(STDOUT, buffer) {
        Ok(sink) => sink,
        Err(error) => {
            reporter.failed("standard output", error);
            return 1;
        }
    };
    let formatter = if options.is_plain() {
        None
    } else {
        let wanted = process.variable(OVERRIDE);
        let Ok(kernel) = Kernel::choose(wanted) else {
            return reporter.bad_kernel(wanted.unwrap_or_default());
        };
        let buffer = INPUT.take().expect("run is called once a process");
        let places = PLACES.take().expect("run is called once a process");
        Some(Formatter::new(options, kernel, buffer, places))
    };
    let mut session = Session { reporter, sink, formatter, failed: false, closed_stdin: None };
    match session.run(operands) {
        Ok(()) => u8::from(session.failed),
        Err(error) => {
            reporter.failed("write error", error);
            1
        }
    }
}

/// The run over all operands.
struct Session {
    reporter: Reporter,
    sink: Sink<'static>,
    formatter: Option<Formatter<'static>>,
    /// Whether anything was reported.
    failed: bool,
    /// What is wrong with standard input, if it was wanted and is not open.
    closed_stdin: Option<sys::Errno>,
}

impl Session {
    /// All operands, or standard input if there are none. An error is one of writing.
    fn run(&mut self, operands: &[Arg]) -> Result<(), sys::Errno> {
        const STANDARD_INPUT: [Arg; 1] = [Arg::new(c"-")];
        let operands = if operands.is_empty() { &STANDARD_INPUT } else { operands };
        let merges = operands.len() > 1 && self.sink.may_merge();
        for (index, &operand) in operands.iter().enumerate() {
            let is_last = index + 1 == operands.len();
            match self.one(operand, merges && !is_last) {
                Ok(()) => {}
                Err(Fault::Write(error)) => return Err(error),
                Err(Fault::Read(error)) => {
                    self.sink.flush()?;
                    self.failed = true;
                    self.reporter.file_failed(operand.bytes(), error);
                }
            }
        }
        if let Some(formatter) = &mut self.formatter {
            formatter.finish(&mut self.sink)?;
        }
        self.sink.flush()?;
        if let Some(error) = self.closed_stdin {
            self.failed = true;
            self.reporter.failed("closing standard input", error);
        }
        self.sink.close()
    }

    fn one(&mut self, operand: Arg, may_hold: bool) -> Result<(), Fault> {
        let mut source = if operand.bytes() == b"-" {
            if let Err(error) = sys::stat(STDIN) {
                self.closed_stdin = Some(error);
                return Err(Fault::Read(error));
            }
            Source::standard_input()
        } else {
            Source::open(operand.as_c_str(), &mut self.sink)?
        };
        if self.sink.could_be_read() {
            let stat = source.stat().map_err(Fault::Read)?;
            if self.feeds_itself(&source, stat)? {
                self.failed = true;
                let mut message = self.reporter.message();
                let _ =
                    (message.name(operand.bytes())).text(": input file is output file\n").send();
                return Ok(());
            }
        }
        match &mut self.formatter {
            None => plain::copy(&mut source, &mut self.sink, may_hold),
            Some(formatter) => formatter.copy(&mut source, &mut self.sink, may_hold),
        }
    }

    /// Whether copying would read what it wrote itself, and so never end: the output is this very
    /// file, and is written beyond the place that is read.
    fn feeds_itself(&mut self, source: &Source, stat: Stat) -> Result<bool, Fault> {
        if !self.sink.is(stat) {
            return Ok(false);
        }
        // The positions count what is still held back, too.
        self.sink.flush().map_err(Fault::Write)?;
        let Ok(reading) = sys::seek(source.fd(), From::Current) else {
            return Ok(false);
        };
        let appends = sys::flags(STDOUT).is_ok_and(|flags| flags & sys::APPEND != 0);
        let whence = if appends { From::End } else { From::Current };
        Ok(sys::seek(STDOUT, whence).is_ok_and(|writing| reading < writing))
    }
}
