//! 32 bytes at a time: AVX2.
//!
//! Budget and algorithm: see `scalar`. Departures:
//!
//! 1. A map of few ranges is a compare and an add for each range.
//! 2. Any other map is 16 shuffles over 16 entries each, one for each upper half of a byte, and a
//!    tree of 15 blends by bits 4 to 7.
//! 3. A set is two shuffles by the lower half of a byte, which give a bit for each upper half.
//! 4. A vector that loses nothing is stored as it is; another one 8 bytes at a time, each eight
//!    moved together by a shuffle from a table of 256.
#![allow(
    unsafe_code,
    reason = "vector loads and stores through pointers; no safe form keeps the loop free of checks"
)]

use core::arch::x86_64::*;

use super::scalar;
use crate::tr::plan::{Segment, Segments};

/// Bytes in a vector.
const LANES: usize = 32;

/// For each pattern of eight lanes to drop, the shuffle that moves the others together.
static PACK: [[u8; 8]; 256] = pack();

const fn pack() -> [[u8; 8]; 256] {
    let mut table = [[0; 8]; 256];
    let mut dropped = 0;
    while dropped < 256 {
        let (mut lane, mut to) = (0, 0);
        while lane < 8 {
            if dropped >> lane & 1 == 0 {
                table[dropped][to] = lane as u8;
                to += 1;
            }
            lane += 1;
        }
        dropped += 1;
    }
    table
}

/// Calls `change` for each full vector of `bytes` and stores the result; returns how many bytes
/// that were.
#[inline]
#[target_feature(enable = "avx2")]
fn each(bytes: &mut [u8], change: impl Fn(__m256i) -> __m256i) -> usize {
    let base = bytes.as_mut_ptr();
    let whole = bytes.len() & !(LANES - 1);
    for at in (0..whole).step_by(LANES) {
        // SAFETY: at + 32 <= whole <= the length of `bytes`.
        unsafe {
            let vector = _mm256_loadu_si256(base.add(at).cast());
            _mm256_storeu_si256(base.add(at).cast(), change(vector));
        }
    }
    whole
}

/// Calls `drop` for each full vector of `bytes` and moves down what is left of it when the lanes
/// it names are gone. Returns how many bytes were read, and how many of them kept.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
fn compact(bytes: &mut [u8], mut drop: impl FnMut(__m256i) -> u32) -> (usize, usize) {
    let base = bytes.as_mut_ptr();
    let whole = bytes.len() & !(LANES - 1);
    let mut to = 0;
    for at in (0..whole).step_by(LANES) {
        // SAFETY: at + 32 <= whole <= the length of `bytes`. No more bytes are kept than were
        // read, so to <= at: every store ends within `bytes`, and hits no byte not loaded yet.
        unsafe {
            let vector = _mm256_loadu_si256(base.add(at).cast());
            let dropped = drop(vector);
            if dropped == 0 {
                _mm256_storeu_si256(base.add(to).cast(), vector);
                to += LANES;
                continue;
            }
            let low = _mm256_castsi256_si128(vector);
            let high = _mm256_extracti128_si256::<1>(vector);
            let [a, b, c, d] = dropped.to_le_bytes();
            to += pack_eight(base.add(to), low, a);
            to += pack_eight(base.add(to), _mm_unpackhi_epi64(low, low), b);
            to += pack_eight(base.add(to), high, c);
            to += pack_eight(base.add(to), _mm_unpackhi_epi64(high, high), d);
        }
    }
    (whole, to)
}

/// Stores the lower eight lanes, those in `dropped` left out; returns how many those are.
///
/// # Safety
/// Eight bytes can be written at `to`.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
unsafe fn pack_eight(to: *mut u8, lanes: __m128i, dropped: u8) -> usize {
    // SAFETY: a table entry is eight bytes; the caller vouches for `to`.
    unsafe {
        let order = _mm_loadl_epi64(PACK[usize::from(dropped)].as_ptr().cast());
        _mm_storel_epi64(to.cast(), _mm_shuffle_epi8(lanes, order));
    }
    dropped.count_zeros() as usize
}

