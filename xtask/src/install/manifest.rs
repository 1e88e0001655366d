//! The list of what is installed below a prefix: a digest and a path a line.

use super::Content;
use crate::error::{Error, Result};
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Where the list lies, relative to the prefix.
pub(super) const MANIFEST: &str = "share/lissom/manifest";

/// Tells contents apart (FNV-1a). Against accidents, not against somebody who forges it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Digest(u64);

impl Digest {
    fn new(kind: u8, bytes: &[u8]) -> Self {
        let step =
            |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        Digest([kind].iter().chain(bytes).fold(0xcbf2_9ce4_8422_2325, step))
    }
}

/// The digest that `content` will have once it is there.
pub(super) fn digest_of(content: &Content) -> Digest {
    match content {
        Content::File { bytes, .. } => Digest::new(b'f', bytes),
        Content::Link(target) => Digest::new(b'l', target.as_bytes()),
    }
}

/// The digest of what is at `path`; `None` when nothing is.
pub(super) fn digest_at(path: &Path) -> Result<Option<Digest>> {
    let digest = path.symlink_metadata().and_then(|kind| {
        Ok(if kind.is_symlink() {
            Digest::new(b'l', fs::read_link(path)?.as_os_str().as_bytes())
        } else if kind.is_file() {
            Digest::new(b'f', &fs::read(path)?)
        } else {
            // A folder, a device: there, and never ours.
            Digest::new(b'o', b"")
        })
    });
    match digest {
        Ok(digest) => Ok(Some(digest)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::failed(path.display(), error)),
    }
}

/// What is installed. A path may be listed with two digests while one replaces the other.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Manifest {
    entries: BTreeSet<(String, Digest)>,
}

impl Manifest {
    /// Reads the list below `top`; empty when there is none.
    pub(super) fn read(top: &Path) -> Result<Self> {
        let path = top.join(MANIFEST);
        let text = match fs::read_to_string(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Manifest::default()),
            other => other.map_err(Error::at(&path))?,
        };
        let entry = |line: &str| {
            let (digest, path) = line.split_once("  ")?;
            let inside = !path.starts_with('/') && path.split('/').all(|part| part != "..");
            let digest = u64::from_str_radix(digest, 16).ok()?;
            inside.then(|| (path.to_owned(), Digest(digest)))
        };
        let entries = text.lines().map(entry).collect::<Option<_>>();
        let entries =
            entries.ok_or_else(|| Error::failed(path.display(), "is not a list of ours"))?;
        Ok(Manifest { entries })
    }

    /// Replaces the list below `top`.
    pub(super) fn write(&self, top: &Path) -> Result {
        let text: String = self
            .entries
            .iter()
            .map(|(path, digest)| format!("{:016x}  {path}\n", digest.0))
            .collect();
        let content = Content::File { bytes: text.into_bytes(), executable: false };
        super::write(&top.join(MANIFEST), &content)
    }

    pub(super) fn add(&mut self, path: &str, digest: Digest) {
        self.entries.insert((path.to_owned(), digest));
    }

    /// Whether `path` with this content is ours.
    pub(super) fn lists(&self, path: &str, digest: Digest) -> bool {
        self.entries.contains(&(path.to_owned(), digest))
    }

    /// Whether `path` is ours, with any content.
    pub(super) fn names(&self, path: &str) -> bool {
        self.entries.iter().any(|(listed, _)| listed == path)
    }

    /// Paths, each once.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        let mut last = None;
        self.entries
            .iter()
            .map(|(path, _)| path.as_str())
            .filter(move |path| last.replace(*path) != Some(*path))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Everything that is in one of the two.
    pub(super) fn union(&self, other: &Self) -> Self {
        Manifest { entries: self.entries.union(&other.entries).cloned().collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_as_it_was_written() {
        let folder = lissom_testkit::folder();
        let mut manifest = Manifest::default();
        manifest.add("bin/a", Digest(1));
        manifest.add("bin/a", Digest(2));
        manifest.add("bin/b c", Digest(u64::MAX));
        manifest.write(folder.path()).unwrap();
        let again = Manifest::read(folder.path()).unwrap();
        assert_eq!(again, manifest);
        assert_eq!(again.paths().collect::<Vec<_>>(), ["bin/a", "bin/b c"]);
        assert!(again.lists("bin/a", Digest(2)) && !again.lists("bin/a", Digest(3)));
    }

    #[test]
    fn a_list_that_leads_elsewhere_is_refused() {
        for line in ["nonsense\n", "00  ../../etc/passwd\n", "00  /etc/passwd\n", "xx  bin/a\n"] {
            let folder = lissom_testkit::folder();
            let path = folder.path().join(MANIFEST);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, line).unwrap();
            assert!(Manifest::read(folder.path()).is_err(), "{line}");
        }
    }

    #[test]
    fn a_link_is_not_its_target() {
        let folder = lissom_testkit::folder();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "file").unwrap();
        std::os::unix::fs::symlink("file", at("link")).unwrap();
        let content = Content::File { bytes: b"file".to_vec(), executable: false };
        assert_eq!(digest_at(&at("file")).unwrap(), Some(digest_of(&content)));
        assert_eq!(digest_at(&at("link")).unwrap(), Some(digest_of(&Content::Link("file"))));
        assert_ne!(digest_at(&at("file")).unwrap(), digest_at(&at("link")).unwrap());
        assert_eq!(digest_at(&at("none")).unwrap(), None);
        assert!(digest_at(folder.path()).unwrap().is_some());
    }
}
