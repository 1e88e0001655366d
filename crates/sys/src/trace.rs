//! Running a child under `ptrace` to count what it asks of the kernel.
//!
//! A traced run is slow (two stops a system call), so it is never a timed run. What it gives is
//! exact and needs no privilege: every system call of every thread and descendant, and `VmHWM`
//! read at the moment before the memory is released, which no parent can inflate.

#![allow(unsafe_code, reason = "ptrace has no safe wrapper")]

use crate::child::{Pidfd, pid_of, wait4};
use std::collections::HashSet;
use std::io;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

/// What a traced child did.
#[derive(Clone, Copy, Debug)]
pub struct Counted {
    /// Exit code or signal of the child itself.
    pub status: ExitStatus,
    /// System calls entered after `execve`, by all its threads and descendants.
    pub syscalls: u64,
    /// There were more: counting ended at the limit given.
    pub syscalls_capped: bool,
    /// The largest resident set of any one traced process (`VmHWM`).
    pub peak_resident_bytes: u64,
    /// The child outlived its bound and was killed by us.
    pub timed_out: bool,
}

/// A child stopped before its first instruction. Stays on the thread that started it: the kernel
/// lets only that thread trace.
pub struct Traced {
    child: Child,
    on_this_thread: PhantomData<*const ()>,
}

impl Traced {
    /// Starts `command` and leaves it stopped. Takes the command by value so that our copies of
    /// its pipe ends are closed: a reader on the other end could otherwise wait for ever.
    ///
    /// # Errors
    /// When the program cannot be started, or the system forbids tracing.
    pub fn spawn(mut command: Command) -> io::Result<Self> {
        // SAFETY: the closure runs between fork and exec and makes one system call; it takes no
        // lock and allocates nothing.
        unsafe {
            command.pre_exec(|| match libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0) {
                -1 => Err(io::Error::last_os_error()),
                _ => Ok(()),
            });
        }
        Ok(Traced { child: command.spawn()?, on_this_thread: PhantomData })
    }

    /// Process id of the child.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Lets the child run to its end, and kills what descendants are left then. The calling thread
    /// must have no other child that it still wants to wait for. After `syscalls_max` calls it runs on
    /// uncounted, at full speed; the memory peak is the whole run's in any case.
    ///
    /// # Errors
    /// When the kernel refuses a step; the child is killed then.
    pub fn finish(self, bound: Duration, syscalls_max: u64) -> io::Result<Counted> {
        self.finish_unless(bound, syscalls_max, || false)
    }

    /// As [`Traced::finish`], and kills the child as soon as `stop` says so.
    ///
    /// # Errors
    /// As [`Traced::finish`].
    pub fn finish_unless(
        mut self,
        bound: Duration,
        syscalls_max: u64,
        stop: fn() -> bool,
    ) -> io::Result<Counted> {
        let pid = pid_of(&self.child);
        let pidfd = Pidfd::open(pid).inspect_err(|_| {
            // Left stopped, it would hold its pipe ends for ever.
            drop(self.child.kill());
            drop(self.child.wait());
        })?;
        let counted = std::thread::scope(|scope| {
            let watchdog = scope.spawn(|| pidfd.wait_or_kill(bound, stop));
            let counted = follow(pid, syscalls_max).inspect_err(|_| drop(pidfd.kill()));
            let timed_out = watchdog.join().expect("the watchdog does not panic")?;
            counted.map(|counted| Counted { timed_out, ..counted })
        })?;
        Ok(counted)
    }
}

const OPTIONS: i32 = libc::PTRACE_O_TRACESYSGOOD
    | libc::PTRACE_O_TRACECLONE
    | libc::PTRACE_O_TRACEFORK
    | libc::PTRACE_O_TRACEVFORK
    | libc::PTRACE_O_TRACEEXEC
    | libc::PTRACE_O_TRACEEXIT
    | libc::PTRACE_O_EXITKILL;

