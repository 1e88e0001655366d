//! Whether the user's locale writes UTF-8, by glibc's rules and without glibc.
//!
//! Asked only when a message needs it, so that the cost falls on failures. As in glibc, a locale is
//! in force only if every category's is installed; otherwise all of them are C. Known gaps: aliases
//! (`locale.alias`), and names without a character set that mean UTF-8 all the same (`en_IN`) count
//! as C.

use core::ffi::CStr;

use crate::rt::io::read;
use crate::rt::sys::{self, Owned};
use crate::rt::{Arg, find_variable};

const CATEGORIES: [&str; 12] = [
    "LC_CTYPE",
    "LC_NUMERIC",
    "LC_TIME",
    "LC_COLLATE",
    "LC_MONETARY",
    "LC_MESSAGES",
    "LC_PAPER",
    "LC_NAME",
    "LC_ADDRESS",
    "LC_TELEPHONE",
    "LC_MEASUREMENT",
    "LC_IDENTIFICATION",
];

/// Where installed locales are.
const FOLDER: &[u8] = b"/usr/lib/locale";

/// The longest name of a locale, and of a file of one, that is looked for.
const NAME_MAX: usize = 64;
const PATH_MAX: usize = 256;

/// Whether messages may use UTF-8: the character set of the locale in force.
#[must_use]
pub fn is_utf8(environment: &[Arg]) -> bool {
    let value = |name| find_variable(environment, name).filter(|value| !value.is_empty());
    let locale = |category| {
        value("LC_ALL").or_else(|| value(category)).or_else(|| value("LANG")).unwrap_or(b"C")
    };
    let ctype = Name::new(locale("LC_CTYPE"));
    if !ctype.as_ref().is_some_and(Name::is_utf8) {
        return false;
    }
    let paths = value("LOCPATH");
    let mut last: &[u8] = b"C";
    CATEGORIES.into_iter().all(|category| {
        let name = locale(category);
        // Mostly they are all the same.
        core::mem::replace(&mut last, name) == name
            || Name::new(name).is_some_and(|name| name.is_installed(category, paths))
    })
}

/// A locale's name, its character set in small letters and digits only, as files have it.
struct Name {
    text: [u8; NAME_MAX],
    length: usize,
    /// Where the character set begins, and where what follows it begins.
    set: (usize, usize),
}

impl Name {
    /// `None` for what cannot be one.
    fn new(name: &[u8]) -> Option<Self> {
        if name.len() >= NAME_MAX || name.contains(&b'/') {
            return None;
        }
        let mut made = Self { text: [0; NAME_MAX], length: 0, set: (0, 0) };
        let dot = name.iter().position(|&byte| byte == b'.').map_or(name.len(), |dot| dot + 1);
        let at = name.iter().position(|&byte| byte == b'@').unwrap_or(name.len());
        for (index, &byte) in name.iter().enumerate() {
            if index == dot {
                made.set.0 = made.length;
            }
            let shown = if index < dot || index >= at {
                byte
            } else if byte.is_ascii_alphanumeric() {
                byte.to_ascii_lowercase()
            } else {
                continue;
            };
            made.text[made.length] = shown;
            made.length += 1;
            if index < at {
                made.set.1 = made.length;
            }
        }
        Some(made)
    }

    fn bytes(&self) -> &[u8] {
        &self.text[..self.length]
    }

    fn is_utf8(&self) -> bool {
        self.set.0 > 0 && self.text.get(self.set.0..self.set.1) == Some(b"utf8")
    }

    fn is_installed(&self, category: &str, paths: Option<&[u8]>) -> bool {
        if matches!(self.bytes(), b"C" | b"POSIX" | b"C.utf8") {
            return true;
        }
        if let Some(paths) = paths {
            return paths.split(|&byte| byte == b':').any(|path| self.has_file(path, category));
        }
        self.is_in_archive() || self.has_file(FOLDER, category)
    }

