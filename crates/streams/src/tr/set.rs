//! The little language of set strings: `a-z`, `[:alpha:]`, `[=c=]`, `[c*n]`, `\n`, `\012`.
//!
//! A string is never expanded into memory, for it may be as long as an argument may be and mean
//! more characters than there is memory. It is read where it lies, as often as needed: [`Items`]
//! yields its constructs, a `Unit` is one character of it after escapes. Reading is linear in the
//! length of the string whatever it contains: what a search for a closing delimiter found is
//! remembered (`Ahead`), so `[:[:[:…` costs no more than `abcdef…`.

/// One character of a set string, its escape resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Unit {
    byte: u8,
    /// It was written with a backslash, and so is no syntax.
    escaped: bool,
    /// Where the next unit begins.
    next: usize,
}

/// Decodes the unit that begins at `at`, if the string does not end there.
fn unit(text: &[u8], at: usize) -> Option<Unit> {
    let plain = |byte, next| Unit { byte, escaped: false, next };
    let &first = text.get(at)?;
    if first != b'\\' {
        return Some(plain(first, at + 1));
    }
    // A backslash that ends the string stands for itself.
    let Some(&second) = text.get(at + 1) else {
        return Some(plain(b'\\', at + 1));
    };
    let mut next = at + 2;
    let byte = match second {
        b'a' => 0x07,
        b'b' => 0x08,
        b'f' => 0x0C,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 0x0B,
        b'0'..=b'7' => {
            let mut value = second - b'0';
            // At most three digits, and the third only if the result is still a byte.
            while let Some(digit @ b'0'..=b'7') = text.get(next)
                && next < at + 4
                && value < 32
            {
                value = value * 8 + (digit - b'0');
                next += 1;
            }
            value
        }
        other => other,
    };
    Some(Unit { byte, escaped: true, next })
}

/// The characters of `text` after escapes, for messages that quote a part of a set string.
pub fn characters(text: &[u8]) -> impl Iterator<Item = u8> + '_ {
    let mut at = 0;
    core::iter::from_fn(move || {
        let unit = unit(text, at)?;
        at = unit.next;
        Some(unit.byte)
    })
}

/// What a set string is accepted with, but not silently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Warning {
    /// `\400` to `\777`: three octal digits that are too much for a byte, and are taken as two
    /// digits and an ordinary one.
    AmbiguousOctal([u8; 3]),
    /// The string ends in a backslash that escapes nothing.
    TrailingBackslash,
}

/// The warnings `text` deserves, from left to right.
pub fn warnings(text: &[u8]) -> impl Iterator<Item = Warning> + '_ {
    let mut at = 0;
    core::iter::from_fn(move || {
        while let Some(unit) = unit(text, at) {
            let start = at;
            at = unit.next;
            match text[start..] {
                [b'\\'] => return Some(Warning::TrailingBackslash),
                [b'\\', a @ b'4'..=b'7', b @ b'0'..=b'7', c @ b'0'..=b'7', ..] => {
                    return Some(Warning::AmbiguousOctal([a, b, c]));
                }
                _ => {}
            }
        }
        None
    })
}

/// A named character class, over ASCII as in the C locale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are POSIX's and say it all")]
pub enum Class {
    Alnum,
    Alpha,
    Blank,
    Cntrl,
    Digit,
    Graph,
    Lower,
    Print,
    Punct,
    Space,
    Upper,
    Xdigit,
}

