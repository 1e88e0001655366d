//! What can go wrong, and the one line that says so.

use std::fmt::Display;
use std::io;
use std::path::Path;

/// Result of a step that gives nothing but its success.
pub(crate) type Result<T = ()> = std::result::Result<T, Error>;

/// Why a command did not do what was asked.
#[derive(Debug)]
pub(crate) enum Error {
    /// The arguments make no sense.
    Usage(String),
    /// A step failed: `subject: cause`.
    Failed(String),
    /// The answer is no, and has been printed already.
    Negative,
}

impl Error {
    /// `subject: cause`.
    pub(crate) fn failed(subject: impl Display, cause: impl Display) -> Self {
        // Some causes come with several lines; the message has one.
        let text = format!("{subject}: {cause}");
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        Error::Failed(lines.join(" "))
    }

    /// For `map_err` on operations on a file.
    pub(crate) fn at(path: &Path) -> impl Fn(io::Error) -> Self {
        move |cause| Error::failed(path.display(), cause)
    }

    /// The line for standard error, if there is still something to say.
    pub(crate) fn line(&self) -> Option<String> {
        match self {
            Error::Usage(text) => Some(format!("{text}; see `cargo xtask --help`")),
            Error::Failed(text) => Some(text.clone()),
            Error::Negative => None,
        }
    }

    /// Exit status.
    pub(crate) fn status(&self) -> u8 {
        match self {
            Error::Negative => 1,
            Error::Usage(_) | Error::Failed(_) => 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_of_several_lines_is_told_in_one() {
        let error = Error::failed("limits.toml", "parse error\n  at 3");
        assert_eq!(error.line().as_deref(), Some("limits.toml: parse error at 3"));
        assert_eq!(error.status(), 2);
    }

    #[test]
    fn a_negative_answer_says_nothing_more() {
        assert_eq!((Error::Negative.line(), Error::Negative.status()), (None, 1));
    }
}
