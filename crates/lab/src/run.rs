//! Running one contender on one case: timed, or checked and counted.
//!
//! The two are apart on purpose: counting stops the program at every system call and comparing
//! reads every byte, so neither happens in a run whose time is taken.

use crate::input::Ready;
use crate::interrupt;
use crate::plumb::{self, Comparison};
use crate::program::Contender;
use crate::suite::{Case, Sink, Source};
use lissom_sys::child::{self, Finished};
use lissom_sys::trace::Traced;
use rustix::fs::{MemfdFlags, OFlags, fcntl_setfl, memfd_create};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// No contender may run longer.
pub const BOUND: Duration = Duration::from_secs(120);

/// Calls that are counted of a run. Each costs two stops, some twenty microseconds; a program that
/// makes more than these makes too many, and how many more is no news.
const SYSCALLS_MAX: u64 = 40_000;

/// One timed run, in microseconds.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// Processor time in user space.
    pub user_us: u64,
    /// Processor time in the kernel.
    pub system_us: u64,
    /// From before the start to after the end.
    pub wall_us: u64,
    /// Times it gave the processor up.
    pub waits: u64,
    /// Times the processor was taken from it.
    pub preemptions: u64,
}

/// What a checked run found. Does not change between runs, so it is taken once.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Facts {
    /// Why its output is wrong; nothing when it is right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wrong: Option<String>,
    /// Why it did not end well; its times are then not taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// System calls of the whole run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub syscalls: Option<u64>,
    /// There were more than that: counting ended there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub syscalls_capped: bool,
    /// Peak of its resident memory, in KiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_kib: Option<u64>,
    /// Why calls and memory were not counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uncounted: Option<String>,
}

/// What a run needs besides the contender.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    /// The case.
    pub case: &'a Case,
    /// Its input.
    pub input: &'a Ready,
    /// What a right output is.
    pub expected: &'a [u8],
    /// A folder for the outputs of cases that write files.
    pub scratch: &'a Path,
}

/// Runs for time, as often as the case says, and takes the mean. The inner error says how the
/// contender failed.
///
/// # Errors
/// When this program itself cannot make a pipe, a thread or the child.
pub fn timed(contender: &Contender, setting: Setting<'_>) -> io::Result<Result<Sample, String>> {
    let mut sum = Sample::default();
    for _ in 0..setting.case.repeat {
        let (finished, output) =
            between(contender, setting, setting.case.stdout, Purpose::Time, run_to_end)?;
        if let Some(failure) = failure(finished.status, finished.timed_out, &output.complaint) {
            return Ok(Err(failure));
        }
        sum.add(&finished);
    }
    Ok(Ok(sum.divided(u64::from(setting.case.repeat))))
}

/// Starts `command` and waits for its end.
fn run_to_end(mut command: Command) -> io::Result<Finished> {
    let started = Instant::now();
    let child = command.spawn()?;
    drop(command); // and with it our copies of the child's pipe ends
    child::finish_unless(child, started, BOUND, interrupt::asked)
}

/// Runs for correctness, system calls and memory. `is_floor` expects no output.
///
/// # Errors
/// When this program itself cannot make a pipe, a thread or the child.
pub fn checked(contender: &Contender, setting: Setting<'_>, is_floor: bool) -> io::Result<Facts> {
    // What goes to /dev/null cannot be compared: that takes a run of its own, into a pipe.
    let sink = setting.case.stdout;
    let is_lost = sink == Sink::Null;
    let counted = between(contender, setting, sink, Purpose::Check, |command| {
        Traced::spawn(command)?.finish_unless(BOUND, SYSCALLS_MAX, interrupt::asked)
    });
    let (mut failed, mut comparison) = (None, None);
    if let Ok((counted, output)) = &counted {
        failed = failure(counted.status, counted.timed_out, &output.complaint);
        comparison = output.comparison;
    }
    // Tracing can be forbidden where everything else works: then too.
    if comparison.is_none() && failed.is_none() {
        let sink = if is_lost { Sink::Pipe } else { sink };
        let (finished, output) = between(contender, setting, sink, Purpose::Check, run_to_end)?;
        failed = failure(finished.status, finished.timed_out, &output.complaint);
        comparison = output.comparison;
    }
    let counted = counted.map(|(counted, _)| counted);
    Ok(Facts {
        wrong: comparison.filter(|_| !is_floor).as_ref().and_then(difference),
        failed,
        syscalls: counted.as_ref().ok().map(|counted| counted.syscalls),
        syscalls_capped: counted.as_ref().is_ok_and(|counted| counted.syscalls_capped),
        peak_kib: counted.as_ref().ok().map(|counted| counted.peak_resident_bytes / 1024),
        uncounted: counted.err().map(|error| error.to_string()),
    })
}

