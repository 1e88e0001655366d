//! What a command line means: which byte becomes which, which go, which are squeezed.
//!
//! All forms of `tr` are one machine. Bytes of `delete` go; of what is left, each is replaced by
//! its `map` entry; of each run of one byte that is in `squeeze`, one is left. Options and set
//! strings only decide what the three tables hold.
//!
//! Set strings are compared run by run (`Walk`), never character by character: `[x*99999999999]`
//! costs what `x` costs.

use super::bytes::ByteSet;
use super::set::{Class, Item, Items, SyntaxError};

/// The options that decide what sets mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// `-c`, `-C`: the first set is what its string does not name.
    pub complement: bool,
    /// `-d`
    pub delete: bool,
    /// `-s`
    pub squeeze: bool,
    /// `-t`: what the second set has no counterpart for stays as it is.
    pub truncate: bool,
}

/// A command line compiled to tables. See the module for their meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Applied to what was not deleted.
    pub map: [u8; 256],
    /// Applied first.
    pub delete: ByteSet,
    /// Applied last, to mapped bytes.
    pub squeeze: ByteSet,
}

/// Why two sets do not go together, or one does not go where it was put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetError<'a> {
    /// A string is no set.
    Syntax(SyntaxError<'a>),
    /// A set of 2^64 - 1 or more characters.
    TooLong,
    /// `[c*]` in the first string.
    FillInFirst,
    /// More than one `[c*]` in the second.
    SecondFill,
    /// `[c*]` in the second string with `-ds`.
    FillWithoutTranslation,
    /// `[=c=]` in the second string.
    EquivalentsInSecond,
    /// A class other than `lower` and `upper` in the second string.
    ClassInSecond,
    /// `[:upper:]` or `[:lower:]` in the second string without one of them at the same place in
    /// the first.
    Misaligned,
    /// Nothing to translate to.
    EmptySecond,
    /// The second string is shorter and ends in a class, so no character is there to repeat.
    NothingToRepeat,
    /// With `-c` and a class in the first string, a second one that is not just one character.
    NotOneCharacter,
}

impl<'a> From<SyntaxError<'a>> for SetError<'a> {
    fn from(error: SyntaxError<'a>) -> Self {
        Self::Syntax(error)
    }
}

/// Checks the syntax of one string; the first thing wrong in it is the error.
///
/// # Errors
/// [`SetError::Syntax`].
pub fn check_syntax(text: &[u8]) -> Result<(), SetError<'_>> {
    for item in Items::new(text) {
        item?;
    }
    Ok(())
}

/// Compiles a command line with one string: `-d` or `-s`.
///
/// # Errors
/// What is wrong with the set. Syntax was checked before.
pub fn compile_one(options: Options, first: &[u8]) -> Result<Program, SetError<'_>> {
    let set = first_set(options, &Facts::of(first)?)?;
    Ok(Program {
        map: identity(),
        delete: if options.delete { set } else { ByteSet::EMPTY },
        squeeze: if options.delete { ByteSet::EMPTY } else { set },
    })
}

/// Compiles a command line with two strings: a translation, or `-ds`.
///
/// # Errors
/// What is wrong with the sets, in the order in which GNU finds it. Syntax was checked before.
pub fn compile_two<'a>(
    options: Options,
    first: &'a [u8],
    second: &'a [u8],
) -> Result<Program, SetError<'a>> {
    let one = Facts::of(first)?;
    let set = first_set(options, &one)?;
    let length = if options.complement { u64::from(set.count()) } else { one.length };
    let mut two = Facts::of(second)?;
    if two.fills == 1 {
        two.fill(length);
    }
    if two.fills > 1 {
        return Err(SetError::SecondFill);
    }
    if options.delete {
        if two.fills > 0 {
            return Err(SetError::FillWithoutTranslation);
        }
        return Ok(Program { map: identity(), delete: set, squeeze: two.set });
    }
    check_translation(options, &one, length, &mut two)?;
    Ok(Program {
        map: if options.complement {
            map_complement(&set, two.walk())
        } else {
            map_sets(one.walk(), two.walk())
        },
        delete: ByteSet::EMPTY,
        squeeze: if options.squeeze { two.set } else { ByteSet::EMPTY },
    })
}

/// The first set, complemented if so asked.
fn first_set<'a>(options: Options, facts: &Facts<'_>) -> Result<ByteSet, SetError<'a>> {
    if facts.fills > 0 {
        return Err(SetError::FillInFirst);
    }
    Ok(if options.complement { facts.set.complement() } else { facts.set })
}

