//! A program without libc: entry, arguments, environment, exit, and reading and writing.
//!
//! [`program!`](crate::program) makes a binary of a `fn(&mut Process) -> u8`. What libc would have
//! brought (a locale, a heap, buffered streams, start-up and exit hooks) is exactly what these
//! two programs do without; it is four fifths of GNU's start-up time.
//!
//! `unsafe` lives here in four places: the kernel's argument block (`start`), the memory
//! routines the compiler calls by name ([`mem`]), the system calls ([`sys`]), and the
//! static buffers ([`arena`]).

pub mod arena;
pub mod io;
pub mod mem;
mod start;
pub mod sys;

pub use start::{Arg, Process, find_variable, start};
