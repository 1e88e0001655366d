//! What can go wrong, in words for the person who started the program.

use std::fmt;
use std::io;

/// One complaint: what it is about, and why. Printed as `lissom-blog: subject: cause`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// A path, a path with a line (`index.md:3`), or an address.
    pub subject: String,
    /// No final period.
    pub cause: String,
}

impl Fault {
    /// A complaint about `subject`.
    pub fn new(subject: impl fmt::Display, cause: impl fmt::Display) -> Self {
        Self { subject: printable(&subject.to_string()), cause: printable(&cause.to_string()) }
    }

    /// A complaint of the operating system about `subject`.
    pub fn io(subject: impl fmt::Display, error: &io::Error) -> Self {
        // The number says nothing that the words before it do not.
        let text = error.to_string();
        Self::new(subject, text.split(" (os error ").next().unwrap_or(&text))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "lissom-blog: {}: {}", self.subject, self.cause)
    }
}

/// Why the program could not do its work.
#[derive(Debug)]
pub enum Error {
    /// The content cannot be published; at least one complaint, each about one file.
    Content(Vec<Fault>),
    /// The address cannot be listened on.
    Listen(Fault),
    /// The operating system refused something every server needs.
    System(Fault),
}

impl Error {
    /// What to print: one line for each complaint, each ended by a newline.
    #[must_use]
    pub fn report(&self) -> String {
        let faults = match self {
            Self::Content(faults) => faults.as_slice(),
            Self::Listen(fault) | Self::System(fault) => std::slice::from_ref(fault),
        };
        faults.iter().map(|fault| format!("{fault}\n")).collect()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.report().trim_end())
    }
}

impl std::error::Error for Error {}

/// One line whatever the file name: a newline or an escape sequence in a name must neither split
/// the message nor reach the terminal.
fn printable(text: &str) -> String {
    if text.chars().any(char::is_control) {
        text.chars()
            .flat_map(|c| {
                let escaped = c.is_control().then(|| c.escape_default());
                escaped.into_iter().flatten().chain((!c.is_control()).then_some(c))
            })
            .collect()
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_one_line() {
        let fault = Fault::new("a\nb\u{1b}[2J", "no\tgood");
        assert_eq!(fault.to_string(), "lissom-blog: a\\nb\\u{1b}[2J: no\\tgood");
    }

    #[test]
    fn the_systems_words_without_its_number() {
        let fault = Fault::io("x", &io::Error::from_raw_os_error(2));
        assert_eq!(fault.to_string(), "lissom-blog: x: No such file or directory");
    }
}
