//! A global allocator that counts, per thread.
//!
//! A test of its own binary sets it, proves that it counts, warms up, and expects zero:
//!
//! ```
//! use lissom_testkit::alloc::{self, Counting};
//!
//! #[global_allocator]
//! static ALLOCATOR: Counting = Counting;
//!
//! alloc::prove();
//! let mut buffer = Vec::with_capacity(64);
//! let (sum, allocations) = alloc::count(|| {
//!     buffer.extend_from_slice(&[1_u8, 2, 3]);
//!     buffer.iter().map(|&byte| u32::from(byte)).sum::<u32>()
//! });
//! assert_eq!((sum, allocations.calls), (6, 0));
//! ```

#![allow(unsafe_code, reason = "GlobalAlloc is an unsafe trait")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Allocations made by one thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allocations {
    /// Calls of `alloc`, `alloc_zeroed` and `realloc`.
    pub calls: u64,
    /// Bytes they asked for.
    pub bytes: u64,
}

thread_local! {
    // Constant and without a destructor, so that reading it never allocates.
    static MADE: Cell<Allocations> = const { Cell::new(Allocations { calls: 0, bytes: 0 }) };
}

/// The system's allocator with a counter in front.
pub struct Counting;

fn note(bytes: usize) {
    MADE.with(|made| {
        let before = made.get();
        made.set(Allocations { calls: before.calls + 1, bytes: before.bytes + bytes as u64 });
    });
}

// SAFETY: every call goes to the system's allocator unchanged; counting touches only a
// thread-local cell of plain integers.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        // SAFETY: the caller's obligations are exactly those of the system's allocator.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note(size);
        // SAFETY: as above.
        unsafe { System.realloc(block, layout, size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(block, layout) }
    }
}

/// Runs `work` and counts what this thread allocated meanwhile.
pub fn count<T>(work: impl FnOnce() -> T) -> (T, Allocations) {
    let before = MADE.get();
    let value = work();
    let after = MADE.get();
    (value, Allocations { calls: after.calls - before.calls, bytes: after.bytes - before.bytes })
}

/// Fails unless [`Counting`] is this binary's global allocator and counts.
///
/// # Panics
/// When an allocation went uncounted: an expectation of zero would then prove nothing.
pub fn prove() {
    let (_, made) = count(|| std::hint::black_box(Box::new([0_u8; 100])));
    assert_eq!(made, Allocations { calls: 1, bytes: 100 }, "the counting allocator is not in use");
}