/// What may not be in a second set that is translated to; then makes it as long as the first.
fn check_translation<'a>(
    options: Options,
    one: &Facts<'_>,
    length: u64,
    two: &mut Facts<'_>,
) -> Result<(), SetError<'a>> {
    if two.has_equivalents {
        return Err(SetError::EquivalentsInSecond);
    }
    if two.has_other_class {
        return Err(SetError::ClassInSecond);
    }
    if two.has_class && !options.complement && !is_aligned(one.walk(), two.walk()) {
        return Err(SetError::Misaligned);
    }
    if length > two.length && !options.truncate {
        let Some(last) = two.last else {
            return Err(SetError::EmptySecond);
        };
        if two.ends_in_class {
            return Err(SetError::NothingToRepeat);
        }
        two.extend(last, length);
    }
    if options.complement && one.has_class && !(two.length == length && two.set.count() <= 1) {
        return Err(SetError::NotOneCharacter);
    }
    Ok(())
}

const fn identity() -> [u8; 256] {
    let mut map = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        map[byte] = byte as u8;
        byte += 1;
    }
    map
}

/// What there is to know about a string before anything is done with it.
struct Facts<'a> {
    text: &'a [u8],
    set: ByteSet,
    /// The number of characters it expands to.
    length: u64,
    /// The number of `[c*]`, which count as nothing and are in no set until [`Facts::fill`].
    fills: u32,
    fill_byte: u8,
    /// What `[c*]` counts as.
    fill: u64,
    /// How often `last` is repeated after the string's end.
    extension: u64,
    last: Option<u8>,
    has_class: bool,
    has_other_class: bool,
    has_equivalents: bool,
    ends_in_class: bool,
}

impl<'a> Facts<'a> {
    fn of<'e>(text: &'a [u8]) -> Result<Self, SetError<'e>>
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
    fn fill(&mut self, length: u64) {
        self.fill = length.saturating_sub(self.length);
        if self.fill > 0 {
            self.set.insert_range(self.fill_byte, self.fill_byte);
        }
        self.length += self.fill;
    }

    /// Repeats `last` until the set is as long as `length`.
    fn extend(&mut self, last: u8, length: u64) {
        self.last = Some(last);
        self.extension = length - self.length;
        self.length = length;
    }

    fn walk(&self) -> Walk<'a> {
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
enum Case {
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
struct Run {
    first: u8,
    ascending: bool,
    length: u64,
    /// This is all of `[:lower:]` or `[:upper:]`, nothing of it consumed yet.
    case: Option<Case>,
}

impl Run {
    const NONE: Self = Self { first: 0, ascending: false, length: 0, case: None };

    const fn same(byte: u8, length: u64) -> Self {
        Self { first: byte, length, ..Self::NONE }
    }

    fn range(first: u8, last: u8) -> Self {
        Self { first, ascending: true, length: u64::from(last - first) + 1, case: None }
    }

    fn nth(&self, index: u64) -> u8 {
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
struct Walk<'a> {
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
    fn peek(&mut self) -> Option<Run> {
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
    fn advance(&mut self, length: u64) {
        self.run.length -= length;
        self.run.case = None;
        if self.run.length > 0 {
            self.run.first = self.run.nth(length);
        }
    }
}

/// Whether every `[:lower:]` and `[:upper:]` of the second set starts where one starts in the
/// first. Each such pair counts as one character, and what comes after both sets ended is free.
fn is_aligned(mut one: Walk<'_>, mut two: Walk<'_>) -> bool {
    loop {
        let from = one.peek();
        let Some(to) = two.peek() else {
            return true;
        };
        if to.case.is_some() && from.is_none_or(|from| from.case.is_none()) {
            return false;
        }
        let Some(from) = from else {
            return true;
        };
        let length = common(from, to);
        one.advance(length);
        two.advance(length);
    }
}

/// The characters that two runs share: a pair of case classes is taken whole (both have 26).
fn common(from: Run, to: Run) -> u64 {
    from.length.min(to.length)
}

/// The translation of one set to the other, character by character; the last one counts where a
/// character occurs more than once.
fn map_sets(mut one: Walk<'_>, mut two: Walk<'_>) -> [u8; 256] {
    let mut map = identity();
    while let (Some(from), Some(to)) = (one.peek(), two.peek()) {
        let length = common(from, to);
        match (from.case, to.case) {
            // A class paired with itself changes only its first character, as GNU has it: what an
            // earlier part of the sets said about the others stays in force.
            (Some(a), Some(b)) if a == b => map[usize::from(from.first)] = to.first,
            _ => assign(&mut map, from, to, length),
        }
        one.advance(length);
        two.advance(length);
    }
    map
}

/// Maps the first `length` characters of `from` to those of `to`.
fn assign(map: &mut [u8; 256], from: Run, to: Run, length: u64) {
    // Where both stay the same, once is as good as often; otherwise `length` is at most 256.
    let start = if from.ascending || length == 0 { 0 } else { length - 1 };
    for index in start..length {
        map[usize::from(from.nth(index))] = to.nth(index);
    }
}

/// The translation of the members of `set`, ascending, to the other set, as far as that goes.
fn map_complement(set: &ByteSet, mut two: Walk<'_>) -> [u8; 256] {
    let mut map = identity();
    for (byte, entry) in (0..=255).zip(map.iter_mut()) {
        if set.contains(byte) {
            let Some(to) = two.peek() else { break };
            *entry = to.first;
            two.advance(1);
        }
    }
    map
}
