//! Running one contender on one case: timed, or checked and counted.
//!
//! The two are apart on purpose: counting stops the program at every system call and comparing
//! reads every byte, so neither happens in a run whose time is taken.

use crate::input::Ready;
use crate::plumb::{self, Comparison};
use crate::program::Contender;
use crate::suite::{Case, Sink, Source};
use lissom_sys::child::{self, Finished};
use lissom_sys::trace::Traced;
use rustix::fs::{MemfdFlags, memfd_create};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// No contender may run longer.
pub const BOUND: Duration = Duration::from_secs(120);

/// One timed run, in microseconds.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
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
    /// Its input, which is also its expected output.
    pub input: &'a Ready,
}

/// Runs once for time. The inner error says how the contender failed.
///
/// # Errors
/// When this program itself cannot make a pipe, a thread or the child.
pub fn timed(contender: &Contender, setting: Setting<'_>) -> io::Result<Result<Sample, String>> {
    let ((finished, complaint), ()) = with_pipes(
        contender.command(),
        setting,
        setting.case.stdout,
        plumb::discard,
        |mut command| {
            let started = Instant::now();
            let child = command.spawn()?;
            drop(command); // and with it our copies of the child's pipe ends
            child::finish(child, started, BOUND)
        },
    )?;
    Ok(match failure(finished.status, finished.timed_out, &complaint) {
        Some(failure) => Err(failure),
        None => Ok(sample(&finished)),
    })
}

/// Runs once for correctness, system calls and memory. `is_floor` expects no output.
///
/// # Errors
/// When this program itself cannot make a pipe, a thread or the child.
pub fn checked(contender: &Contender, setting: Setting<'_>, is_floor: bool) -> io::Result<Facts> {
    let drain = |pipe| plumb::compare(pipe, &setting.input.contents);
    let traced = with_pipes(contender.command(), setting, Sink::Pipe, drain, |command| {
        Traced::spawn(command)?.finish(BOUND)
    });
    let (status, timed_out, complaint, comparison, counted) = match traced {
        Ok(((counted, complaint), comparison)) => {
            (counted.status, counted.timed_out, complaint, comparison, Ok(counted))
        }
        // Tracing can be forbidden where everything else works; the output is still checked.
        Err(refused) => {
            let run = |mut command: Command| {
                let child = command.spawn()?;
                drop(command);
                child::finish(child, Instant::now(), BOUND)
            };
            let ((finished, complaint), comparison) =
                with_pipes(contender.command(), setting, Sink::Pipe, drain, run)?;
            (finished.status, finished.timed_out, complaint, comparison, Err(refused))
        }
    };
    Ok(Facts {
        wrong: if is_floor { None } else { difference(&comparison) },
        failed: failure(status, timed_out, &complaint),
        syscalls: counted.as_ref().ok().map(|counted| counted.syscalls),
        peak_kib: counted.as_ref().ok().map(|counted| counted.peak_resident_bytes / 1024),
        uncounted: counted.err().map(|error| error.to_string()),
    })
}

/// Puts the case's input and output round `command`, lets `run` run it, and returns what it and
/// the drain found, with what the child wrote on standard error. Feeder and drain are running
/// before the child starts.
fn with_pipes<R, D: Send + Default>(
    mut command: Command,
    setting: Setting<'_>,
    sink: Sink,
    drain: impl FnOnce(OwnedFd) -> io::Result<D> + Send,
    run: impl FnOnce(Command) -> io::Result<R>,
) -> io::Result<((R, String), D)> {
    let mut stderr = File::from(memfd_create("stderr", MemfdFlags::CLOEXEC)?);
    command.stderr(stderr.try_clone()?).env("LC_ALL", "C");
    thread::scope(|scope| {
        let feeder = match setting.case.stdin {
            Source::File => {
                command.stdin(File::open(&setting.input.path)?);
                None
            }
            Source::Pipe => {
                let (read, write) = plumb::pipe()?;
                command.stdin(read);
                Some(scope.spawn(|| plumb::feed(&setting.input.contents, write)))
            }
        };
        let drained = match sink {
            Sink::Null => {
                command.stdout(Stdio::null());
                None
            }
            Sink::Pipe => {
                let (read, write) = plumb::pipe()?;
                command.stdout(write);
                Some(scope.spawn(|| drain(read)))
            }
        };
        let result = run(command);
        // The child and our copies are gone, so both threads come to their end.
        let fed = feeder.map_or(Ok(()), |thread| thread.join().expect("the feeder"));
        let found = drained.map_or(Ok(D::default()), |thread| thread.join().expect("the drain"));
        let result = result?;
        fed?;
        let mut complaint = String::new();
        stderr.rewind()?;
        stderr.take(4096).read_to_string(&mut complaint).unwrap_or_default();
        Ok(((result, complaint), found?))
    })
}

fn sample(finished: &Finished) -> Sample {
    let us = |duration: Duration| u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
    Sample {
        user_us: us(finished.usage.user),
        system_us: us(finished.usage.system),
        wall_us: us(finished.wall),
        waits: finished.usage.voluntary_switches,
        preemptions: finished.usage.involuntary_switches,
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
