//! What can go wrong in the lab, each as one line: `subject: cause`.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Shorthand for results of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Every failure that ends a command of the lab.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The sources, where the cases are, were not found.
    #[error("{}: no folder crates/lab/suites here or above; name the sources with --root", .0.display())]
    NoSources(PathBuf),
    /// A suite or case that nobody wrote.
    #[error("{name}: no such case; known are {known}")]
    UnknownCase {
        /// What was asked for.
        name: String,
        /// The names there are, for the reader to choose from.
        known: String,
    },
    /// A suite file that cannot be used.
    #[error("{}: {cause}", path.display())]
    Suite {
        /// The file.
        path: PathBuf,
        /// What is wrong, with its line where there is one.
        cause: String,
    },
    /// A program that every ratio needs is not here.
    #[error("{program}: {cause}; it is what the others are measured against")]
    NoReference {
        /// Its name in the suite.
        program: String,
        /// Why it cannot run.
        cause: String,
    },
    /// A template or a data file that does not render.
    #[error("{}: {cause}", path.display())]
    Article {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        cause: String,
    },
    /// The operating system refused something.
    #[error("{subject}: {cause}")]
    System {
        /// What was being done, or to what.
        subject: String,
        /// Its reason.
        cause: io::Error,
    },
    /// A signal asked us to stop; what was measured is kept.
    #[error("interrupted: {kept} rounds kept; still missing: {missing}")]
    Interrupted {
        /// Complete rounds in the results file for the cases asked for.
        kept: usize,
        /// Cases with fewer rounds than wanted.
        missing: String,
    },
}

impl Error {
    /// A failed system call on `path`.
    pub fn file(path: &Path, cause: io::Error) -> Self {
        Error::System { subject: path.display().to_string(), cause }
    }

    /// 130 for an interrupt, as shells give it; 2 for all else.
    #[must_use]
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Error::Interrupted { .. } => ExitCode::from(130),
            _ => ExitCode::from(2),
        }
    }
}
