//! The vectors of x86-64: SSE2, AVX2, AVX-512.
#![allow(
    unsafe_code,
    reason = "vector loads and stores take addresses, and instructions have to be there"
)]

use core::arch::x86_64::*;

use super::blocks::{self, Block};
use super::{Escapes, Places, Progress, State};
use crate::cpu::Kernel;

/// As [`super::format`], with a kernel other than the scalar one.
pub fn format(
    kernel: Kernel,
    escapes: &Escapes,
    state: &mut State,
    input: &[u8],
    length: usize,
    output: &mut [u8],
    places: &mut Places,
) -> Progress {
    assert!(kernel.is_available() && length + super::INPUT_SLACK <= input.len());
    // SAFETY: the machine has the instructions, and the input its slack: both were just checked.
    unsafe {
        match kernel {
            Kernel::Avx512 => avx512(escapes, state, input, length, output, places),
            Kernel::Avx2 => avx2(escapes, state, input, length, output, places),
            Kernel::Sse2 | Kernel::Scalar => {
                blocks::format::<Sse2>(escapes, state, input, length, output, places)
            }
        }
    }
}

#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
fn avx2(
    escapes: &Escapes,
    state: &mut State,
    input: &[u8],
    length: usize,
    output: &mut [u8],
    places: &mut Places,
) -> Progress {
    // SAFETY: this function has the instructions; the caller checked the slack.
    unsafe { blocks::format::<Avx2>(escapes, state, input, length, output, places) }
}

#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,popcnt,lzcnt"
)]
fn avx512(
    escapes: &Escapes,
    state: &mut State,
    input: &[u8],
    length: usize,
    output: &mut [u8],
    places: &mut Places,
) -> Progress {
    // SAFETY: this function has the instructions; the caller checked the slack.
    unsafe { blocks::format::<Avx512>(escapes, state, input, length, output, places) }
}

#[derive(Clone, Copy)]
struct Sse2([__m128i; 4]);

impl Sse2 {
    #[inline(always)]
    unsafe fn bits(self, test: impl Fn(__m128i) -> __m128i) -> u64 {
        let mut bits = 0;
        for (index, part) in self.0.into_iter().enumerate() {
            // SAFETY: SSE2 is part of x86-64.
            let part = unsafe { _mm_movemask_epi8(test(part)) };
            bits |= u64::from(part as u16) << (16 * index);
        }
        bits
    }
}

impl Block for Sse2 {
    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: 64 bytes are readable, says the caller.
        Self(core::array::from_fn(|index| unsafe {
            _mm_loadu_si128(from.cast::<__m128i>().add(index))
        }))
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        for (index, part) in self.0.into_iter().enumerate() {
            // SAFETY: 64 bytes are writable, says the caller.
            unsafe { _mm_storeu_si128(to.cast::<__m128i>().add(index), part) };
        }
    }

    #[inline(always)]
    unsafe fn equal(self, byte: u8) -> u64 {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { self.bits(|part| _mm_cmpeq_epi8(part, _mm_set1_epi8(byte as i8))) }
    }

    #[inline(always)]
    unsafe fn unprintable(self) -> u64 {
        // Bytes from 128 on are negative, and so less than 32.
        // SAFETY: SSE2 is part of x86-64.
        unsafe {
            self.bits(|part| {
                _mm_or_si128(
                    _mm_cmplt_epi8(part, _mm_set1_epi8(32)),
                    _mm_cmpeq_epi8(part, _mm_set1_epi8(127)),
                )
            })
        }
    }
}

#[derive(Clone, Copy)]
struct Avx2([__m256i; 2]);

