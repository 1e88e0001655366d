//! Waiting for one child and taking the kernel's account of it.

#![allow(unsafe_code, reason = "wait4 and pidfd have no safe wrapper that also gives the rusage")]

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

/// What the kernel charged to one finished child, its own waited-for children included.
///
/// There is no memory figure here on purpose: `ru_maxrss` starts from the memory of the process
/// that forked, so a small child of a large parent looks large. [`crate::trace`] reads the truth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Processor time in user space.
    pub user: Duration,
    /// Processor time in the kernel on the child's behalf.
    pub system: Duration,
    /// Times the child gave the processor up, mostly to wait.
    pub voluntary_switches: u64,
    /// Times the processor was taken from it.
    pub involuntary_switches: u64,
}

/// How a child ended.
#[derive(Clone, Copy, Debug)]
pub struct Finished {
    /// Exit code or signal.
    pub status: ExitStatus,
    /// From the instant given to [`finish`] until the child was reaped.
    pub wall: Duration,
    /// The kernel's account.
    pub usage: Usage,
    /// The child outlived its bound and was killed by us.
    pub timed_out: bool,
}

/// Waits for `child`, at most until `bound` after `started`, then kills it; reaps it either way.
/// Whatever is left of a process group that the child leads is killed with it: a descendant would
/// hold the pipes that somebody waits on.
///
/// # Errors
/// When the kernel refuses the wait, which it does only for a child that was reaped elsewhere.
pub fn finish(child: Child, started: Instant, bound: Duration) -> io::Result<Finished> {
    finish_unless(child, started, bound, || false)
}

/// As [`finish`], and kills the child as soon as `stop` says so, which is asked ten times a second.
///
/// # Errors
/// As [`finish`].
pub fn finish_unless(
    child: Child,
    started: Instant,
    bound: Duration,
    stop: fn() -> bool,
) -> io::Result<Finished> {
    let pid = pid_of(&child);
    let timed_out = match Pidfd::open(pid) {
        Ok(pidfd) => pidfd.wait_or_kill(bound.saturating_sub(started.elapsed()), stop)?,
        // Before Linux 5.3, or in a sandbox that forbids it: no bound, but the same figures.
        Err(_) => {
            wait_without_reaping(pid)?;
            false
        }
    };
    // Before it is reaped, for until then its number, and its group's, is nobody else's.
    // SAFETY: both take integers and touch no memory of ours.
    unsafe {
        if libc::getpgid(pid) == pid {
            libc::kill(-pid, libc::SIGKILL); // an empty group is no failure
        }
    }
    let (_, status, usage) = wait4(pid, 0)?;
    let wall = started.elapsed();
    drop(child); // reaped above; std must not wait for, or kill, whoever has the number next
    Ok(Finished { status: ExitStatus::from_raw(status), wall, usage, timed_out })
}

