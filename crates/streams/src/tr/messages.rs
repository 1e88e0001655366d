//! What is wrong with a set, in GNU's words.

use super::program::SetError;
use super::set::{SyntaxError, Warning, characters};
use crate::text::{Message, Reporter};

/// Tells of `warning`.
pub(super) fn warn(reporter: Reporter, warning: Warning) {
    let mut message = reporter.message();
    match warning {
        Warning::AmbiguousOctal(digits) => {
            let [first, second, third] = digits;
            (message.text("warning: the ambiguous octal escape \\"))
                .bytes(&digits)
                .text(" is being\n\tinterpreted as the 2-byte sequence \\0")
                .bytes(&[first, second])
                .text(", ")
                .bytes(&[third])
        }
        Warning::TrailingBackslash => {
            message.text("warning: an unescaped backslash at end of string is not portable")
        }
    };
    let _ = message.text("\n").send();
}

/// Tells of `error`.
pub(super) fn fail(reporter: Reporter, error: SetError<'_>) {
    let mut message = reporter.message();
    let text = match error {
        SetError::Syntax(error) => {
            syntax(&mut message, error);
            ""
        }
        SetError::TooLong => "too many characters in set",
        SetError::FillInFirst => "the [c*] repeat construct may not appear in string1",
        SetError::SecondFill => "only one [c*] repeat construct may appear in string2",
        SetError::FillWithoutTranslation => {
            "the [c*] construct may appear in string2 only when translating"
        }
        SetError::EquivalentsInSecond => {
            "[=c=] expressions may not appear in string2 when translating"
        }
        SetError::ClassInSecond => {
            "when translating, the only character classes that may appear in\n\
             string2 are 'upper' and 'lower'"
        }
        SetError::Misaligned => "misaligned [:upper:] and/or [:lower:] construct",
        SetError::EmptySecond => "when not truncating set1, string2 must be non-empty",
        SetError::NothingToRepeat => {
            "when translating with string1 longer than string2,\n\
             the latter string must not end with a character class"
        }
        SetError::NotOneCharacter => {
            "when translating with complemented character classes,\n\
             string2 must map all characters in the domain to one"
        }
    };
    let _ = message.text(text).text("\n").send();
}

fn syntax(message: &mut Message, error: SyntaxError<'_>) {
    match error {
        SyntaxError::EmptyClass => {
            message.text("missing character class name '[::]'");
        }
        SyntaxError::EmptyEquivalents => {
            message.text("missing equivalence class character '[==]'");
        }
        SyntaxError::UnknownClass(name) => {
            message.text("invalid character class ");
            quoted(message, name);
        }
        SyntaxError::LongEquivalents(text) => {
            for character in characters(text) {
                visible(character, true, |byte| {
                    message.bytes(&[byte]);
                });
            }
            message.text(": equivalence class operand must be a single character");
        }
        SyntaxError::BadCount(digits) => {
            message.text("invalid repeat count ");
            quoted(message, digits);
            message.text(" in [c*n] construct");
        }
        SyntaxError::ReverseRange(first, last) => {
            message.text("range-endpoints of '");
            visible(first, false, |byte| {
                message.bytes(&[byte]);
            });
            message.text("-");
            visible(last, false, |byte| {
                message.bytes(&[byte]);
            });
            message.text("' are in reverse collating sequence order");
        }
    }
}

/// Appends a part of a set string, its characters made visible, in the locale's quotes.
///
/// The escapes that make characters visible are text to the quotes, which escape them again.
fn quoted(message: &mut Message, text: &[u8]) {
    let (open, close) = if message.is_utf8() { ("‘", "’") } else { ("'", "'") };
    message.text(open);
    for character in characters(text) {
        visible(character, true, |byte| {
            // All of it is ASCII, so the quotes of UTF-8 do not occur.
            if byte == b'\\' || close.as_bytes() == [byte] {
                message.text("\\");
            }
            message.bytes(&[byte]);
        });
    }
    message.text(close);
}

/// Yields `character` as printable ASCII: itself, as an octal escape, or, if `named`, as one of the
/// escapes with a letter. A backslash stands for itself all the same.
fn visible(character: u8, named: bool, mut put: impl FnMut(u8)) {
    let letter = match character {
        b' '..=b'~' => return put(character),
        7 if named => b'a',
        8 if named => b'b',
        9 if named => b't',
        10 if named => b'n',
        11 if named => b'v',
        12 if named => b'f',
        13 if named => b'r',
        _ => {
            put(b'\\');
            for shift in [6, 3, 0] {
                put(b'0' + (character >> shift & 7));
            }
            return;
        }
    };
    put(b'\\');
    put(letter);
}
