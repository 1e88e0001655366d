//! Messages: what the user is told, on standard error, in GNU's words.
//!
//! A [`Reporter`] knows the program's name and environment and words the messages both programs
//! share; [`Message`] collects one and writes it at once, so that lines of several processes do
//! not mix.

pub mod errno;
pub mod locale;
pub mod printable;
pub mod quote;

use core::fmt::Write as _;

use crate::cli::{Bad, Grammar};
use crate::rt::io::{Errno, STDERR, STDOUT, write_all};
use crate::rt::sys::Fd;
use crate::rt::{Arg, Process};

/// Bytes a [`Message`] holds before it has to be written in parts: more than any message about a
/// name that exists.
const MESSAGE_BYTES: usize = 4096;

/// One message under construction.
pub struct Message {
    to: Option<Fd>,
    utf8: bool,
    length: usize,
    error: Option<Errno>,
    buffer: [u8; MESSAGE_BYTES],
    #[cfg(test)]
    all: Vec<u8>,
}

impl Message {
    /// An empty message for `to`; `utf8` says whether quotes and names may use UTF-8.
    #[must_use]
    pub fn new(to: Fd, utf8: bool) -> Self {
        Self {
            to: Some(to),
            utf8,
            length: 0,
            error: None,
            buffer: [0; MESSAGE_BYTES],
            #[cfg(test)]
            all: Vec::new(),
        }
    }

    /// Whether quotes and names may use UTF-8.
    #[must_use]
    pub fn is_utf8(&self) -> bool {
        self.utf8
    }

    /// Appends `bytes` as they are.
    #[inline(never)] // called from everywhere, and never where it is hot
    pub fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        for &byte in bytes {
            if self.length == self.buffer.len() {
                self.flush();
            }
            self.buffer[self.length] = byte;
            self.length += 1;
        }
        self
    }

    /// Appends `text` as it is.
    pub fn text(&mut self, text: &str) -> &mut Self {
        self.bytes(text.as_bytes())
    }

    /// Appends a file name, quoted for a shell if it needs to be.
    pub fn name(&mut self, name: &[u8]) -> &mut Self {
        quote::name(self, name, self.utf8);
        self
    }

    /// Appends a string in the locale's quotes.
    pub fn quoted(&mut self, string: &[u8]) -> &mut Self {
        quote::string(self, string, self.utf8);
        self
    }

    /// Appends what the system says about `error`.
    pub fn cause(&mut self, error: Errno) -> &mut Self {
        match errno::describe(error.raw_os_error()) {
            Some(text) => self.text(text),
            None => {
                // Writing to a message cannot fail: `write_str` never does.
                let _ = write!(self, "Unknown error {}", error.raw_os_error());
                self
            }
        }
    }

    /// Writes what was collected. Failures matter on standard output only: nothing is left to tell
    /// about them elsewhere.
    ///
    /// # Errors
    /// The first failure to write any of it.
    pub fn send(&mut self) -> Result<(), Errno> {
        self.flush();
        self.error.map_or(Ok(()), Err)
    }

    fn flush(&mut self) {
        #[cfg(test)]
        self.all.extend(&self.buffer[..self.length]);
        if let Some(to) = self.to
            && let Err(error) = write_all(to, &self.buffer[..self.length])
        {
            self.error = self.error.or(Some(error));
        }
        self.length = 0;
    }
}

impl core::fmt::Write for Message {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        self.text(text);
        Ok(())
    }
}

/// Words messages for one program.
#[derive(Clone, Copy)]
pub struct Reporter {
    program: Arg,
    environment: &'static [Arg],
}

impl Reporter {
    /// A reporter that speaks as `process`: its `argv[0]`, its locale.
    #[must_use]
    pub fn new(process: &Process) -> Self {
        Self { program: process.arguments[0], environment: process.environment }
    }

    /// The same reporter in the C locale, whatever the environment says.
    #[must_use]
    pub fn in_c_locale(self) -> Self {
        Self { environment: &[], ..self }
    }