impl Block for Avx2 {
    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: 64 bytes are readable, says the caller.
        unsafe {
            let from = from.cast::<__m256i>();
            Self([_mm256_loadu_si256(from), _mm256_loadu_si256(from.add(1))])
        }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: 64 bytes are writable, says the caller.
        unsafe {
            let to = to.cast::<__m256i>();
            _mm256_storeu_si256(to, self.0[0]);
            _mm256_storeu_si256(to.add(1), self.0[1]);
        }
    }

    #[inline(always)]
    unsafe fn equal(self, byte: u8) -> u64 {
        // SAFETY: the caller has the instructions.
        unsafe {
            let wanted = _mm256_set1_epi8(byte as i8);
            let low = _mm256_movemask_epi8(_mm256_cmpeq_epi8(self.0[0], wanted)) as u32;
            let high = _mm256_movemask_epi8(_mm256_cmpeq_epi8(self.0[1], wanted)) as u32;
            u64::from(high) << 32 | u64::from(low)
        }
    }

    #[inline(always)]
    unsafe fn unprintable(self) -> u64 {
        // Bytes from 128 on are negative, and so less than 32.
        // SAFETY: the caller has the instructions.
        unsafe {
            let bits = |part| {
                let low = _mm256_cmpgt_epi8(_mm256_set1_epi8(32), part);
                let delete = _mm256_cmpeq_epi8(part, _mm256_set1_epi8(127));
                _mm256_movemask_epi8(_mm256_or_si256(low, delete)) as u32
            };
            u64::from(bits(self.0[1])) << 32 | u64::from(bits(self.0[0]))
        }
    }
}

#[derive(Clone, Copy)]
struct Avx512(__m512i);

/// The number of each byte.
static IDENTITY: [u8; 64] = {
    let mut places = [0; 64];
    let mut index = 0;
    while index < 64 {
        places[index] = index as u8;
        index += 1;
    }
    places
};

/// A bit for each second byte, from the first on.
const EVEN: u64 = 0x5555_5555_5555_5555;

/// For each of the first 32 bytes: its place in a second vector, then its place.
static TWOFOLD: [u8; 64] = {
    let mut places = [0; 64];
    let mut index = 0;
    while index < 64 {
        places[index] = (index / 2 + 64 * (1 - index % 2)) as u8;
        index += 1;
    }
    places
};

/// A bit for each byte of a vector of 16 times four: the first, second, third, fourth of each.
const FIRST: u64 = 0x1111_1111_1111_1111;
const THIRD: u64 = FIRST << 2;
const FOURTH: u64 = FIRST << 3;

/// Four times each of the first 16 byte numbers.
static FOURFOLD: [u8; 64] = {
    let mut places = [0; 64];
    let mut index = 0;
    while index < 64 {
        places[index] = (index / 4) as u8;
        index += 1;
    }
    places
};

