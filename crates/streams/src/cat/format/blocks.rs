//! Formatting 64 bytes at a time, over whatever vectors a machine has.
//!
//! A [`Block`] answers two questions about 64 bytes with a bit each: which are newlines, and which
//! have to be escaped. What lies between two such bytes is copied with one store of 64 bytes, of
//! which the excess is overwritten by what follows.
//!
//! Departures from [`scalar`](super::scalar), which formats 0.26 GB/s; GB/s of input in the cache,
//! by `benches/cat.rs`, with AVX-512 unless said otherwise:
//!
//! 1. Only newlines and bytes to escape are looked at one by one: `-nA` on text 7.8.
//! 2. Without numbers and squeezing, a newline is a byte to escape or nothing at all (`escape`):
//!    `-v` on text 27.6, `-T` 18.6.
//! 3. `-s` alone copies blocks without an empty line to drop (`squeeze`): 27.2.
//! 4. Segments with many bytes to escape are not walked bit by bit: every byte is replaced by one
//!    store of its four-byte expansion ([`Block::expand`]), `-v` on random bytes 2.3 with AVX2, or
//!    sixteen at once where vectors can compress, 3.4.
//! 5. Where they can, what grows by one byte at most is written as pairs, without asking how many
//!    there are ([`Block::pairs`]): `-E` 15.3, where AVX2 goes line by line at 9.2. 256 MiB of text
//!    from a file to `/dev/null`: 36 ms, before 80 ms.
#![allow(
    unsafe_code,
    reason = "stores that overlap the next, and loads beyond the end, are what makes this fast; slices would check each"
)]

use super::lines;
use super::{Escapes, OUTPUT_MARGIN, Places, Progress, State};

/// 64 bytes of input.
///
/// All functions are `inline(always)`: they become part of a function that enables the
/// instructions they are made of.
pub trait Block: Copy {
    /// # Safety
    /// 64 bytes are readable at `from`, and the machine has the instructions.
    unsafe fn load(from: *const u8) -> Self;

    /// # Safety
    /// 64 bytes are writable at `to`, and the machine has the instructions.
    unsafe fn store(self, to: *mut u8);

    /// A bit for each byte that equals `byte`.
    ///
    /// # Safety
    /// The machine has the instructions.
    unsafe fn equal(self, byte: u8) -> u64;

    /// A bit for each byte that `-v` shows otherwise, or that is a tab or a newline: below 32 or
    /// above 126.
    ///
    /// # Safety
    /// The machine has the instructions.
    unsafe fn unprintable(self) -> u64;

    /// Whether [`Block::pairs`] is there.
    const PAIRS: bool = false;

    /// A bit for each byte from 128 on.
    ///
    /// # Safety
    /// The machine has the instructions, and [`Block::PAIRS`] is true.
    #[inline(always)]
    unsafe fn upper(self) -> u64 {
        unreachable!("asked of kernels that have it only")
    }

    /// Writes the first `count` bytes to `to`: of those in `carets`, `^` and the byte with its bit
    /// for 64 turned over; of those in `dollars`, `$` and the byte. Returns the end.
    ///
    /// # Safety
    /// The machine has the instructions, and [`Block::PAIRS`] is true; `2 * 64 + 64` bytes are
    /// writable at `to`.
    #[inline(always)]
    unsafe fn pairs(self, _carets: u64, _dollars: u64, _count: usize, _to: *mut u8) -> *mut u8 {
        unreachable!("asked of kernels that have it only")
    }

    /// Writes the places of the bits of `bits`, plus `base`, lowest first, to `to`.
    ///
    /// # Safety
    /// 64 places are writable at `to`; the machine has the instructions.
    #[inline(always)]
    unsafe fn places(mut bits: u64, base: usize, to: *mut u16) {
        let count = bits.count_ones() as usize;
        let mut slot = 0;
        // Eight at a time whether there are eight or not: that is seldom guessed wrong.
        loop {
            for place in slot..slot + 8 {
                // SAFETY: `slot` is a multiple of eight below 64.
                unsafe {
                    *to.add(place) = (base as u32).wrapping_add(bits.trailing_zeros()) as u16;
                };
                bits &= bits.wrapping_sub(1);
            }
            slot += 8;
            if slot >= count {
                return;
            }
        }
    }

    /// Writes the expansions of the first `count` bytes at `from`, up to 64, to `to`; returns the
    /// end of what it wrote.
    ///
    /// # Safety
    /// 64 bytes are readable at `from`, `4 * 64 + 64` writable at `to`; the machine has the
    /// instructions.
    #[inline(always)]
    unsafe fn expand(escapes: &Escapes, from: *const u8, count: usize, mut to: *mut u8) -> *mut u8 {
        for index in 0..count {
            // SAFETY: `count` bytes can be read; each step writes four bytes and keeps one to four.
            unsafe {
                let byte = usize::from(*from.add(index));
                to.cast::<u32>().write_unaligned(escapes.text[byte]);
                to = to.add(usize::from(escapes.length[byte]));
            }
        }
        to
    }
}

