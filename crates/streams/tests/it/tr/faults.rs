//! Short reads and writes, descriptors that do not block, signals, full devices, closed
//! descriptors, readers that leave.

use std::fs::{self, File};
use std::io::{Read as _, Seek as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixDatagram, UnixStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::gnu;
use crate::support::{Outcome, lissom_tr, run};

/// Every byte value, runs of all lengths, and no period that a buffer's length could share.
fn data(length: usize) -> Vec<u8> {
    let mut state = 7_u32;
    let mut bytes = Vec::with_capacity(length + 300);
    while bytes.len() < length {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let run = if state >> 28 == 0 { (state >> 8) % 300 } else { 1 + (state >> 20) % 3 };
        bytes.extend(std::iter::repeat_n((state >> 12) as u8, run as usize));
    }
    bytes.truncate(length);
    bytes
}

/// What `tr -s '\000-\377'` makes of it.
fn squeezed(bytes: &[u8]) -> Vec<u8> {
    let mut result = bytes.to_vec();
    result.dedup();
    result
}

/// What `tr -d a-z` makes of it.
fn without_letters(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().copied().filter(|byte| !byte.is_ascii_lowercase()).collect()
}

const SQUEEZE: [&str; 2] = ["-s", "\\000-\\377"];
const DELETE: [&str; 2] = ["-d", "a-z"];

/// Waits until `condition` holds; a minute is more than it may take on any machine.
fn await_that(what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::yield_now();
    }
}

/// The state letter of a process: `S` where it waits in a system call, `T` where it is stopped.
fn state(child: &Child) -> char {
    let path = format!("/proc/{}/stat", child.id());
    let stat = fs::read_to_string(path).expect("a process not waited for");
    let after_name = stat.rsplit(") ").next().expect("the name is in brackets");
    after_name.chars().next().expect("a state")
}

fn signal(child: &Child, name: &str) {
    let command = format!("kill -{name} {}", child.id());
    let status = Command::new("/bin/sh").args(["-c", &command]).status().expect("a shell");
    assert!(status.success(), "kill -{name}");
}

/// Runs a line of shell in which `tr` is ours, called `tr`.
fn shell(line: &str) -> Outcome {
    shell_with(env!("CARGO_BIN_EXE_lissom-tr"), line)
}

/// Runs a line of shell in which `tr` is the program at `path`.
fn shell_with(path: &str, line: &str) -> Outcome {
    let folder = lissom_testkit::folder();
    std::os::unix::fs::symlink(path, folder.path().join("tr")).expect("a link");
    let mut command = Command::new("/bin/sh");
    command.env_clear().env("LC_ALL", "C.UTF-8").args(["-c", line]).current_dir(&folder);
    command.env("PATH", format!("{}:/usr/bin:/bin", folder.path().display()));
    run(&mut command, b"input\n")
}

#[test]
fn one_byte_at_a_time_keeps_the_state() {
    // A datagram is what one read returns; an empty one is the end.
    let (reader, writer) = UnixDatagram::pair().unwrap();
    let child = lissom_tr()
        .args(SQUEEZE)
        .stdin(OwnedFd::from(reader))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let bytes = data(3000);
    for byte in &bytes {
        writer.send(&[*byte]).unwrap();
    }
    writer.send(&[]).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert_eq!(output.stdout, squeezed(&bytes));
}

#[test]
fn runs_cross_buffers() {
    // A run that ends just before, at, and after each place where a buffer may end; then another
    // byte, and the run again.
    for kernel in ["", "scalar"] {
        for around in [64 << 10, 128 << 10, 256 << 10, 512 << 10] {
            for length in [around - 1, around, around + 1, 2 * around, 2 * around + 1] {
                let mut bytes = vec![b'a'; length];
                bytes.push(b'b');
                bytes.resize(3 * around, b'a');
                let mut file = tempfile::tempfile().unwrap();
                file.write_all(&bytes).unwrap();
                file.rewind().unwrap();
                let mut command = lissom_tr();
                command.env("LISSOM_KERNEL", kernel).args(["-s", "a"]).stdin(file);
                let got = command.output().unwrap();
                assert_eq!(got.stdout, b"aba", "{length} of {}", 3 * around);
            }
        }
    }
}