    /// The name the program was called by, as it stands in `argv[0]`.
    #[must_use]
    pub fn program(&self) -> &'static [u8] {
        self.program.bytes()
    }

    /// A message that begins with `program: `, the last part of the name.
    #[must_use]
    pub fn message(&self) -> Message {
        let whole = self.program();
        self.message_of(whole.rsplit(|&byte| byte == b'/').next().unwrap_or(whole))
    }

    fn message_of(&self, program: &[u8]) -> Message {
        let mut message = Message::new(STDERR, locale::is_utf8(self.environment));
        message.bytes(program).text(": ");
        message
    }

    /// `program: what: cause`, where `what` is a phrase, such as `write error`.
    pub fn failed(&self, what: &str, error: Errno) {
        let mut message = self.message();
        let _ = message.text(what).text(": ").cause(error).text("\n").send();
    }

    /// `program: name: cause`, about a file.
    pub fn file_failed(&self, name: &[u8], error: Errno) {
        let mut message = self.message();
        let _ = message.name(name).text(": ").cause(error).text("\n").send();
    }

    /// `program: extra operand ‘…’` and so on: `what`, then `operand` in quotes, then, as for all
    /// misuse, where help is to be had.
    pub fn misused(&self, what: &str, operand: &[u8]) {
        let mut message = self.message();
        message.text(what).text(" ").quoted(operand).text("\n");
        self.point_to_help(&mut message);
        let _ = message.send();
    }

    /// Says what is wrong with an option, and where help is to be had.
    pub fn bad_option(&self, bad: Bad, grammar: &Grammar) {
        // getopt shows the name as it was called by.
        let mut message = self.message_of(self.program());
        match bad {
            Bad::Short(letter) => (message.text("invalid option -- '")).bytes(&[letter]).text("'"),
            Bad::Unknown(text) => (message.text("unrecognized option '--")).bytes(text).text("'"),
            Bad::Argument(name) => {
                (message.text("option '--")).text(name).text("' doesn't allow an argument")
            }
            Bad::Ambiguous(text) => {
                let name = text.split(|&byte| byte == b'=').next().unwrap_or(text);
                message.text("option '--").bytes(text);
                message.text("' is ambiguous; possibilities:");
                for long in grammar.candidates(name) {
                    message.text(" '--").text(long.name).text("'");
                }
                &mut message
            }
        };
        message.text("\n");
        self.point_to_help(&mut message);
        let _ = message.send();
    }

    /// Appends `Try 'program --help' for more information.`
    pub fn point_to_help(&self, message: &mut Message) {
        (message.text("Try '").bytes(self.program())).text(" --help' for more information.\n");
    }

    /// Prints a help or version text on standard output, each `{}` in it replaced by the
    /// program's name; returns the status to exit with.
    #[must_use]
    pub fn print(&self, text: &str) -> u8 {
        let mut message = Message::new(STDOUT, false);
        for (index, part) in text.split("{}").enumerate() {
            if index > 0 {
                message.bytes(self.program());
            }
            message.text(part);
        }
        match message.send() {
            Ok(()) => 0,
            Err(error) => {
                self.failed("write error", error);
                1
            }
        }
    }

    /// Tells that `LISSOM_KERNEL` names no kernel that runs here; returns the status to exit with.
    #[must_use]
    pub fn bad_kernel(&self, name: &[u8]) -> u8 {
        let mut message = self.message();
        (message.text(crate::cpu::OVERRIDE).text(": no kernel "))
            .quoted(name)
            .text(" on this machine\n");
        let _ = message.send();
        1
    }
}

/// Prints what is known of a panic; the panic handler's last words.
pub fn panicked(information: &core::panic::PanicInfo<'_>) {
    let mut message = Message::new(STDERR, true);
    let _ = writeln!(message, "lissom: internal error: {information}");
    let _ = message.send();
}

/// What `build` puts into a message.
#[cfg(test)]
fn collected(build: impl FnOnce(&mut Message)) -> Vec<u8> {
    let mut message = Message::new(STDERR, true);
    message.to = None;
    build(&mut message);
    message.send().expect("nothing is written");
    core::mem::take(&mut message.all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_messages_are_written_in_parts() {
        let name = vec![b'x'; 3 * MESSAGE_BYTES + 5];
        let got = collected(|message| {
            message.text("cat: ").name(&name).text(": ");
            message.cause(Errno::NAMETOOLONG).text("\n");
        });
        let expected = [b"cat: ", &name[..], b": File name too long\n"].concat();
        assert_eq!(got, expected);
    }

    #[test]
    fn unknown_errors_have_their_number() {
        let got = collected(|message| {
            message.cause(Errno::from_raw_os_error(4000));
        });
        assert_eq!(got, b"Unknown error 4000");
    }
}
