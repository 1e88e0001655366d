//! Contenders: a program of a suite, found (or built) on this machine, with its version and the
//! fingerprint of its bytes; or missing, with the reason.

use crate::place::Place;
use crate::suite::Program;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A program as it is on this machine.
#[derive(Clone, Debug)]
pub struct Contender {
    /// Its description in the suite.
    pub program: Program,
    /// How to run it, or why it cannot be run.
    pub state: State,
}

/// Whether a program can be run here.
#[derive(Clone, Debug)]
pub enum State {
    /// It can.
    Here {
        /// Absolute path.
        path: PathBuf,
        /// Arguments.
        arguments: Vec<String>,
        /// What is told about it.
        identity: Identity,
    },
    /// It cannot, for this reason.
    Missing(String),
}

/// What tells one build of a program from another.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// First line of what it says of its version, or of the compiler that built it.
    pub version: String,
    /// FNV-1a of its file, in hexadecimal.
    pub fingerprint: String,
    /// Size of its file in bytes.
    pub bytes: u64,
}

impl Contender {
    /// Finds `program`, building it first if it is one of the Go rungs.
    #[must_use]
    pub fn find(program: &Program, place: &Place) -> Contender {
        let state = match locate(program, place) {
            Ok((path, arguments)) => match identify(&path, program) {
                Ok(identity) => State::Here { path, arguments, identity },
                Err(reason) => State::Missing(reason),
            },
            Err(reason) => State::Missing(reason),
        };
        Contender { program: program.clone(), state }
    }

    /// Name in the suite.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.program.id
    }

    /// Version and fingerprint, when it is here.
    #[must_use]
    pub fn identity(&self) -> Option<&Identity> {
        match &self.state {
            State::Here { identity, .. } => Some(identity),
            State::Missing(_) => None,
        }
    }

    /// The command that runs it.
    ///
    /// # Panics
    /// When it is missing: callers measure only what is here.
    #[must_use]
    pub fn command(&self) -> Command {
        let State::Here { path, arguments, .. } = &self.state else {
            panic!("{} is missing and was to be run", self.id());
        };
        let mut command = Command::new(path);
        command.args(arguments);
        command
    }
}

/// Path and arguments, or the reason why there are none.
fn locate(program: &Program, place: &Place) -> Result<(PathBuf, Vec<String>), String> {
    if let Some(folder) = &program.go {
        return Ok((
            build_go(&program.id, &place.root.join("crates/lab").join(folder), place)?,
            vec![],
        ));
    }
    if let Some(variable) = &program.variable {
        let path = std::env::var_os(variable).ok_or_else(|| format!("{variable}: not set"))?;
        let found = search(Path::new(&path), std::env::var_os("PATH").as_ref());
        return Ok((found.ok_or_else(|| format!("{variable}: no such program"))?, vec![]));
    }
    let bin = place.bin.to_string_lossy();
    let mut words = program.command.iter().map(|word| word.replace("{bin}", &bin));
    let name = words.next().expect("a suite with an empty command is refused");
    let path = search(Path::new(&name), std::env::var_os("PATH").as_ref())
        .ok_or_else(|| format!("{}: not found", display(&name, place)))?;
    Ok((path, words.collect()))
}

/// A path without the part that only this machine knows.
fn display(name: &str, place: &Place) -> String {
    let path = Path::new(name);
    path.strip_prefix(&place.bin).unwrap_or(path).display().to_string()
}

/// The executable file called `name`: as it is with a slash in it, else along `path`.
fn search(name: &Path, path: Option<&OsString>) -> Option<PathBuf> {
    let executable = |file: &PathBuf| {
        fs::metadata(file)
            .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
    };
    if name.components().count() > 1 {
        return Some(name.to_path_buf()).filter(executable);
    }
    std::env::split_paths(path?).map(|folder| folder.join(name)).find(executable)
}

/// Builds the Go program in `folder` into the cache.
fn build_go(id: &str, folder: &Path, place: &Place) -> Result<PathBuf, String> {
    let bin = place.cache.join("bin");
    let built = bin.join(id);
    let output = Command::new("go")
        .args(["build", "-trimpath", "-buildvcs=false", "-o"])
        .args([built.as_os_str(), ".".as_ref()])
        .current_dir(folder)
        // The rungs need the standard library alone; nothing is to be fetched for them.
        .envs([("GOFLAGS", "-mod=readonly"), ("GOTOOLCHAIN", "local"), ("GOPROXY", "off")])
        .stdin(Stdio::null())
        .output();
    match output {
        Ok(output) if output.status.success() => Ok(built),
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stderr);
            let line = text.lines().find(|line| !line.starts_with('#')).unwrap_or("no message");
            Err(format!("go build: {line}"))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            // The same error comes for a folder that is not there.
            let what = if folder.is_dir() { "go" } else { "its sources" };
            Err(format!("{what}: not found"))
        }
        Err(error) => Err(format!("go: {error}")),
    }
}

fn identify(path: &Path, program: &Program) -> Result<Identity, String> {
    let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let compiler: &[&str] = match program.language.as_str() {
        "Go" => &["go", "version"],
        "Rust" => &["rustc", "--version"],
        _ => &[],
    };
    let asked = if program.version.is_empty() {
        first_line(compiler)
    } else {
        let own = path.to_string_lossy();
        let words: Vec<_> =
            program.version.iter().map(|word| word.replace("{self}", &own)).collect();
        first_line(&words.iter().map(String::as_str).collect::<Vec<_>>())
    };
    Ok(Identity {
        version: asked.unwrap_or_default(),
        fingerprint: format!("{:016x}", fnv1a(bytes.iter().copied())),
        bytes: bytes.len() as u64,
    })
}

/// First line that a command prints.
fn first_line(words: &[&str]) -> Option<String> {
    let (name, arguments) = words.split_first()?;
    let output = Command::new(name).args(arguments).stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().next().map(str::to_owned)
}

/// Fowler, Noll and Vo's hash, variant 1a, 64 bits: to notice a changed file, not to withstand
/// anybody.
#[must_use]
pub fn fnv1a(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_the_published_one() {
        // From the authors' test vectors.
        assert_eq!(fnv1a(*b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(*b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn programs_are_searched_as_a_shell_does() {
        let folder = lissom_testkit::folder();
        let tool = folder.path().join("tool");
        fs::write(&tool, "").unwrap();
        let path = folder.path().as_os_str().to_owned();
        assert_eq!(search(Path::new("tool"), Some(&path)), None, "not executable");
        fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(search(Path::new("tool"), Some(&path)), Some(tool.clone()));
        assert_eq!(search(&tool, None), Some(tool));
        assert_eq!(search(Path::new("/nonexistent/tool"), Some(&path)), None);
    }
}
