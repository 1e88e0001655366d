//! The system calls of the two programs: one assembly line per architecture, and a safe function
//! around each call.
//!
//! `rustix` would be the house's first choice, and was the first version of this file. But cargo
//! unifies features: as soon as any package built in the same call turns on `rustix/std`, these
//! programs get a second `memcpy` and a second panic handler and no longer link. Fifteen calls are
//! cheaper than that trap.
#![allow(unsafe_code, reason = "system calls are reached by an instruction, and take addresses")]

use core::ffi::CStr;
use core::mem::MaybeUninit;

/// Why a system call failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Errno(u16);

impl Errno {
    /// Interrupted by a signal.
    pub const INTR: Self = Self(4);
    /// Not an open descriptor.
    pub const BADF: Self = Self(9);
    /// Would block.
    pub const AGAIN: Self = Self(11);
    /// Is a directory.
    pub const ISDIR: Self = Self(21);
    /// Invalid argument.
    pub const INVAL: Self = Self(22);
    /// No space left.
    pub const NOSPC: Self = Self(28);
    /// Broken pipe.
    pub const PIPE: Self = Self(32);
    /// Name too long.
    pub const NAMETOOLONG: Self = Self(36);

    /// The kernel's number for it.
    #[must_use]
    pub fn raw_os_error(self) -> i32 {
        i32::from(self.0)
    }

    /// The error of that number, which is below 4096.
    #[must_use]
    pub const fn from_raw_os_error(number: u16) -> Self {
        Self(number)
    }
}

/// An open descriptor that somebody else closes, or nobody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fd(i32);

/// Standard input.
pub const STDIN: Fd = Fd(0);
/// Standard output.
pub const STDOUT: Fd = Fd(1);
/// Standard error.
pub const STDERR: Fd = Fd(2);

impl Fd {
    /// The descriptor of that number; tests use it. A number that is not open is no danger: calls
    /// on it report `EBADF`.
    #[must_use]
    pub const fn new(number: i32) -> Self {
        Self(number)
    }
}

/// A descriptor that is closed when the value goes.
#[derive(Debug)]
pub struct Owned(Fd);

impl Owned {
    /// To work with it.
    #[must_use]
    pub fn fd(&self) -> Fd {
        self.0
    }
}

/// Closes a descriptor the process was born with, for the errors that some file systems report
/// only then.
pub fn close(file: Fd) -> Result<(), Errno> {
    // SAFETY: close takes no address. Descriptors are plain numbers here: calls on one that is
    // closed report `EBADF`.
    unsafe { call(number::CLOSE, [file.0 as usize, 0, 0, 0, 0, 0]) }.map(drop)
}

impl Drop for Owned {
    fn drop(&mut self) {
        // What close reports about a file that was only read is of no use to anybody.
        let _ = close(self.0);
    }
}

/// What a descriptor leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    Regular,
    /// A directory.
    Directory,
    /// A pipe, named or not.
    Pipe,
    /// A terminal, `/dev/null`, and the like.
    Character,
    /// A block device.
    Block,
    /// A socket.
    Socket,
    /// Something else: an event descriptor, for example.
    Other,
}

/// Identity, kind and size of an open file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// The device that has the file.
    pub device: u64,
    /// Its number there.
    pub inode: u64,
    /// What it is.
    pub kind: Kind,
    /// Of a device: its driver and its number there, as the kernel encodes them.
    pub special: u64,
    /// Bytes, as far as the file system says; 0 for most of `/proc`.
    pub size: i64,
}

/// Where [`seek`] counts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    /// The current position.
    Current = 1,
    /// The end.
    End = 2,
}

/// `O_APPEND`, in [`flags`].
pub const APPEND: u32 = 0o2000;
/// `O_DIRECT`, in [`flags`]: of a pipe, that every write is a packet.
#[cfg(target_arch = "x86_64")]
pub const DIRECT: u32 = 0o40000;
/// `O_DIRECT`, in [`flags`]: of a pipe, that every write is a packet.
#[cfg(target_arch = "aarch64")]
pub const DIRECT: u32 = 0o200_000;

/// `O_NONBLOCK`, in [`flags`] and for [`open`].
pub const NONBLOCK: u32 = 0o4000;