/// The tracing loop: resume, wait for the next stop of any tracee, account for it, resume.
fn follow(pid: libc::pid_t, syscalls_max: u64) -> io::Result<Counted> {
    let (_, status, _) = wait4(pid, libc::__WALL)?;
    if !libc::WIFSTOPPED(status) {
        return Err(io::Error::other("the child ended before it could be traced"));
    }
    request(libc::PTRACE_SETOPTIONS, pid, OPTIONS as usize)?;
    request(libc::PTRACE_SYSCALL, pid, 0)?;

    let mut tracees = HashSet::from([pid]);
    let mut unannounced = HashSet::new();
    let mut own_status = None;
    let mut syscalls = 0;
    let mut peak_resident_bytes = 0;
    while !tracees.is_empty() {
        let (tid, status, _) = wait4(-1, libc::__WALL | libc::__WNOTHREAD)?;
        if !libc::WIFSTOPPED(status) {
            tracees.remove(&tid);
            if tid == pid {
                own_status = Some(ExitStatus::from_raw(status));
                tracees.iter().for_each(|&left| kill(left));
            }
            continue;
        }
        let signal = libc::WSTOPSIG(status);
        let event = status >> 16;
        let mut deliver = 0;
        if signal == libc::SIGTRAP | 0x80 {
            syscalls += u64::from(enters_syscall(tid)?);
        } else if event == libc::PTRACE_EVENT_EXIT {
            peak_resident_bytes = peak_resident_bytes.max(resident_peak_bytes(tid)?);
        } else if event == libc::PTRACE_EVENT_EXEC {
            // A thread that executes takes its leader's number; its own is never heard of again.
            let former = message(tid)?;
            if former != tid {
                tracees.remove(&former);
            }
        } else if [libc::PTRACE_EVENT_FORK, libc::PTRACE_EVENT_VFORK, libc::PTRACE_EVENT_CLONE]
            .contains(&event)
        {
            // Known from its birth, or its parent could end, and the loop with it, before it is
            // first heard of: it would stay stopped for ever, and hold its pipe ends.
            let born = message(tid)?;
            if is_there(born) && tracees.insert(born) {
                unannounced.insert(born);
            }
        } else if event == 0 {
            // A new tracee announces itself by a SIGSTOP that nobody sent; all else is its own.
            let is_new = unannounced.remove(&tid) || tracees.insert(tid);
            deliver = if is_new && signal == libc::SIGSTOP { 0 } else { signal };
        }
        if own_status.is_some() {
            kill(tid); // born while its parents were being killed
        }
        let resume = if syscalls < syscalls_max { libc::PTRACE_SYSCALL } else { libc::PTRACE_CONT };
        match request(resume, tid, deliver as usize) {
            // Killed while it was stopped: the wait above reports it next.
            Err(error) if error.raw_os_error() == Some(libc::ESRCH) => {}
            other => other?,
        }
    }
    let status = own_status.ok_or_else(|| io::Error::other("the child's end was not reported"))?;
    let syscalls_capped = syscalls >= syscalls_max;
    Ok(Counted { status, syscalls, syscalls_capped, peak_resident_bytes, timed_out: false })
}

/// What the kernel adds to an event: the number of the new tracee, or of the thread that was. 0
/// from a tracee that was killed meanwhile.
fn message(tid: libc::pid_t) -> io::Result<libc::pid_t> {
    let mut message: libc::c_ulong = 0;
    // SAFETY: the pointer is to live, writable memory of the type the request fills.
    if unsafe { libc::ptrace(libc::PTRACE_GETEVENTMSG, tid, 0, &raw mut message) } == -1 {
        let error = io::Error::last_os_error();
        return if error.raw_os_error() == Some(libc::ESRCH) { Ok(0) } else { Err(error) };
    }
    Ok(libc::pid_t::try_from(message).expect("Linux process ids fit in 22 bits"))
}

/// SIGKILL to a tracee: its number is its own until the wait above has reported its end.
fn kill(tid: libc::pid_t) {
    // SAFETY: two integers, no memory of ours.
    unsafe { libc::kill(tid, libc::SIGKILL) };
}

/// Whether there is a thread with this number.
fn is_there(tid: libc::pid_t) -> bool {
    tid != 0 && std::path::Path::new("/proc").join(tid.to_string()).exists()
}

