//! Line by line: what numbers lines, or squeezes them and does more.
//!
//! Departures from [`scalar`](super::scalar):
//!
//! 1. The newlines of up to 16 KiB are looked up first, many places at a time whether there are
//!    many or not. Then a line is a number, a copy of 128 bytes, and an addition; how many
//!    newlines a block has need not be guessed. `-n` of 256 MiB of text, from a file to
//!    `/dev/null`: 48 ms where walking the newlines of each block took 75 ms.
#![allow(
    unsafe_code,
    reason = "stores that overlap the next, and loads beyond the end, are what makes this fast; slices would check each"
)]

use super::blocks::{Block, Work, put, resume, segment, suspend, to_escape};
use super::counter::WIDTH_MAX;
use super::{Counter, Escapes, Places, Progress, SPAN, State};
use crate::cat::options::Options;

/// Without escapes: finds the lines of a span, then writes them.
///
/// # Safety
/// As [`super::blocks::format`].
#[inline(always)]
pub(super) unsafe fn by_index<B: Block, const NUMBERS: bool>(
    options: Options,
    state: &mut State,
    work: &Work,
    places: &mut Places,
) -> Progress {
    let carriages = options.ends && !options.nonprinting;
    let mut read = 0;
    // SAFETY: see `Work`.
    unsafe {
        let mut to = if carriages { resume(state, work) } else { work.to };
        while read < work.length && to.offset_from_unsigned(work.to) <= work.last() {
            let from = work.from.add(read);
            let length = (work.length - read).min(SPAN);
            let lines = index::<B>(from, length, places);
            let out = Out { to, last: work.to.add(work.last()) };
            let span = Span {
                from,
                length,
                ends: &places[..lines],
                // Only a byte of this call can stand before the span: one of an earlier call would
                // be held back.
                follows: read > 0,
            };
            let done = write::<B, NUMBERS>(options, state, &span, &out);
            read += done.0;
            to = done.1;
            if done.0 < length {
                break;
            }
        }
        if carriages {
            return suspend(state, work, read, to);
        }
        Progress { read, written: to.offset_from_unsigned(work.to) }
    }
}

/// Finds the newlines of the first `length` bytes at `from`, a span at most; returns how many.
///
/// # Safety
/// The bytes and 64 more can be read; the machine has the instructions.
#[inline(always)]
unsafe fn index<B: Block>(from: *const u8, length: usize, places: &mut Places) -> usize {
    let mut found = 0;
    let mut at = 0;
    while at < length {
        // SAFETY: the caller's promise.
        let mut newlines = unsafe { B::load(from.add(at)).equal(b'\n') };
        if length - at < 64 {
            newlines &= (1 << (length - at)) - 1;
        }
        // What is beyond the last is overwritten by the next block's: there are 64 to spare.
        let slots: &mut [u16; 64] =
            (&mut places[found..found + 64]).try_into().expect("a slice of 64");
        // SAFETY: 64 places can be written, and the machine has the instructions.
        unsafe { B::places(newlines, at, slots.as_mut_ptr()) };
        found += newlines.count_ones() as usize;
        at += 64;
    }
    found
}

/// The lines of a part of the input.
struct Span<'a> {
    from: *const u8,
    length: usize,
    /// Where the newlines are.
    ends: &'a [u16],
    /// Whether the byte before `from` is of this call.
    follows: bool,
}

struct Out {
    to: *mut u8,
    /// No line may begin beyond it.
    last: *mut u8,
}

/// Writes the lines of `span`; returns how many bytes of it are done, and the end of the output.
///
/// # Safety
/// As [`by_index`].
#[inline(always)]
unsafe fn write<B: Block, const NUMBERS: bool>(
    options: Options,
    state: &mut State,
    span: &Span<'_>,
    out: &Out,
) -> (usize, *mut u8) {
    let nonblank = options.number_nonblank;
    let mut counter = state.counter.clone();
    let mut fresh = state.fresh;
    let mut after_blank = state.after_blank;
    let mut to = out.to;
    let mut start = 0;
    // SAFETY: `start` and `end` are places in the span, in order; 192 bytes can be read beyond it;
    // a line of the span's length and the margin can be written up to and at `last`.
    unsafe {
        for &end in span.ends {
            let end = usize::from(end);
            if to > out.last {
                break;
            }
            let blank = fresh && end == start;
            if blank && after_blank && options.squeeze {
                start = end + 1;
                continue;
            }
            if NUMBERS {
                to = number_if(&mut counter, fresh && !(nonblank && blank), to);
            }
            let from = span.from.add(start);
            let length = end - start;
            copy::<B>(from, length, to);
            to = to.add(length);
            if options.ends {
                if !options.nonprinting
                    && (length > 0 || span.follows || start > 0)
                    && !blank
                    && *span.from.add(end).sub(1) == b'\r'
                {
                    to = put(to.sub(1), b"^M");
                }
                to = put(to, b"$\n");
            } else {
                to = put(to, b"\n");
            }
            after_blank = blank;
            fresh = true;
            start = end + 1;
        }
        let all_lines = span.ends.last().map_or(0, |&end| usize::from(end) + 1);
        if start == all_lines && start < span.length && to <= out.last {
            if NUMBERS {
                to = number_if(&mut counter, fresh, to);
            }
            let length = span.length - start;
            copy::<B>(span.from.add(start), length, to);
            to = to.add(length);
            fresh = false;
            start = span.length;
        }
    }
    state.counter = counter;
    state.fresh = fresh;
    state.after_blank = after_blank;
    (start, to)
}

