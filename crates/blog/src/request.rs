//! Is this a request that the site answers, and for which path?
//!
//! A pure function over what the client sent: no clock, no file, no allocation. It runs before
//! every look-up and is what a fuzzer should be pointed at. Paths are keys of a map that was filled
//! at start, so that nothing here guards the file system; the checks make sure that two spellings
//! of one path do not exist and that nonsense is told from a name that is merely unknown.
//!
//! Budget: 0 allocations, one pass over the path; a path with a `%` is decoded into `Scratch`.

use std::str;

/// Longest path, as sent.
pub const PATH_BYTES_MAX: usize = 1024;

/// What the answer depends on, borrowed from the request.
#[derive(Debug, Clone, Copy)]
pub struct RequestHead<'a> {
    /// As sent: methods are case-sensitive.
    pub method: &'a str,
    /// Path of the target, as sent; the query is not part of it.
    pub path: &'a str,
    /// HTTP/1.1 requires exactly one `Host`, HTTP/1.0 at most one.
    pub is_http_11: bool,
    /// The first `Host` field, and how many there are.
    pub host: (Option<&'a [u8]>, usize),
    /// A `Transfer-Encoding`: no client sends one to read a page, and smuggled requests need it.
    /// (hyper removes a `Content-Length` beside it, so that "both" cannot be asked.) The sender must
    /// close the connection after the answer.
    pub has_transfer_coding: bool,
    /// The `If-None-Match` field, if there is exactly one.
    pub if_none_match: Option<&'a [u8]>,
}

impl<'a> RequestHead<'a> {
    /// A sound `GET` of `path`.
    #[must_use]
    pub fn get(path: &'a str) -> Self {
        let host: &[u8] = b"localhost";
        Self {
            method: "GET",
            path,
            is_http_11: true,
            host: (Some(host), 1),
            has_transfer_coding: false,
            if_none_match: None,
        }
    }
}

/// Why a request is not looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// 400: not a request anybody means.
    BadRequest,
    /// 404: a path that cannot be that of a page.
    NotFound,
    /// 405: neither GET nor HEAD.
    MethodNotAllowed,
}

/// Room to decode a path in; lives on the caller's stack.
pub type Scratch = [u8; PATH_BYTES_MAX];

/// The decoded path of a request that may be looked up.
///
/// # Errors
/// Which refusal to answer with.
pub fn check<'a>(head: &RequestHead<'a>, scratch: &'a mut Scratch) -> Result<&'a str, Refusal> {
    if head.path.len() > PATH_BYTES_MAX || !host_is_sound(head) {
        return Err(Refusal::BadRequest);
    }
    if !matches!(head.method, "GET" | "HEAD") {
        return Err(Refusal::MethodNotAllowed);
    }
    if head.has_transfer_coding {
        return Err(Refusal::BadRequest);
    }
    let mut path = head.path;
    if path.as_bytes().contains(&b'%') {
        path = decode(head.path.as_bytes(), scratch)?;
    }
    if path.chars().any(|c| c.is_control() || c == '\u{fffd}') {
        return Err(Refusal::BadRequest);
    }
    if !path.starts_with('/')
        || path.contains('\\')
        || path.split('/').any(|part| part.starts_with('.'))
    {
        // `..` in any spelling, hidden files, `*`
        return Err(Refusal::NotFound);
    }
    Ok(path)
}

/// Whether the client already has the representation tagged `etag` (RFC 9110, section 13.1.2).
///
/// The comparison is the weak one, as for every GET. A list that is not well-formed matches
/// nothing: then the client gets the whole answer, which is never wrong.
#[must_use]
pub fn has_current(if_none_match: &[u8], etag: &[u8]) -> bool {
    let mut rest = if_none_match.trim_ascii();
    if rest == b"*" {
        return true;
    }
    loop {
        let tag = rest.strip_prefix(b"W/").unwrap_or(rest);
        let Some(end) = tag.iter().skip(1).position(|byte| *byte == b'"') else {
            return false;
        };
        if tag[0] != b'"' {
            return false;
        }
        let (tag, after) = tag.split_at(end + 2);
        if tag == etag {
            return true;
        }
        let Some(after) = after.trim_ascii_start().strip_prefix(b",") else {
            return false;
        };
        rest = after.trim_ascii_start();
    }
}

/// Decodes `%XX` once. An encoded slash is no slash: it would give one page two addresses.
fn decode<'a>(path: &[u8], scratch: &'a mut Scratch) -> Result<&'a str, Refusal> {
    let mut read = 0;
    let mut written = 0;
    while let Some(&byte) = path.get(read) {
        read += 1;
        scratch[written] = if byte == b'%' {
            let high = path.get(read).copied().and_then(hex_value);
            let low = path.get(read + 1).copied().and_then(hex_value);
            let (Some(high), Some(low)) = (high, low) else {
                return Err(Refusal::BadRequest);
            };
            read += 2;
            match high << 4 | low {
                b'/' => return Err(Refusal::NotFound),
                decoded => decoded,
            }
        } else {
            byte
        };
        written += 1;
    }
    str::from_utf8(&scratch[..written]).map_err(|_| Refusal::BadRequest)
}

