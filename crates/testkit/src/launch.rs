//! Real binaries in tests: run to the end with input and a bound, or kept running as servers.

use lissom_sys::trace::{Counted, Traced};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// No test waits longer than this for a program.
pub const BOUND: Duration = Duration::from_secs(60);

/// Everything a finished program left behind.
#[derive(Debug)]
pub struct Ended {
    /// Exit code or signal.
    pub status: ExitStatus,
    /// Bytes on standard output.
    pub stdout: Vec<u8>,
    /// Bytes on standard error.
    pub stderr: Vec<u8>,
}

impl Ended {
    /// Standard error as text, for messages and assertions.
    #[must_use]
    pub fn stderr_text(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }

    /// Standard output as text.
    #[must_use]
    pub fn stdout_text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }
}

/// Runs `command` with `input` on its standard input until it ends, at most [`BOUND`].
///
/// # Panics
/// When the program cannot be started or outlives the bound.
#[must_use]
pub fn run(command: &mut Command, input: &[u8]) -> Ended {
    let started = Instant::now();
    let shown = format!("{command:?}");
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{shown}: {error}"));
    let mut stdin = child.stdin.take().expect("piped above");
    let mut stdout = child.stdout.take().expect("piped above");
    let mut stderr = child.stderr.take().expect("piped above");
    let (finished, stdout, stderr) = std::thread::scope(|scope| {
        // A program may leave without reading its input; that is its affair, not a failure.
        scope.spawn(move || drop(stdin.write_all(input)));
        let stdout = scope.spawn(move || read_all(&mut stdout));
        let stderr = scope.spawn(move || read_all(&mut stderr));
        let finished = lissom_sys::child::finish(child, started, BOUND);
        (finished, stdout.join().expect("reader"), stderr.join().expect("reader"))
    });
    let finished = finished.unwrap_or_else(|error| panic!("{shown}: {error}"));
    assert!(!finished.timed_out, "{shown}: still running after {BOUND:?}");
    Ended { status: finished.status, stdout, stderr }
}

fn read_all(source: &mut impl Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    source.read_to_end(&mut bytes).expect("a pipe can be read");
    bytes
}

/// Runs `command` under the counter: exact system calls and the true memory peak.
///
/// # Panics
/// When the program cannot be traced or outlives [`BOUND`].
#[must_use]
pub fn count(command: Command) -> Counted {
    let shown = format!("{command:?}");
    let counted = Traced::spawn(command)
        .and_then(|traced| traced.finish(BOUND, u64::MAX))
        .unwrap_or_else(|error| panic!("{shown}: {error}"));
    assert!(!counted.timed_out, "{shown}: still running after {BOUND:?}");
    counted
}

/// A program that runs until it is told to stop. Killed when dropped, so that a failed test
/// leaves nothing behind.
pub struct Server {
    /// Present until it was waited for.
    child: Option<Child>,
    stdout: BufReader<ChildStdout>,
    /// The line it printed when it was ready.
    pub ready_line: String,
}

impl Server {
    /// Starts `command` and waits for its first line on standard output.
    ///
    /// # Panics
    /// When it cannot be started or ends without a line.
    #[must_use]
    pub fn start(command: &mut Command) -> Self {
        let shown = format!("{command:?}");
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{shown}: {error}"));
        let mut stdout = BufReader::new(child.stdout.take().expect("piped above"));
        let mut ready_line = String::new();
        stdout.read_line(&mut ready_line).unwrap_or_else(|error| panic!("{shown}: {error}"));
        if ready_line.is_empty() {
            let status = child.wait();
            panic!("{shown}: ended before it was ready: {status:?}");
        }
        Server { child: Some(child), stdout, ready_line: ready_line.trim_end().to_owned() }
    }

    /// Process id.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.as_ref().expect("present until wait, which takes the server").id()
    }

    /// Sends the signal called `name` (`TERM`, `INT`, `HUP` …).
    ///
    /// # Panics
    /// When there is no such signal or no such process.
    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill").args(["-s", name, &self.id().to_string()]).status();
        assert!(sent.expect("kill runs").success(), "kill -s {name} {}", self.id());
    }

    /// Waits for the end, at most [`BOUND`]; gives the status and what else it printed.
    ///
    /// # Panics
    /// When it outlives the bound.
    #[must_use]
    pub fn wait(mut self) -> (ExitStatus, String) {
        let child = self.child.take().expect("present until now");
        let id = child.id();
        let finished = lissom_sys::child::finish(child, Instant::now(), BOUND).expect("our child");
        assert!(!finished.timed_out, "process {id} outlived {BOUND:?}");
        let mut rest = String::new();
        self.stdout.read_to_string(&mut rest).expect("the rest of standard output");
        (finished.status, rest)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            // A child that ended by itself is no failure here.
            drop(child.kill());
            drop(child.wait());
        }
    }
}

/// Path of a binary of this workspace, built now unless it is current. For tests that need
/// another package's program; a package's own are in `CARGO_BIN_EXE_<name>`.
///
/// # Panics
/// When the build fails.
#[must_use]
pub fn workspace_bin(package: &str, name: &str) -> PathBuf {
    // One build at a time from one test binary: cargo would queue them anyway.
    static BUILD: Mutex<()> = Mutex::new(());
    let _turn = BUILD.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let root = root();
    let built = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--package", package, "--bin", name])
        .current_dir(&root)
        .status()
        .expect("cargo runs");
    assert!(built.success(), "building {name} of {package}");
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    root.join(target).join("debug").join(name)
}

/// The root of the workspace.
///
/// # Panics
/// Never: this crate stands two folders below it.
#[must_use]
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).expect("crates/testkit has two parents").to_path_buf()
}
