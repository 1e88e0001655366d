//! Names and strings as GNU shows them in messages.
//!
//! [`name`] is for file names: as they are if a shell would read them so, else quoted so that
//! they can be pasted into a shell. [`string`] is for everything else: always in quotes, with C
//! escapes.

use super::Message;
use super::printable::is_printable;

/// Appends `name`, quoted for a shell if it needs to be.
///
/// A colon needs quotes too: it separates the parts of a message.
pub fn name(message: &mut Message, name: &[u8], utf8: bool) {
    let mut plain = !name.is_empty();
    let mut apostrophe = false;
    let mut fits_double_quotes = true;
    for (index, unit) in units(name, utf8).enumerate() {
        match unit {
            Unit::Printable(b"'") => (plain, apostrophe) = (false, true),
            Unit::Printable(b" " | b":") => plain = false,
            Unit::Printable(b"#" | b"~") if index == 0 => plain = false,
            Unit::Printable(b"{" | b"}") if name.len() == 1 => plain = false,
            Unit::Printable(b"#" | b"~" | b"{" | b"}") => fits_double_quotes = false,
            Unit::Printable([byte]) if b"!\"$&()*;<=>?[\\^`|".contains(byte) => {
                (plain, fits_double_quotes) = (false, false);
            }
            Unit::Printable(_) => {}
            Unit::Escaped(_) => (plain, fits_double_quotes) = (false, false),
        }
    }
    if plain {
        message.bytes(name);
    } else if apostrophe && fits_double_quotes {
        message.bytes(b"\"").bytes(name).bytes(b"\"");
    } else {
        in_shell_quotes(message, name, utf8);
    }
}

/// `'…'`, with `\'` between two such strings for an apostrophe, and `$'…'` around escapes.
fn in_shell_quotes(message: &mut Message, name: &[u8], utf8: bool) {
    let mut in_escapes = false;
    message.bytes(b"'");
    for unit in units(name, utf8) {
        match unit {
            // Closes either kind of quotes.
            Unit::Printable(b"'") => {
                message.bytes(b"'\\''");
                in_escapes = false;
            }
            Unit::Printable(text) => {
                if core::mem::take(&mut in_escapes) {
                    message.bytes(b"''");
                }
                message.bytes(text);
            }
            Unit::Escaped(bytes) => {
                if !core::mem::replace(&mut in_escapes, true) {
                    message.bytes(b"'$'");
                }
                escape(message, bytes);
            }
        }
    }
    message.bytes(b"'");
}

/// Appends `string` in the locale's quotes, with C escapes.
pub fn string(message: &mut Message, string: &[u8], utf8: bool) {
    let (open, close): (&str, &str) = if utf8 { ("‘", "’") } else { ("'", "'") };
    message.text(open);
    for unit in units(string, utf8) {
        match unit {
            Unit::Printable(text) => {
                if text == close.as_bytes() || text == b"\\" {
                    message.bytes(b"\\");
                }
                message.bytes(text);
            }
            Unit::Escaped(bytes) => escape(message, bytes),
        }
    }
    message.text(close);
}

fn escape(message: &mut Message, bytes: &[u8]) {
    for &byte in bytes {
        let letter = match byte {
            7 => b'a',
            8 => b'b',
            9 => b't',
            10 => b'n',
            11 => b'v',
            12 => b'f',
            13 => b'r',
            _ => {
                let digit = |shift: u32| b'0' + (byte >> shift & 7);
                message.bytes(&[b'\\', digit(6), digit(3), digit(0)]);
                continue;
            }
        };
        message.bytes(&[b'\\', letter]);
    }
}

enum Unit<'a> {
    /// One printable character.
    Printable(&'a [u8]),
    /// An unprintable character, or a byte that belongs to none.
    Escaped(&'a [u8]),
}

/// Splits `text` into characters: bytes in the C locale, where only ASCII is printable.
fn units(text: &[u8], utf8: bool) -> impl Iterator<Item = Unit<'_>> {
    let mut rest = text;
    core::iter::from_fn(move || {
        let character = first_character(rest, utf8);
        let (unit, after) = rest.split_at_checked(character.map_or(1, char::len_utf8))?;
        rest = after;
        Some(if character.is_some_and(is_printable) {
            Unit::Printable(unit)
        } else {
            Unit::Escaped(unit)
        })
    })
}

fn first_character(text: &[u8], utf8: bool) -> Option<char> {
    let first = *text.first()?;
    if first.is_ascii() {
        return Some(char::from(first));
    }
    if !utf8 {
        return None;
    }
    let valid = (2..=4).find_map(|length| core::str::from_utf8(text.get(..length)?).ok())?;
    valid.chars().next()
}

#[cfg(test)]
mod tests {
    use super::super::collected;

    fn check_name(name: &str, expected: &str) {
        let got = collected(|message| super::name(message, name.as_bytes(), true));
        assert_eq!(String::from_utf8_lossy(&got), expected, "{name:?}");
    }

    #[test]
    fn names_are_quoted_for_a_shell_when_needed() {
        check_name("a", "a");
        check_name("", "''");
        check_name("a b", "'a b'");
        check_name("a:b", "'a:b'");
        check_name("a'b", "\"a'b\"");
        check_name("#'", "\"#'\"");
        check_name("a~'", "'a~'\\'''");
        check_name("{", "'{'");
        check_name("{a", "{a");
        check_name("{'", "'{'\\'''");
        check_name("a\nb", "'a'$'\\n''b'");
        check_name("\n\n", "''$'\\n\\n'");
        check_name("\n'\n", "''$'\\n'\\'''$'\\n'");
        check_name("ä", "ä");
        check_name("\u{85}", "''$'\\302\\205'");
        let got = collected(|message| super::name(message, b"a'\xff'", true));
        assert_eq!(got, b"'a'\\'''$'\\377'\\'''");
        let got = collected(|message| super::name(message, "ä".as_bytes(), false));
        assert_eq!(got, b"''$'\\303\\244'");
    }

    #[test]
    fn strings_are_always_quoted() {
        let check = |string: &str, utf8, expected: &str| {
            let got = collected(|message| super::string(message, string.as_bytes(), utf8));
            assert_eq!(String::from_utf8_lossy(&got), expected, "{string:?}");
        };
        check("a'b‘’", true, "‘a'b‘\\’’");
        check("a'b\n\\‘\u{1}", false, "'a\\'b\\n\\\\\\342\\200\\230\\001'");
        check("", true, "‘’");
    }
}
