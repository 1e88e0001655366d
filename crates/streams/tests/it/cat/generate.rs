//! Cases for the differential test: files, command lines, and where input and output lead.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// xorshift64*: small, and the same everywhere.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        let mut random = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        random.next();
        random.next();
        random
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11
    }

    pub(super) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    fn one_in(&mut self, chances: usize) -> bool {
        self.below(chances) == 0
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// Bytes in one of several textures, up to `limit` of them.
    pub(super) fn bytes(&mut self, limit: usize) -> Vec<u8> {
        let length = match self.below(4) {
            0 => self.below(4),
            1 => self.below(130),
            2 => self.below(2000),
            _ => self.below(limit),
        }
        .min(limit);
        let texture = self.below(7);
        let line = 1 + self.below(120);
        (0..length)
            .map(|_| {
                let byte = self.next() as u8;
                match texture {
                    0 => byte,
                    1 => self.pick(b"\n\n\n\ra\t\x80"),
                    2 => b'\n',
                    3 => self.pick(b"\r\n"),
                    4 if self.one_in(line) => b'\n',
                    4 => byte % 95 + 32,
                    5 if self.one_in(30) => self.pick(b"\r\n"),
                    5 => self.pick(b"abc\t\t\xc3\xa4"),
                    _ if self.one_in(line) => self.pick(b"\n\t\x7f\xff\0\x1b\r"),
                    _ => b'x',
                }
            })
            .collect()
    }
}

/// The names of the files that every case can read.
pub(super) const FILES: usize = 60;

/// Writes the files of `seed`, some of which cannot be read.
pub(super) fn write_files(seed: u64, folder: &Path) {
    for number in 0..FILES {
        let limit = if number % 10 == 0 { 400_000 } else { 6000 };
        let bytes = Random::new(seed ^ number as u64).bytes(limit);
        fs::write(folder.join(format!("f{number}")), bytes).expect("a file");
    }
    fs::create_dir(folder.join("folder")).expect("a folder");
    for name in ODD_NAMES {
        let path = folder.join(OsStr::from_bytes(name));
        fs::write(path, [b"in ", name, b"\n"].concat()).expect("a file");
    }
}

const ODD_NAMES: [&[u8]; 6] = [b"-n", b"a b", b"--", "ä".as_bytes(), b"new\nline", b"\xff"];

/// Bytes that make names worth quoting. None of what follows an apostrophe is unprintable: GNU 9.1
/// quotes such names wrongly.
const NAME_BYTES: [&[u8]; 2] =
    [b"ab'\" :#~{}=!$&()*;<>?[\\]^`|%+,-@_9Z", b"ab\" :#~\n\t\r\x01\x7f\xc3\xa4\xff\xe2\x82\xac"];

/// Where standard output leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Output {
    Pipe,
    File,
    Append,
    Full,
    Null,
}

/// One case.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) arguments: Vec<OsString>,
    pub(super) environment: Vec<(&'static str, &'static str)>,
    pub(super) input: Vec<u8>,
    /// Standard input is a file, not a pipe.
    pub(super) input_is_file: bool,
    pub(super) output: Output,
}

impl Case {
    /// The case of that number.
    pub(super) fn new(seed: u64, number: u64) -> Self {
        let mut random = Random::new(seed.wrapping_add(number.wrapping_mul(0x1_0001)));
        let mut arguments = Vec::new();
        for _ in 0..random.below(4) {
            arguments.push(option(&mut random));
        }
        let operands = match random.below(8) {
            0 => 0,
            1 => random.below(40),
            _ => 1 + random.below(4),
        };
        for _ in 0..operands {
            let place = random.below(arguments.len() + 1);
            arguments.insert(place, operand(&mut random));
        }
        Self {
            arguments,
            environment: environment(&mut random),
            input: random.bytes(60_000),
            input_is_file: random.one_in(3),
            output: random.pick(&[
                Output::Pipe,
                Output::Pipe,
                Output::Pipe,
                Output::Pipe,
                Output::File,
                Output::Append,
                Output::Full,
                Output::Null,
            ]),
        }
    }
}

fn environment(random: &mut Random) -> Vec<(&'static str, &'static str)> {
    let mut environment = Vec::new();
    match random.below(8) {
        0 => environment.push(("LC_ALL", "C")),
        1 => environment.push(("LC_ALL", "POSIX")),
        2 => environment.extend([("LC_ALL", ""), ("LC_CTYPE", "C.UTF-8")]),
        3 => environment.push(("LANG", "C.utf8")),
        4 => environment.push(("LANG", "xx_YY.UTF-8")),
        5 => environment.extend([("LC_CTYPE", "C.UTF-8"), ("LC_TIME", "xx_YY")]),
        6 => environment.extend([("LANG", "C.UTF-8"), ("LC_MESSAGES", "C")]),
        _ => environment.push(("LC_ALL", "C.UTF-8")),
    }
    if random.one_in(8) {
        environment.push(("POSIXLY_CORRECT", random.pick(&["", "1"])));
    }
    environment
}

fn option(random: &mut Random) -> OsString {
    const LONG: [&str; 7] = [
        "number-nonblank",
        "number",
        "squeeze-blank",
        "show-nonprinting",
        "show-ends",
        "show-tabs",
        "show-all",
    ];
    match random.below(20) {
        0..12 => {
            let letters: Vec<u8> =
                (0..=random.below(3)).map(|_| random.pick(b"benstuvAETn")).collect();
            OsStr::from_bytes(&[b"-", &letters[..]].concat()).into()
        }
        12..17 => {
            let long = random.pick(&LONG);
            // From "show-e" on, most abbreviations are clear.
            let length = (1 + random.below(long.len())).max(6).min(long.len());
            format!("--{}", &long[..length]).into()
        }
        17 => {
            let long = random.pick(&LONG);
            let length = random.below(long.len() + 1);
            let value = random.pick(&["", "", "=", "=x"]);
            format!("--{}{value}", &long[..length]).into()
        }
        18 => OsStr::from_bytes(&[b"-n", &[random.next() as u8 | 1][..]].concat()).into(),
        _ => random.pick(&["--", "--unknown", "-", "-vz", "--help=no"]).into(),
    }
}

fn operand(random: &mut Random) -> OsString {
    match random.below(24) {
        0..18 => format!("f{}", random.below(FILES)).into(),
        18 => "-".into(),
        19 => "folder".into(),
        20 => OsStr::from_bytes(random.pick(&ODD_NAMES)).into(),
        21 => random.pick(&["/dev/null", "/proc/version", "f1/no", ""]).into(),
        _ => {
            let alphabet = NAME_BYTES[random.below(2)];
            let name: Vec<u8> = (0..random.below(7)).map(|_| random.pick(alphabet)).collect();
            OsStr::from_bytes(&name).into()
        }
    }
}
