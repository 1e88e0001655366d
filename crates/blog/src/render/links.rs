//! Where a link or picture in Markdown leads once the article is a page.
//!
//! The page of `cat-ladder/index.md` is `/article/cat-ladder`, without a slash at its end, and so a
//! browser would look for `plot.svg` one level too high. Relative addresses are therefore resolved
//! here, against the article's folder, as RFC 3986 (section 5.2) does it.

use super::escape;

/// The place of an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// On this page: `#fragment`, `?query` or nothing.
    Here(String),
    /// On this site: path, and then `?query#fragment` if there is any.
    Site {
        /// Percent-encoded, begins with one slash.
        path: String,
        /// Query and fragment as they were, or empty.
        rest: String,
    },
    /// Somewhere else, by a scheme that cannot run code.
    Elsewhere(String),
    /// A scheme that is not on the list: `javascript:`, `data:`, `vbscript:`, `file:` and so on.
    Refused,
}

/// Schemes that may be linked to. A list of the dangerous ones would be wrong with the next browser.
const SCHEMES: [&str; 5] = ["http", "https", "mailto", "tel", "ftp"];

/// Resolves `address`, written in the article `slug`.
#[must_use]
pub fn resolve(slug: &str, address: &str) -> Target {
    // Browsers drop tabs and newlines anywhere and control characters and blanks at both ends
    // before they look for the scheme (WHATWG URL, "basic URL parser"): so must we.
    let address: String = address.chars().filter(|c| !matches!(c, '\t' | '\n' | '\r')).collect();
    let address = address.trim_matches(|c: char| c <= ' ');

    if let Some(scheme) = scheme(address) {
        let known = SCHEMES.iter().any(|good| good.eq_ignore_ascii_case(scheme));
        return if known { Target::Elsewhere(address.to_owned()) } else { Target::Refused };
    }
    // Browsers take a backslash for a slash here.
    let leads_away = |a: &str| a.len() >= 2 && a.bytes().take(2).all(|b| matches!(b, b'/' | b'\\'));
    if leads_away(address) {
        return Target::Elsewhere(address.to_owned());
    }
    let (path, rest) = address.split_at(address.find(['?', '#']).unwrap_or(address.len()));
    if path.is_empty() {
        return Target::Here(rest.to_owned());
    }
    let home = escape::path(slug);
    let mut parts: Vec<&str> =
        if path.starts_with('/') { Vec::new() } else { vec!["article", &home] };
    let encoded = escape::path_again(path);
    let mut folder = false; // whether the path ends as a folder does
    for part in encoded.split('/').skip(usize::from(path.starts_with('/'))) {
        folder = matches!(part, "" | "." | "..");
        match part {
            "." => {}
            ".." => {
                parts.pop();
            }
            "" if folder && part.is_empty() => {}
            part => parts.push(part),
        }
    }
    let is_article = parts.first() == Some(&"article");
    if is_article && parts.len() == 3 && parts[2] == "index.md" {
        parts.pop();
        folder = false;
    }
    // An article's own address has no slash at its end.
    let slash =
        if folder && !parts.is_empty() && !(is_article && parts.len() == 2) { "/" } else { "" };
    Target::Site { path: format!("/{}{slash}", parts.join("/")), rest: rest.to_owned() }
}

/// The scheme of an absolute address: a letter, then letters, digits, `+`, `-`, `.`, then a colon.
/// Anything else before the first colon that no slash, `?` or `#` precedes counts as a scheme too,
/// one that is on no list: refusing a strange relative name is the safe mistake.
fn scheme(address: &str) -> Option<&str> {
    let end = address.find([':', '/', '?', '#', '\\'])?;
    address[end..].starts_with(':').then(|| &address[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_site(address: &str, path: &str, rest: &str) {
        let expected = Target::Site { path: path.to_owned(), rest: rest.to_owned() };
        assert_eq!(resolve("my slug", address), expected, "for {address:?}");
    }

    #[test]
    fn relative_addresses_work_from_the_page() {
        check_site("data.json", "/article/my%20slug/data.json", "");
        check_site("./images/a b.svg", "/article/my%20slug/images/a%20b.svg", "");
        check_site("images/a%20b.svg?x#y", "/article/my%20slug/images/a%20b.svg", "?x#y");
        check_site("../other", "/article/other", "");
        check_site("../other/", "/article/other", "");
        check_site("../other/index.md#part", "/article/other", "#part");
        check_site("index.md", "/article/my%20slug", "");
        check_site(".", "/article/my%20slug", "");
        check_site("../", "/article/", "");
        check_site("../../content/", "/content/", "");
        check_site("../../../../etc/passwd", "/etc/passwd", "");
        check_site("/content/", "/content/", "");
        check_site("/", "/", "");
        check_site("a\\b", "/article/my%20slug/a%5Cb", "");
    }

    #[test]
    fn this_page() {
        assert_eq!(resolve("s", "#a"), Target::Here("#a".into()));
        assert_eq!(resolve("s", "?q#a"), Target::Here("?q#a".into()));
        assert_eq!(resolve("s", " "), Target::Here(String::new()));
    }

    #[test]
    fn schemes_are_a_list_of_the_good() {
        for good in ["https://a.b/c?d#e", "HTTP://a", "mailto:a@b.c", "//host/x", "/\\host/x"] {
            assert_eq!(resolve("s", good), Target::Elsewhere(good.into()), "for {good:?}");
        }
        for bad in [
            "javascript:alert(1)",
            "JaVaScRiPt:alert(1)",
            " \u{1}javascript:alert(1)",
            "java\nscript:alert(1)",
            "java\tscript:alert(1)",
            "javascript\r:alert(1)",
            "vbscript:x",
            "data:text/html,<script>",
            "file:///etc/passwd",
            "blob:x",
            "view-source:x",
            ":x",
            "java script:x",
            "&#106;avascript:x",
        ] {
            let got = resolve("s", bad);
            // An entity that Markdown did not decode is no scheme; its `#` begins a fragment of a
            // relative address.
            let harmless = matches!(&got, Target::Site { path, .. } if path == "/article/s/%26");
            assert!(got == Target::Refused || harmless, "{bad:?} became {got:?}");
        }
    }
}
