//! Command lines and inputs for `tr`, valid and hostile, from a seed.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;

/// A small generator, the same on every machine (SplitMix64).
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// True once in `n` times.
    pub(super) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub(super) fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }
}

/// One run of `tr`.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) arguments: Vec<OsString>,
    pub(super) environment: Vec<(&'static str, &'static str)>,
    pub(super) input: Vec<u8>,
}

impl Case {
    /// The case of that number in the series of `seed`.
    pub(super) fn new(seed: u64, number: u64) -> Self {
        let random = &mut Random::new(seed ^ number.wrapping_mul(0xD6E8_FEB8_6659_FD93));
        let (mut arguments, one_set) = options(random);
        let (first, second) = sets(random);
        if !random.one_in(60) {
            arguments.push(OsString::from_vec(first));
        }
        // Mostly as many sets as wanted, sometimes one too few or too many.
        if one_set == random.one_in(25) {
            arguments.push(OsString::from_vec(second));
        }
        if random.one_in(60) {
            arguments.push("extra".into());
        }
        Self { arguments, environment: environment(random), input: input(random) }
    }
}

/// Options in one of their many spellings, and whether they want one set only.
fn options(random: &mut Random) -> (Vec<OsString>, bool) {
    let mut arguments: Vec<OsString> = Vec::new();
    let mut cluster = String::new();
    let mut has = |letter: char, random: &mut Random, arguments: &mut Vec<OsString>| {
        let long = match letter {
            'c' | 'C' => "--complement",
            'd' => "--delete",
            's' => "--squeeze-repeats",
            _ => "--truncate-set1",
        };
        match random.below(4) {
            0 => arguments.push(format!("-{letter}").into()),
            1 => arguments.push(long[..3 + random.below(long.len() - 2)].into()),
            _ => cluster.push(letter),
        }
    };
    let delete = random.one_in(4);
    let squeeze = random.one_in(3);
    if delete {
        has('d', random, &mut arguments);
    }
    if squeeze {
        has('s', random, &mut arguments);
    }
    if random.one_in(3) {
        has(if random.one_in(3) { 'C' } else { 'c' }, random, &mut arguments);
    }
    if random.one_in(6) {
        has('t', random, &mut arguments);
    }
    if random.one_in(50) {
        cluster.push('A');
    }
    if random.one_in(150) {
        cluster.push(['x', '-', 'h', '?', 'D'][random.below(5)]);
    }
    if !cluster.is_empty() {
        arguments.insert(random.below(arguments.len() + 1), format!("-{cluster}").into());
    }
    if random.one_in(150) {
        let odd = ["--", "--c=1", "--nonsense", "--=", "-", "--help=x", "--squeeze-repeatsx"];
        arguments.push(random.pick(&odd).into());
    } else if random.one_in(3) {
        arguments.push("--".into());
    }
    let one_set = if squeeze { !delete && random.one_in(2) } else { delete };
    (arguments, one_set)
}

/// Two set strings, often made for each other.
fn sets(random: &mut Random) -> (Vec<u8>, Vec<u8>) {
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for _ in 0..1 + random.below(4) {
        match random.below(8) {
            // Case classes opposite each other, or nearly.
            0 | 1 => {
                for text in [&mut first, &mut second] {
                    let odd = random.one_in(12);
                    let class =
                        if odd { "[:alpha:]" } else { random.pick(&["[:lower:]", "[:upper:]"]) };
                    text.extend(class.as_bytes());
                }
            }
            2 => {
                element(random, &mut first);
                // Two fills are an error, so one now and then.
                if random.one_in(2) {
                    second.extend(b"[x*]");
                }
            }
            3 | 4 => {
                character(random, &mut first);
                character(random, &mut second);
            }
            _ => {
                element(random, &mut first);
                element(random, &mut second);
            }
        }
    }
    if random.one_in(30) {
        second.clear();
    }
    if random.one_in(40) {
        first.clear();
    }
    // Accepted, but with a warning.
    for text in [&mut first, &mut second] {
        match random.below(60) {
            0 => text.extend(format!("\\{}", 400 + random.below(78)).as_bytes()),
            1 => text.push(b'\\'),
            _ => {}
        }
    }
    if random.one_in(10) {
        hostile(random, &mut first);
    }
    if random.one_in(10) {
        hostile(random, &mut second);
    }
    (first, second)
}

const CLASSES: [&str; 12] = [
    "alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space",
    "upper", "xdigit",
];

