//! What the rungs share: standard input and output without the buffers `std` puts around them.

use rustix::pipe::{SpliceFlags, fcntl_setpipe_size, splice};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};

/// The size that the later rungs ask the kernel for, in bytes: the most an ordinary user gets.
pub const PIPE_BYTES: usize = 1 << 20;

/// Standard input and output as plain files: every read and write is a system call.
///
/// # Errors
/// When a descriptor is closed.
pub fn stdio() -> io::Result<(File, File)> {
    let input: OwnedFd = io::stdin().as_fd().try_clone_to_owned()?;
    let output: OwnedFd = io::stdout().as_fd().try_clone_to_owned()?;
    Ok((input.into(), output.into()))
}

/// Asks for a pipe of [`PIPE_BYTES`]. What is no pipe, or may not grow, stays as it is.
pub fn enlarge(pipe: impl AsFd) {
    let _as_it_was = fcntl_setpipe_size(pipe, PIPE_BYTES);
}

/// Moves up to `bytes` from one descriptor to the other inside the kernel; 0 at the end.
///
/// # Errors
/// What `splice(2)` reports, except interruptions, which are tried again.
pub fn transfer(from: impl AsFd, to: impl AsFd, bytes: usize) -> io::Result<usize> {
    let flags = SpliceFlags::MOVE;
    let moved = rustix::io::retry_on_intr(|| splice(&from, None, &to, None, bytes, flags))?;
    Ok(moved)
}
