//! 16 bytes at a time: SSE2, which every x86-64 has.
//!
//! Budget and algorithm: see `scalar`. SSE2 has no byte shuffle, hence no look-up and no packing of
//! bytes. Figures are of `benches/tr.rs`, 256 KiB of text, Zen 5, 2026-11-21. Departures:
//!
//! 1. A map of few ranges is a compare and an add for each range: 13 GB/s for one, 6 for four,
//!    3.9 for the look-up. Other maps stay scalar.
//! 2. A set of few ranges is two compares for each; other sets stay scalar.
//! 3. A vector that loses nothing is stored as it is: 25 GB/s where the set is rare. What another
//!    one keeps goes byte by byte, as fast as the scalar kernel.
#![allow(
    unsafe_code,
    reason = "vector loads and stores through pointers; no safe form keeps the loop free of checks"
)]

use core::arch::x86_64::*;

use super::scalar;
use crate::tr::plan::{PARTS_MAX, Ranges, Segment, Segments};

/// Bytes in a vector.
const LANES: usize = 16;

/// Calls `drop` for each full vector of `bytes` and moves down what is left of it when the lanes
/// it names are gone. Returns how many bytes were read, and how many of them kept.
#[inline]
#[target_feature(enable = "sse2")]
fn compact(bytes: &mut [u8], mut drop: impl FnMut(__m128i) -> u32) -> (usize, usize) {
    let base = bytes.as_mut_ptr();
    let whole = bytes.len() & !(LANES - 1);
    let mut to = 0;
    for at in (0..whole).step_by(LANES) {
        // SAFETY: at + 16 <= whole <= the length of `bytes`. No more bytes are kept than were
        // read, so to <= at: the stores end within `bytes`, and hit no byte not loaded yet.
        unsafe {
            let vector = _mm_loadu_si128(base.add(at).cast());
            let dropped = drop(vector);
            if dropped == 0 {
                _mm_storeu_si128(base.add(to).cast(), vector);
                to += LANES;
                continue;
            }
            for lane in 0..LANES {
                base.add(to).write(base.add(at + lane).read());
                to += (!dropped >> lane & 1) as usize;
            }
        }
    }
    (whole, to)
}

/// A lane of all ones for each byte that is in one of `ranges`.
#[inline]
#[target_feature(enable = "sse2")]
fn contains(bytes: __m128i, ranges: &Ranges) -> __m128i {
    let mut found = splat(0);
    for &(first, span) in ranges.as_slice() {
        found = _mm_or_si128(found, is_in(bytes, splat(first), splat(span)));
    }
    found
}

/// A lane of all ones for each byte from `first` to `first + span`.
#[inline]
#[target_feature(enable = "sse2")]
fn is_in(bytes: __m128i, first: __m128i, span: __m128i) -> __m128i {
    let offset = _mm_sub_epi8(bytes, first);
    _mm_cmpeq_epi8(_mm_min_epu8(offset, span), offset)
}

/// Applies `segments`, of which `map` is the table.
#[target_feature(enable = "sse2")]
pub(super) fn map_segments(bytes: &mut [u8], segments: &Segments, map: &[u8; 256]) {
    let parts = segments.as_slice();
    // A loop for each number of parts, so that all their constants stay in registers.
    let done = match parts.len() {
        0 | 1 => map_parts::<1>(bytes, parts),
        2 => map_parts::<2>(bytes, parts),
        3 | 4 => map_parts::<4>(bytes, parts),
        _ => map_parts::<PARTS_MAX>(bytes, parts),
    };
    scalar::map(&mut bytes[done..], map);
}

/// Applies at most `N` parts to the full vectors; returns how many bytes those are.
#[inline]
#[target_feature(enable = "sse2")]
fn map_parts<const N: usize>(bytes: &mut [u8], parts: &[Segment]) -> usize {
    // Instead of those that are missing, the first one again: the same bytes become the same.
    let part = |index: usize| parts.get(index).or(parts.first()).copied().unwrap_or_default();
    let parts: [[__m128i; 4]; N] = core::array::from_fn(|index| {
        let Segment { first, span, keep, add } = part(index);
        [splat(first), splat(span), splat(keep), splat(add)]
    });
    let base = bytes.as_mut_ptr();
    let whole = bytes.len() & !(LANES - 1);
    for at in (0..whole).step_by(LANES) {
        // SAFETY: at + 16 <= whole <= the length of `bytes`.
        unsafe {
            let vector = _mm_loadu_si128(base.add(at).cast());
            let mut result = vector;
            for [first, span, keep, add] in parts {
                let inside = is_in(vector, first, span);
                let replaced = _mm_add_epi8(_mm_and_si128(vector, keep), add);
                let kept = _mm_andnot_si128(inside, result);
                result = _mm_or_si128(_mm_and_si128(inside, replaced), kept);
            }
            _mm_storeu_si128(base.add(at).cast(), result);
        }
    }
    whole
}

/// Removes the bytes in `ranges`, of which `dropped` is the table; returns how many are left.
#[target_feature(enable = "sse2")]
pub(super) fn delete(bytes: &mut [u8], ranges: &Ranges, dropped: &[u8; 256]) -> usize {
    let (at, to) = compact(bytes, |vector| lanes(contains(vector, ranges)));
    scalar::delete(bytes, at, to, dropped)
}

/// Removes bytes that equal their predecessor and are in `ranges`, of which `squeezed` is the
/// table; `last` is the predecessor of the first. Returns how many are left.
#[target_feature(enable = "sse2")]
pub(super) fn squeeze(
    bytes: &mut [u8],
    mut last: Option<u8>,
    ranges: &Ranges,
    squeezed: &[u8; 256],
) -> usize {
    let Some(&first) = bytes.first() else {
        return 0;
    };
    // Without a predecessor, the first byte differs from it.
    let mut before = splat(last.unwrap_or(!first));
    let end = bytes.len() & !(LANES - 1);
    if end > 0 {
        last = Some(bytes[end - 1]);
    }
    let (at, to) = compact(bytes, |vector| {
        // The vector moved up by a lane, the predecessor's last lane coming in.
        let predecessors = _mm_or_si128(_mm_slli_si128::<1>(vector), _mm_srli_si128::<15>(before));
        before = vector;
        let repeated = _mm_cmpeq_epi8(vector, predecessors);
        // Repeated bytes are rare enough in most vectors to look at the set only then.
        if lanes(repeated) == 0 {
            return 0;
        }
        lanes(_mm_and_si128(contains(vector, ranges), repeated))
    });
    scalar::squeeze(bytes, at, to, last, squeezed)
}

#[inline]
#[target_feature(enable = "sse2")]
fn splat(byte: u8) -> __m128i {
    _mm_set1_epi8(byte.cast_signed())
}

/// A bit for each lane: its top bit.
#[inline]
#[target_feature(enable = "sse2")]
fn lanes(vector: __m128i) -> u32 {
    _mm_movemask_epi8(vector).cast_unsigned()
}
