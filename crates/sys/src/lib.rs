//! The system boundary: what two programs need of the kernel and no safe crate offers.
//!
//! [`child`] takes a finished child's own clock and switch counters from the kernel; [`trace`]
//! runs a child under `ptrace` to count its system calls and read its true memory peak. The lab
//! measures with them, `xtask budget` and the tests hold the programs to their limits with them.
//!
//! Not here: anything one program alone needs, anything `rustix` or `std` does safely.

pub mod child;
pub mod trace;