#[test]
fn large_inputs_from_files_and_pipes() {
    let bytes = data((3 << 20) + 77);
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(&bytes).unwrap();
    for (arguments, expected) in [(SQUEEZE, squeezed(&bytes)), (DELETE, without_letters(&bytes))] {
        file.rewind().unwrap();
        let from_file = lissom_tr().args(arguments).stdin(file.try_clone().unwrap()).output();
        assert!(from_file.unwrap().stdout == expected, "{arguments:?} from a file");
        let from_pipe = run(lissom_tr().args(arguments), &bytes);
        assert!(from_pipe.stdout == expected, "{arguments:?} from a pipe");
    }
}

#[test]
fn waits_where_gnu_fails_with_eagain() {
    // Neither end blocks; nothing is there at first, and the output is read only when it is full.
    let (input, mut feeder) = UnixStream::pair().unwrap();
    let (output, mut reader) = UnixStream::pair().unwrap();
    input.set_nonblocking(true).unwrap();
    output.set_nonblocking(true).unwrap();
    let mut child = lissom_tr()
        .args(DELETE)
        .stdin(OwnedFd::from(input))
        .stdout(OwnedFd::from(output))
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    await_that("it waits for input", || state(&child) == 'S');
    let bytes = data(2 << 20);
    let expected = without_letters(&bytes);
    let mut got = Vec::new();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            for part in bytes.chunks(70_001) {
                feeder.write_all(part).unwrap();
            }
        });
        await_that("it waits for room", || state(&child) == 'S');
        reader.read_to_end(&mut got).unwrap();
    });
    let mut message = String::new();
    child.stderr.take().unwrap().read_to_string(&mut message).unwrap();
    assert_eq!((child.wait().unwrap().code(), message.as_str()), (Some(0), ""));
    assert!(got == expected, "{} bytes, not {}", got.len(), expected.len());
}

#[test]
fn stopping_and_other_signals_lose_nothing() {
    let (reader, mut writer) = std::io::pipe().unwrap();
    let mut command = lissom_tr();
    command.args(SQUEEZE).stdin(reader).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(command);
    let mut output = child.stdout.take().unwrap();
    let bytes = data(300_000);
    let collector = std::thread::spawn(move || {
        let mut got = Vec::new();
        output.read_to_end(&mut got).unwrap();
        got
    });
    for part in bytes.chunks(30_000) {
        writer.write_all(part).unwrap();
        signal(&child, "WINCH");
        signal(&child, "STOP");
        await_that("it stops", || state(&child) == 'T');
        signal(&child, "CONT");
    }
    drop(writer);
    assert!(child.wait().unwrap().success());
    assert!(collector.join().unwrap() == squeezed(&bytes));
}

#[test]
fn what_was_read_is_written_before_the_next_read() {
    // A conversation: each answer comes without a further question.
    let (input, mut questions) = UnixStream::pair().unwrap();
    let (output, mut answers) = UnixStream::pair().unwrap();
    answers.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let mut child = lissom_tr()
        .args(["a-z", "A-Z"])
        .stdin(OwnedFd::from(input))
        .stdout(OwnedFd::from(output))
        .spawn()
        .unwrap();
    for question in ["hello\n", "x", "and so on\n"] {
        questions.write_all(question.as_bytes()).unwrap();
        let mut answer = vec![0; question.len()];
        answers.read_exact(&mut answer).unwrap();
        assert_eq!(answer, question.to_ascii_uppercase().as_bytes());
    }
    drop(questions);
    assert!(child.wait().unwrap().success());
}