/// A set as two tables: for each lower half of a byte, which upper halves are in the set.
#[derive(Clone, Copy)]
struct Set {
    /// Upper halves 0 to 7, a bit each.
    low: __m256i,
    /// Upper halves 8 to 15.
    high: __m256i,
}

impl Set {
    #[inline]
    #[target_feature(enable = "avx2")]
    fn new(members: &[u8; 256]) -> Self {
        let (mut low, mut high) = ([0; 16], [0; 16]);
        for half in 0..16 {
            for bit in 0..8 {
                low[half] |= members[half + 16 * bit] & 1 << bit;
                high[half] |= members[half + 16 * (bit + 8)] & 1 << bit;
            }
        }
        Self { low: twice(&low), high: twice(&high) }
    }

    /// A lane of all ones for each byte that is a member.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn contains(&self, bytes: __m256i) -> __m256i {
        const BITS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];
        // A shuffle yields 0 where the top bit of its index is set.
        let low = _mm256_shuffle_epi8(self.low, bytes);
        let high = _mm256_shuffle_epi8(self.high, _mm256_xor_si256(bytes, splat(0x80)));
        let upper = _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), splat(0x0F));
        let bit = _mm256_shuffle_epi8(twice(&BITS), upper);
        let hit = _mm256_and_si256(_mm256_or_si256(low, high), bit);
        _mm256_cmpeq_epi8(hit, bit)
    }
}

/// Replaces each byte by its entry in `map`.
#[target_feature(enable = "avx2")]
pub(super) fn map(bytes: &mut [u8], map: &[u8; 256]) {
    let mut rows = [_mm256_setzero_si256(); 16];
    for (row, entries) in rows.iter_mut().zip(map.as_chunks::<16>().0) {
        *row = twice(entries);
    }
    let done = each(bytes, |vector| {
        let lower = _mm256_and_si256(vector, splat(0x0F));
        // A blend looks at the top bit of a lane: move bits 4 to 6 there.
        let bit4 = _mm256_slli_epi16::<3>(vector);
        let bit5 = _mm256_slli_epi16::<2>(vector);
        let bit6 = _mm256_slli_epi16::<1>(vector);
        let pair = |row: usize| {
            let even = _mm256_shuffle_epi8(rows[row], lower);
            let odd = _mm256_shuffle_epi8(rows[row + 1], lower);
            _mm256_blendv_epi8(even, odd, bit4)
        };
        let four = |row: usize| _mm256_blendv_epi8(pair(row), pair(row + 2), bit5);
        let eight = |row: usize| _mm256_blendv_epi8(four(row), four(row + 4), bit6);
        _mm256_blendv_epi8(eight(0), eight(8), vector)
    });
    scalar::map(&mut bytes[done..], map);
}

/// Applies `segments`, of which `map` is the table.
#[target_feature(enable = "avx2")]
pub(super) fn map_segments(bytes: &mut [u8], segments: &Segments, map: &[u8; 256]) {
    let done = match segments.as_slice() {
        &[a] => each(bytes, |vector| segment(vector, vector, a)),
        &[a, b] => each(bytes, |vector| segment(vector, segment(vector, vector, a), b)),
        many => each(bytes, |vector| {
            many.iter().fold(vector, |result, &part| segment(vector, result, part))
        }),
    };
    scalar::map(&mut bytes[done..], map);
}

/// `result`, with the lanes whose byte is in the segment replaced.
#[inline]
#[target_feature(enable = "avx2")]
fn segment(bytes: __m256i, result: __m256i, part: Segment) -> __m256i {
    let offset = _mm256_sub_epi8(bytes, splat(part.first));
    let inside = _mm256_cmpeq_epi8(_mm256_min_epu8(offset, splat(part.span)), offset);
    let base = _mm256_and_si256(bytes, splat(part.keep));
    let replaced = _mm256_add_epi8(base, splat(part.add));
    _mm256_blendv_epi8(result, replaced, inside)
}