/// Blocks until the child has ended, and leaves it to be reaped.
fn wait_without_reaping(pid: libc::pid_t) -> io::Result<()> {
    let mut info = MaybeUninit::<libc::siginfo_t>::zeroed();
    let id = libc::id_t::try_from(pid).expect("process ids are positive");
    // SAFETY: the pointer is to live, writable memory of the type the call fills.
    while unsafe { libc::waitid(libc::P_PID, id, info.as_mut_ptr(), libc::WEXITED | libc::WNOWAIT) }
        == -1
    {
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    Ok(())
}

/// The process id as the system calls want it.
pub(crate) fn pid_of(child: &Child) -> libc::pid_t {
    libc::pid_t::try_from(child.id()).expect("Linux process ids fit in 22 bits")
}

/// `wait4(2)`: the pid that changed state, its raw status and its usage so far.
pub(crate) fn wait4(pid: libc::pid_t, flags: i32) -> io::Result<(libc::pid_t, i32, Usage)> {
    let mut status = 0;
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    loop {
        // SAFETY: both pointers are to live, writable memory of the types the call fills.
        let waited = unsafe { libc::wait4(pid, &raw mut status, flags, usage.as_mut_ptr()) };
        if waited >= 0 {
            // SAFETY: zeroed is a valid rusage, and the kernel has overwritten it.
            let usage = unsafe { usage.assume_init() };
            return Ok((waited, status, Usage::from(usage)));
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

impl From<libc::rusage> for Usage {
    fn from(raw: libc::rusage) -> Self {
        Usage {
            user: duration(raw.ru_utime),
            system: duration(raw.ru_stime),
            voluntary_switches: u64::try_from(raw.ru_nvcsw).unwrap_or(0),
            involuntary_switches: u64::try_from(raw.ru_nivcsw).unwrap_or(0),
        }
    }
}

fn duration(time: libc::timeval) -> Duration {
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    Duration::from_secs(seconds) + Duration::from_micros(u64::try_from(time.tv_usec).unwrap_or(0))
}

/// A handle on one process that a reused process id cannot mislead.
pub(crate) struct Pidfd(OwnedFd);

impl Pidfd {
    pub(crate) fn open(pid: libc::pid_t) -> io::Result<Self> {
        // SAFETY: pidfd_open takes two integers and touches no memory of ours.
        let raw = unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) };
        match i32::try_from(raw) {
            // SAFETY: the kernel just gave us this descriptor; nobody else owns it.
            Ok(fd) if fd >= 0 => Ok(Pidfd(unsafe { OwnedFd::from_raw_fd(fd) })),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Waits for the end, and brings it about after `bound` or when `stop` says so. True when it
    /// was the bound.
    pub(crate) fn wait_or_kill(&self, bound: Duration, stop: fn() -> bool) -> io::Result<bool> {
        const SLICE: Duration = Duration::from_millis(100);
        let deadline = Instant::now() + bound;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if self.wait_exit(left.min(SLICE))? {
                return Ok(false);
            }
            let timed_out = left <= SLICE;
            if timed_out || stop() {
                self.kill()?;
                return Ok(timed_out);
            }
        }
    }

    /// True when the process ended within `bound`.
    fn wait_exit(&self, bound: Duration) -> io::Result<bool> {
        let deadline = Instant::now() + bound;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let mut poll =
                libc::pollfd { fd: self.0.as_raw_fd(), events: libc::POLLIN, revents: 0 };
            // Rounded up, or the last millisecond would be spent spinning.
            let left_ms = i32::try_from(left.as_millis().saturating_add(1)).unwrap_or(i32::MAX);
            // SAFETY: one live pollfd, and the count says one.
            let ready = unsafe { libc::poll(&raw mut poll, 1, left_ms) };
            match ready {
                1.. => return Ok(true),
                0 if left.is_zero() || Instant::now() >= deadline => return Ok(false),
                0 => {}
                _ => {
                    let error = io::Error::last_os_error();
                    if error.kind() != io::ErrorKind::Interrupted {
                        return Err(error);
                    }
                }
            }
        }
    }

    /// SIGKILL; a process that is gone already is no error.
    pub(crate) fn kill(&self) -> io::Result<()> {
        // SAFETY: the descriptor is ours, the null siginfo means the plain signal, as kill(2) sends.
        let sent = unsafe {
            libc::syscall(
                libc::SYS_pidfd_send_signal,
                self.0.as_raw_fd(),
                libc::SIGKILL,
                std::ptr::null::<libc::siginfo_t>(),
                0,
            )
        };
        let error = io::Error::last_os_error();
        if sent == 0 || error.raw_os_error() == Some(libc::ESRCH) { Ok(()) } else { Err(error) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    fn run(script: &str, bound: Duration) -> Finished {
        let started = Instant::now();
        let child = Command::new("sh").args(["-c", script]).stdin(Stdio::null()).spawn().unwrap();
        finish(child, started, bound).unwrap()
    }

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn status_and_time_are_the_childs() {
        let busy = run("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; exit 3", LONG);
        let idle = run("exit 0", LONG);
        assert_eq!(busy.status.code(), Some(3));
        assert_eq!(idle.status.code(), Some(0));
        assert!(!busy.timed_out && !idle.timed_out);
        assert!(busy.usage.user + busy.usage.system > idle.usage.user + idle.usage.system);
        assert!(busy.wall >= Duration::from_micros(1));
    }

    #[test]
    fn a_child_that_outlives_its_bound_is_killed() {
        let finished = run("exec sleep 600", Duration::from_millis(50));
        assert!(finished.timed_out);
        assert_eq!(finished.status.signal(), Some(libc::SIGKILL));
    }
}
