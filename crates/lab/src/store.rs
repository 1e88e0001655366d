//! Raw results: JSON lines that are only ever appended to.
//!
//! Three kinds of line. A `session` says where, when and with which programs was measured. A
//! `check` holds what does not change between runs of a program on a case. A `round` holds one
//! timed run of every contender of a case, and is what ratios are taken in.
//!
//! A round is found again by its *key*: a hash of the case, its input, the machine and the bytes
//! of every contender. So rounds of several sessions add up, and a changed program starts anew.

use crate::error::{Error, Result};
use crate::program::Identity;
use crate::run::{Facts, Sample};
use crate::stamp::Stamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// One line of the results file.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Line {
    /// A measurement began.
    Session {
        /// Names the session in other lines: its date and the process.
        id: String,
        /// Suite that was measured.
        suite: String,
        /// Where and when.
        stamp: Stamp,
        /// Programs that were here, by id.
        here: BTreeMap<String, Identity>,
        /// Programs that were not, with the reason.
        missing: BTreeMap<String, String>,
    },
    /// A program was checked on a case.
    Check {
        /// The session.
        session: String,
        /// See the module's text.
        key: String,
        /// Case, by id.
        case: String,
        /// Program, by id.
        program: String,
        /// What was found.
        facts: Facts,
    },
    /// Every contender ran once for time.
    Round {
        /// The session.
        session: String,
        /// See the module's text.
        key: String,
        /// Case, by id.
        case: String,
        /// Programs in the order in which they ran.
        order: Vec<String>,
        /// Their samples.
        samples: BTreeMap<String, Sample>,
    },
}

/// The results file, read and ready to be appended to.
pub struct Store {
    path: PathBuf,
    lines: Vec<Line>,
    /// Line numbers that could not be read, each with the reason.
    pub unreadable: Vec<(usize, String)>,
}

impl Store {
    /// Reads the file; a missing one is empty. Lines that make no sense are kept in the file,
    /// noted in [`Store::unreadable`] and left out.
    ///
    /// # Errors
    /// When the file is there and cannot be read.
    pub fn open(path: &Path) -> Result<Store> {
        let mut store =
            Store { path: path.to_path_buf(), lines: Vec::new(), unreadable: Vec::new() };
        // A device may have no end to read to, and a pipe nobody at its other end.
        match fs::metadata(path) {
            Ok(found) if found.is_file() => {}
            Ok(_) => return Err(Error::file(path, io::Error::other("not a regular file"))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(store),
            Err(cause) => return Err(Error::file(path, cause)),
        }
        let file = File::open(path).map_err(|cause| Error::file(path, cause))?;
        for (index, line) in BufReader::new(file).split(b'\n').enumerate() {
            let line = line.map_err(|cause| Error::file(path, cause))?;
            match serde_json::from_slice(&line) {
                Ok(line) => store.lines.push(line),
                Err(error) => store.unreadable.push((index + 1, error.to_string())),
            }
        }
        Ok(store)
    }

    /// Appends one line, whole or not at all: on a full disk the part that was written is cut off
    /// again, and what was there before stays.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn append(&mut self, line: Line) -> Result<()> {
        let failed = |cause| Error::file(&self.path, cause);
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        let mut file = File::options()
            .read(true)
            .append(true)
            .create(true)
            .open(&self.path)
            .map_err(failed)?;
        // Another lab may append too, and must not be cut off with our torn line.
        file.lock().map_err(failed)?;
        let before = file.metadata().map_err(failed)?.len();
        let mut bytes = Vec::new();
        if !ends_a_line(&file, before).map_err(failed)? {
            bytes.push(b'\n'); // what a killed lab left behind must not swallow this line
        }
        serde_json::to_writer(&mut bytes, &line).expect("maps with string keys become JSON");
        bytes.push(b'\n');
        if let Err(cause) = file.write_all(&bytes) {
            // If this fails too, the next reader leaves the torn line out.
            drop(file.set_len(before));
            return Err(failed(cause));
        }
        self.lines.push(line);
        Ok(())
    }