/// Formats as [`super::format`] says, with vectors `B`.
///
/// # Safety
/// The machine has the instructions of `B`; `input` has [`super::INPUT_SLACK`] bytes more than
/// `length`.
#[inline(always)]
pub unsafe fn format<B: Block>(
    escapes: &Escapes,
    state: &mut State,
    input: &[u8],
    length: usize,
    output: &mut [u8],
    places: &mut Places,
) -> Progress {
    let options = escapes.options;
    let numbers = options.number || options.number_nonblank;
    let escaping = options.tabs || options.nonprinting;
    let work = Work { from: input.as_ptr(), length, to: output.as_mut_ptr(), room: output.len() };
    // SAFETY: the caller's promises; `Work` describes the two slices.
    unsafe {
        if !numbers && !options.squeeze {
            if !options.ends || options.nonprinting {
                return escape::<B>(escapes, &work);
            }
            if B::PAIRS {
                return show_ends::<B>(escapes, state, &work);
            }
        }
        if !numbers && !options.ends && !escaping {
            return squeeze::<B>(state, &work);
        }
        match (numbers, escaping) {
            (true, false) => lines::by_index::<B, true>(options, state, &work, places),
            (false, false) => lines::by_index::<B, false>(options, state, &work, places),
            (true, true) => lines::by_block::<B, true>(escapes, state, &work),
            (false, true) => lines::by_block::<B, false>(escapes, state, &work),
        }
    }
}

/// The two buffers. Every step reads 64 bytes at a place below `length`, and begins only if
/// [`OUTPUT_MARGIN`] bytes of `room` are left, the most that it can write.
pub(super) struct Work {
    pub(super) from: *const u8,
    pub(super) length: usize,
    pub(super) to: *mut u8,
    pub(super) room: usize,
}

impl Work {
    /// The place beyond which no step may begin. The first may: a carriage return that was held
    /// back takes up to two bytes before it, which the margin has to spare.
    #[inline(always)]
    pub(super) fn last(&self) -> usize {
        self.room - OUTPUT_MARGIN + 2
    }

    /// The bytes of the block at `at`, and a bit for each.
    #[inline(always)]
    pub(super) fn block(&self, at: usize) -> (usize, u64) {
        match self.length - at {
            left @ 0..64 => (left, (1 << left) - 1),
            _ => (64, !0),
        }
    }
}

/// A bit for each byte that has to be escaped, as far as `-v` and `-T` say.
///
/// # Safety
/// As [`Block::equal`].
#[inline(always)]
pub(super) unsafe fn to_escape<B: Block>(block: B, escapes: &Escapes) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        let tabs = block.equal(b'\t');
        if !escapes.options.nonprinting {
            return if escapes.options.tabs { tabs } else { 0 };
        }
        let kept = if escapes.options.tabs { 0 } else { tabs };
        block.unprintable() & !kept & !block.equal(b'\n')
    }
}

/// Writes `count` bytes at `from`, those of `marks` escaped; returns the end.
///
/// # Safety
/// As [`Block::expand`]; `marks` has no bit at or beyond `count`.
#[inline(always)]
pub(super) unsafe fn segment<B: Block>(
    escapes: &Escapes,
    mut from: *const u8,
    count: usize,
    mut marks: u64,
    mut to: *mut u8,
) -> *mut u8 {
    // SAFETY: `from` moves on within the block, so 64 readable bytes are guaranteed by the
    // input's slack, and what is written stays within four bytes for one, and a block's store.
    unsafe {
        if marks.count_ones() > 3 {
            return B::expand(escapes, from, count, to);
        }
        let mut left = count;
        while marks != 0 {
            let plain = marks.trailing_zeros() as usize;
            B::load(from).store(to);
            to = to.add(plain);
            let byte = usize::from(*from.add(plain));
            to.cast::<u32>().write_unaligned(escapes.text[byte]);
            to = to.add(usize::from(escapes.length[byte]));
            from = from.add(plain + 1);
            left -= plain + 1;
            // In two steps: a shift by 64 would be none.
            marks = marks >> plain >> 1;
        }
        B::load(from).store(to);
        to.add(left)
    }
}

