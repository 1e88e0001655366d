//! For tests only: what several programs' tests need.
//!
//! * [`alloc`]: an allocator that counts per thread and proves that it does;
//! * [`launch`]: real binaries, with input, bound, and true memory peak; servers that end with
//!   the test;
//! * [`folder`], [`free_port`], [`absent`]: a place to write, a place to listen, and an honest
//!   word about a missing tool.

pub mod alloc;
pub mod launch;

use std::io::Write;
use std::net::{Ipv4Addr, TcpListener};

/// A folder that is deleted when the value is dropped; see [`folder`].
pub use tempfile::TempDir as Folder;

/// A new empty folder that is deleted when the value is dropped.
///
/// # Panics
/// When the system's folder for temporary files cannot be written.
#[must_use]
pub fn folder() -> Folder {
    tempfile::Builder::new().prefix("lissom-test-").tempdir().expect("a temporary folder")
}

/// A loopback TCP port that was free a moment ago. For programs that cannot be given port 0.
///
/// # Panics
/// When the system has no free port.
#[must_use]
pub fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    listener.local_addr().expect("a bound socket has an address").port()
}

/// Reports that a test cannot run because `what` is not installed: a failure under `CI`, a loud
/// line on standard error elsewhere. Returns so that the caller can leave the test.
///
/// # Panics
/// When the environment variable `CI` is set: there, everything must have been installed.
pub fn absent(what: &str) {
    assert!(std::env::var_os("CI").is_none(), "{what} is missing, and CI must have it");
    // Not eprintln!: the test harness would keep it to itself as long as the test passes.
    drop(writeln!(std::io::stderr(), "SKIPPED: {what} is missing; `make test` installs it"));
}
