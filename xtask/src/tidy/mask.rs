//! Rust source taken apart just far enough: what is code, what is comment.
//!
//! A rule that looks for a word must not find it in a string (our own rule table would condemn
//! itself), and one that looks for a remark must not find it in code. Both results have the
//! length and the line breaks of the source, so that offsets and line numbers agree.

/// A source file in two layers of equal length.
pub(crate) struct Masked {
    /// Code alone: comments and the insides of strings and characters are spaces.
    pub(crate) code: String,
    /// Comments alone, the rest spaces.
    pub(crate) comments: String,
}

/// Which layer the bytes of a token belong to.
#[derive(Clone, Copy, PartialEq)]
enum Layer {
    Code,
    Comment,
    Neither,
}

/// Splits `source`. Never fails: what is not Rust comes out as some code.
pub(crate) fn mask(source: &str) -> Masked {
    let bytes = source.as_bytes();
    let mut code = blank(bytes);
    let mut comments = code.clone();
    let mut at = 0;
    while at < bytes.len() {
        let (layer, end) = token(bytes, at);
        let end = end.min(bytes.len());
        match layer {
            Layer::Code => code[at..end].copy_from_slice(&bytes[at..end]),
            Layer::Comment => comments[at..end].copy_from_slice(&bytes[at..end]),
            Layer::Neither => {
                // The delimiters stay, so that a string is still seen to be there.
                code[at] = b'"';
                code[end - 1] = b'"';
            }
        }
        at = end;
    }
    // Tokens begin and end between characters, so each layer is UTF-8 again.
    let text = |layer| String::from_utf8(layer).expect("whole characters were copied");
    Masked { code: text(code), comments: text(comments) }
}

/// Spaces and line breaks of the same shape.
fn blank(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().map(|&byte| if byte == b'\n' { b'\n' } else { b' ' }).collect()
}

/// The token at `at`: its layer and where it ends. Code comes in steps of one byte or one word.
fn token(bytes: &[u8], at: usize) -> (Layer, usize) {
    let rest = &bytes[at..];
    if rest.starts_with(b"//") {
        let length = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        return (Layer::Comment, at + length);
    }
    if rest.starts_with(b"/*") {
        return (Layer::Comment, at + block_comment(rest));
    }
    if rest[0] == b'"' {
        return (Layer::Neither, at + quoted(rest, b'"'));
    }
    if rest[0] == b'\'' {
        return match character(rest) {
            Some(length) => (Layer::Neither, at + length),
            None => (Layer::Code, at + 1), // a lifetime
        };
    }
    let word = rest.iter().take_while(|byte| is_word(**byte)).count();
    // A word before a quote can be a prefix: r"", br#""#, b"", c"".
    if matches!(&rest[..word], b"r" | b"br" | b"cr")
        && let Some(length) = raw(&rest[word..])
    {
        return (Layer::Neither, at + word + length);
    }
    (Layer::Code, at + word.max(1))
}

/// Letters of any script count as part of a word.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Length of a block comment; they nest.
fn block_comment(rest: &[u8]) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < rest.len() {
        if rest[at..].starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    rest.len()
}

/// Length of a string from its opening quote on, backslashes understood.
fn quoted(rest: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 2,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// Length of `#…#"…"#…#` when that is what follows.
fn raw(rest: &[u8]) -> Option<usize> {
    let hashes = rest.iter().take_while(|&&byte| byte == b'#').count();
    if rest.get(hashes) != Some(&b'"') {
        return None;
    }
    let mut close = vec![b'"'];
    close.resize(hashes + 1, b'#');
    let body = hashes + 1;
    let found = rest[body..].windows(close.len()).position(|window| window == close);
    Some(found.map_or(rest.len(), |found| body + found + close.len()))
}

/// Length of a character literal, or `None` for a lifetime.
fn character(rest: &[u8]) -> Option<usize> {
    match rest.get(1)? {
        b'\\' => Some(quoted(rest, b'\'')),
        b'\'' => None,
        first => {
            let width = match first {
                0x00..=0x7f => 1,
                0xc0..=0xdf => 2,
                0xe0..=0xef => 3,
                _ => 4,
            };
            (rest.get(1 + width) == Some(&b'\'')).then_some(width + 2)
        }
    }
}

/// Line number, from 1, of a byte offset.
pub(crate) fn line_of(text: &str, offset: usize) -> usize {
    text.as_bytes()[..offset].iter().filter(|&&byte| byte == b'\n').count() + 1
}

/// Offsets at which `word` stands alone in `code`, not as part of a longer word.
pub(crate) fn words<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    code.match_indices(word).map(|(at, _)| at).filter(move |&at| {
        let bytes = code.as_bytes();
        let before = at.checked_sub(1).is_some_and(|at| is_word(bytes[at]));
        let after = bytes.get(at + word.len()).is_some_and(|&byte| is_word(byte));
        !before && !after
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, code: &str, comments: &str) {
        let masked = mask(source);
        assert_eq!(masked.code.len(), source.len(), "{source}");
        assert_eq!(masked.code.trim_end(), code, "{source}");
        assert_eq!(masked.comments.trim(), comments, "{source}");
    }

    #[test]
    fn comments_leave_the_code() {
        check("a // b", "a", "// b");
        check("a /* b /* c */ d */ e", "a                   e", "/* b /* c */ d */");
        check("/* open", "", "/* open");
        check("a / b", "a / b", "");
    }

    #[test]
    fn strings_are_emptied() {
        check(r#"f("x // y")"#, r#"f("      ")"#, "");
        check(r#"f("\"x") // c"#, r#"f("   ")"#, "// c");
        check(r##"f(r#"a"b"#) g"##, r##"f("      ") g"##, "");
        check(r#"f(b"ab") g"#, r#"f(b"  ") g"#, "");
        check(r#"f(br"a\") g"#, r#"f("    ") g"#, "");
        check("\"open", "\"   \"", "");
    }

    #[test]
    fn characters_are_emptied_and_lifetimes_are_not() {
        check("f('\"') // c", "f(\" \")", "// c");
        check(r"f('\'') g", r#"f("  ") g"#, "");
        check("f('é') g", "f(\"  \") g", "");
        check("fn f<'a>(x: &'a str)", "fn f<'a>(x: &'a str)", "");
        check("b'\\\\' x", "b\"  \" x", "");
    }

    #[test]
    fn identifiers_that_end_in_r_are_no_prefix() {
        check(r#"for "x" y"#, r#"for " " y"#, "");
        check("r#type", "r#type", "");
    }

    #[test]
    fn words_stand_alone() {
        let found: Vec<usize> = words("unsafe_code unsafe {unsafe}", "unsafe").collect();
        assert_eq!(found, [12, 20]);
        assert_eq!(line_of("a\nb\nc", 4), 3);
    }
}
