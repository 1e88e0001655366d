//! One operand, open for reading.
//!
//! Budget: `openat`, `read` until it returns 0, `close`. An `fstat` only where the kind matters: for
//! the first of several files, when the output is a file, and when there is much to copy.
//!
//! The plain algorithm writes what it read before it reads again, because a read can block. For
//! ten thousand small files that is ten thousand writes. This one lets bytes wait as long as
//! nothing else does:
//!
//! 1. Regular files do not block. When bytes are held back, the next file is opened with
//!    `O_NONBLOCK`, which means nothing to a regular file; all others then say `EAGAIN` instead of
//!    blocking, which is when held bytes are written. No `fstat` is needed to know which is which.

use core::ffi::CStr;

use super::Fault;
use super::sink::Sink;
use crate::rt::io::wait;
use crate::rt::sys::{self, Errno, Fd, Kind, NONBLOCK, Owned, READABLE, STDIN, Stat};

/// An operand.
pub struct Source {
    /// `None` for standard input, which stays open.
    file: Option<Owned>,
    /// We opened it with `O_NONBLOCK`, and it is set still.
    nonblocking: bool,
    /// Something was read, or waited for.
    touched: bool,
    stat: Option<Stat>,
}

impl Source {
    /// Standard input.
    #[must_use]
    pub fn standard_input() -> Self {
        Self { file: None, nonblocking: false, touched: false, stat: None }
    }

    /// Opens a file, without blocking while `sink` holds bytes back.
    ///
    /// # Errors
    /// The file cannot be opened, or held bytes cannot be written.
    pub fn open(path: &CStr, sink: &mut Sink<'_>) -> Result<Self, Fault> {
        let mut nonblocking = sink.held() > 0;
        let file = loop {
            let flags = if nonblocking { NONBLOCK } else { 0 };
            match sys::open(path, flags) {
                Ok(file) => break file,
                Err(Errno::INTR) => {}
                // A lease on the file, or a device that is busy.
                Err(Errno::AGAIN) if nonblocking => {
                    sink.flush().map_err(Fault::Write)?;
                    nonblocking = false;
                }
                Err(error) => return Err(Fault::Read(error)),
            }
        };
        Ok(Self { file: Some(file), nonblocking, touched: false, stat: None })
    }

    /// The descriptor.
    #[must_use]
    pub fn fd(&self) -> Fd {
        self.file.as_ref().map_or(STDIN, Owned::fd)
    }

    /// What it is; asked once.
    ///
    /// # Errors
    /// The kernel's.
    pub fn stat(&mut self) -> Result<Stat, Errno> {
        if let Some(stat) = self.stat {
            return Ok(stat);
        }
        let stat = sys::stat(self.fd())?;
        self.stat = Some(stat);
        Ok(stat)
    }

    /// Whether a read could block.
    fn may_block(&mut self) -> bool {
        // Files that the kernel makes up (`/proc/kmsg`, `trace_pipe`) call themselves regular, and
        // empty.
        let cannot = |stat: Stat| stat.kind == Kind::Regular && stat.size > 0;
        !self.nonblocking && !self.stat().is_ok_and(cannot)
    }

    /// Reads once into `buffer`, or, without a buffer of its own, into the room of `sink`; 0 at
    /// the end. Before anything can block, bytes held back in `sink` are written; `keep` says
    /// whether it is worth a system call to find out if they have to be.
    ///
    /// # Errors
    /// Reading failed, or writing what was held back.
    pub fn read(
        &mut self,
        into: Into<'_>,
        sink: &mut Sink<'_>,
        keep: bool,
    ) -> Result<usize, Fault> {
        if sink.held() > 0 && (!keep || self.may_block()) {
            sink.flush().map_err(Fault::Write)?;
        }
        let (limit, mut buffer) = match into {
            Into::Buffer(buffer) => (0, Some(buffer)),
            Into::Sink(limit) => (limit, None),
        };
        loop {
            // What is left of a datagram that has no room is lost, so all the room there is.
            let limit = if sink.held() > 0 { limit } else { usize::MAX };
            let result = match &mut buffer {
                Some(buffer) => sys::read(self.fd(), buffer),
                None => {
                    let room = sink.room();
                    let limit = limit.min(room.len());
                    sys::read(self.fd(), &mut room[..limit])
                }
            };
            match result {
                Err(Errno::INTR) => {}
                // Opened with `O_DIRECT`, which wants the beginning of a page.
                Err(Errno::INVAL) if sink.held() > 0 => sink.flush().map_err(Fault::Write)?,
                Err(Errno::AGAIN) => {
                    sink.flush().map_err(Fault::Write)?;
                    self.block(false)?;
                }
                Err(error) => return Err(Fault::Read(error)),
                // The end; but also a named pipe that nobody has opened for writing yet.
                Ok(0) if self.nonblocking && !self.touched => {
                    if self.stat().map_err(Fault::Read)?.kind != Kind::Pipe {
                        return Ok(0);
                    }
                    sink.flush().map_err(Fault::Write)?;
                    self.block(true)?;
                }
                Ok(bytes) => {
                    self.touched = true;
                    return Ok(bytes);
                }
            }
        }
    }

    /// Turns to waiting: there is nothing to read yet.
    fn block(&mut self, for_writer: bool) -> Result<(), Fault> {
        self.touched = true;
        let fd = self.fd();
        if for_writer || !self.nonblocking {
            wait(fd, READABLE).map_err(Fault::Read)?;
        }
        if self.nonblocking {
            // We opened it, so no other program sees this flag go.
            self.nonblocking = false;
            sys::set_flags(fd, 0).map_err(Fault::Read)?;
        }
        Ok(())
    }
}

/// Where [`Source::read`] puts what it reads.
pub enum Into<'a> {
    /// A buffer of the caller's.
    Buffer(&'a mut [u8]),
    /// The room of the sink: all of it if it is empty, else at most so many bytes.
    Sink(usize),
}
