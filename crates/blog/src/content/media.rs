//! Which files beside an article are served, and as what.
//!
//! An allow-list: a type that is not here is not served, so that an editor's backup or a script
//! that drew the figures does not become public by lying in the folder. No type here can run
//! script in a page of the site (SVG could; its answers forbid it, see `site`).

/// Media types by extension, in the order of the alphabet.
const TYPES: [(&str, &str); 14] = [
    ("avif", "image/avif"),
    ("css", "text/css; charset=utf-8"),
    ("csv", "text/csv; charset=utf-8"),
    ("gif", "image/gif"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("json", "application/json"),
    ("jsonl", "application/jsonl"),
    ("pdf", "application/pdf"),
    ("png", "image/png"),
    ("svg", "image/svg+xml"),
    ("txt", "text/plain; charset=utf-8"),
    ("webp", "image/webp"),
    ("woff2", "font/woff2"),
];

/// The `Content-Type` of a file name, or `None` if such files are not served.
#[must_use]
pub fn media_type(name: &str) -> Option<&'static str> {
    let (stem, extension) = name.rsplit_once('.')?;
    if stem.is_empty() {
        return None; // `.svg` is a hidden file, not a picture
    }
    let found = TYPES.iter().find(|(known, _)| known.eq_ignore_ascii_case(extension));
    found.map(|(_, media_type)| *media_type)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_unknown_and_hidden() {
        assert_eq!(media_type("a.b.svg"), Some("image/svg+xml"));
        assert_eq!(media_type("A.JPG"), Some("image/jpeg"));
        for name in ["index.md", "run.sh", "a.svg~", "svg", ".svg", "page.html", "x.js", ""] {
            assert_eq!(media_type(name), None, "{name}");
        }
    }

    #[test]
    fn the_table_is_sorted_and_without_duplicates() {
        assert!(TYPES.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }
}