impl Class {
    /// The class called `name`.
    fn named(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"alnum" => Self::Alnum,
            b"alpha" => Self::Alpha,
            b"blank" => Self::Blank,
            b"cntrl" => Self::Cntrl,
            b"digit" => Self::Digit,
            b"graph" => Self::Graph,
            b"lower" => Self::Lower,
            b"print" => Self::Print,
            b"punct" => Self::Punct,
            b"space" => Self::Space,
            b"upper" => Self::Upper,
            b"xdigit" => Self::Xdigit,
            _ => return None,
        })
    }

    /// Its members as ranges, ascending: the order in which the class expands.
    #[must_use]
    pub const fn ranges(self) -> &'static [(u8, u8)] {
        match self {
            Self::Alnum => &[(b'0', b'9'), (b'A', b'Z'), (b'a', b'z')],
            Self::Alpha => &[(b'A', b'Z'), (b'a', b'z')],
            Self::Blank => &[(b'\t', b'\t'), (b' ', b' ')],
            Self::Cntrl => &[(0, 31), (127, 127)],
            Self::Digit => &[(b'0', b'9')],
            Self::Graph => &[(b'!', b'~')],
            Self::Lower => &[(b'a', b'z')],
            Self::Print => &[(b' ', b'~')],
            Self::Punct => &[(b'!', b'/'), (b':', b'@'), (b'[', b'`'), (b'{', b'~')],
            Self::Space => &[(b'\t', b'\r'), (b' ', b' ')],
            Self::Upper => &[(b'A', b'Z')],
            Self::Xdigit => &[(b'0', b'9'), (b'A', b'F'), (b'a', b'f')],
        }
    }
}

/// One construct of a set string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// `a-z`, and a single character as the range of itself. Never in reverse order.
    Range(u8, u8),
    /// `[:alpha:]`
    Class(Class),
    /// `[=c=]`, in a byte-only world the character itself.
    Equivalents(u8),
    /// `[c*n]`; the count 0 is `[c*]`, as many as the other string asks for.
    Repeat(u8, u64),
}