#[test]
fn full_devices_and_files_at_their_limit() {
    for length in [1, 100_000, 3 << 20] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let mut command = lissom_tr();
        let got = Outcome::from({
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(&data(length)).unwrap();
            file.rewind().unwrap();
            command.args(["a", "b"]).stdin(file).stdout(full).output().unwrap()
        });
        assert_eq!(got.status, Some(1), "{length}");
        assert_eq!(got.stderr, b"tr: write error: No space left on device\n", "{length}");
    }
    // 2048 bytes fit: the message, and just those bytes.
    let got = shell(
        "head -c 100000 /dev/zero > in; trap '' XFSZ; ulimit -f 4
         tr '\\0' x < in > out; echo $?; wc -c < out; tr -d '\\0' < in; tr -d x < out",
    );
    assert_eq!(String::from_utf8_lossy(&got.stderr), "tr: write error: File too large\n");
    let written: Vec<_> = got.stdout.split(|&byte| byte == b'\n').collect();
    assert_eq!(written[..2], [&b"1"[..], b"2048"]);
    assert_eq!(written[2..], [b""], "the bytes that fitted are the right ones");
}

#[test]
fn a_reader_that_leaves() {
    let bytes = data(1 << 20);
    let leave = |command: &mut Command| {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        run_into(command, writer.into(), &bytes)
    };
    let got = leave(lissom_tr().args(["a", "b"]));
    assert_eq!((got.signal, got.stderr), (Some(13), vec![]));
    // Whoever ignores the signal gets the message.
    let mut command = Command::new("/bin/sh");
    let line = "trap '' PIPE; exec \"$0\" a b";
    command.args(["-c", line, env!("CARGO_BIN_EXE_lissom-tr")]);
    let got = leave(&mut command);
    assert_eq!(got.status, Some(1));
    let message = String::from_utf8(got.stderr).unwrap();
    assert!(message.ends_with(": write error: Broken pipe\n"), "{message}");
}

/// Runs `command` with `input` from a file and its output to `output`.
fn run_into(command: &mut Command, output: OwnedFd, input: &[u8]) -> Outcome {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(input).unwrap();
    file.rewind().unwrap();
    command.stdin(file).stdout(output).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    Outcome::from(child.wait_with_output().unwrap())
}

/// Lines of shell with something wrong about a descriptor, and what `tr` says.
const DESCRIPTORS: [(&str, &str, i32); 10] = [
    ("tr a b < /", "tr: read error: Is a directory\n", 1),
    ("tr a b <&-", "tr: read error: Bad file descriptor\n", 1),
    ("tr a b >&-", "tr: write error: Bad file descriptor\n", 1),
    ("tr a b </dev/null >&-", "", 0),
    ("tr a b <&- >&-", "tr: read error: Bad file descriptor\n", 1),
    ("tr a b <&- 2>&-", "", 1),
    ("tr a b <&- >/dev/full", "tr: read error: Bad file descriptor\n", 1),
    ("tr a b </dev/null >/dev/full", "", 0),
    ("tr -d '\\0-\\377' >/dev/full", "", 0),
    ("tr a b 1</dev/null", "tr: write error: Bad file descriptor\n", 1),
];

#[test]
fn closed_and_wrong_descriptors() {
    for (line, message, status) in DESCRIPTORS {
        let got = shell(line);
        assert_eq!(String::from_utf8_lossy(&got.stderr), message, "{line}");
        assert_eq!(got.status, Some(status), "{line}");
        if let Some(gnu) = gnu() {
            assert_eq!(shell_with(gnu, line), got, "{line}");
        }
    }
}

#[test]
fn gnu_says_a_write_error_once_or_twice() {
    // Up to some version after 9.1, GNU repeats it, without a cause, when it closes its output
    // with bytes left in the buffer. Version 9.10 and later say it once, and so do we.
    let line = "head -c 100000 /dev/zero | tr a b >/dev/full";
    let ours = shell(line);
    assert_eq!(ours.stderr, b"tr: write error: No space left on device\n");
    let Some(gnu) = gnu() else { return };
    let version = Command::new(gnu).arg("--version").output().unwrap().stdout;
    let gnus = String::from_utf8(shell_with(gnu, line).stderr).unwrap();
    let once = String::from_utf8(ours.stderr).unwrap();
    if version.starts_with(b"tr (GNU coreutils) 9.1\n") {
        assert_eq!(gnus, format!("{once}tr: write error\n"));
    } else {
        assert!(gnus.starts_with(&once), "{gnus}");
    }
}
