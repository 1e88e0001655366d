//! 32 bytes at a time: AVX2.
//!
//! Budget and algorithm: see `scalar`. 14 to 48 GB/s for a map, 13 to 58 for a deletion, 13 to 17
//! for a squeeze (`benches/tr.rs`, 256 KiB of text, Zen 5, 2026-11-21). Departures:
//!
//! 1. A map of one or two ranges is a compare and an add for each: 48 GB/s; from three ranges on
//!    the next form is faster.
//! 2. Other maps are a shuffle over 16 entries for each upper half of a byte, and a tree of blends
//!    by bits 4 to 7. A map within a quarter of all bytes, as all letters are, takes 4 of the 16:
//!    rot13 15 -> 24 GB/s. Vectors of ASCII take 8 of the 16: text 7.3 -> 14 GB/s.
//! 3. A set is two shuffles by the lower half of a byte, which give a bit for each upper half.
//! 4. Four vectors that lose nothing are stored as they are; others 8 bytes at a time, each eight
//!    moved together by a shuffle from a table of 256: 5 times the scalar deletion. Four, because
//!    whether one vector of text has a newline is a coin toss, which a branch predictor loses:
//!    deleting newlines from 256 MiB of text took 43 ms more than reading it, and takes 22.
#![allow(
    unsafe_code,
    reason = "vector loads and stores through pointers; no safe form keeps the loop free of checks"
)]

use core::arch::x86_64::*;

use super::scalar;
use crate::tr::plan::{PARTS_MAX, Segment, Segments};

/// Bytes in a vector.
const LANES: usize = 32;

/// Vectors that are packed or stored as they are together.
const GROUP: usize = 4;

/// For each pattern of eight lanes to drop, the shuffle that moves the others together.
static PACK: [[u8; 8]; 256] = pack_table();

const fn pack_table() -> [[u8; 8]; 256] {
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
    let groups = whole - whole % (GROUP * LANES);
    let mut to = 0;
    for at in (0..groups).step_by(GROUP * LANES) {
        // SAFETY: at + 128 <= groups <= the length of `bytes`. No more bytes are kept than were
        // read, so to <= at for the first vector, and by 32 more for each further one: every store
        // ends within what was read.
        unsafe {
            let from = base.add(at);
            let a = _mm256_loadu_si256(from.cast());
            let b = _mm256_loadu_si256(from.add(LANES).cast());
            let c = _mm256_loadu_si256(from.add(2 * LANES).cast());
            let d = _mm256_loadu_si256(from.add(3 * LANES).cast());
            let dropped = (drop(a), drop(b), drop(c), drop(d));
            if dropped.0 | dropped.1 | dropped.2 | dropped.3 == 0 {
                let to_here = base.add(to);
                _mm256_storeu_si256(to_here.cast(), a);
                _mm256_storeu_si256(to_here.add(LANES).cast(), b);
                _mm256_storeu_si256(to_here.add(2 * LANES).cast(), c);
                _mm256_storeu_si256(to_here.add(3 * LANES).cast(), d);
                to += GROUP * LANES;
                continue;
            }
            to += pack(base.add(to), a, dropped.0);
            to += pack(base.add(to), b, dropped.1);
            to += pack(base.add(to), c, dropped.2);
            to += pack(base.add(to), d, dropped.3);
        }
    }
    for at in (groups..whole).step_by(LANES) {
        // SAFETY: at + 32 <= whole <= the length of `bytes`, and to <= at as above.
        unsafe {
            let vector = _mm256_loadu_si256(base.add(at).cast());
            to += pack(base.add(to), vector, drop(vector));
        }
    }
    (whole, to)
}