/// Copies `length` bytes, and up to 127 more.
///
/// # Safety
/// They can be read and written, and 128 more.
#[inline(always)]
unsafe fn copy<B: Block>(from: *const u8, length: usize, to: *mut u8) {
    // SAFETY: the caller's promise.
    unsafe {
        B::load(from).store(to);
        B::load(from.add(64)).store(to.add(64));
        let mut at = 128;
        while at < length {
            B::load(from.add(at)).store(to.add(at));
            at += 64;
        }
    }
}

/// Writes the next number, or, without a branch, does not.
///
/// # Safety
/// The longest number can be written at `to`.
#[inline(always)]
unsafe fn number_if(counter: &mut Counter, wanted: bool, to: *mut u8) -> *mut u8 {
    // SAFETY: the caller's promise.
    unsafe {
        match counter.short() {
            Some(text) => {
                let length = if wanted { counter.length() } else { 0 };
                to.cast::<u64>().write_unaligned(text.to_le());
                counter.count(wanted);
                to.add(length)
            }
            None if wanted => number(counter, to),
            None => to,
        }
    }
}

/// With escapes: block by block, and in each newline by newline.
///
/// # Safety
/// As [`format`].
#[inline(always)]
pub(super) unsafe fn by_block<B: Block, const NUMBERS: bool>(
    escapes: &Escapes,
    state: &mut State,
    work: &Work,
) -> Progress {
    let options = escapes.options;
    // Without -v, a carriage return before a newline is shown by -E.
    let carriages = options.ends && !options.nonprinting;
    let State { mut fresh, mut after_blank, .. } = *state;
    let mut counter = state.counter.clone();
    let mut read = 0;
    // SAFETY: see `Work`; `to` moves from its first byte on.
    unsafe {
        let mut to = if carriages { resume(state, work) } else { work.to };
        while read < work.length && to.offset_from_unsigned(work.to) <= work.last() {
            let (count, valid) = work.block(read);
            let from = work.from.add(read);
            let block = B::load(from);
            let mut newlines = block.equal(b'\n') & valid;
            let marks = to_escape(block, escapes) & valid;
            let mut start = 0;
            while newlines != 0 {
                let place = newlines.trailing_zeros() as usize;
                newlines &= newlines - 1;
                if fresh && place == start {
                    start = place + 1;
                    if options.squeeze && after_blank {
                        continue;
                    }
                    after_blank = true;
                    if NUMBERS && !options.number_nonblank {
                        to = number(&mut counter, to);
                    }
                } else {
                    if NUMBERS && fresh {
                        to = number(&mut counter, to);
                    }
                    after_blank = false;
                    to = piece::<B>(escapes, from, start..place, marks, to);
                    // The byte before is in this block or an earlier one of this call: a carriage
                    // return at the end of a call is held back.
                    let before = read + place;
                    if carriages && before > 0 && *work.from.add(before - 1) == b'\r' {
                        to = put(to.sub(1), b"^M");
                    }
                    start = place + 1;
                }
                fresh = true;
                to = if options.ends { put(to, b"$\n") } else { put(to, b"\n") };
            }
            if start < count {
                if NUMBERS && fresh {
                    to = number(&mut counter, to);
                }
                fresh = false;
                to = piece::<B>(escapes, from, start..count, marks, to);
            }
            read += count;
        }
        state.fresh = fresh;
        state.after_blank = after_blank;
        state.counter = counter;
        if carriages {
            return suspend(state, work, read, to);
        }
        Progress { read, written: to.offset_from_unsigned(work.to) }
    }
}

/// A part of the block at `from`, without newlines.
///
/// # Safety
/// As [`segment`].
#[inline(always)]
unsafe fn piece<B: Block>(
    escapes: &Escapes,
    from: *const u8,
    range: core::ops::Range<usize>,
    marks: u64,
    to: *mut u8,
) -> *mut u8 {
    let count = range.len();
    let within = if count < 64 { (1 << count) - 1 } else { !0 };
    let marks = marks.unbounded_shr(range.start as u32) & within;
    // SAFETY: the caller's promise.
    unsafe { segment::<B>(escapes, from.add(range.start), count, marks, to) }
}

/// # Safety
/// Eight bytes more than the longest number can be written at `to`.
#[inline(always)]
unsafe fn number(counter: &mut Counter, to: *mut u8) -> *mut u8 {
    let length = counter.length();
    // SAFETY: the caller's promise.
    unsafe {
        match counter.take_short() {
            Some(text) => to.cast::<u64>().write_unaligned(text.to_le()),
            None => {
                let (text, _) = counter.take();
                to.cast::<[u8; WIDTH_MAX]>().write_unaligned(text);
            }
        }
        to.add(length)
    }
}