fn hex_value(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

/// RFC 9112, section 3.2: a missing, repeated or malformed `Host` is answered with 400.
fn host_is_sound(head: &RequestHead<'_>) -> bool {
    match head.host {
        (None, _) => !head.is_http_11,
        (Some(host), 1) => host
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:[]%".contains(byte)),
        (Some(_), _) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(path: &str) -> RequestHead<'_> {
        RequestHead::get(path)
    }

    #[track_caller]
    fn check_path(path: &str, expected: Result<&str, Refusal>) {
        assert_eq!(check(&get(path), &mut [0; PATH_BYTES_MAX]), expected, "for {path:?}");
    }

    #[test]
    fn paths() {
        check_path("/", Ok("/"));
        check_path("/article/a%20b/c%C3%A4.svg", Ok("/article/a b/cä.svg"));
        check_path("/a%2e", Ok("/a."));
        check_path("/%2541", Ok("/%41"));
        for bad in ["/%", "/%4", "/%zz", "/%00", "/a\0b", "/%0a", "/%ff", "/%EF%BF%BD", "/\u{fffd}"]
        {
            check_path(bad, Err(Refusal::BadRequest));
        }
        for hidden in [
            "",
            "*",
            "article",
            "/..",
            "/../etc/passwd",
            "/a/../b",
            "/%2e%2e/b",
            "/.%2E/b",
            "/a%2fb",
            "/a%2Fb",
            "/a\\b",
            "/a%5cb",
            "/.git/config",
            "/a/.hidden",
            "/.",
            "/...",
        ] {
            check_path(hidden, Err(Refusal::NotFound));
        }
        let longest = format!("/{}", "a".repeat(PATH_BYTES_MAX - 1));
        check_path(&longest, Ok(&longest));
        check_path(&format!("{longest}a"), Err(Refusal::BadRequest));
        let encoded = format!("/{}", "%41".repeat(341));
        check_path(&encoded, Ok(&format!("/{}", "A".repeat(341))));
    }

    #[test]
    fn methods_hosts_and_smuggling() {
        let mut scratch = [0; PATH_BYTES_MAX];
        for method in ["POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "TRACE", "get", ""] {
            let got = check(&RequestHead { method, ..get("/") }, &mut scratch);
            assert_eq!(got, Err(Refusal::MethodNotAllowed), "{method}");
        }
        assert!(check(&RequestHead { method: "HEAD", ..get("/") }, &mut scratch).is_ok());
        let chunked = RequestHead { has_transfer_coding: true, ..get("/") };
        assert_eq!(check(&chunked, &mut scratch), Err(Refusal::BadRequest));
        let chunked = RequestHead { method: "POST", ..chunked };
        assert_eq!(check(&chunked, &mut scratch), Err(Refusal::MethodNotAllowed));
        let hosts: [(Option<&[u8]>, usize, bool); 7] = [
            (None, 0, false),
            (Some(b"a"), 2, false),
            (Some(b"a b"), 1, false),
            (Some(b"a/b"), 1, false),
            (Some(b"user@a"), 1, false),
            (Some(b"[::1]:80"), 1, true),
            (Some(b""), 1, true),
        ];
        for (host, count, good) in hosts {
            let head = RequestHead { host: (host, count), ..get("/") };
            assert_eq!(check(&head, &mut scratch).is_ok(), good, "{host:?}");
        }
        let old = RequestHead { is_http_11: false, host: (None, 0), ..get("/") };
        assert!(check(&old, &mut scratch).is_ok());
    }

    #[test]
    fn entity_tags() {
        for (field, expected) in [
            ("\"x\"", true),
            ("W/\"x\"", true),
            ("*", true),
            (" \"a\", W/\"b\" ,\"x\"", true),
            ("\"a,\\\", \"x\"", true),
            ("\"a\"", false),
            ("\"a\", \"xx\"", false),
            ("x", false),
            ("\"x", false),
            ("", false),
            ("\"a\" \"x\"", false),
            (",", false),
            ("W/", false),
            ("\"a\",", false),
        ] {
            assert_eq!(has_current(field.as_bytes(), b"\"x\""), expected, "for {field:?}");
        }
    }

    /// Whatever the bytes: no panic, and what passes is a clean absolute path.
    #[test]
    fn any_path_is_refused_or_clean() {
        let pieces =
            ["/", ".", "..", "%2e", "%2f", "%5C", "\\", "%", "%00", "a", "é", "%C3", "%A4", "?"];
        let mut state = 1_u64;
        for _ in 0..20_000 {
            let mut path = String::from("/");
            for _ in 0..8 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                path.push_str(
                    pieces[usize::try_from(state >> 40).expect("24 bits") % pieces.len()],
                );
            }
            let mut scratch = [0; PATH_BYTES_MAX];
            if let Ok(clean) = check(&get(&path), &mut scratch) {
                assert!(clean.starts_with('/') && !clean.contains(['\\', '\0']), "{path:?}");
                assert!(!clean.contains("/."), "{path:?} became {clean:?}");
                assert!(clean.matches('/').count() <= path.matches('/').count(), "{path:?}");
            }
        }
    }
}