/// What [`poll`] waits for: data.
pub const READABLE: i16 = 1;
/// What [`poll`] waits for: room.
pub const WRITABLE: i16 = 4;

#[cfg(target_arch = "x86_64")]
mod number {
    pub(super) const READ: usize = 0;
    pub(super) const WRITE: usize = 1;
    pub(super) const CLOSE: usize = 3;
    pub(super) const FSTAT: usize = 5;
    pub(super) const LSEEK: usize = 8;
    pub(super) const FCNTL: usize = 72;
    pub(super) const FADVISE: usize = 221;
    pub(super) const EXIT_GROUP: usize = 231;
    pub(super) const OPENAT: usize = 257;
    pub(super) const PPOLL: usize = 271;
    pub(super) const SPLICE: usize = 275;
    pub(super) const PIPE2: usize = 293;
    pub(super) const COPY_FILE_RANGE: usize = 326;
}

#[cfg(target_arch = "aarch64")]
mod number {
    pub(super) const FCNTL: usize = 25;
    pub(super) const OPENAT: usize = 56;
    pub(super) const CLOSE: usize = 57;
    pub(super) const PIPE2: usize = 59;
    pub(super) const LSEEK: usize = 62;
    pub(super) const READ: usize = 63;
    pub(super) const WRITE: usize = 64;
    pub(super) const PPOLL: usize = 73;
    pub(super) const SPLICE: usize = 76;
    pub(super) const FSTAT: usize = 80;
    pub(super) const EXIT_GROUP: usize = 94;
    pub(super) const FADVISE: usize = 223;
    pub(super) const COPY_FILE_RANGE: usize = 285;
}