/// What `contender` writes. The inner error says how it failed.
///
/// # Errors
/// When this program itself cannot make a pipe, a thread or the child.
pub fn output_of(
    contender: &Contender,
    setting: Setting<'_>,
) -> io::Result<Result<Vec<u8>, String>> {
    let file = scratch_file(setting.scratch)?;
    let mut command = prepared(contender, setting);
    command.stdout(file.try_clone()?);
    let (finished, complaint) = fed(command, setting, Purpose::Check, run_to_end)?;
    if let Some(failure) = failure(finished.status, finished.timed_out, &complaint) {
        return Ok(Err(failure));
    }
    Ok(Ok(contents(file)?))
}

/// What a run is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// Its time is taken: both ends are as fast as they can be.
    Time,
    /// Its output is compared: the input is the real one.
    Check,
}

/// What came out of a run.
#[derive(Default)]
struct Output {
    /// What the child wrote on standard error, the beginning of it.
    complaint: String,
    /// How its output compared, where it was to be compared.
    comparison: Option<Comparison>,
}

/// Lets `run` run the contender between the case's input and `sink`. Feeder and drain are there
/// before the child starts.
fn between<R>(
    contender: &Contender,
    setting: Setting<'_>,
    sink: Sink,
    purpose: Purpose,
    run: impl FnOnce(Command) -> io::Result<R>,
) -> io::Result<(R, Output)> {
    let mut command = prepared(contender, setting);
    let expected = setting.expected;
    match sink {
        Sink::Null => {
            command.stdout(Stdio::null());
            let (result, complaint) = fed(command, setting, purpose, run)?;
            Ok((result, Output { complaint, comparison: None }))
        }
        Sink::File | Sink::Append => {
            let file = scratch_file(setting.scratch)?;
            if sink == Sink::Append {
                fcntl_setfl(&file, OFlags::APPEND)?;
            }
            command.stdout(file.try_clone()?);
            let (result, complaint) = fed(command, setting, purpose, run)?;
            let compare = || {
                (&file).rewind()?;
                plumb::compare(&file, expected)
            };
            let comparison = (purpose == Purpose::Check).then(compare).transpose()?;
            Ok((result, Output { complaint, comparison }))
        }
        Sink::Pipe => {
            let (read, write) = plumb::pipe()?;
            command.stdout(write);
            drained(command, setting, purpose, File::from(read), run)
        }
        Sink::Terminal => {
            let (program, screen) = plumb::terminal()?;
            command.stdout(program);
            drained(command, setting, purpose, screen, run)
        }
    }
}

/// Runs `command` while another thread takes from `drain` what it writes.
fn drained<R>(
    command: Command,
    setting: Setting<'_>,
    purpose: Purpose,
    drain: impl Read + Send,
    run: impl FnOnce(Command) -> io::Result<R>,
) -> io::Result<(R, Output)> {
    thread::scope(|scope| {
        let drain = scope.spawn(move || match purpose {
            Purpose::Check => plumb::compare(drain, setting.expected).map(Some),
            Purpose::Time => plumb::discard(drain).map(|()| None),
        });
        let fed = fed(command, setting, purpose, run);
        // The child and our copies are gone, so the drain comes to its end.
        let comparison = drain.join().expect("the drain does not panic");
        let (result, complaint) = fed?;
        Ok((result, Output { complaint, comparison: comparison? }))
    })
}

/// The contender's command with the case's arguments.
fn prepared(contender: &Contender, setting: Setting<'_>) -> Command {
    let mut command = contender.command();
    // Messages and classes of characters are then the same everywhere.
    command.process_group(0); // what it leaves behind is ended with it
    command.env("LC_ALL", "C").args(&setting.case.arguments).args(&setting.input.names);
    if !setting.input.names.is_empty() {
        command.current_dir(&setting.input.path);
    }
    command
}