    /// The rounds with this key, oldest first, with their sessions.
    pub fn rounds(
        &self,
        key: &str,
    ) -> impl DoubleEndedIterator<Item = (&String, &BTreeMap<String, Sample>)> {
        self.lines.iter().filter_map(move |line| match line {
            Line::Round { session, key: found, samples, .. } if found == key => {
                Some((session, samples))
            }
            _ => None,
        })
    }

    /// The newest check of `program` under this key.
    #[must_use]
    pub fn facts(&self, key: &str, program: &str) -> Option<&Facts> {
        self.lines.iter().rev().find_map(|line| match line {
            Line::Check { key: found, program: name, facts, .. }
                if found == key && name == program =>
            {
                Some(facts)
            }
            _ => None,
        })
    }

    /// The stamp of a session.
    #[must_use]
    pub fn stamp(&self, session: &str) -> Option<&Stamp> {
        self.lines.iter().rev().find_map(|line| match line {
            Line::Session { id, stamp, .. } if id == session => Some(stamp),
            _ => None,
        })
    }
}

/// Whether the file of so many bytes is empty or ends in a newline.
fn ends_a_line(file: &File, bytes: u64) -> io::Result<bool> {
    let mut last = [b'\n'];
    if bytes > 0 {
        file.read_exact_at(&mut last, bytes - 1)?;
    }
    Ok(last == [b'\n'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(program: &str, syscalls: u64) -> Line {
        let facts = Facts {
            wrong: None,
            failed: None,
            syscalls: Some(syscalls),
            syscalls_capped: false,
            peak_kib: None,
            uncounted: None,
        };
        Line::Check {
            session: "s".into(),
            key: "k".into(),
            case: "c".into(),
            program: program.into(),
            facts,
        }
    }

    #[test]
    fn what_is_appended_is_read_again_and_the_newest_counts() {
        let folder = lissom_testkit::folder();
        let path = folder.path().join("new/results.jsonl");
        let mut store = Store::open(&path).unwrap();
        store.append(check("p", 1)).unwrap();
        store.append(check("p", 2)).unwrap();
        for store in [store, Store::open(&path).unwrap()] {
            assert_eq!(store.facts("k", "p").unwrap().syscalls, Some(2));
            assert_eq!(store.facts("k", "q"), None);
            assert_eq!(store.facts("other", "p"), None);
        }
    }

    #[test]
    fn a_line_that_makes_no_sense_is_noted_and_kept() {
        let folder = lissom_testkit::folder();
        let path = folder.path().join("results.jsonl");
        fs::write(&path, "{\"kind\":\"round\"\n").unwrap();
        let mut store = Store::open(&path).unwrap();
        store.append(check("p", 1)).unwrap();
        let store = Store::open(&path).unwrap();
        assert_eq!(store.unreadable.len(), 1);
        assert_eq!(store.unreadable[0].0, 1);
        assert!(store.facts("k", "p").is_some());
        assert!(fs::read_to_string(&path).unwrap().starts_with("{\"kind\":\"round\"\n"));
    }

    #[test]
    fn a_torn_last_line_does_not_swallow_the_next() {
        let folder = lissom_testkit::folder();
        let path = folder.path().join("results.jsonl");
        fs::write(&path, "{\"kind\":\"ro").unwrap();
        Store::open(&path).unwrap().append(check("p", 1)).unwrap();
        let store = Store::open(&path).unwrap();
        assert_eq!(store.unreadable.len(), 1);
        assert!(store.facts("k", "p").is_some());
    }

    #[test]
    fn a_full_disk_is_named_and_loses_nothing() {
        // A device that is always full stands in for a full disk.
        let mut store = Store::open(Path::new("/nonexistent")).unwrap();
        store.path = PathBuf::from("/dev/full");
        let message = store.append(check("p", 1)).unwrap_err().to_string();
        assert!(message.starts_with("/dev/full: No space left on device"), "{message}");
        assert!(store.facts("k", "p").is_none());
    }
}
