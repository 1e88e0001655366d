//! The one set of buffers a program has, as static memory.
#![allow(unsafe_code, reason = "handing out static memory for writing, once")]

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicBool, Ordering};

/// Static memory that is handed out once, aligned to a page, in the part of the program that takes
/// no room on disk. The kernel provides each page when it is first touched: a short run pays for
/// what it uses only.
#[repr(C, align(4096))]
pub struct Once<T> {
    memory: UnsafeCell<T>,
    taken: AtomicBool,
}

/// So many bytes.
pub type Arena<const BYTES: usize> = Once<[u8; BYTES]>;

// SAFETY: `take` gives the memory to one caller only, whichever thread asks first.
unsafe impl<T: Send> Sync for Once<T> {}

impl<T> Once<T> {
    /// Memory that begins as `memory`, which should be all zeros.
    #[must_use]
    pub const fn holding(memory: T) -> Self {
        Self { memory: UnsafeCell::new(memory), taken: AtomicBool::new(false) }
    }

    /// The memory, the first time; `None` from then on.
    #[allow(clippy::mut_from_ref, reason = "the flag makes it the only reference there ever is")]
    pub fn take(&'static self) -> Option<&'static mut T> {
        if self.taken.swap(true, Ordering::AcqRel) {
            return None;
        }
        // SAFETY: the flag was clear, and is never cleared again: this is the only reference ever.
        Some(unsafe { &mut *self.memory.get() })
    }
}

impl<const BYTES: usize> Once<[u8; BYTES]> {
    /// Zeroed bytes.
    #[must_use]
    #[allow(
        clippy::new_without_default,
        reason = "made in constants only, where Default cannot be called"
    )]
    pub const fn new() -> Self {
        Self::holding([0; BYTES])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_given_once() {
        static ARENA: Arena<8192> = Arena::new();
        let bytes = ARENA.take().unwrap();
        bytes[8191] = 1;
        assert!(ARENA.take().is_none());
        assert_eq!(bytes.as_ptr() as usize % 4096, 0);
    }
}