/// # Safety
/// As the call of that number asks: what it reads and writes through addresses must be there.
unsafe fn call(number: usize, arguments: [usize; 6]) -> Result<usize, Errno> {
    let [a, b, c, d, e, f] = arguments;
    let result: isize;
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the kernel preserves all registers but these three; the rest is the caller's promise.
    unsafe {
        core::arch::asm!(
            "syscall",
            inlateout("rax") number => result,
            in("rdi") a, in("rsi") b, in("rdx") c, in("r10") d, in("r8") e, in("r9") f,
            lateout("rcx") _, lateout("r11") _,
            options(nostack, preserves_flags)
        );
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: the kernel preserves all registers but the result's; the rest is the caller's promise.
    unsafe {
        core::arch::asm!(
            "svc 0",
            in("x8") number,
            inlateout("x0") a => result,
            in("x1") b, in("x2") c, in("x3") d, in("x4") e, in("x5") f,
            options(nostack, preserves_flags)
        );
    }
    if (-4095..0).contains(&result) {
        Err(Errno(result.unsigned_abs() as u16))
    } else {
        Ok(result as usize)
    }
}

/// `read`: once, up to the buffer's length.
pub fn read(from: Fd, buffer: &mut [u8]) -> Result<usize, Errno> {
    let (address, length) = (buffer.as_mut_ptr() as usize, buffer.len());
    // SAFETY: the kernel writes into the exclusively borrowed buffer, at most its length.
    unsafe { call(number::READ, [from.0 as usize, address, length, 0, 0, 0]) }
}

/// `write`: once; the number of bytes taken.
pub fn write(to: Fd, bytes: &[u8]) -> Result<usize, Errno> {
    let (address, length) = (bytes.as_ptr() as usize, bytes.len());
    // SAFETY: the kernel reads the borrowed bytes only.
    unsafe { call(number::WRITE, [to.0 as usize, address, length, 0, 0, 0]) }
}

/// `openat`, for reading, relative to the working directory; `extra` is 0 or [`NONBLOCK`].
pub fn open(path: &CStr, extra: u32) -> Result<Owned, Errno> {
    const AT_FDCWD: usize = -100_isize as usize;
    let address = path.as_ptr() as usize;
    // SAFETY: the path is terminated. Flags of 0 are O_RDONLY.
    let fd = unsafe { call(number::OPENAT, [AT_FDCWD, address, extra as usize, 0, 0, 0]) }?;
    Ok(Owned(Fd(fd as i32)))
}

/// `fstat`: what `file` leads to.
pub fn stat(file: Fd) -> Result<Stat, Errno> {
    #[repr(C)]
    #[cfg(target_arch = "x86_64")]
    struct Raw {
        device: u64,
        inode: u64,
        links: u64,
        mode: u32,
        owner: [u32; 3],
        special: u64,
        size: i64,
        rest: [u64; 11],
    }
    #[repr(C)]
    #[cfg(target_arch = "aarch64")]
    struct Raw {
        device: u64,
        inode: u64,
        mode: u32,
        links: u32,
        owner: [u32; 2],
        special: u64,
        padding: u64,
        size: i64,
        rest: [u64; 9],
    }
    let mut raw = MaybeUninit::<Raw>::uninit();
    let address = raw.as_mut_ptr() as usize;
    // SAFETY: the kernel writes a whole `struct stat`, which has this layout; it is filled when the
    // call succeeds, and every bit pattern is valid.
    let raw = unsafe {
        call(number::FSTAT, [file.0 as usize, address, 0, 0, 0, 0])?;
        raw.assume_init()
    };
    Ok(Stat {
        device: raw.device,
        inode: raw.inode,
        special: raw.special,
        size: raw.size,
        kind: match raw.mode >> 12 & 15 {
            1 => Kind::Pipe,
            2 => Kind::Character,
            4 => Kind::Directory,
            6 => Kind::Block,
            8 => Kind::Regular,
            12 => Kind::Socket,
            _ => Kind::Other,
        },
    })
}

/// `lseek` by nothing: the position that is `from`, which becomes the current one.
pub fn seek(file: Fd, from: From) -> Result<i64, Errno> {
    // SAFETY: lseek takes no address.
    let at = unsafe { call(number::LSEEK, [file.0 as usize, 0, from as usize, 0, 0, 0]) }?;
    Ok(at as i64)
}

/// `fcntl`, with an argument that is no address.
fn control(file: Fd, command: usize, argument: usize) -> Result<usize, Errno> {
    // SAFETY: the callers below use commands whose argument is an integer.
    unsafe { call(number::FCNTL, [file.0 as usize, command, argument, 0, 0, 0]) }
}

/// The flags `file` was opened with, or has by now: [`APPEND`], [`NONBLOCK`].
pub fn flags(file: Fd) -> Result<u32, Errno> {
    control(file, 3, 0).map(|flags| flags as u32)
}

/// Sets those flags of `file` that can be changed.
pub fn set_flags(file: Fd, flags: u32) -> Result<(), Errno> {
    control(file, 4, flags as usize).map(drop)
}

/// The capacity of a pipe, in bytes; an error for what is not one.
pub fn pipe_size(pipe: Fd) -> Result<usize, Errno> {
    control(pipe, 1032, 0)
}

/// Changes the capacity of a pipe; returns the new one, in bytes.
pub fn set_pipe_size(pipe: Fd, bytes: usize) -> Result<usize, Errno> {
    control(pipe, 1031, bytes)
}

/// `ppoll` on one descriptor: waits until it is ready for `what`, has failed or lost its other
/// end; without `wait`, just looks. Whether it is ready.
pub fn poll(file: Fd, what: i16, wait: bool) -> Result<bool, Errno> {
    #[repr(C)]
    struct Entry {
        fd: i32,
        events: i16,
        found: i16,
    }
    let mut entry = Entry { fd: file.0, events: what, found: 0 };
    let now = [0_i64; 2];
    let limit = if wait { 0 } else { now.as_ptr() as usize };
    let address = &raw mut entry as usize;
    // SAFETY: one `struct pollfd`, exclusively borrowed, and a `struct timespec` or null; no
    // signal mask.
    unsafe { call(number::PPOLL, [address, 1, limit, 0, 8, 0]) }.map(|ready| ready > 0)
}

/// `pipe2`: the end to read from, and the end to write to.
pub fn pipe() -> Result<(Owned, Owned), Errno> {
    const CLOSE_ON_EXEC: usize = 0o2_000_000;
    let mut ends = [0_i32; 2];
    let address = ends.as_mut_ptr() as usize;
    // SAFETY: the kernel writes two integers.
    unsafe { call(number::PIPE2, [address, CLOSE_ON_EXEC, 0, 0, 0, 0]) }?;
    Ok((Owned(Fd(ends[0])), Owned(Fd(ends[1]))))
}

/// `splice`, at the current positions: moves up to `bytes` if one of the two is a pipe; 0 at the
/// end of the input.
pub fn splice(from: Fd, to: Fd, bytes: usize) -> Result<usize, Errno> {
    let (from, to) = (from.0 as usize, to.0 as usize);
    // SAFETY: both offset pointers are null.
    unsafe { call(number::SPLICE, [from, 0, to, 0, bytes, 0]) }
}

/// `copy_file_range`, at the current positions: up to `bytes` between two regular files; 0 at the
/// end of the input, and for some files that have an end elsewhere.
pub fn copy_file_range(from: Fd, to: Fd, bytes: usize) -> Result<usize, Errno> {
    let (from, to) = (from.0 as usize, to.0 as usize);
    // SAFETY: both offset pointers are null.
    unsafe { call(number::COPY_FILE_RANGE, [from, 0, to, 0, bytes, 0]) }
}

/// `fadvise` for all of `file`: it will be read from front to back.
pub fn will_read_in_order(file: Fd) {
    const SEQUENTIAL: usize = 2;
    // SAFETY: takes no address. It is advice: what is not a file refuses it, which is fine.
    let _ = unsafe { call(number::FADVISE, [file.0 as usize, 0, 0, SEQUENTIAL, 0, 0]) };
}

/// `exit_group`: ends the process at once. Nothing is buffered anywhere that would need flushing.
pub fn exit(status: u8) -> ! {
    loop {
        // SAFETY: takes no address.
        let _ = unsafe { call(number::EXIT_GROUP, [usize::from(status), 0, 0, 0, 0, 0]) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::fd::AsRawFd as _;
    use std::os::unix::fs::MetadataExt as _;

    #[test]
    fn stat_agrees_with_the_standard_library() {
        for path in ["/proc/self/exe", "/", "/dev/null", "Cargo.toml"] {
            let file = fs::File::open(path).unwrap();
            let expected = file.metadata().unwrap();
            let got = stat(Fd::new(file.as_raw_fd())).unwrap();
            assert_eq!(got.device, expected.dev(), "{path}");
            assert_eq!(got.inode, expected.ino(), "{path}");
            assert_eq!(got.size, expected.size() as i64, "{path}");
            assert_eq!(got.kind == Kind::Regular, expected.is_file(), "{path}");
            assert_eq!(got.kind == Kind::Directory, expected.is_dir(), "{path}");
        }
    }

    #[test]
    fn bytes_go_through_a_pipe() {
        let (out, into) = pipe().unwrap();
        assert_eq!(poll(out.fd(), READABLE, false), Ok(false));
        assert_eq!(write(into.fd(), b"hello"), Ok(5));
        assert_eq!(poll(out.fd(), READABLE, true), Ok(true));
        let (second_out, second_into) = pipe().unwrap();
        assert_eq!(splice(out.fd(), second_into.fd(), 4096), Ok(5));
        drop((into, second_into));
        let mut buffer = [0; 9];
        assert_eq!(read(second_out.fd(), &mut buffer), Ok(5));
        assert_eq!(&buffer[..5], b"hello");
        assert_eq!(read(second_out.fd(), &mut buffer), Ok(0));
        assert_eq!(stat(out.fd()).unwrap().kind, Kind::Pipe);
    }

    #[test]
    fn pipes_grow_and_flags_change() {
        let (out, _into) = pipe().unwrap();
        assert_eq!(set_pipe_size(out.fd(), 8192), Ok(8192));
        assert_eq!(pipe_size(out.fd()), Ok(8192));
        let before = flags(out.fd()).unwrap();
        assert_eq!(before & NONBLOCK, 0);
        set_flags(out.fd(), before | NONBLOCK).unwrap();
        assert_eq!(read(out.fd(), &mut [0]), Err(Errno::AGAIN));
    }

    #[test]
    fn failures_are_reported() {
        assert_eq!(open(c"/nowhere/at/all", 0).map(drop), Err(Errno::from_raw_os_error(2)));
        let folder = open(c"/", 0).unwrap();
        assert_eq!(read(folder.fd(), &mut [0]), Err(Errno::ISDIR));
        assert_eq!(seek(pipe().unwrap().0.fd(), From::Current), Err(Errno::from_raw_os_error(29)));
        assert!(pipe_size(folder.fd()).is_err());
    }
}
