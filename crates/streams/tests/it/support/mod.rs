//! What both programs' tests need: commands that look alike to the program, and their outcome.

use std::io::Write as _;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Command, Stdio};

/// What a program did.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// Its exit status, unless a signal ended it.
    pub(crate) status: Option<i32>,
    /// The signal that ended it.
    pub(crate) signal: Option<i32>,
    /// All of its standard output.
    pub(crate) stdout: Vec<u8>,
    /// All of its standard error.
    pub(crate) stderr: Vec<u8>,
}

impl Outcome {
    /// What there is to see when this outcome differs from that of GNU's program.
    pub(crate) fn beside(&self, gnus: &Outcome) -> String {
        let part =
            |bytes: &[u8]| String::from_utf8_lossy(&bytes[..bytes.len().min(500)]).into_owned();
        let first = self.stdout.iter().zip(&gnus.stdout).position(|(a, b)| a != b);
        format!(
            "status {:?} {:?}, GNU {:?} {:?}\nstderr {}\n   GNU {}\n\
             {} bytes out, GNU {}, first different one {first:?}\n",
            self.status,
            self.signal,
            gnus.status,
            gnus.signal,
            part(&self.stderr),
            part(&gnus.stderr),
            self.stdout.len(),
            gnus.stdout.len(),
        )
    }
}

/// Our `cat`, called `cat`, in the C.UTF-8 locale and an otherwise empty environment.
pub(crate) fn lissom_cat() -> Command {
    plain(env!("CARGO_BIN_EXE_lissom-cat"), "cat")
}

/// Our `tr`, called `tr`, in the C.UTF-8 locale and an otherwise empty environment.
pub(crate) fn lissom_tr() -> Command {
    plain(env!("CARGO_BIN_EXE_lissom-tr"), "tr")
}

/// The program at `path`, called `name`, in the C.UTF-8 locale and an otherwise empty environment.
pub(crate) fn plain(path: &str, name: &str) -> Command {
    let mut command = Command::new(path);
    command.arg0(name).env_clear().env("LC_ALL", "C.UTF-8");
    command
}

/// Runs `command` with `input` on a pipe as its standard input.
pub(crate) fn run(command: &mut Command, input: &[u8]) -> Outcome {
    command.stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let mut pipe = child.stdin.take().expect("asked for a pipe");
    let input = input.to_vec();
    // A program that stops reading early is fine: what it did is judged by its outcome.
    let feeder = std::thread::spawn(move || drop(pipe.write_all(&input)));
    let output = child.wait_with_output().expect("the program ends");
    feeder.join().expect("the feeder ends");
    Outcome {
        status: output.status.code(),
        signal: output.status.signal(),
        stdout: output.stdout,
        stderr: output.stderr,
    }
}