/// Why a string is no set. Slices are parts of the string, with their escapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyntaxError<'a> {
    /// `[::]`
    EmptyClass,
    /// `[==]`
    EmptyEquivalents,
    /// `[:name:]` of no class.
    UnknownClass(&'a [u8]),
    /// `[=ab=]`
    LongEquivalents(&'a [u8]),
    /// `[c*n]` where `n` is no number, or too large a one.
    BadCount(&'a [u8]),
    /// `z-a`
    ReverseRange(u8, u8),
}

/// A remembered search for the next place where something is: valid for every start from `from`
/// up to the place found.
#[derive(Clone, Copy, Debug)]
struct Ahead {
    from: usize,
    found: Option<usize>,
}

impl Ahead {
    const UNKNOWN: Self = Self { from: usize::MAX, found: None };

    /// The first place at or after `at`, from memory or by `search`.
    fn next(&mut self, at: usize, search: impl FnOnce() -> Option<usize>) -> Option<usize> {
        let known = self.from <= at && self.found.is_none_or(|found| at <= found);
        if !known {
            *self = Self { from: at, found: search() };
        }
        self.found
    }
}

/// The constructs of a set string, from left to right. After an error there is nothing more.
#[derive(Clone, Debug)]
pub struct Items<'a> {
    text: &'a [u8],
    at: usize,
    class_end: Ahead,
    equivalents_end: Ahead,
    bracket: Ahead,
    escape: Ahead,
}

impl<'a> Items<'a> {
    /// Starts at the first construct of `text`.
    #[must_use]
    pub const fn new(text: &'a [u8]) -> Self {
        Self {
            text,
            at: 0,
            class_end: Ahead::UNKNOWN,
            equivalents_end: Ahead::UNKNOWN,
            bracket: Ahead::UNKNOWN,
            escape: Ahead::UNKNOWN,
        }
    }

    /// Whether the syntax character `byte` stands at `at`: itself, and not escaped.
    fn is(&self, at: usize, byte: u8) -> bool {
        // A trailing backslash is the one unescaped unit that does not look like itself, and it is
        // no syntax character.
        self.text.get(at) == Some(&byte)
    }

    /// `[:name:]` or `[=c=]`, of which `at` is the first character inside. `None`: it is neither,
    /// but may still be `[:*n]`.
    fn delimited(&mut self, at: usize, delimiter: u8) -> Option<Result<Item, SyntaxError<'a>>> {
        let text = self.text;
        let ahead = if delimiter == b':' { &mut self.class_end } else { &mut self.equivalents_end };
        let end = ahead
            .next(at, || find(text, at, |here, _| text[here..].starts_with(&[delimiter, b']'])))?;
        let name = &text[at..end];
        let item = match (delimiter, unit(name, 0)) {
            (b':', None) => return Some(Err(SyntaxError::EmptyClass)),
            (_, None) => return Some(Err(SyntaxError::EmptyEquivalents)),
            (b':', Some(_)) => class(name),
            (_, Some(unit)) => (unit.next == name.len()).then_some(Item::Equivalents(unit.byte)),
        };
        let Some(item) = item else {
            if self.is_repeat_tail(at) {
                return None;
            }
            return Some(Err(if delimiter == b':' {
                SyntaxError::UnknownClass(name)
            } else {
                SyntaxError::LongEquivalents(name)
            }));
        };
        self.at = end + 2;
        Some(Ok(item))
    }

    /// Whether `at` is the start of `*]`, or `*`, digits and `]`.
    fn is_repeat_tail(&self, at: usize) -> bool {
        let Some((b'*', rest)) = self.text.get(at..).and_then(<[u8]>::split_first) else {
            return false;
        };
        rest.iter().find(|byte| !byte.is_ascii_digit()) == Some(&b']')
    }

    /// `[c*n]`, of which `at` is the character after the bracket. `None`: it is something else.
    fn repeat(&mut self, at: usize) -> Option<Result<Item, SyntaxError<'a>>> {
        let text = self.text;
        let character = unit(text, at)?;
        if !self.is(character.next, b'*') {
            return None;
        }
        let start = character.next + 1;
        // The first closing bracket counts, and nothing before it may be escaped.
        let end = self.bracket.next(start, || find(text, start, |here, _| text[here] == b']'))?;
        let escape = self.escape.next(start, || find(text, start, |_, unit| unit.escaped));
        if escape.is_some_and(|escape| escape < end) {
            return None;
        }
        let digits = &text[start..end];
        let Some(count) = count(digits) else {
            return Some(Err(SyntaxError::BadCount(digits)));
        };
        self.at = end + 1;
        Some(Ok(Item::Repeat(character.byte, count)))
    }

    /// A bracket construct that begins at the bracket `at`, if there is one.
    fn bracketed(&mut self, at: usize) -> Option<Result<Item, SyntaxError<'a>>> {
        if let Some(&delimiter @ (b':' | b'=')) = self.text.get(at + 1)
            && let Some(found) = self.delimited(at + 2, delimiter)
        {
            return Some(found);
        }
        self.repeat(at + 1)
    }

    /// A character, or a range of them.
    fn range(&mut self, first: Unit) -> Result<Item, SyntaxError<'a>> {
        self.at = first.next;
        if self.is(first.next, b'-')
            && let Some(last) = unit(self.text, first.next + 1)
        {
            self.at = last.next;
            if last.byte < first.byte {
                return Err(SyntaxError::ReverseRange(first.byte, last.byte));
            }
            return Ok(Item::Range(first.byte, last.byte));
        }
        Ok(Item::Range(first.byte, first.byte))
    }
}

impl<'a> Iterator for Items<'a> {
    type Item = Result<Item, SyntaxError<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        let first = unit(self.text, self.at)?;
        let bracketed = if self.is(self.at, b'[') { self.bracketed(self.at) } else { None };
        let item = bracketed.unwrap_or_else(|| self.range(first));
        if item.is_err() {
            self.at = self.text.len();
        }
        Some(item)
    }
}

/// The first unescaped unit at or after `at`, or escaped one if `wanted` says so, that is wanted.
fn find(text: &[u8], mut at: usize, wanted: impl Fn(usize, Unit) -> bool) -> Option<usize> {
    while let Some(unit) = unit(text, at) {
        if wanted(at, unit) {
            return Some(at);
        }
        at = unit.next;
    }
    None
}

