//! The transformations, as free functions over a buffer that they change in place, and the choice
//! among them.
//!
//! Every kernel has the functions that pay off on it; `scalar` has them all and is their oracle.
//! The choice is made once for each full buffer: branch outside, loop inside.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
pub mod scalar;
#[cfg(target_arch = "x86_64")]
mod sse2;

use super::plan::{First, Map, Plan, Set};
use crate::cpu::{self, Kernel};

/// The kernel that every processor of this architecture has.
const BASELINE: Kernel = if cfg!(target_arch = "x86_64") { Kernel::Sse2 } else { Kernel::Scalar };

/// A plan in progress.
pub struct Transform<'a> {
    plan: &'a Plan,
    kernel: Kernel,
    /// A wider kernel may take over.
    may_widen: bool,
    /// The byte before the next one to squeeze.
    last: Option<u8>,
}

impl<'a> Transform<'a> {
    /// Starts `plan` at the beginning of the data, to be run by the kernel that all processors
    /// have until [`Transform::widen`] is called, or else by `forced` throughout.
    ///
    /// # Panics
    /// If this machine cannot run `forced`.
    #[must_use]
    pub fn new(plan: &'a Plan, forced: Option<Kernel>) -> Self {
        let kernel = forced.unwrap_or(BASELINE);
        let can_run = kernel <= BASELINE || kernel.is_available();
        assert!(can_run, "no kernel {} here", kernel.name());
        Self { plan, kernel, may_widen: forced.is_none(), last: None }
    }

    /// Starts the plan anew, with other data.
    pub fn restart(&mut self) {
        self.last = None;
    }

    /// Finds the widest kernel and goes on with it.
    ///
    /// Asking the processor what it can do takes 50 µs on a virtual machine, where every question
    /// goes to the host. That is more than most runs of `tr` have to do, so it is not asked before
    /// there is enough data to gain it back.
    pub fn widen(&mut self) {
        if self.may_widen {
            self.may_widen = false;
            self.kernel = cpu::best();
        }
    }

    /// Transforms the next part of the data in place; returns how many bytes, from the first on,
    /// are the result.
    #[must_use]
    pub fn run(&mut self, bytes: &mut [u8]) -> usize {
        let mut length = bytes.len();
        match &self.plan.first {
            First::Keep => {}
            First::Map(how) => map(self.kernel, bytes, how),
            First::Delete(set) => length = delete(self.kernel, bytes, set),
        }
        if let Some(set) = &self.plan.squeeze {
            length = squeeze(self.kernel, &mut bytes[..length], self.last, set);
            // What is dropped equals what it follows, so the last byte kept is the last byte seen.
            if let Some(&last) = bytes[..length].last() {
                self.last = Some(last);
            }
        }
        length
    }
}

/// Maps all of `bytes`.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "entering code for processors that have what it needs")]
fn map(kernel: Kernel, bytes: &mut [u8], map: &Map) {
    match (kernel, &map.segments) {
        // SAFETY: `Transform` has seen that this machine can run the kernel.
        (Kernel::Avx512, _) => unsafe { avx512::map(bytes, &map.table) },
        // SAFETY: as above.
        (Kernel::Avx2, Some(parts)) if parts.as_slice().len() <= 2 => unsafe {
            avx2::map_segments(bytes, parts, &map.table);
        },
        // SAFETY: as above.
        (Kernel::Avx2, None | Some(_)) => unsafe { avx2::map(bytes, &map.table) },
        // SAFETY: every x86-64 has SSE2.
        (Kernel::Sse2, Some(parts)) => unsafe { sse2::map_segments(bytes, parts, &map.table) },
        _ => scalar::map(bytes, &map.table),
    }
}

/// Deletes the members of `set`; returns how many bytes are left.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "entering code for processors that have what it needs")]
fn delete(kernel: Kernel, bytes: &mut [u8], set: &Set) -> usize {
    match (kernel, set.one, &set.ranges) {
        // SAFETY: `Transform` has seen that this machine can run the kernel.
        (Kernel::Avx512, Some(byte), _) => unsafe { avx512::delete_one(bytes, byte) },
        // SAFETY: as above.
        (Kernel::Avx512, ..) => unsafe { avx512::delete(bytes, &set.table) },
        // SAFETY: as above.
        (Kernel::Avx2, Some(byte), _) => unsafe { avx2::delete_one(bytes, byte, &set.table) },
        // SAFETY: as above.
        (Kernel::Avx2, ..) => unsafe { avx2::delete(bytes, &set.table) },
        // SAFETY: every x86-64 has SSE2.
        (Kernel::Sse2, _, Some(ranges)) => unsafe { sse2::delete(bytes, ranges, &set.table) },
        _ => scalar::delete(bytes, 0, 0, &set.table),
    }
}

/// Squeezes the members of `set`, given the byte before the first; returns how many bytes are left.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "entering code for processors that have what it needs")]
fn squeeze(kernel: Kernel, bytes: &mut [u8], last: Option<u8>, set: &Set) -> usize {
    let table = &set.table;
    match (kernel, set.one, &set.ranges) {
        // SAFETY: `Transform` has seen that this machine can run the kernel.
        (Kernel::Avx512, Some(byte), _) => unsafe { avx512::squeeze_one(bytes, last, byte) },
        // SAFETY: as above.
        (Kernel::Avx512, ..) => unsafe { avx512::squeeze(bytes, last, table) },
        // SAFETY: as above.
        (Kernel::Avx2, Some(byte), _) => unsafe { avx2::squeeze_one(bytes, last, byte, table) },
        // SAFETY: as above.
        (Kernel::Avx2, ..) => unsafe { avx2::squeeze(bytes, last, table) },
        // SAFETY: every x86-64 has SSE2.
        (Kernel::Sse2, _, Some(ranges)) => unsafe { sse2::squeeze(bytes, last, ranges, table) },
        _ => scalar::squeeze(bytes, 0, 0, last, table),
    }
}

/// Maps all of `bytes`.
#[cfg(not(target_arch = "x86_64"))]
fn map(_: Kernel, bytes: &mut [u8], map: &Map) {
    scalar::map(bytes, &map.table);
}

/// Deletes the members of `set`; returns how many bytes are left.
#[cfg(not(target_arch = "x86_64"))]
fn delete(_: Kernel, bytes: &mut [u8], set: &Set) -> usize {
    scalar::delete(bytes, 0, 0, &set.table)
}

/// Squeezes the members of `set`, given the byte before the first; returns how many bytes are left.
#[cfg(not(target_arch = "x86_64"))]
fn squeeze(_: Kernel, bytes: &mut [u8], last: Option<u8>, set: &Set) -> usize {
    scalar::squeeze(bytes, 0, 0, last, &set.table)
}

#[cfg(test)]
mod tests;