/// Removes the bytes whose entry in `dropped` is 0xFF; returns how many are left.
#[target_feature(enable = "avx2,popcnt")]
pub(super) fn delete(bytes: &mut [u8], dropped: &[u8; 256]) -> usize {
    let set = Set::new(dropped);
    let (at, to) = compact(bytes, |vector| lanes(set.contains(vector)));
    scalar::delete(bytes, at, to, dropped)
}

/// Removes all of one byte, of which `dropped` is the table; returns how many others are left.
#[target_feature(enable = "avx2,popcnt")]
pub(super) fn delete_one(bytes: &mut [u8], byte: u8, dropped: &[u8; 256]) -> usize {
    let byte = splat(byte);
    let (at, to) = compact(bytes, |vector| lanes(_mm256_cmpeq_epi8(vector, byte)));
    scalar::delete(bytes, at, to, dropped)
}

/// Removes bytes that equal their predecessor and whose entry in `squeezed` is 0xFF; `last` is the
/// predecessor of the first. Returns how many are left.
#[target_feature(enable = "avx2,popcnt")]
pub(super) fn squeeze(bytes: &mut [u8], mut last: Option<u8>, squeezed: &[u8; 256]) -> usize {
    let Some(&first) = bytes.first() else {
        return 0;
    };
    let set = Set::new(squeezed);
    // Without a predecessor, the first byte differs from it.
    let mut before = splat(last.unwrap_or(!first));
    let end = bytes.len() & !(LANES - 1);
    if end > 0 {
        last = Some(bytes[end - 1]);
    }
    let (at, to) = compact(bytes, |vector| {
        // The vector moved up by a lane, the predecessor's last lane coming in.
        let joint = _mm256_permute2x128_si256::<0x21>(before, vector);
        let predecessors = _mm256_alignr_epi8::<15>(vector, joint);
        before = vector;
        let repeated = _mm256_cmpeq_epi8(vector, predecessors);
        lanes(_mm256_and_si256(set.contains(vector), repeated))
    });
    scalar::squeeze(bytes, at, to, last, squeezed)
}

/// Removes all but the first of each run of one byte, of which `squeezed` is the table; `last` is
/// what comes before the first byte. Returns how many bytes are left.
#[target_feature(enable = "avx2,popcnt")]
pub(super) fn squeeze_one(
    bytes: &mut [u8],
    mut last: Option<u8>,
    byte: u8,
    squeezed: &[u8; 256],
) -> usize {
    let mut carry = u32::from(last == Some(byte));
    let wanted = splat(byte);
    let end = bytes.len() & !(LANES - 1);
    if end > 0 {
        last = Some(bytes[end - 1]);
    }
    let (at, to) = compact(bytes, |vector| {
        let found = lanes(_mm256_cmpeq_epi8(vector, wanted));
        let dropped = found & (found << 1 | carry);
        carry = found >> 31;
        dropped
    });
    scalar::squeeze(bytes, at, to, last, squeezed)
}

#[inline]
#[target_feature(enable = "avx2")]
fn splat(byte: u8) -> __m256i {
    _mm256_set1_epi8(byte.cast_signed())
}

/// The same 16 entries in both halves, which shuffles do not cross.
#[inline]
#[target_feature(enable = "avx2")]
fn twice(entries: &[u8; 16]) -> __m256i {
    // SAFETY: 16 bytes are read from 16.
    _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(entries.as_ptr().cast()) })
}

/// A bit for each lane: its top bit.
#[inline]
#[target_feature(enable = "avx2")]
fn lanes(vector: __m256i) -> u32 {
    _mm256_movemask_epi8(vector).cast_unsigned()
}
