//! Reading and writing that go through with it: interrupted calls are repeated, short writes
//! continued, and a descriptor that would block is waited for, where GNU gives up with `EAGAIN`.
//!
//! Budget: one system call per call when nothing goes wrong; two more per wait. No buffer.

use super::sys::{self, Fd, READABLE, WRITABLE};
pub use super::sys::{Errno, STDERR, STDIN, STDOUT};

/// The capacity asked of a pipe: what an unprivileged process may have (`pipe-max-size`).
pub const PIPE_BYTES: usize = 1 << 20;

/// Reads once into `buffer`; 0 means the end of the input.
///
/// Repeats interrupted calls and waits where a non-blocking descriptor has nothing yet.
///
/// # Errors
/// The kernel's, except `EINTR` and `EAGAIN`.
pub fn read(from: Fd, buffer: &mut [u8]) -> Result<usize, Errno> {
    loop {
        match sys::read(from, buffer) {
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => wait(from, READABLE)?,
            done => return done,
        }
    }
}

/// Writes all of `bytes`, whatever the number of calls that takes.
///
/// # Errors
/// The kernel's, except `EINTR` and `EAGAIN`; `ENOSPC` if it takes no byte and reports nothing.
/// An unknown part of `bytes` was written then.
pub fn write_all(to: Fd, mut bytes: &[u8]) -> Result<(), Errno> {
    while !bytes.is_empty() {
        match sys::write(to, bytes) {
            Ok(0) => return Err(Errno::NOSPC),
            Ok(written) => bytes = &bytes[written..],
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => wait(to, WRITABLE)?,
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Waits until `descriptor` is ready for `what`, has failed, or has lost its other end.
///
/// # Errors
/// The kernel's, except `EINTR`.
pub fn wait(descriptor: Fd, what: i16) -> Result<(), Errno> {
    loop {
        match sys::poll(descriptor, what, true) {
            Err(Errno::INTR) => {}
            Err(error) => return Err(error),
            Ok(_) => return Ok(()),
        }
    }
}

/// Whether a read from `descriptor` would return at once: data, the end, or an error.
#[must_use]
pub fn is_readable(descriptor: Fd) -> bool {
    sys::poll(descriptor, READABLE, false) == Ok(true)
}

/// Asks for a capacity of [`PIPE_BYTES`] if `descriptor` is a pipe that has less. Best effort:
/// what is not a pipe, or may not grow, stays as it is.
pub fn enlarge_pipe(descriptor: Fd) {
    enlarge_pipe_to(descriptor, PIPE_BYTES);
}

/// As [`enlarge_pipe`], for a capacity of `bytes`.
pub fn enlarge_pipe_to(descriptor: Fd, bytes: usize) {
    if sys::pipe_size(descriptor).is_ok_and(|size| size < bytes) {
        let _ = sys::set_pipe_size(descriptor, bytes);
    }
}