/// Gives `command` its standard input and error and lets `run` run it.
fn fed<R>(
    mut command: Command,
    setting: Setting<'_>,
    purpose: Purpose,
    run: impl FnOnce(Command) -> io::Result<R>,
) -> io::Result<(R, String)> {
    let mut stderr = File::from(memfd_create("stderr", MemfdFlags::CLOEXEC)?);
    command.stderr(stderr.try_clone()?);
    let result = match setting.case.stdin {
        Source::Null => {
            command.stdin(Stdio::null());
            run(command)
        }
        Source::File => {
            command.stdin(File::open(&setting.input.path)?);
            run(command)
        }
        Source::Pipe => thread::scope(|scope| {
            let (read, write) = plumb::pipe()?;
            command.stdin(read);
            let feeder = scope
                .spawn(|| plumb::feed(&setting.input.contents, purpose == Purpose::Time, write));
            let result = run(command);
            // The child and our copies are gone, so the feeder comes to its end.
            feeder.join().expect("the feeder does not panic")?;
            result
        }),
    }?;
    let mut complaint = Vec::new();
    stderr.rewind()?;
    stderr.take(4096).read_to_end(&mut complaint)?;
    Ok((result, String::from_utf8_lossy(&complaint).into_owned()))
}

/// A new file that has no name any more.
fn scratch_file(folder: &Path) -> io::Result<File> {
    std::fs::create_dir_all(folder)?;
    let path = folder.join(format!("output-{}", std::process::id()));
    let file = File::options().read(true).write(true).create(true).truncate(true).open(&path)?;
    std::fs::remove_file(&path)?;
    Ok(file)
}

/// All of a file that somebody else has written through the same description.
fn contents(mut file: File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

impl Sample {
    fn add(&mut self, finished: &Finished) {
        let us = |duration: Duration| u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        self.user_us += us(finished.usage.user);
        self.system_us += us(finished.usage.system);
        self.wall_us += us(finished.wall);
        self.waits += finished.usage.voluntary_switches;
        self.preemptions += finished.usage.involuntary_switches;
    }

    fn divided(self, runs: u64) -> Sample {
        Sample {
            user_us: self.user_us / runs,
            system_us: self.system_us / runs,
            wall_us: self.wall_us / runs,
            waits: self.waits / runs,
            preemptions: self.preemptions / runs,
        }
    }
}

/// How a run failed, in one line; nothing for exit 0.
fn failure(status: ExitStatus, timed_out: bool, complaint: &str) -> Option<String> {
    if timed_out {
        return Some(format!("still running after {} s", BOUND.as_secs()));
    }
    if status.success() {
        return None;
    }
    let end = match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit status {code}"),
        (_, Some(signal)) => format!("killed by signal {signal}"),
        _ => format!("{status}"),
    };
    let line = complaint.lines().find(|line| !line.trim().is_empty());
    Some(line.map_or(end.clone(), |line| format!("{end}: {line}")))
}

/// What is wrong with an output, in one line; nothing when it is right.
fn difference(comparison: &Comparison) -> Option<String> {
    let Comparison { bytes, expected_bytes, first_difference } = *comparison;
    let at = first_difference?;
    Some(match bytes.cmp(&expected_bytes) {
        std::cmp::Ordering::Less => {
            format!("loses {} of {expected_bytes} bytes, first at {at}", expected_bytes - bytes)
        }
        std::cmp::Ordering::Greater => {
            format!("adds {} to {expected_bytes} bytes, first at {at}", bytes - expected_bytes)
        }
        std::cmp::Ordering::Equal => format!("changes bytes, first at {at}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_outputs_are_told_apart() {
        let compare = |bytes, first_difference| {
            difference(&Comparison { bytes, expected_bytes: 10, first_difference })
        };
        assert_eq!(compare(10, None), None);
        assert_eq!(compare(8, Some(1)).unwrap(), "loses 2 of 10 bytes, first at 1");
        assert_eq!(compare(11, Some(10)).unwrap(), "adds 1 to 10 bytes, first at 10");
        assert_eq!(compare(10, Some(3)).unwrap(), "changes bytes, first at 3");
    }

    #[test]
    fn failures_carry_the_programs_own_words() {
        let failed = |raw, text: &str| failure(ExitStatus::from_raw(raw), false, text);
        assert_eq!(failed(0, "noise"), None);
        assert_eq!(failed(256, "\noops: no\nmore").unwrap(), "exit status 1: oops: no");
        assert_eq!(failed(9, "").unwrap(), "killed by signal 9");
        let late = failure(ExitStatus::from_raw(9), true, "").unwrap();
        assert_eq!(late, "still running after 120 s");
    }
}