/// `-v` and `-T`, with `-E` if with `-v`: every byte by itself.
///
/// # Safety
/// As [`format`].
#[inline(always)]
unsafe fn escape<B: Block>(escapes: &Escapes, work: &Work) -> Progress {
    let ends = escapes.options.ends;
    let (mut read, mut written) = (0, 0);
    while read < work.length && written <= work.last() {
        let (count, valid) = work.block(read);
        // SAFETY: see `Work`.
        unsafe {
            let from = work.from.add(read);
            let to = work.to.add(written);
            let block = B::load(from);
            let mut marks = to_escape(block, escapes);
            if ends {
                marks |= block.equal(b'\n');
            }
            marks &= valid;
            // An end of line is in nearly every block: asking whether would be a guess.
            if marks == 0 && !(B::PAIRS && ends) {
                block.store(to);
                written += count;
            } else {
                let end = if B::PAIRS && block.upper() & valid == 0 {
                    let dollars = if ends { block.equal(b'\n') } else { 0 };
                    block.pairs(marks & !dollars, marks & dollars, count, to)
                } else {
                    segment::<B>(escapes, from, count, marks, to)
                };
                written += end.offset_from_unsigned(to);
            }
        }
        read += count;
    }
    Progress { read, written }
}

/// `-E` without `-v`, with or without `-T`, where pairs can be had.
///
/// # Safety
/// As [`format`].
#[inline(always)]
unsafe fn show_ends<B: Block>(escapes: &Escapes, state: &mut State, work: &Work) -> Progress {
    let mut read = 0;
    // SAFETY: see `Work`; what begins with a carriage return has room for it.
    unsafe {
        let mut to = resume(state, work);
        while read < work.length && to.offset_from_unsigned(work.to) <= work.last() {
            let (count, valid) = work.block(read);
            let from = work.from.add(read);
            let block = B::load(from);
            let dollars = block.equal(b'\n') & valid;
            let mut carets = block.equal(b'\r');
            // Rare, or in every line: either way there is little to guess.
            if carets != 0 {
                let next = read + 64 < work.length && *from.add(64) == b'\n';
                carets &= dollars >> 1 | u64::from(next) << 63;
            }
            if escapes.options.tabs {
                carets |= block.equal(b'\t') & valid;
            }
            to = block.pairs(carets, dollars, count, to);
            read += count;
        }
        if read < work.length {
            // The byte after the last is known, and a carriage return has been shown as it should.
            return Progress { read, written: to.offset_from_unsigned(work.to) };
        }
        suspend(state, work, read, to)
    }
}

/// Begins a call of a kernel that shows carriage returns at line ends: writes the one that was
/// held back, now that the byte after it is known. Returns the place to go on.
///
/// # Safety
/// As [`format`]; `work` has at least one byte of input.
#[inline(always)]
pub(super) unsafe fn resume(state: &mut State, work: &Work) -> *mut u8 {
    if !core::mem::take(&mut state.carriage) {
        return work.to;
    }
    // SAFETY: there is a first byte, and the margin has two bytes to spare.
    unsafe { if *work.from == b'\n' { put(work.to, b"^M") } else { put(work.to, b"\r") } }
}

/// Ends such a call, after `read` bytes: holds a carriage return back that is the last.
///
/// # Safety
/// `to` is the end of what was written of `work`.
#[inline(always)]
pub(super) unsafe fn suspend(state: &mut State, work: &Work, read: usize, to: *mut u8) -> Progress {
    // SAFETY: at least one byte was read and written if `read` is not 0; `to` is in the output.
    unsafe {
        let mut written = to.offset_from_unsigned(work.to);
        if read > 0 && *work.from.add(read - 1) == b'\r' {
            written -= 1;
            state.carriage = true;
        }
        Progress { read, written }
    }
}

/// `-s` alone.
///
/// # Safety
/// As [`format`].
#[inline(always)]
unsafe fn squeeze<B: Block>(state: &mut State, work: &Work) -> Progress {
    let (mut read, mut written) = (0, 0);
    while read < work.length && written <= work.last() {
        let (count, valid) = work.block(read);
        // SAFETY: see `Work`.
        unsafe {
            let from = work.from.add(read);
            let block = B::load(from);
            let newlines = block.equal(b'\n') & valid;
            let blanks = newlines & (newlines << 1 | u64::from(state.fresh));
            let mut drops = blanks & (blanks << 1 | u64::from(state.after_blank));
            block.store(work.to.add(written));
            let mut start = 0;
            while drops != 0 {
                let place = drops.trailing_zeros() as usize;
                drops &= drops - 1;
                B::load(from.add(start)).store(work.to.add(written));
                written += place - start;
                start = place + 1;
            }
            if start > 0 {
                B::load(from.add(start)).store(work.to.add(written));
            }
            written += count - start;
            state.fresh = newlines >> (count - 1) & 1 == 1;
            state.after_blank = blanks >> (count - 1) & 1 == 1;
        }
        read += count;
    }
    Progress { read, written }
}

/// # Safety
/// The bytes can be written at `to`.
#[inline(always)]
pub(super) unsafe fn put<const N: usize>(to: *mut u8, bytes: &[u8; N]) -> *mut u8 {
    // SAFETY: the caller's promise.
    unsafe {
        to.cast::<[u8; N]>().write_unaligned(*bytes);
        to.add(N)
    }
}
