//! An expanded set string, run by run: `[x*99999999999]` costs what `x` costs.
//!
//! [`Facts`] are gathered in one pass, and are all that most rules ask for. [`Walk`] is what the
//! string expands to, in order, for the rules and the translation that compare two sets.

use super::bytes::ByteSet;
use super::program::SetError;
use super::set::{Class, Item, Items};

/// What there is to know about a string before anything is done with it.
pub(super) struct Facts<'a> {
    text: &'a [u8],
    pub(super) set: ByteSet,
    /// The number of characters it expands to.
    pub(super) length: u64,
    /// The number of `[c*]`, which count as nothing and are in no set until [`Facts::fill`].
    pub(super) fills: u32,
    fill_byte: u8,
    /// What `[c*]` counts as.
    fill: u64,
    /// How often `last` is repeated after the string's end.
    extension: u64,
    pub(super) last: Option<u8>,
    pub(super) has_class: bool,
    pub(super) has_other_class: bool,
    pub(super) has_equivalents: bool,
    pub(super) ends_in_class: bool,
}

impl<'a> Facts<'a> {
    pub(super) fn of<'e>(text: &'a [u8]) -> Result<Self, SetError<'e>>
    where
        'a: 'e,
    {
        let mut facts = Self {
            text,
            set: ByteSet::EMPTY,
            length: 0,
            fills: 0,
            fill_byte: 0,
            fill: 0,
            extension: 0,
            last: None,
            has_class: false,
            has_other_class: false,
            has_equivalents: false,
            ends_in_class: false,
        };
        for item in Items::new(text) {
            facts.note(item?)?;
        }
        Ok(facts)
    }

    fn note<'e>(&mut self, item: Item) -> Result<(), SetError<'e>> {
        self.ends_in_class = false;
        let (last, length) = match item {
            Item::Range(first, last) => {
                self.set.insert_range(first, last);
                (last, u64::from(last - first) + 1)
            }
            Item::Class(class) => {
                self.has_class = true;
                self.has_other_class |= Case::of(class).is_none();
                self.ends_in_class = true;
                let mut length = 0;
                let mut end = 0;
                for &(first, last) in class.ranges() {
                    self.set.insert_range(first, last);
                    length += u64::from(last - first) + 1;
                    end = last;
                }
                (end, length)
            }
            Item::Equivalents(byte) => {
                self.has_equivalents = true;
                self.set.insert_range(byte, byte);
                (byte, 1)
            }
            Item::Repeat(byte, 0) => {
                self.fills += 1;
                self.fill_byte = byte;
                (byte, 0)
            }
            Item::Repeat(byte, count) => {
                self.set.insert_range(byte, byte);
                (byte, count)
            }
        };
        self.last = Some(last);
        self.length = match self.length.checked_add(length) {
            // The longest is allowed for a lone repeat only, which `Item` bounds by itself.
            Some(sum) if sum < u64::MAX => sum,
            _ => return Err(SetError::TooLong),
        };
        Ok(())
    }

    /// Gives `[c*]` what is missing to `length`; it is no member of the set if that is nothing.
    pub(super) fn fill(&mut self, length: u64) {
        self.fill = length.saturating_sub(self.length);
        if self.fill > 0 {
            self.set.insert_range(self.fill_byte, self.fill_byte);
        }
        self.length += self.fill;
    }

    /// Repeats `last` until the set is as long as `length`.
    pub(super) fn extend(&mut self, last: u8, length: u64) {
        self.last = Some(last);
        self.extension = length - self.length;
        self.length = length;
    }

    pub(super) fn walk(&self) -> Walk<'a> {
        Walk {
            items: Items::new(self.text),
            fill: self.fill,
            extension: self
                .last
                .map_or(Run::NONE, |last| Run { length: self.extension, ..Run::same(last, 0) }),
            ranges: &[],
            run: Run::NONE,
        }
    }
}

/// Which of the two classes that convert case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Case {
    Lower,
    Upper,
}

impl Case {
    fn of(class: Class) -> Option<Self> {
        match class {
            Class::Lower => Some(Self::Lower),
            Class::Upper => Some(Self::Upper),
            _ => None,
        }
    }
}

/// A part of an expanded set: `length` times `first`, or, if `ascending`, `first` and its
/// successors.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub(super) first: u8,
    pub(super) ascending: bool,
    pub(super) length: u64,
    /// This is all of `[:lower:]` or `[:upper:]`, nothing of it consumed yet.
    pub(super) case: Option<Case>,
}

impl Run {
    const NONE: Self = Self { first: 0, ascending: false, length: 0, case: None };

    const fn same(byte: u8, length: u64) -> Self {
        Self { first: byte, length, ..Self::NONE }
    }

    fn range(first: u8, last: u8) -> Self {
        Self { first, ascending: true, length: u64::from(last - first) + 1, case: None }
    }

    pub(super) fn nth(&self, index: u64) -> u8 {
        if self.ascending {
            // A range has at most 256 characters, so the sum is a byte.
            self.first + index as u8
        } else {
            self.first
        }
    }
}

/// An expanded set, one [`Run`] at a time.
#[derive(Clone)]
pub(super) struct Walk<'a> {
    items: Items<'a>,
    /// The count of `[c*]`.
    fill: u64,
    extension: Run,
    /// What is left of a class after `run`.
    ranges: &'static [(u8, u8)],
    run: Run,
}

impl Walk<'_> {
    /// What is next and not consumed yet; nothing at the end of the set.
    pub(super) fn peek(&mut self) -> Option<Run> {
        while self.run.length == 0 {
            if let Some((&(first, last), rest)) = self.ranges.split_first() {
                self.ranges = rest;
                self.run = Run::range(first, last);
                continue;
            }
            self.run = match self.items.next() {
                // Errors were reported when the string's facts were gathered.
                Some(Err(_)) => Run::NONE,
                Some(Ok(Item::Range(first, last))) => Run::range(first, last),
                Some(Ok(Item::Equivalents(byte))) => Run::same(byte, 1),
                Some(Ok(Item::Repeat(byte, 0))) => Run::same(byte, self.fill),
                Some(Ok(Item::Repeat(byte, count))) => Run::same(byte, count),
                Some(Ok(Item::Class(class))) => {
                    let (&(first, last), rest) = class.ranges().split_first()?;
                    self.ranges = rest;
                    Run { case: Case::of(class), ..Run::range(first, last) }
                }
                None if self.extension.length > 0 => {
                    core::mem::replace(&mut self.extension, Run::NONE)
                }
                None => return None,
            };
        }
        Some(self.run)
    }

    /// Consumes `length` characters of the run that [`Walk::peek`] returned.
    pub(super) fn advance(&mut self, length: u64) {
        self.run.length -= length;
        self.run.case = None;
        if self.run.length > 0 {
            self.run.first = self.run.nth(length);
        }
    }
}