    /// Whether `folder` has this locale's file for `category`.
    fn has_file(&self, folder: &[u8], category: &str) -> bool {
        let messages: &[u8] = if category == "LC_MESSAGES" { b"/SYS_LC_MESSAGES" } else { b"" };
        let mut path = [0; PATH_MAX];
        let mut length = 0;
        for part in [folder, b"/", self.bytes(), b"/", category.as_bytes(), messages] {
            let Some(place) = path.get_mut(length..length + part.len()) else {
                return false;
            };
            place.copy_from_slice(part);
            length += part.len();
        }
        CStr::from_bytes_until_nul(&path).is_ok_and(|path| sys::open(path, 0).is_ok())
    }

    /// Whether glibc's archive of locales lists this one.
    fn is_in_archive(&self) -> bool {
        sys::open(c"/usr/lib/locale/locale-archive", 0)
            .is_ok_and(|archive| self.is_listed(&archive).unwrap_or(false))
    }

    /// Looks for the name, between zero bytes, in the table of strings. The header has the table's
    /// offset as its sixth number of four bytes, and its length as the seventh.
    fn is_listed(&self, archive: &Owned) -> Option<bool> {
        let mut buffer = [0; 4096];
        let mut at = 0;
        let mut table = 0..0;
        // How many bytes of the name were just seen; `None` until the next zero byte.
        let mut seen = None;
        loop {
            let length = read(archive.fd(), &mut buffer).ok().filter(|&length| length > 0)?;
            if at == 0 {
                let word = |index: usize| {
                    let bytes = buffer[4 * index..][..4].try_into().ok()?;
                    usize::try_from(u32::from_ne_bytes(bytes)).ok()
                };
                table = word(5)?..word(5)?.checked_add(word(6)?)?;
            }
            for &byte in &buffer[..length] {
                if table.contains(&at) || at + 1 == table.start {
                    seen = match (seen, byte) {
                        (Some(count), 0) if count == self.length && count > 0 => return Some(true),
                        (_, 0) => Some(0),
                        _ if at + 1 == table.start => Some(0),
                        (Some(count), _) if self.bytes().get(count) == Some(&byte) => {
                            Some(count + 1)
                        }
                        _ => None,
                    };
                }
                at += 1;
            }
            if at >= table.end {
                return Some(false);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::{CStr, CString};

    #[test]
    fn the_locale_in_force_decides() {
        let check = |variables: &[&str], expected| {
            let environment: Vec<_> = variables
                .iter()
                .map(|text| {
                    let text: &'static CStr =
                        Box::leak(CString::new(*text).unwrap().into_boxed_c_str());
                    Arg::new(text)
                })
                .collect();
            assert_eq!(is_utf8(&environment), expected, "{variables:?}");
        };
        check(&[], false);
        check(&["LC_ALL=C"], false);
        check(&["LC_ALL=C.UTF-8"], true);
        check(&["LANG=C.utf8"], true);
        check(&["LC_ALL=", "LANG=C.UTF8"], true);
        check(&["LANG=C", "LC_CTYPE=C.UTF-8"], true);
        check(&["LC_ALL=C", "LC_CTYPE=C.UTF-8"], false);
        check(&["LC_ALL=xx_YY.UTF-8"], false);
        check(&["LC_CTYPE=C.UTF-8", "LC_TIME=xx_YY"], false);
        check(&["LC_ALL=C.UTF-8", "LC_TIME=xx_YY"], true);
    }

    #[test]
    fn character_sets_are_normalised() {
        let check = |name: &str, expected: &str, utf8| {
            let name = Name::new(name.as_bytes()).unwrap();
            assert_eq!(name.bytes(), expected.as_bytes());
            assert_eq!(name.is_utf8(), utf8);
        };
        check("en_US.UTF-8", "en_US.utf8", true);
        check("ca_ES.UTF-8@valencia", "ca_ES.utf8@valencia", true);
        check("de_DE.ISO-8859-1", "de_DE.iso88591", false);
        check("de_DE@euro", "de_DE@euro", false);
        check("C", "C", false);
        assert!(Name::new(b"/tmp/x").is_none());
        assert!(Name::new(&[b'x'; NAME_MAX]).is_none());
    }
}
