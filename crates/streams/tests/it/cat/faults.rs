//! Short reads and writes, signals, descriptors that do not block, and resources that run out.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};

use super::Place;
use crate::support::lissom_cat;

/// Lines that differ, so that a lost or repeated piece shows.
fn lines(count: usize) -> Vec<u8> {
    (0..count).flat_map(|number| format!("line {number}\n").into_bytes()).collect()
}

/// Ways of running over the same bytes: plain, and formatted in a way that changes nothing here.
const OPTIONS: [&str; 3] = ["-u", "-s", "-v"];

/// Runs a script in Python, which can do what std cannot: change a pipe's flags and size.
fn python(script: &str) {
    let mut command = Command::new("/usr/bin/python3");
    command.arg0("python3").args(["-c", script, env!("CARGO_BIN_EXE_lissom-cat")]);
    match command.output() {
        Ok(output) => {
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        Err(_) => lissom_testkit::absent("python3"),
    }
}

#[test]
fn waits_where_nothing_is_there_yet() {
    // Descriptor 0 and 1 do not block. The input comes in pieces once it is waited for, and the
    // output's pipe is full most of the time.
    let script = r"
import fcntl, os, subprocess, sys, threading
program, data = sys.argv[1], b''.join(b'line %d\n' % n for n in range(200000))
def unblock(fd):
    fcntl.fcntl(fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) | os.O_NONBLOCK)
for option in '-u', '-s', '-v':
    in_read, in_write = os.pipe()
    out_read, out_write = os.pipe()
    unblock(in_read)
    unblock(out_write)
    child = subprocess.Popen(['cat', option], executable=program, stdin=in_read, stdout=out_write,
                             stderr=subprocess.PIPE)
    os.close(in_read)
    os.close(out_write)
    def feed():
        at = 0
        while at < len(data):
            at += os.write(in_write, data[at:at + 5000])
        os.close(in_write)
    feeder = threading.Thread(target=feed)
    feeder.start()
    got = b''
    while True:
        piece = os.read(out_read, 3000)
        if not piece:
            break
        got += piece
    feeder.join()
    message = child.stderr.read()
    assert child.wait() == 0 and message == b'', (option, child.returncode, message)
    assert got == data, (option, len(got), len(data))
";
    python(script);
}

#[test]
fn messages_stay_whole() {
    // A pipe of packets, read a quarter of a packet at a time; a datagram larger than what is read
    // first; a file for each datagram; and a file behind others, on a descriptor for direct reads.
    let script = r"
import os, socket, subprocess, sys, tempfile, threading
program = sys.argv[1]
def cat(*arguments, **descriptors):
    return subprocess.Popen(['cat', *arguments], executable=program, **descriptors)

for size in 4000, 4096:
    in_read, in_write = os.pipe2(os.O_DIRECT)
    out_read, out_write = os.pipe()
    child = cat(stdin=in_read, stdout=out_write)
    os.close(in_read)
    os.close(out_write)
    def feed():
        for _ in range(50):
            os.write(in_write, b'x' * size)
        os.close(in_write)
    feeder = threading.Thread(target=feed)
    feeder.start()
    got = 0
    while piece := os.read(out_read, 1000):
        got += len(piece)
    feeder.join()
    assert child.wait() == 0 and got == 50 * size, got

ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
child = cat(stdin=theirs, stdout=subprocess.PIPE)
theirs.close()
ours.send(b'x' * 150000)
ours.close()
got = len(child.communicate()[0])
assert child.returncode == 0 and got == 150000, got

with tempfile.TemporaryDirectory() as folder:
    small = os.path.join(folder, 'small')
    open(small, 'wb').write(b'y' * 700)
    for option in '-u', '-v':
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        child = cat(option, small, small, small, stdout=theirs)
        theirs.close()
        sizes = [len(ours.recv(10000)) for _ in range(4)]
        assert child.wait() == 0 and sizes == [700, 700, 700, 0], (option, sizes)
    try:
        direct = os.open(small, os.O_RDONLY | os.O_DIRECT)
    except OSError:
        direct = os.open(small, os.O_RDONLY)
    child = cat(small, '-', small, stdin=direct, stdout=subprocess.PIPE)
    got = len(child.communicate()[0])
    assert child.returncode == 0 and got == 2100, (child.returncode, got)
";
    python(script);
}

