//! What a command line means: which byte becomes which, which go, which are squeezed.
//!
//! All forms of `tr` are one machine. Bytes of `delete` go; of what is left, each is replaced by
//! its `map` entry; of each run of one byte that is in `squeeze`, one is left. Options and set
//! strings only decide what the three tables hold.
//!
//! Set strings are compared run by run, never character by character (see `walk`).

use super::bytes::ByteSet;
use super::set::{Items, SyntaxError};
use super::walk::{Facts, Run, Walk};

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

#[cfg(test)]
mod tests {
    use super::*;

    fn options(letters: &str) -> Options {
        Options {
            complement: letters.contains('c'),
            delete: letters.contains('d'),
            squeeze: letters.contains('s'),
            truncate: letters.contains('t'),
        }
    }

    /// Compiles a translation; compares what becomes of `input`.
    fn check(letters: &str, sets: [&str; 2], input: &str, expected: &str) {
        let [one, two] = sets.map(str::as_bytes);
        let program = compile_two(options(letters), one, two).expect("right sets");
        let mapped: Vec<u8> = input.bytes().map(|byte| program.map[usize::from(byte)]).collect();
        assert_eq!(String::from_utf8_lossy(&mapped), expected, "{sets:?}");
    }

    fn check_error(letters: &str, sets: [&str; 2], expected: SetError<'_>) {
        let [one, two] = sets.map(str::as_bytes);
        assert_eq!(compile_two(options(letters), one, two), Err(expected), "{sets:?}");
    }

    #[test]
    fn sets_are_paired_in_order() {
        check("", ["a-c", "x-z"], "abcd", "xyzd");
        check("", ["abc", "xy"], "abc", "xyy");
        check("t", ["abc", "xy"], "abc", "xyc");
        check("", ["a[b*3]c", "wxyz[q*]"], "abc", "wzq");
        check("", ["[a*1000000000000]b", "[x*999999999999]yz"], "ab", "yz");
        check("", ["[:digit:]a", "[x*]y"], "0a", "xy");
        check("c", ["\\0-`", "A-Z"], "Zaz{", "ZAZZ");
        check("ct", ["\\0-`", "AB"], "abc", "ABc");
    }

    #[test]
    fn case_classes_are_paired_whole() {
        check("", ["x[:lower:]1", "[y*][:upper:]2"], "xz1", "XZ2");
        check("", ["[:upper:][:lower:]", "[:lower:][:upper:]"], "aB", "Ab");
        check("", ["[:lower:]a", "[:upper:]x"], "ab", "xB");
        check("", ["B[:upper:]", "x[:upper:]"], "AB", "Ax");
        check("", ["", "x[:upper:]"], "A", "A");
        check_error("", ["", "[:upper:]"], SetError::Misaligned);
        check_error("", ["a-z", "[:upper:]"], SetError::Misaligned);
        check_error("", ["[:lower:]", "[:upper:][:lower:]"], SetError::Misaligned);
        check_error("", ["[:lower:]1", "[:upper:]"], SetError::NothingToRepeat);
        check_error("", ["[:lower:]", "[:digit:]"], SetError::ClassInSecond);
    }

    #[test]
    fn fills_are_members_only_where_they_stand_for_something() {
        let second = |letters, sets: [&'static str; 2]| {
            let [one, two] = sets.map(str::as_bytes);
            compile_two(options(letters), one, two).expect("right sets").squeeze
        };
        assert!(second("s", ["ab", "x[y*]"]).contains(b'y'));
        assert!(!second("s", ["a", "x[y*]"]).contains(b'y'));
        // One byte is left to translate, so `[y*]` stands for none, and `x` is the only one.
        let sets = ["[:alpha:]\\0-@[-`{-\\376", "x[y*]"].map(str::as_bytes);
        let program = compile_two(options("c"), sets[0], sets[1]).expect("right sets");
        assert_eq!(program.map[255], b'x');
        check_error("", ["a", "[x*][y*]"], SetError::SecondFill);
        check_error("ds", ["a", "[x*]"], SetError::FillWithoutTranslation);
        check_error("", ["[a*]", "x"], SetError::FillInFirst);
    }

    #[test]
    fn sets_that_do_not_go_together() {
        check_error("", ["a", ""], SetError::EmptySecond);
        check_error("", ["a", "[=b=]"], SetError::EquivalentsInSecond);
        check_error("c", ["[:alpha:]", "xy"], SetError::NotOneCharacter);
        check_error("ct", ["[:alpha:]", "x"], SetError::NotOneCharacter);
        check("c", ["[:alpha:]", "x"], "a1", "ax");
        let most = "[x*18446744073709551614]";
        check("", ["ab", most], "ab", "xx");
        check_error("", ["ab", &format!("{most}a")], SetError::TooLong);
        let error = SyntaxError::UnknownClass(b"x");
        assert_eq!(check_syntax(b"a[:x:]z-a"), Err(SetError::Syntax(error)));
    }

    #[test]
    fn one_set() {
        let deleted = compile_one(options("cd"), b"a-z").expect("a right set");
        assert_eq!((deleted.delete.count(), deleted.squeeze.count()), (230, 0));
        let squeezed = compile_one(options("s"), b"a-z").expect("a right set");
        assert_eq!((squeezed.delete.count(), squeezed.squeeze.count()), (0, 26));
        assert_eq!(compile_one(options("d"), b"[a*]"), Err(SetError::FillInFirst));
    }
}