/// Stores the lanes that are not in `dropped`, together; returns how many those are.
///
/// # Safety
/// 32 bytes can be written at `to`.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
unsafe fn pack(to: *mut u8, vector: __m256i, dropped: u32) -> usize {
    let low = _mm256_castsi256_si128(vector);
    let high = _mm256_extracti128_si256::<1>(vector);
    let kept = |quarter: u32| 8 - (dropped >> (8 * quarter) & 0xFF).count_ones() as usize;
    // SAFETY: before a quarter, at most eight bytes are kept for each quarter before it, so its
    // eight bytes end within the caller's 32.
    unsafe {
        let order = |quarter: u32| {
            let dropped = (dropped >> (8 * quarter) & 0xFF) as usize;
            _mm_loadl_epi64(PACK[dropped].as_ptr().cast())
        };
        let mut end = to;
        _mm_storel_epi64(end.cast(), _mm_shuffle_epi8(low, order(0)));
        end = end.add(kept(0));
        let quarter = _mm_unpackhi_epi64(low, low);
        _mm_storel_epi64(end.cast(), _mm_shuffle_epi8(quarter, order(1)));
        end = end.add(kept(1));
        _mm_storel_epi64(end.cast(), _mm_shuffle_epi8(high, order(2)));
        end = end.add(kept(2));
        let quarter = _mm_unpackhi_epi64(high, high);
        _mm_storel_epi64(end.cast(), _mm_shuffle_epi8(quarter, order(3)));
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
    let rows = map.as_chunks::<16>().0;
    let same = |row: &usize| (0..16).all(|half| usize::from(rows[*row][half]) == row * 16 + half);
    let changed: usize = (0..16).filter(|row| !same(row)).map(|row| 1 << row).sum();
    let done = match changed {
        _ if changed & !0x00F0 == 0 => map_quarter(bytes, rows, 4),
        _ if changed & !0x0F00 == 0 => map_quarter(bytes, rows, 8),
        _ if changed & !0x000F == 0 => map_quarter(bytes, rows, 0),
        _ if changed & !0xF000 == 0 => map_quarter(bytes, rows, 12),
        _ => map_all(bytes, rows),
    };
    scalar::map(&mut bytes[done..], map);
}

/// Replaces bytes of the four rows from `first` on, which is a multiple of 4, in the full vectors;
/// returns how many bytes those are.
#[target_feature(enable = "avx2")]
fn map_quarter(bytes: &mut [u8], rows: &[[u8; 16]], first: usize) -> usize {
    let rows: [__m256i; 4] = core::array::from_fn(|row| twice(&rows[first + row]));
    let (top, wanted) = (splat(0xC0), splat(16 * first as u8));
    each(bytes, |vector| {
        let inside = _mm256_cmpeq_epi8(_mm256_and_si256(vector, top), wanted);
        // A shuffle looks at bits 0 to 3, and at bit 7, which a quarter has in common.
        let index = _mm256_andnot_si256(top, vector);
        let (bit4, bit5) = (_mm256_slli_epi16::<3>(vector), _mm256_slli_epi16::<2>(vector));
        let pair = |row: usize| {
            let even = _mm256_shuffle_epi8(rows[row], index);
            let odd = _mm256_shuffle_epi8(rows[row + 1], index);
            _mm256_blendv_epi8(even, odd, bit4)
        };
        let replaced = _mm256_blendv_epi8(pair(0), pair(2), bit5);
        _mm256_blendv_epi8(vector, replaced, inside)
    })
}

/// Replaces all bytes in the full vectors; returns how many bytes those are.
#[target_feature(enable = "avx2")]
fn map_all(bytes: &mut [u8], rows: &[[u8; 16]]) -> usize {
    let low: [__m256i; 8] = core::array::from_fn(|row| twice(&rows[row]));
    let high: [__m256i; 8] = core::array::from_fn(|row| twice(&rows[row + 8]));
    each(bytes, |vector| {
        let found = half(&low, vector);
        // Text has hardly a byte above 127, noise hardly a vector without.
        if lanes(vector) == 0 {
            return found;
        }
        _mm256_or_si256(found, half(&high, _mm256_xor_si256(vector, splat(0x80))))
    })
}

/// The entries of bytes below 128 in eight rows; 0 for other bytes.
#[inline]
#[target_feature(enable = "avx2")]
fn half(rows: &[__m256i; 8], vector: __m256i) -> __m256i {
    // A blend looks at the top bit of a lane: move bits 4 to 6 there. A shuffle yields 0 where the
    // top bit of its index is set.
    let bit4 = _mm256_slli_epi16::<3>(vector);
    let bit5 = _mm256_slli_epi16::<2>(vector);
    let bit6 = _mm256_slli_epi16::<1>(vector);
    let pair = |row: usize| {
        let even = _mm256_shuffle_epi8(rows[row], vector);
        let odd = _mm256_shuffle_epi8(rows[row + 1], vector);
        _mm256_blendv_epi8(even, odd, bit4)
    };
    let four = |row: usize| _mm256_blendv_epi8(pair(row), pair(row + 2), bit5);
    _mm256_blendv_epi8(four(0), four(4), bit6)
}

/// Applies `segments`, of which `map` is the table.
#[target_feature(enable = "avx2")]
pub(super) fn map_segments(bytes: &mut [u8], segments: &Segments, map: &[u8; 256]) {
    let parts = segments.as_slice();
    // A loop for each number of parts, so that all their constants stay in registers.
    let done = match parts.len() {
        0 | 1 => map_parts::<1>(bytes, parts),
        2 => map_parts::<2>(bytes, parts),
        _ => map_parts::<PARTS_MAX>(bytes, parts),
    };
    scalar::map(&mut bytes[done..], map);
}

/// Applies at most `N` parts to the full vectors; returns how many bytes those are.
#[inline]
#[target_feature(enable = "avx2")]
fn map_parts<const N: usize>(bytes: &mut [u8], parts: &[Segment]) -> usize {
    // Instead of those that are missing, the first one again: the same bytes become the same.
    let part = |index: usize| parts.get(index).or(parts.first()).copied().unwrap_or_default();
    let parts: [[__m256i; 4]; N] = core::array::from_fn(|index| {
        let Segment { first, span, keep, add } = part(index);
        [splat(first), splat(span), splat(keep), splat(add)]
    });
    each(bytes, |vector| {
        let mut result = vector;
        for [first, span, keep, add] in parts {
            let offset = _mm256_sub_epi8(vector, first);
            let inside = _mm256_cmpeq_epi8(_mm256_min_epu8(offset, span), offset);
            let replaced = _mm256_add_epi8(_mm256_and_si256(vector, keep), add);
            result = _mm256_blendv_epi8(result, replaced, inside);
        }
        result
    })
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
