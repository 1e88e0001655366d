//! Text into HTML and addresses: the one place that decides which characters are dangerous.

/// Appends `text` so that it is text in an element and in a quoted attribute.
///
/// Control characters that HTML forbids become U+FFFD: a browser would do the same, and a feed
/// made of the same text must stay well-formed XML.
pub fn push_text(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
}

/// [`push_text`] into a new string.
#[must_use]
pub fn text(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    push_text(&mut out, text);
    out
}

/// Percent-encodes a file name as one or more segments of a path: `/` stays, `%` does not.
#[must_use]
pub fn path(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for byte in name.bytes() {
        push_path_byte(&mut out, byte);
    }
    out
}

/// As [`path`], but for text that may be encoded already, as a link in Markdown: a `%` followed by
/// two hexadecimal digits stays.
#[must_use]
pub fn path_again(address: &str) -> String {
    let bytes = address.as_bytes();
    let mut out = String::with_capacity(bytes.len());
    for (at, byte) in bytes.iter().enumerate() {
        let encoded = *byte == b'%'
            && bytes.get(at + 1..at + 3).is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit));
        if encoded {
            out.push('%');
        } else {
            push_path_byte(&mut out, *byte);
        }
    }
    out
}

/// Unreserved characters, sub-delimiters without quotes, `:`, `@` and `/` stay as they are
/// (RFC 3986, section 3.3).
fn push_path_byte(out: &mut String, byte: u8) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => out.push(char::from(byte)),
        b'-' | b'.' | b'_' | b'~' | b'!' | b'$' | b'(' | b')' | b'*' => out.push(char::from(byte)),
        b'+' | b',' | b';' | b'=' | b':' | b'@' | b'/' => out.push(char::from(byte)),
        _ => {
            out.push('%');
            out.push(char::from(HEX[usize::from(byte >> 4)]));
            out.push(char::from(HEX[usize::from(byte & 15)]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_leave_its_attribute() {
        assert_eq!(
            text("a<b> & \"c\" 'd'\u{1}"),
            "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;\u{fffd}"
        );
    }

    #[test]
    fn paths() {
        assert_eq!(path("a b/ä%20?#.svg"), "a%20b/%C3%A4%2520%3F%23.svg");
        assert_eq!(path_again("a b%20c%zz%2"), "a%20b%20c%25zz%252");
    }
}
