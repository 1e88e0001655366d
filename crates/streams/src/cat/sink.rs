//! Standard output, and what is held back on its way there.
//!
//! Budget: no allocation; one `fstat` at the start; one `write` per [`BYTES`], or per moment in
//! which something might wait.
//!
//! The plain algorithm writes what each read gave. This one holds small pieces back:
//!
//! 1. Pieces of several files go out in one `write` if nothing can block in between (see
//!    [`source`](super::source)): 10,000 small files to a pipe take half the time (0.51; CPU time
//!    0.68), to `/dev/null` 0.93.

use crate::rt::io::{Errno, enlarge_pipe, write_all};
use crate::rt::sys::{self, Fd, Kind, Stat};

/// The size of the buffer.
pub const BYTES: usize = 256 * 1024;

/// Output is expected to be large once this much was written: pipes are enlarged.
const MUCH: usize = 64 * 1024;

/// The output, with its buffer.
pub struct Sink<'a> {
    fd: Fd,
    stat: Stat,
    buffer: &'a mut [u8],
    held: usize,
    /// Bytes written so far, until they are [`MUCH`].
    written: usize,
}

impl<'a> Sink<'a> {
    /// The sink of an open descriptor.
    ///
    /// # Errors
    /// It is not open.
    pub fn new(fd: Fd, buffer: &'a mut [u8]) -> Result<Self, Errno> {
        let stat = sys::stat(fd)?;
        Ok(Self { fd, stat, buffer, held: 0, written: 0 })
    }

    /// The descriptor; what is held back has to be flushed before it is written to.
    #[must_use]
    pub fn fd(&self) -> Fd {
        self.fd
    }

    /// What the output is.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.stat.kind
    }

    /// `/dev/null` and its like (major number 1): they take references to pages as well as bytes.
    #[must_use]
    pub fn is_memory_device(&self) -> bool {
        self.stat.kind == Kind::Character && self.stat.special >> 8 & 0xfff == 1
    }

    /// Whether pieces of several operands may go out in one `write`. Sockets, terminals and files
    /// that the kernel makes up (`/dev/kmsg`, `cgroup.procs`) take every write for one message;
    /// only an ordinary pipe and `/dev/null` surely do not.
    #[must_use]
    pub fn may_merge(&self) -> bool {
        const DEV_NULL: u64 = 1 << 8 | 3;
        match self.stat.kind {
            Kind::Pipe => sys::flags(self.fd).is_ok_and(|flags| flags & sys::DIRECT == 0),
            Kind::Character => self.stat.special == DEV_NULL,
            _ => false,
        }
    }

    /// Whether an operand might be this very file, with a position of its own.
    #[must_use]
    pub fn could_be_read(&self) -> bool {
        !matches!(self.stat.kind, Kind::Pipe | Kind::Socket) && !self.is_memory_device()
    }

    /// Whether `other` is this very file.
    #[must_use]
    pub fn is(&self, other: Stat) -> bool {
        (self.stat.device, self.stat.inode) == (other.device, other.inode)
            && !matches!(other.kind, Kind::Pipe | Kind::Socket)
    }

    /// Bytes held back.
    #[must_use]
    pub fn held(&self) -> usize {
        self.held
    }

    /// Where the next bytes go; [`Sink::hold`] says how many there are.
    pub fn room(&mut self) -> &mut [u8] {
        &mut self.buffer[self.held..]
    }

    /// Counts the first `bytes` of [`Sink::room`] as held back.
    pub fn hold(&mut self, bytes: usize) {
        self.held += bytes;
        debug_assert!(self.held <= self.buffer.len());
    }

    /// Writes what is held back.
    ///
    /// # Errors
    /// The kernel's.
    pub fn flush(&mut self) -> Result<(), Errno> {
        if self.held == 0 {
            return Ok(());
        }
        let held = core::mem::take(&mut self.held);
        if self.written < MUCH {
            self.written += held;
            if self.written >= MUCH && self.stat.kind == Kind::Pipe {
                enlarge_pipe(self.fd);
            }
        }
        write_all(self.fd, &self.buffer[..held])
    }

    /// Passes all the buffer to `work`, which reads into it and writes to the descriptor itself.
    /// Nothing may be held back.
    pub fn lend(&mut self) -> (Fd, &mut [u8]) {
        debug_assert_eq!(self.held, 0);
        (self.fd, self.buffer)
    }

    /// Closes a file that was written to, because some file systems report a lack of space only
    /// then.
    ///
    /// # Errors
    /// The kernel's.
    pub fn close(&mut self) -> Result<(), Errno> {
        if self.stat.kind == Kind::Regular {
            sys::close(self.fd)?;
        }
        Ok(())
    }
}