#[test]
fn signals_lose_nothing() {
    // A handler that does nothing, so that calls are interrupted instead of the program ended, is
    // not to be had from outside; stopping and continuing interrupts waits as well.
    for option in OPTIONS {
        let data = lines(300_000);
        let mut child = lissom_cat()
            .arg(option)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let pid = child.id().to_string();
        let mut input = child.stdin.take().expect("a pipe");
        let fed = data.clone();
        let feeder = std::thread::spawn(move || {
            for piece in fed.chunks(40_000) {
                input.write_all(piece).expect("it reads");
                for signal in ["-STOP", "-CONT"] {
                    let status = Command::new("/bin/kill").args([signal, &pid]).status();
                    assert!(status.expect("kill runs").success());
                }
            }
        });
        let mut got = Vec::new();
        child.stdout.take().expect("a pipe").read_to_end(&mut got).expect("a pipe");
        feeder.join().expect("the feeder ends");
        assert!(child.wait().expect("the program ends").success());
        assert!(got == data, "{option}: {} of {} bytes", got.len(), data.len());
    }
}

#[test]
fn short_reads_and_writes_lose_nothing() {
    // The smallest pipes on both sides, and a reader of odd pieces.
    let script = r"
import fcntl, os, subprocess, sys, threading
program, data = sys.argv[1], b''.join(b'line %d\n' % n for n in range(60000))
for option in '-u', '-s', '-v':
    in_read, in_write = os.pipe()
    out_read, out_write = os.pipe()
    fcntl.fcntl(in_read, 1031, 4096)
    fcntl.fcntl(out_read, 1031, 4096)
    child = subprocess.Popen(['cat', option], executable=program, stdin=in_read, stdout=out_write)
    os.close(in_read)
    os.close(out_write)
    def feed():
        at, size = 0, 1
        while at < len(data):
            at += os.write(in_write, data[at:at + size])
            size = size * 7 % 4999 + 1
        os.close(in_write)
    feeder = threading.Thread(target=feed)
    feeder.start()
    got, size = b'', 1
    while True:
        piece = os.read(out_read, size)
        size = size * 5 % 9973 + 1
        if not piece:
            break
        got += piece
    feeder.join()
    assert child.wait() == 0 and got == data, (option, child.returncode, len(got), len(data))
";
    python(script);
}

