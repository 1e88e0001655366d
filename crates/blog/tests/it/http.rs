//! Just enough of an HTTP client to see every byte that the server sends.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// No test waits longer for a byte.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// One answer, taken apart.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// The value of a field, or `None`.
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("UTF-8")
    }
}

/// A connection; bytes that were read too early wait in `ahead`.
pub(crate) struct Connection {
    pub(crate) stream: TcpStream,
    ahead: Vec<u8>,
}

impl Connection {
    pub(crate) fn open(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).expect("the server accepts");
        stream.set_read_timeout(Some(PATIENCE)).expect("a socket");
        stream.set_write_timeout(Some(PATIENCE)).expect("a socket");
        Self { stream, ahead: Vec::new() }
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).expect("the server reads");
    }

    /// The next answer; `None` if the server closes instead. `has_body` is false for `HEAD`.
    pub(crate) fn answer(&mut self, has_body: bool) -> Option<Answer> {
        let end = loop {
            if let Some(at) = find(&self.ahead, b"\r\n\r\n") {
                break at + 4;
            }
            if self.fill() == 0 {
                assert!(
                    self.ahead.is_empty(),
                    "cut off: {:?}",
                    String::from_utf8_lossy(&self.ahead)
                );
                return None;
            }
        };
        let rest = self.ahead.split_off(end);
        let head = String::from_utf8(std::mem::replace(&mut self.ahead, rest)).expect("ASCII");
        let status =
            head.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status line");
        let mut answer = Answer { status, head, body: Vec::new() };
        let length = answer.field("content-length").map(|n| n.parse::<usize>().expect("a length"));
        let length = if has_body && status >= 200 { length.unwrap_or(0) } else { 0 };
        while self.ahead.len() < length {
            assert!(self.fill() > 0, "the body ended after {} of {length}", self.ahead.len());
        }
        let rest = self.ahead.split_off(length);
        answer.body = std::mem::replace(&mut self.ahead, rest);
        Some(answer)
    }

    /// Whether the server has closed its side, waiting for it to say so.
    pub(crate) fn is_closed(&mut self) -> bool {
        self.ahead.is_empty() && self.fill() == 0
    }

    fn fill(&mut self) -> usize {
        let mut chunk = [0; 16 << 10];
        match self.stream.read(&mut chunk) {
            Ok(read) => {
                self.ahead.extend_from_slice(&chunk[..read]);
                read
            }
            Err(error) if error.kind() == ErrorKind::ConnectionReset => 0,
            Err(error) => panic!("nothing from the server: {error}"),
        }
    }
}

/// One `GET` on a connection of its own.
pub(crate) fn get(address: SocketAddr, path: &str) -> Answer {
    let mut connection = Connection::open(address);
    connection.send(request("GET", path).as_bytes());
    connection.answer(true).expect("an answer")
}

/// A request as a careful client writes it.
pub(crate) fn request(method: &str, path: &str) -> String {
    format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\n\r\n")
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}