/// The class whose name is written as `name`, escapes allowed.
fn class(name: &[u8]) -> Option<Item> {
    let mut plain = [0; 6];
    let mut len = 0;
    for character in characters(name) {
        *plain.get_mut(len)? = character;
        len += 1;
    }
    Class::named(&plain[..len]).map(Item::Class)
}

/// The count of `[c*n]` as C's `strtoumax` reads it, white space and `+` before it included: octal
/// if its first character is `0`. Nothing at all, and 0, mean "as many as needed". The largest
/// 64-bit number is not one.
fn count(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        return Some(0);
    }
    let base = if digits[0] == b'0' { 8 } else { 10 };
    let blanks = digits.iter().take_while(|byte| matches!(byte, b'\t'..=b'\r' | b' ')).count();
    let digits = &digits[blanks..];
    let digits = digits.strip_prefix(b"+").unwrap_or(digits);
    let value = digits.iter().try_fold(0_u64, |value, &digit| {
        let digit = u64::from(digit.wrapping_sub(b'0'));
        (digit < base).then_some(())?;
        value.checked_mul(base)?.checked_add(digit)
    })?;
    (!digits.is_empty() && value != u64::MAX).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[Item]) {
        let items: Result<Vec<Item>, _> = Items::new(text.as_bytes()).collect();
        assert_eq!(items.as_deref(), Ok(expected), "{text}");
    }

    fn check_error(text: &str, expected: SyntaxError<'_>) {
        let items: Result<Vec<Item>, _> = Items::new(text.as_bytes()).collect();
        assert_eq!(items, Err(expected), "{text}");
    }

    fn one(byte: u8) -> Item {
        Item::Range(byte, byte)
    }

    #[test]
    fn characters_and_escapes() {
        check("", &[]);
        check("ab", &[one(b'a'), one(b'b')]);
        check(r"\a\b\f\n\r\t\v\\\q", &[7, 8, 12, 10, 13, 9, 11, b'\\', b'q'].map(one));
        check(r"\0\12\123\1234\8", &[0, 10, 83, 83, b'4', b'8'].map(one));
        check(r"\377\400\47", &[255, 32, b'0', 39].map(one));
        check(r"a\", &[b'a', b'\\'].map(one));
    }

    #[test]
    fn ranges() {
        check("a-c-e", &[Item::Range(b'a', b'c'), one(b'-'), one(b'e')]);
        check("a-", &[one(b'a'), one(b'-')]);
        check("--/", &[Item::Range(b'-', b'/')]);
        check(r"a\-z", &[b'a', b'-', b'z'].map(one));
        check(r"\-\--z", &[one(b'-'), Item::Range(b'-', b'z')]);
        check(r"\0-\377", &[Item::Range(0, 255)]);
        check("[-]", &[Item::Range(b'[', b']')]);
        check_error("xz-a", SyntaxError::ReverseRange(b'z', b'a'));
    }

    #[test]
    fn classes_and_equivalents() {
        check("[:alpha:]x", &[Item::Class(Class::Alpha), one(b'x')]);
        check(r"[:al\pha:]", &[Item::Class(Class::Alpha)]);
        check("[[:digit:]]", &[one(b'['), Item::Class(Class::Digit), one(b']')]);
        check("[=a=]-z", &[Item::Equivalents(b'a'), one(b'-'), one(b'z')]);
        check(r"[=\n=]", &[Item::Equivalents(b'\n')]);
        check("[===]", &[Item::Equivalents(b'=')]);
        check("[:a", &[b'[', b':', b'a'].map(one));
        check(r"[:a\:]", &[b'[', b':', b'a', b':', b']'].map(one));
        check(r"\[:a:]", &[b'[', b':', b'a', b':', b']'].map(one));
        check_error("[::]", SyntaxError::EmptyClass);
        check_error("[==]", SyntaxError::EmptyEquivalents);
        check_error("[:nope:]", SyntaxError::UnknownClass(b"nope"));
        check_error("[:xdigits:]", SyntaxError::UnknownClass(b"xdigits"));
        check_error("[=ab=]", SyntaxError::LongEquivalents(b"ab"));
        check_error("[:[:alpha:]", SyntaxError::UnknownClass(b"[:alpha"));
    }

    #[test]
    fn repeats() {
        check("[x*]", &[Item::Repeat(b'x', 0)]);
        check("[x*12][**010]", &[Item::Repeat(b'x', 12), Item::Repeat(b'*', 8)]);
        check("[x*0]", &[Item::Repeat(b'x', 0)]);
        check("[x* +7]", &[Item::Repeat(b'x', 7)]);
        check(r"[\]*3]", &[Item::Repeat(b']', 3)]);
        check("[:*]", &[Item::Repeat(b':', 0)]);
        check("[:*2]:]", &[Item::Repeat(b':', 2), one(b':'), one(b']')]);
        check("[=*2]=]", &[Item::Repeat(b'=', 2), one(b'='), one(b']')]);
        check(r"[x*\8]", &[b'[', b'x', b'*', b'8', b']'].map(one));
        check(r"[x\*3]", &[b'[', b'x', b'*', b'3', b']'].map(one));
        check("[x*3", &[b'[', b'x', b'*', b'3'].map(one));
        check("[x*18446744073709551614]", &[Item::Repeat(b'x', u64::MAX - 1)]);
        for bad in ["y", "09", "-1", " ", "+", "++1", "1 ", "18446744073709551615", "1e9"] {
            check_error(&format!("[x*{bad}]"), SyntaxError::BadCount(bad.as_bytes()));
        }
        check_error("[:*x]:]", SyntaxError::UnknownClass(b"*x]"));
    }

    #[test]
    fn warnings_in_order() {
        let check = |text: &[u8], expected: &[Warning]| {
            assert_eq!(warnings(text).collect::<Vec<_>>(), expected);
        };
        check(br"\377a\\", &[]);
        check(br"\48", &[]);
        check(
            br"\400x\777\",
            &[
                Warning::AmbiguousOctal(*b"400"),
                Warning::AmbiguousOctal(*b"777"),
                Warning::TrailingBackslash,
            ],
        );
    }

    #[test]
    fn classes_are_those_of_the_c_locale() {
        let check = |class: Class, is: fn(&u8) -> bool| {
            let mut expanded = Vec::new();
            for &(first, last) in class.ranges() {
                expanded.extend(first..=last);
            }
            let expected: Vec<u8> = (0..=255).filter(is).collect();
            assert_eq!(expanded, expected, "{class:?}");
        };
        check(Class::Alnum, u8::is_ascii_alphanumeric);
        check(Class::Alpha, u8::is_ascii_alphabetic);
        check(Class::Blank, |b| matches!(b, b' ' | b'\t'));
        check(Class::Cntrl, u8::is_ascii_control);
        check(Class::Digit, u8::is_ascii_digit);
        check(Class::Graph, u8::is_ascii_graphic);
        check(Class::Lower, u8::is_ascii_lowercase);
        check(Class::Print, |b| matches!(b, b' '..=b'~'));
        check(Class::Punct, u8::is_ascii_punctuation);
        check(Class::Space, |b| b.is_ascii_whitespace() || *b == 11);
        check(Class::Upper, u8::is_ascii_uppercase);
        check(Class::Xdigit, u8::is_ascii_hexdigit);
    }

    #[test]
    fn hostile_strings_are_read_in_linear_time() {
        // Quadratic reading would take minutes here, and be cut off by the test's own patience.
        for part in ["[:", "[=", "[x*", "[:*1]", "[=*1]", "[:*", r"[x*\]"] {
            let text = part.repeat(400_000 / part.len()) + "\\z:]=]";
            assert!(Items::new(text.as_bytes()).count() > 0);
        }
    }
}