#[test]
fn output_appears_before_more_input_is_waited_for() {
    for option in ["-u", "-n", "-A", "-s"] {
        let mut child = lissom_cat()
            .args([option, "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut input = child.stdin.take().expect("a pipe");
        let mut output = child.stdout.take().expect("a pipe");
        for _ in 0..3 {
            input.write_all(b"hello\n").expect("it reads");
            let mut got = [0; 6];
            // Blocks for ever if the program holds back what it has.
            output.read_exact(&mut got).expect("an answer");
            if option == "-n" {
                output.read_exact(&mut [0; 7]).expect("the rest of a numbered line");
            }
        }
        drop(input);
        assert!(child.wait().expect("the program ends").success());
    }
}

#[test]
fn small_files_are_not_held_back_while_a_pipe_is_waited_for() {
    let place = Place::ours();
    place.write("small", b"small\n");
    for option in ["-u", "-E"] {
        // The writer of the named pipe opens it only once the first two files have come out.
        let script = format!(
            "/bin/rm -f fifo; /usr/bin/mkfifo fifo
             cat {option} small small fifo small | {{
                 read one; read two
                 echo \"$one $two\"
                 echo late > fifo
                 /bin/cat
             }}"
        );
        let got = place.shell(&script);
        let expected = match option {
            "-E" => "small$ small$\nlate$\nsmall$\n",
            _ => "small small\nlate\nsmall\n",
        };
        assert_eq!(String::from_utf8_lossy(&got.stdout), expected);
        assert_eq!(got.stderr, b"");
    }
}

#[test]
fn a_limit_on_file_size_is_an_error_of_writing() {
    let place = Place::ours();
    place.write("big", &lines(100_000));
    for option in OPTIONS {
        let script = format!("ulimit -f 16; trap '' XFSZ; cat {option} big > out");
        let got = place.shell(&script);
        assert_eq!(got.status, Some(1));
        assert_eq!(String::from_utf8_lossy(&got.stderr), "cat: write error: File too large\n");
        let written = std::fs::read(place.work().join("out")).expect("the output");
        let all = std::fs::read(place.work().join("big")).expect("the input");
        assert_eq!(written[..], all[..16 * 1024], "what was written is a prefix");
    }
}

#[test]
fn a_full_file_system_is_an_error_of_writing() {
    let place = Place::ours();
    place.write("big", &lines(100_000));
    // A small file system of one's own needs a user namespace.
    let script = "/usr/bin/unshare --user --map-root-user --mount /bin/bash -c '
        /bin/mkdir -p small && /bin/mount -t tmpfs -o size=64k tmpfs small || exit 77
        for option in -u -s -v; do
            cat $option big > small/out
            echo $? $(/usr/bin/wc -c < small/out) >&2
            /bin/cat small/out | /usr/bin/cmp -n 65536 - big >&2
        done'";
    let got = place.shell(script);
    if matches!(got.status, Some(1 | 77 | 126 | 127)) {
        return lissom_testkit::absent("an unprivileged user namespace with a tmpfs");
    }
    let once = "cat: write error: No space left on device\n1 65536\n";
    assert_eq!(String::from_utf8_lossy(&got.stderr), once.repeat(3));
}

#[test]
fn no_descriptors_left() {
    let place = Place::ours();
    let data = lines(100_000);
    place.write("big", &data);
    // What the test runner left open would count.
    let close = "for n in 3 4 5 6 7 8 9 10 11 12; do eval \"exec $n>&-\"; done; exec <big";
    // Four are taken: 0 to 2, and the file. There is none for a pipe of our own.
    let got = place.shell(&format!("({close}; ulimit -n 4; exec cat big -) | /bin/cat"));
    assert_eq!(String::from_utf8_lossy(&got.stderr), "");
    assert!(got.stdout == data.repeat(2));
    let got = place.shell(&format!("{close}; ulimit -n 3; exec cat big -"));
    assert_eq!(String::from_utf8_lossy(&got.stderr), "cat: big: Too many open files\n");
    assert_eq!(got.status, Some(1));
    assert!(got.stdout == data);
}

#[test]
fn large_copies_of_every_kind_are_exact() {
    let place = Place::ours();
    let data = lines(900_000);
    place.write("big", &data);
    for option in ["", "-s", "-v", "-T"] {
        for script in [
            "cat OPTION big",
            "cat OPTION <big",
            "/bin/cat big | cat OPTION",
            "/bin/cat big | cat OPTION | /bin/cat",
            "cat OPTION big >out; /bin/cat out",
            "cat OPTION big >>out; /bin/cat out",
            "/bin/cat big | cat OPTION >out; /bin/cat out",
            "/bin/cat big | cat OPTION >>out; /bin/cat out",
        ] {
            let script = format!("/bin/rm -f out; {}", script.replace("OPTION", option));
            let got = place.shell(&script);
            assert!(got.stdout == data && got.stderr.is_empty(), "{script}");
        }
    }
}

#[test]
fn there_is_no_heap() {
    // Nothing that could provide one is linked: no dynamic section, and no name of an allocator.
    let mut program = Vec::new();
    let path = env!("CARGO_BIN_EXE_lissom-cat");
    File::open(path).and_then(|mut file| file.read_to_end(&mut program)).expect("the program");
    let has = |text: &[u8]| program.windows(text.len()).any(|window| window == text);
    assert!(has(b"lissom"), "the search finds what is there");
    for name in ["malloc", "__rust_alloc", "__rg_alloc", "libc.so", "ld-linux"] {
        assert!(!has(name.as_bytes()), "{name}");
    }
}