impl Block for Avx512 {
    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: 64 bytes are readable, says the caller.
        Self(unsafe { _mm512_loadu_si512(from.cast()) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: 64 bytes are writable, says the caller.
        unsafe { _mm512_storeu_si512(to.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn equal(self, byte: u8) -> u64 {
        // SAFETY: the caller has the instructions.
        unsafe { _mm512_cmpeq_epi8_mask(self.0, _mm512_set1_epi8(byte as i8)) }
    }

    #[inline(always)]
    unsafe fn unprintable(self) -> u64 {
        // Bytes from 128 on are negative, and so less than 32.
        // SAFETY: the caller has the instructions.
        unsafe {
            _mm512_cmplt_epi8_mask(self.0, _mm512_set1_epi8(32))
                | _mm512_cmpeq_epi8_mask(self.0, _mm512_set1_epi8(127))
        }
    }

    const PAIRS: bool = true;

    #[inline(always)]
    unsafe fn upper(self) -> u64 {
        // SAFETY: the caller has the instructions.
        unsafe { _mm512_movepi8_mask(self.0) }
    }

    /// 32 bytes at a time become 32 times `^ x` or `$ x`, of which the parts that apply are kept.
    #[inline(always)]
    unsafe fn pairs(self, carets: u64, dollars: u64, count: usize, to: *mut u8) -> *mut u8 {
        // SAFETY: the caller has the instructions; two steps write 64 bytes each, and keep 64 at
        // most.
        unsafe {
            let bytes = turned(self.0, carets);
            let signs = _mm512_mask_blend_epi8(
                dollars,
                _mm512_set1_epi8(b'^' as i8),
                _mm512_set1_epi8(b'$' as i8),
            );
            let low = _mm512_loadu_si512(TWOFOLD.as_ptr().cast());
            let high = _mm512_add_epi8(low, _mm512_set1_epi8(32));
            let marks = carets | dollars;
            let mut kept = [!EVEN | _pdep_u64(marks, EVEN), !EVEN | _pdep_u64(marks >> 32, EVEN)];
            if count < 64 {
                let ones = |count: usize| if count < 32 { (1 << (2 * count)) - 1 } else { !0 };
                kept[0] &= ones(count);
                kept[1] &= ones(count.saturating_sub(32));
            }
            let shown = _mm512_permutex2var_epi8(bytes, low, signs);
            _mm512_storeu_si512(to.cast(), _mm512_maskz_compress_epi8(kept[0], shown));
            let to = to.add(kept[0].count_ones() as usize);
            let shown = _mm512_permutex2var_epi8(bytes, high, signs);
            _mm512_storeu_si512(to.cast(), _mm512_maskz_compress_epi8(kept[1], shown));
            to.add(kept[1].count_ones() as usize)
        }
    }

    #[inline(always)]
    unsafe fn places(bits: u64, base: usize, to: *mut u16) {
        // SAFETY: the caller has the instructions; 32 places are stored, then 32 more if there are
        // as many.
        unsafe {
            let all = _mm512_loadu_si512(IDENTITY.as_ptr().cast());
            let found = _mm512_maskz_compress_epi8(bits, all);
            let base = _mm512_set1_epi16(base as i16);
            let low = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(found));
            _mm512_storeu_si512(to.cast(), _mm512_add_epi16(low, base));
            if bits.count_ones() > 32 {
                let high = _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(found, 1));
                _mm512_storeu_si512(to.add(32).cast(), _mm512_add_epi16(high, base));
            }
        }
    }

    /// 16 bytes at a time become 16 times `M - ^ x`, of which the parts that apply are kept.
    #[inline(always)]
    unsafe fn expand(escapes: &Escapes, from: *const u8, count: usize, mut to: *mut u8) -> *mut u8 {
        let options = escapes.options;
        // SAFETY: 64 bytes can be read, the caller has the instructions, and each of up to four
        // steps stores 64 bytes and keeps four for each byte of input at most.
        unsafe {
            let block = _mm512_loadu_si512(from.cast());
            let mut places = _mm512_loadu_si512(FOURFOLD.as_ptr().cast());
            let parts = _mm512_set1_epi32(i32::from_le_bytes(*b"M-^\0"));
            let mut done = 0;
            while done < count {
                let bytes = _mm512_permutexvar_epi8(places, block);
                let upper = _mm512_movepi8_mask(bytes);
                let low = _mm512_and_si512(bytes, _mm512_set1_epi8(127));
                let newlines = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(b'\n' as i8));
                let tabs = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(b'\t' as i8));
                let mut carets = _mm512_cmplt_epu8_mask(low, _mm512_set1_epi8(32))
                    | _mm512_cmpeq_epi8_mask(low, _mm512_set1_epi8(127));
                let mut uppers = upper;
                if !options.nonprinting {
                    (carets, uppers) = (0, 0);
                }
                carets &= !(newlines | tabs);
                if options.tabs {
                    carets |= tabs;
                }
                // The fourth part: the byte itself, without its top bit if that is shown as `M-`.
                let itself = _mm512_mask_blend_epi8(uppers, bytes, low);
                let last = turned(itself, carets);
                let mut shown = _mm512_mask_blend_epi8(FOURTH, parts, last);
                let mut kept = FOURTH | carets & THIRD | uppers & (FIRST | FIRST << 1);
                if options.ends {
                    let dollars = newlines & THIRD;
                    shown = _mm512_mask_blend_epi8(dollars, shown, _mm512_set1_epi8(b'$' as i8));
                    kept |= dollars;
                }
                if count - done < 16 {
                    kept &= (1 << (4 * (count - done))) - 1;
                }
                _mm512_storeu_si512(to.cast(), _mm512_maskz_compress_epi8(kept, shown));
                to = to.add(kept.count_ones() as usize);
                places = _mm512_add_epi8(places, _mm512_set1_epi8(16));
                done += 16;
            }
        }
        to
    }
}

/// `bytes`, those of `mask` with their bit for 64 turned over.
///
/// # Safety
/// The machine has AVX-512 BW.
#[inline(always)]
unsafe fn turned(bytes: __m512i, mask: u64) -> __m512i {
    // SAFETY: the caller's promise.
    unsafe { _mm512_xor_si512(bytes, _mm512_maskz_mov_epi8(mask, _mm512_set1_epi8(64))) }
}
