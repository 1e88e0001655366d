//! Inputs: made once, the same bytes on every machine, kept in the cache.

use crate::error::{Error, Result};
use crate::suite::Input;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// An input on the disk, in the page cache, and as bytes to feed and to compare with.
#[derive(Debug)]
pub struct Ready {
    /// The file; or the folder, if it is many files.
    pub path: PathBuf,
    /// What is in it; of many files, one after the other.
    pub contents: Vec<u8>,
    /// Names of the many files, in their folder.
    pub names: Vec<String>,
}

/// Makes the input in `cache` unless it is there, and reads it.
///
/// # Errors
/// When the cache cannot be written or read.
pub fn ready(input: &Input, cache: &Path) -> Result<Ready> {
    let folder = cache.join("inputs");
    fs::create_dir_all(&folder).map_err(|cause| Error::file(&folder, cause))?;
    let path = folder.join(name(input));
    if !path.exists() {
        // Written beside it and renamed: an interrupted run must not leave half an input.
        let part = folder.join(format!("{}.{}.part", name(input), std::process::id()));
        let made = make(input, &part).and_then(|()| fs::rename(&part, &path));
        if let Err(cause) = made {
            drop(fs::remove_file(&part).or_else(|_| fs::remove_dir_all(&part)));
            return Err(Error::file(&path, cause));
        }
    }
    let failed = |cause| Error::file(&path, cause);
    let names: Vec<String> = (0..input.files.unwrap_or(0)).map(file_name).collect();
    let contents = if input.files.is_some() {
        let read = |name: &String| fs::read(path.join(name));
        names.iter().map(read).collect::<io::Result<Vec<_>>>().map_err(failed)?.concat()
    } else {
        fs::read(&path).map_err(failed)?
    };
    Ok(Ready { path, contents, names })
}

/// Short, so that thousands of names fit on a command line.
fn file_name(number: u32) -> String {
    format!("f{number}")
}

fn name(input: &Input) -> String {
    match input {
        Input { seq: Some(last), .. } => format!("seq-{last}.txt"),
        Input { text_mib: Some(mib), .. } => format!("text-{mib}-mib.txt"),
        Input { random_mib: Some(mib), .. } => format!("random-{mib}-mib.bin"),
        Input { files, .. } => format!("files-{}", files.unwrap_or(0)),
    }
}

fn make(input: &Input, path: &Path) -> io::Result<()> {
    if let Some(files) = input.files {
        fs::create_dir(path)?;
        for number in 0..files {
            fs::write(path.join(file_name(number)), format!("This is file number {number}.\n"))?;
        }
        return Ok(());
    }
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
    for number in 1..=input.seq.unwrap_or(0) {
        writeln!(out, "{number}")?;
    }
    text(input.text_mib.unwrap_or(0) << 20, &mut out)?;
    let mut random = SplitMix64(0x0062_7974_6573);
    for _ in 0..(input.random_mib.unwrap_or(0) << 20) / 8 {
        out.write_all(&random.next().to_le_bytes())?;
    }
    out.flush()
}

/// Lines of 1 to 16 lower-case words, from a fixed seed, exactly `bytes` long with a newline at
/// the end.
fn text(bytes: u64, out: &mut impl Write) -> io::Result<()> {
    let mut random = SplitMix64(0x6c69_7373_6f6d);
    let mut line = Vec::with_capacity(256);
    let mut left = bytes;
    while left > 0 {
        line.clear();
        for _ in 0..=random.next() % 16 {
            let mut letters = random.next();
            for _ in 0..2 + random.next() % 8 {
                line.push(b'a' + (letters % 26) as u8);
                letters /= 26;
            }
            line.push(b' ');
        }
        line.truncate(usize::try_from(left).unwrap_or(usize::MAX));
        *line.last_mut().expect("a line has a word") = b'\n';
        out.write_all(&line)?;
        left -= line.len() as u64;
    }
    Ok(())
}

/// The generator of Steele, Lea and Flood (2014): a counter and a finaliser.
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(seq: Option<u64>, text_mib: Option<u64>) -> Input {
        let (id, label) = ("i".into(), "I".into());
        Input { id, label, seq, text_mib, random_mib: None, files: None }
    }

    #[test]
    fn numbers_are_those_of_seq() {
        let cache = lissom_testkit::folder();
        let made = ready(&input(Some(12), None), cache.path()).unwrap();
        assert_eq!(fs::read(&made.path).unwrap(), b"1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n");
        assert_eq!(made.contents.len(), 27);
    }

    #[test]
    fn text_is_exactly_as_long_as_asked_and_always_the_same() {
        let cache = lissom_testkit::folder();
        let made = ready(&input(None, Some(1)), cache.path()).unwrap();
        let bytes = made.contents;
        assert_eq!(bytes.len(), 1 << 20);
        assert!(bytes.ends_with(b"\n"));
        // bufio.Scanner refuses lines of 64 KiB; these stay far below.
        assert!(bytes.split(|&byte| byte == b'\n').all(|line| line.len() < 200));
        let mut again = Vec::new();
        text(1 << 20, &mut again).unwrap();
        assert!(again == bytes);
    }

    #[test]
    fn many_files_are_their_contents_in_a_row() {
        let cache = lissom_testkit::folder();
        let many = Input { files: Some(3), ..input(None, None) };
        let made = ready(&many, cache.path()).unwrap();
        let expected = b"This is file number 0.\nThis is file number 1.\nThis is file number 2.\n";
        assert_eq!(made.contents, expected);
        assert_eq!(made.names, ["f0", "f1", "f2"]);
        assert_eq!(ready(&many, cache.path()).unwrap().contents, expected);
    }

    #[test]
    fn random_bytes_are_all_bytes() {
        let cache = lissom_testkit::folder();
        let random = Input { random_mib: Some(1), ..input(None, None) };
        let made = ready(&random, cache.path()).unwrap();
        assert_eq!(made.contents.len(), 1 << 20);
        assert!((0..=255).all(|byte| made.contents.contains(&byte)));
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_named() {
        let cache = lissom_testkit::folder();
        let blocked = cache.path().join("file");
        fs::write(&blocked, "").unwrap();
        let message = ready(&input(Some(1), None), &blocked).unwrap_err().to_string();
        assert!(message.contains("/file/inputs: "), "{message}");
    }
}