/// One `ptrace` request whose last argument is a plain number.
fn request(request: libc::c_uint, tid: libc::pid_t, data: usize) -> io::Result<()> {
    // SAFETY: the requests passed here (SETOPTIONS, SYSCALL) take a number and no address.
    match unsafe { libc::ptrace(request, tid, 0, data) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// Whether a system-call stop is the entry (each call stops twice).
fn enters_syscall(tid: libc::pid_t) -> io::Result<bool> {
    let mut info = MaybeUninit::<libc::ptrace_syscall_info>::zeroed();
    // SAFETY: the size passed is that of the buffer, which the kernel fills at most.
    let got = unsafe {
        libc::ptrace(
            libc::PTRACE_GET_SYSCALL_INFO,
            tid,
            size_of::<libc::ptrace_syscall_info>(),
            info.as_mut_ptr(),
        )
    };
    if got == -1 {
        let error = io::Error::last_os_error();
        // Killed between the stop and the question: no further call.
        return if error.raw_os_error() == Some(libc::ESRCH) { Ok(false) } else { Err(error) };
    }
    // SAFETY: zeroed is valid for this struct of integers, and the kernel has filled it.
    Ok(unsafe { info.assume_init() }.op == libc::PTRACE_SYSCALL_INFO_ENTRY)
}

/// `VmHWM` of a process that still has its memory, in bytes; 0 when it has none.
fn resident_peak_bytes(tid: libc::pid_t) -> io::Result<u64> {
    match std::fs::read_to_string(format!("/proc/{tid}/status")) {
        Ok(status) => Ok(vm_hwm_bytes(&status)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
        Err(error) => Err(error),
    }
}

/// The `VmHWM` line of a `/proc/PID/status` text, in bytes; 0 when there is none.
fn vm_hwm_bytes(status: &str) -> u64 {
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .and_then(|rest| rest.trim().strip_suffix(" kB"))
        .and_then(|kib| kib.trim().parse::<u64>().ok())
        .map_or(0, |kib| kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Stdio;

    const LONG: Duration = Duration::from_secs(60);

    fn count(script: &str, bound: Duration) -> Counted {
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdin(Stdio::null()).stdout(Stdio::null());
        Traced::spawn(command).unwrap().finish(bound, u64::MAX).unwrap()
    }

    #[test]
    fn every_call_of_the_child_is_counted_once() {
        let none = count(":", LONG);
        let hundred = count("i=0; while [ $i -lt 100 ]; do echo; i=$((i+1)); done", LONG);
        assert_eq!(none.status.code(), Some(0));
        // One write each, and dash reads a -c script from memory.
        assert_eq!(hundred.syscalls - none.syscalls, 100);
    }

    #[test]
    fn counting_ends_at_its_limit_and_the_rest_is_still_seen() {
        let mut command = Command::new("dd");
        command.args(["if=/dev/zero", "of=/dev/null", "bs=8M", "count=1000", "status=none"]);
        let counted = Traced::spawn(command).unwrap().finish(LONG, 100).unwrap();
        assert!(counted.syscalls_capped && counted.status.success(), "{counted:?}");
        // Another thread may have been in a call when the limit was reached; here there is none.
        assert_eq!(counted.syscalls, 100);
        assert!(counted.peak_resident_bytes > 8 << 20, "{counted:?}");
    }

    #[test]
    fn descendants_count_and_the_status_is_the_childs() {
        let alone = count("exit 7", LONG);
        let with_child = count("(:); exit 7", LONG);
        assert_eq!(with_child.status.code(), Some(7));
        assert!(with_child.syscalls > alone.syscalls);
    }

    #[test]
    fn the_peak_is_the_childs_own_and_not_its_parents() {
        const MIB: u64 = 1 << 20;
        // Sixty-four MiB that the parent touches: what ru_maxrss would report for the child.
        let ballast = vec![1u8; 64 << 20];
        let small = count(":", LONG);
        assert!(std::hint::black_box(&ballast).iter().all(|&byte| byte == 1));
        assert!(small.peak_resident_bytes > 0);
        assert!(small.peak_resident_bytes < 32 * MIB, "{small:?}");

        let mut command = Command::new("dd");
        command.args(["if=/dev/zero", "of=/dev/null", "bs=48M", "count=1", "status=none"]);
        let large = Traced::spawn(command).unwrap().finish(LONG, u64::MAX).unwrap();
        assert!((48 * MIB..64 * MIB).contains(&large.peak_resident_bytes), "{large:?}");
    }

    #[test]
    fn signals_reach_the_child_and_a_bound_ends_it() {
        let killed = count("kill -TERM $$; exit 0", LONG);
        assert_eq!(killed.status.signal(), Some(libc::SIGTERM));
        let endless = count("exec sleep 600", Duration::from_millis(50));
        assert!(endless.timed_out);
        assert_eq!(endless.status.signal(), Some(libc::SIGKILL));
    }

    #[test]
    fn what_outlives_the_child_is_killed_with_it() {
        let left = count("sleep 600 & exit 5", LONG);
        assert_eq!((left.status.code(), left.timed_out), (Some(5), false));
        let endless = count("sleep 600; :", Duration::from_millis(50));
        assert!(endless.timed_out);
    }

    #[test]
    fn a_thread_may_execute_another_program() {
        let script = "import os, threading\n\
                      threading.Thread(target=os.execv, args=('/bin/true', ['true'])).start()\n\
                      threading.Event().wait()";
        let mut command = Command::new("python3");
        command.args(["-c", script]).stdin(Stdio::null());
        let counted = Traced::spawn(command).unwrap().finish(LONG, u64::MAX).unwrap();
        assert!(counted.status.success() && !counted.timed_out, "{counted:?}");
    }

    #[test]
    fn a_missing_program_is_an_error() {
        let error = Traced::spawn(Command::new("/nonexistent/program")).err().unwrap();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn the_peak_line_is_read_in_bytes() {
        assert_eq!(vm_hwm_bytes("VmPeak:\t  9 kB\nVmHWM:\t     120 kB\n"), 120 * 1024);
        assert_eq!(vm_hwm_bytes("Name:\tx\n"), 0);
    }
}