/// One construct, usually a right one.
fn element(random: &mut Random, text: &mut Vec<u8>) {
    match random.below(12) {
        0..=2 => character(random, text),
        3..=5 => {
            let (a, b) = (random.next() as u8, random.next() as u8);
            let wrong = random.one_in(40);
            let (a, b) = if (a > b) == wrong { (a, b) } else { (b, a) };
            write(random, text, a);
            text.push(b'-');
            write(random, text, b);
        }
        6 => {
            let first = b"aA0"[random.below(3)];
            let limit = if first == b'0' { 10 } else { 26 };
            let start = random.below(limit);
            text.extend([
                first + start as u8,
                b'-',
                first + (start + random.below(limit - start)) as u8,
            ]);
        }
        7 | 8 => {
            let class = random.pick(&CLASSES);
            text.extend(format!("[:{class}:]").as_bytes());
        }
        9 => {
            text.extend(b"[=");
            character(random, text);
            text.extend(b"=]");
        }
        _ => {
            text.push(b'[');
            character(random, text);
            text.push(b'*');
            // GNU counts repeats down one by one, so no large ones that are valid.
            let count = random.below(300);
            let count = match random.below(8) {
                0 => String::new(),
                1 => format!("0{count:o}"),
                2 => format!("{}{count}", random.pick(&[" ", "+", " \t+", "0", "00", "-"])),
                3 if random.one_in(4) => random
                    .pick(&["18446744073709551615", "99999999999999999999", "0", "08", "x", "1 "])
                    .to_owned(),
                _ => (count % 20).to_string(),
            };
            text.extend(count.as_bytes());
            text.push(b']');
        }
    }
}

/// A character that makes sense in most inputs.
fn character(random: &mut Random, text: &mut Vec<u8>) {
    let byte = match random.below(6) {
        0 => random.next() as u8,
        1 => b"\n\t\r \\-[]:=*"[random.below(11)],
        _ => b'a' + random.below(26) as u8,
    };
    write(random, text, byte);
}

/// Writes `byte` as itself or by some escape.
fn write(random: &mut Random, text: &mut Vec<u8>, byte: u8) {
    let plain = byte != 0 && byte != b'\\';
    match random.below(6) {
        0 => text.extend(format!("\\{byte:03o}").as_bytes()),
        1 if plain && !byte.is_ascii_digit() && !b"abfnrtv".contains(&byte) => {
            text.extend([b'\\', byte]);
        }
        _ if plain => text.push(byte),
        _ => text.extend(format!("\\{byte:03o}").as_bytes()),
    }
}

/// Fragments of syntax where they do not belong, over some of what is there.
fn hostile(random: &mut Random, text: &mut Vec<u8>) {
    const FRAGMENTS: [&str; 34] = [
        "[:",
        ":]",
        "[=",
        "=]",
        "[",
        "]",
        "*",
        "*]",
        "-",
        "\\",
        "\\\\",
        "[::]",
        "[==]",
        "[:foo:]",
        "[=ab=]",
        "[a*",
        "[a*z]",
        "[:*]",
        "[=*]",
        "[:*3]",
        "[=*03]:]",
        "\\400",
        "\\777",
        "\\8",
        "\\1",
        "\\12",
        "[[:lower:]",
        "[:lower:",
        "[:\\lower:]",
        "[=\\",
        "a-",
        "-a",
        "é",
        "\u{1}",
    ];
    for _ in 0..1 + random.below(4) {
        let fragment = random.pick(&FRAGMENTS).as_bytes();
        let at = random.below(text.len() + 1);
        text.splice(at..at, fragment.iter().copied());
    }
    if random.one_in(4) {
        let at = random.below(text.len() + 1);
        text.insert(at, random.next() as u8 | 1);
    }
}

fn environment(random: &mut Random) -> Vec<(&'static str, &'static str)> {
    let mut variables = match random.below(6) {
        0 => vec![],
        1 => vec![("LC_ALL", "C")],
        2 => vec![("LANG", "C.UTF-8"), ("LC_ALL", "")],
        3 => vec![("LC_CTYPE", "C.UTF-8"), ("LANG", "POSIX")],
        4 => vec![("LANG", "C.UTF-8"), ("LC_ALL", "POSIX")],
        _ => vec![("LC_ALL", "C.UTF-8")],
    };
    if random.one_in(10) {
        variables.push(("POSIXLY_CORRECT", "1"));
    }
    variables
}

/// Text, noise, runs, or every byte there is; a few buffers long at most.
fn input(random: &mut Random) -> Vec<u8> {
    let length = match random.below(20) {
        0 => 0,
        1 => random.below(60_000),
        2..=6 => random.below(100),
        _ => random.below(3_000),
    };
    let kind = random.below(5);
    let mut bytes = Vec::with_capacity(length + 300);
    while bytes.len() < length {
        let byte = match kind {
            0 => random.next() as u8,
            1 => b"abcxyz \n"[random.below(8)],
            2 => bytes.len() as u8,
            _ => b' ' + random.below(95) as u8,
        };
        let run = match random.below(12) {
            0 => random.below(300),
            1..=3 => random.below(4),
            _ => 1,
        };
        bytes.extend(std::iter::repeat_n(byte, run));
    }
    bytes.truncate(length);
    bytes
}
