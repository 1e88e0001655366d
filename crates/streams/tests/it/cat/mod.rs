//! `lissom-cat` as its users see it.

mod differential;
mod faults;
mod generate;
mod options;
mod traps;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::support::Outcome;

/// The installed GNU `cat`, or `None` where there is none, said once and loudly; under `CI` that
/// is a failure.
fn gnu() -> Option<&'static str> {
    gnu_version().map(|_| GNU)
}

const GNU: &str = "/usr/bin/cat";

/// Its version: 9.1 is `(9, 1)`.
fn gnu_version() -> Option<(u32, u32)> {
    static VERSION: OnceLock<Option<(u32, u32)>> = OnceLock::new();
    *VERSION.get_or_init(|| {
        let output = Command::new(GNU).arg("--version").output().ok();
        let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
        let version = text.as_deref().and_then(|text| {
            let number = text.lines().next()?.strip_prefix("cat (GNU coreutils) ")?;
            let (major, minor) = number.split_once('.')?;
            let minor: String = minor.chars().take_while(char::is_ascii_digit).collect();
            Some((major.parse().ok()?, minor.parse().ok()?))
        });
        if version.is_none() {
            lissom_testkit::absent("GNU cat");
        }
        version
    })
}

/// A folder to work in, and beside it one with a `cat` that is the program at `path`: a shell
/// finds it there, and calls it `cat`.
struct Place {
    root: tempfile::TempDir,
}

impl Place {
    fn new(program: &str) -> Self {
        let root = lissom_testkit::folder();
        fs::create_dir(root.path().join("bin")).expect("a folder");
        fs::create_dir(root.path().join("work")).expect("a folder");
        symlink(program, root.path().join("bin/cat")).expect("a link");
        Self { root }
    }

    fn ours() -> Self {
        Self::new(env!("CARGO_BIN_EXE_lissom-cat"))
    }

    fn work(&self) -> std::path::PathBuf {
        self.root.path().join("work")
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.work().join(name), bytes).expect("a file");
    }

    /// Runs a script in which `cat` is the program, and other programs have their full path.
    fn shell(&self, script: &str) -> Outcome {
        let mut command = Command::new("/bin/bash");
        command.args(["-c", script]).current_dir(self.work()).env_clear();
        command.env("LC_ALL", "C.UTF-8").env("PATH", self.root.path().join("bin"));
        let output = command.stdin(Stdio::null()).output().expect("a shell");
        Outcome::from(output)
    }
}

/// What there is in `folder`, by name.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry"))
        .filter(|entry| entry.file_type().expect("a kind").is_file())
        .map(|entry| {
            let bytes = fs::read(entry.path()).expect("a file");
            (entry.file_name().to_string_lossy().into_owned(), bytes)
        })
        .collect();
    files.sort();
    files
}
