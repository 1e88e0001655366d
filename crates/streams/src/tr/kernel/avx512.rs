//! 64 bytes at a time: AVX-512 with byte permutes (VBMI) and byte compression (VBMI2).
//!
//! Budget and algorithm: see `scalar`. 64 GB/s for any map, 47 to 60 for a deletion, 32 to 45 for a
//! squeeze (`benches/tr.rs`, 256 KiB of text, Zen 5, 2026-11-21). Departures:
//!
//! 1. A look-up of 256 entries is two permutes over 128 entries each and a blend by the top bit:
//!    16 times the scalar map. Compares for single bytes and ranges gained nothing over it and
//!    went out again.
//! 2. What is kept is compressed in a register and stored whole: 64 bytes from the write position
//!    on, of which only the first ones count. `vpcompressb` to memory: 48 GB/s instead of 60.
//! 3. No branch depends on the data, so that text and noise take the same time.
//! 4. Sets of one byte are a compare instead of the look-up: 60 GB/s instead of 47.
//! 5. The last bytes go through the same code with masked loads and stores.
#![allow(
    unsafe_code,
    reason = "vector loads and stores through pointers; no safe form keeps the loop free of checks"
)]

use core::arch::x86_64::*;

/// Bytes in a vector.
const LANES: usize = 64;

/// A table of 256 entries in registers.
#[derive(Clone, Copy)]
struct Table([__m512i; 4]);

impl Table {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    fn new(table: &[u8; 256]) -> Self {
        let base = table.as_ptr();
        // SAFETY: the four vectors are the 256 bytes of `table`; alignment is not asked for.
        unsafe {
            Self([
                _mm512_loadu_si512(base.cast()),
                _mm512_loadu_si512(base.add(64).cast()),
                _mm512_loadu_si512(base.add(128).cast()),
                _mm512_loadu_si512(base.add(192).cast()),
            ])
        }
    }

    /// The entries of 64 bytes.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    fn of(&self, bytes: __m512i) -> __m512i {
        let [a, b, c, d] = self.0;
        let low = _mm512_permutex2var_epi8(a, bytes, b);
        let high = _mm512_permutex2var_epi8(c, bytes, d);
        _mm512_mask_blend_epi8(_mm512_movepi8_mask(bytes), low, high)
    }

    /// A bit for each of 64 bytes: whether the top bit of its entry is set.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    fn contains(&self, bytes: __m512i) -> u64 {
        _mm512_movepi8_mask(self.of(bytes))
    }
}

/// The first `count` lanes, of at most 64.
#[inline]
fn first_lanes(count: usize) -> u64 {
    if count < LANES { (1 << count) - 1 } else { u64::MAX }
}

/// Calls `change` for each vector of `bytes`, the rest of the last one zero, and stores the result.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn each(bytes: &mut [u8], change: impl Fn(__m512i) -> __m512i) {
    let base = bytes.as_mut_ptr();
    let whole = bytes.len() & !(LANES - 1);
    for at in (0..whole).step_by(LANES) {
        // SAFETY: at + 64 <= whole <= the length of `bytes`.
        unsafe {
            let vector = _mm512_loadu_si512(base.add(at).cast());
            _mm512_storeu_si512(base.add(at).cast(), change(vector));
        }
    }
    let rest = first_lanes(bytes.len() - whole);
    // SAFETY: the mask leaves out the lanes behind the end of `bytes`, and `whole` is within it.
    unsafe {
        let vector = _mm512_maskz_loadu_epi8(rest, base.add(whole).cast());
        _mm512_mask_storeu_epi8(base.add(whole).cast(), rest, change(vector));
    }
}

/// Calls `drop` for each vector of `bytes`, the rest of the last one zero, and moves down what is
/// left of it when the lanes it names are gone. Returns how many bytes that is in all.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,popcnt")]
fn compact(bytes: &mut [u8], mut drop: impl FnMut(__m512i) -> u64) -> usize {
    let base = bytes.as_mut_ptr();
    let whole = bytes.len() & !(LANES - 1);
    let mut to = 0;
    for at in (0..whole).step_by(LANES) {
        // SAFETY: at + 64 <= whole <= the length of `bytes`. No more bytes are kept than were
        // read, so to <= at: the store ends within `bytes`, and hits no byte not loaded yet.
        unsafe {
            let vector = _mm512_loadu_si512(base.add(at).cast());
            let kept = !drop(vector);
            let packed = _mm512_maskz_compress_epi8(kept, vector);
            _mm512_storeu_si512(base.add(to).cast(), packed);
            to += kept.count_ones() as usize;
        }
    }
    let rest = first_lanes(bytes.len() - whole);
    // SAFETY: the masks leave out the lanes behind the end of `bytes` and those not kept; `whole`
    // and `to` are within it.
    unsafe {
        let vector = _mm512_maskz_loadu_epi8(rest, base.add(whole).cast());
        let kept = !drop(vector) & rest;
        let count = kept.count_ones() as usize;
        let packed = _mm512_maskz_compress_epi8(kept, vector);
        _mm512_mask_storeu_epi8(base.add(to).cast(), first_lanes(count), packed);
        to + count
    }
}

/// Replaces each byte by its entry in `map`.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) fn map(bytes: &mut [u8], map: &[u8; 256]) {
    let table = Table::new(map);
    each(bytes, |vector| table.of(vector));
}

/// Removes the bytes whose entry in `dropped` is 0xFF; returns how many are left.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,popcnt")]
pub(super) fn delete(bytes: &mut [u8], dropped: &[u8; 256]) -> usize {
    let table = Table::new(dropped);
    compact(bytes, |vector| table.contains(vector))
}

/// Removes all of one byte; returns how many others are left.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,popcnt")]
pub(super) fn delete_one(bytes: &mut [u8], dropped: u8) -> usize {
    let dropped = splat(dropped);
    compact(bytes, |vector| _mm512_cmpeq_epi8_mask(vector, dropped))
}

/// Removes bytes that equal their predecessor and whose entry in `squeezed` is 0xFF; `last` is the
/// predecessor of the first. Returns how many are left.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,popcnt")]
pub(super) fn squeeze(bytes: &mut [u8], last: Option<u8>, squeezed: &[u8; 256]) -> usize {
    let Some(&first) = bytes.first() else {
        return 0;
    };
    let table = Table::new(squeezed);
    // Without a predecessor, the first byte differs from it.
    let mut before = splat(last.unwrap_or(!first));
    compact(bytes, |vector| {
        // The vector moved up by a lane, the predecessor's last lane coming in.
        let joint = _mm512_alignr_epi32::<12>(vector, before);
        let predecessors = _mm512_alignr_epi8::<15>(vector, joint);
        before = vector;
        table.contains(vector) & _mm512_cmpeq_epi8_mask(vector, predecessors)
    })
}

/// Removes all but the first of each run of one byte; `last` is what comes before the first byte.
/// Returns how many bytes are left.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,popcnt")]
pub(super) fn squeeze_one(bytes: &mut [u8], last: Option<u8>, squeezed: u8) -> usize {
    let mut carry = u64::from(last == Some(squeezed));
    let squeezed = splat(squeezed);
    compact(bytes, |vector| {
        let found = _mm512_cmpeq_epi8_mask(vector, squeezed);
        let dropped = found & (found << 1 | carry);
        carry = found >> 63;
        dropped
    })
}

#[inline]
#[target_feature(enable = "avx512f")]
fn splat(byte: u8) -> __m512i {
    _mm512_set1_epi8(byte.cast_signed())
}
