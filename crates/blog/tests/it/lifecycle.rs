//! Start and end: what is printed where, with which status, and that stopping loses nothing.

use crate::http::{Connection, request};
use crate::{Blog, command, fixtures, write_article};
use lissom_testkit::launch::{Ended, run};
use std::fs;
use std::io::Read;
use std::net::TcpStream;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

#[track_caller]
fn check_failure(ended: &Ended, lines: &[&str]) {
    let stderr = ended.stderr_text();
    assert_eq!(stderr.lines().collect::<Vec<_>>(), lines);
    assert_eq!(ended.status.code(), Some(2), "{stderr}");
    assert_eq!(ended.stdout_text(), "");
}

#[test]
fn one_line_says_where_and_a_signal_ends_it() {
    for signal in ["TERM", "INT"] {
        let folder = lissom_testkit::folder();
        write_article(folder.path(), "only", "text");
        let blog = Blog::start(folder.path());
        let expected = format!(
            "lissom-blog: 1 article from {} on http://{}/ (Ctrl-C stops)",
            folder.path().display(),
            blog.address
        );
        assert_eq!(blog.server.ready_line, expected);
        assert_ne!(blog.address.port(), 0);
        let start = Instant::now();
        blog.server.signal(signal);
        let (status, rest) = blog.server.wait();
        assert_eq!((status.code(), rest.as_str()), (Some(0), ""), "{signal}");
        assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
        assert!(TcpStream::connect(blog.address).is_err(), "still listening");
    }
}

#[test]
fn a_folder_without_articles_is_served() {
    let folder = lissom_testkit::folder();
    let blog = Blog::start(folder.path());
    assert!(blog.server.ready_line.starts_with("lissom-blog: 0 articles from "));
    assert!(blog.get("/").text().contains("Nothing has been published here yet."));
}

#[test]
fn a_port_in_use_is_named() {
    let blog = Blog::start(&fixtures());
    let address = blog.address.to_string();
    let mut second = Command::new(env!("CARGO_BIN_EXE_lissom-blog"));
    let ended = run(second.arg("serve").arg(fixtures()).args(["--listen", &address]), b"");
    check_failure(&ended, &[&format!("lissom-blog: {address}: Address already in use")]);
    assert_eq!(blog.get("/").status, 200);
}

#[test]
fn an_address_of_another_machine_is_named() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lissom-blog"));
    let ended = run(command.arg("serve").arg(fixtures()).args(["--listen", "192.0.2.1:8717"]), b"");
    check_failure(&ended, &["lissom-blog: 192.0.2.1:8717: Cannot assign requested address"]);
}

/// The program as somebody who is not root: root may do everything, so as root it is copied to
/// where `nobody` can run it and started as that user.
fn unprivileged(home: &Path) -> Command {
    let is_root = fs::metadata("/proc/self").expect("procfs").uid() == 0;
    if !is_root {
        return Command::new(env!("CARGO_BIN_EXE_lissom-blog"));
    }
    let copy = home.join("lissom-blog");
    fs::copy(env!("CARGO_BIN_EXE_lissom-blog"), &copy).expect("copied");
    fs::set_permissions(home, fs::Permissions::from_mode(0o755)).expect("ours");
    let mut command = Command::new(copy);
    command.uid(65_534).gid(65_534).current_dir("/");
    command
}

#[test]
fn a_privileged_port_is_named() {
    let first =
        fs::read_to_string("/proc/sys/net/ipv4/ip_unprivileged_port_start").expect("procfs");
    let home = lissom_testkit::folder();
    let content = home.path().join("articles");
    fs::create_dir(&content).expect("a folder");
    let ended = if first.trim() == "0" {
        // No port is privileged on this machine; a low port then is a port like any other, and the
        // refusal is tested by an address that is not ours.
        let mut command = unprivileged(home.path());
        let ended = run(command.arg("serve").arg(&content).args(["--listen", "192.0.2.1:80"]), b"");
        return check_failure(
            &ended,
            &["lissom-blog: 192.0.2.1:80: Cannot assign requested address"],
        );
    } else {
        let mut command = unprivileged(home.path());
        run(command.arg("serve").arg(&content).args(["--listen", "127.0.0.1:80"]), b"")
    };
    check_failure(&ended, &["lissom-blog: 127.0.0.1:80: Permission denied"]);
}

#[test]
fn unreadable_content_is_named() {
    let home = lissom_testkit::folder();
    let content = home.path().join("articles");
    write_article(&content, "a", "text");
    for (closed, named) in [("", "articles"), ("a/index.md", "articles/a/index.md")] {
        let path = content.join(closed);
        let before = fs::metadata(&path).expect("it exists").permissions();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).expect("ours");
        let mut command = unprivileged(home.path());
        let ended = run(command.arg("serve").arg(&content).args(["--listen", "127.0.0.1:0"]), b"");
        fs::set_permissions(&path, before).expect("ours");
        let named = home.path().join(named);
        check_failure(&ended, &[&format!("lissom-blog: {}: Permission denied", named.display())]);
    }
}

#[test]
fn a_missing_folder_and_a_file_are_named() {
    let folder = lissom_testkit::folder();
    let missing = folder.path().join("missing");
    let expected = format!("lissom-blog: {}: No such file or directory", missing.display());
    check_failure(&run(&mut command(&missing), b""), &[&expected]);
    let file = folder.path().join("file");
    fs::write(&file, "").expect("written");
    let expected = format!("lissom-blog: {}: Not a directory", file.display());
    check_failure(&run(&mut command(&file), b""), &[&expected]);
}

#[test]
fn every_broken_article_is_named_with_its_line() {
    let folder = lissom_testkit::folder();
    let write = |slug: &str, bytes: &[u8]| {
        fs::create_dir(folder.path().join(slug)).expect("a folder");
        fs::write(folder.path().join(slug).join("index.md"), bytes).expect("written");
    };
    write("a-good", b"+++\ntitle = \"t\"\n+++\n");
    write("b-unknown", b"+++\ntitle = \"t\"\n\ntitel = \"t\"\n+++\n");
    write("c-none", b"# No front matter\n");
    write("d-binary", b"+++\ntitle = \"t\"\n+++\n\nab\xffc\n");
    write("e-date", b"+++\ntitle = \"t\"\ndate = \"soon\"\n+++\n");
    let ended = run(&mut command(folder.path()), b"");
    let expected = [
        "b-unknown/index.md:4: unknown key `titel`",
        "c-none/index.md:1: front matter must open the file: a line of `+++`",
        "d-binary/index.md:5: invalid UTF-8",
        "e-date/index.md:3: `date` must be a day such as 2026-01-31, not this string",
    ];
    let expected = expected.map(|line| format!("lissom-blog: {}/{line}", folder.path().display()));
    check_failure(&ended, &expected.each_ref().map(String::as_str));
}

#[test]
fn a_dead_reference_is_noted_and_does_not_stop_the_start() {
    let folder = lissom_testkit::folder();
    write_article(folder.path(), "a", "\n![x](gone.svg)\n");
    let log = folder.path().join("log.txt");
    let mut command = command(folder.path());
    let blog = Blog::from(command.stderr(fs::File::create(&log).expect("a file")));
    assert_eq!(blog.get("/article/a").status, 200);
    let expected = format!(
        "lissom-blog: {}/a/index.md:5: refers to /article/a/gone.svg, which is not on the site\n",
        folder.path().display()
    );
    assert_eq!(fs::read_to_string(log).expect("the log"), expected);
}

#[test]
fn mistakes_in_the_command_line_are_one_line() {
    let blog = || Command::new(env!("CARGO_BIN_EXE_lissom-blog"));
    let cases: [(&[&str], &str); 5] = [
        (&[], "no command given"),
        (&["serve"], "the following required arguments were not provided: <DIR>"),
        (&["serve", "x", "--port", "1"], "unexpected argument '--port' found"),
        (&["fly"], "unrecognized subcommand 'fly'"),
        (
            &["serve", "x", "--listen", "here"],
            "invalid value 'here' for '--listen <ADDR>': invalid socket address syntax",
        ),
    ];
    for (arguments, cause) in cases {
        let ended = run(blog().args(arguments), b"");
        check_failure(&ended, &[&format!("lissom-blog: usage: {cause} (see --help)")]);
    }
    let ended = run(blog().arg("--version"), b"");
    assert_eq!(ended.status.code(), Some(0));
    assert!(ended.stdout_text().starts_with("lissom-blog "));
}

#[test]
fn a_full_disk_under_standard_output_is_named() {
    let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
    let status = command(&fixtures()).stdout(full).output().expect("started");
    let stderr = String::from_utf8_lossy(&status.stderr).into_owned();
    assert!(
        stderr.ends_with("lissom-blog: standard output: No space left on device\n"),
        "{stderr}"
    );
    assert_eq!(status.status.code(), Some(2));
}

/// A folder with one article and a file that no socket buffer holds.
fn with_big_file(bytes: usize) -> tempfile::TempDir {
    let folder = lissom_testkit::folder();
    write_article(folder.path(), "a", "text");
    fs::write(folder.path().join("a/big.txt"), vec![b'x'; bytes]).expect("written");
    folder
}

#[test]
fn a_download_under_way_is_finished() {
    let bytes = 32 << 20;
    let folder = with_big_file(bytes);
    let blog = Blog::start(folder.path());
    let mut connection = Connection::open(blog.address);
    connection.send(request("GET", "/article/a/big.txt").as_bytes());
    let mut first = [0; 1];
    connection.stream.read_exact(&mut first).expect("the answer begins");
    blog.server.signal("TERM");
    // Once nobody accepts, the signal has arrived.
    let start = Instant::now();
    while TcpStream::connect(blog.address).is_ok() {
        assert!(start.elapsed() < Duration::from_secs(10), "it still accepts");
    }
    let mut rest = Vec::new();
    connection.stream.read_to_end(&mut rest).expect("the rest");
    let body = rest.windows(4).position(|w| w == b"\r\n\r\n").expect("a head") + 4;
    assert_eq!(rest.len() - body, bytes);
    assert_eq!(blog.server.wait().0.code(), Some(0));
}

#[test]
fn a_second_signal_does_not_wait() {
    let folder = with_big_file(32 << 20);
    let mut command = command(folder.path());
    let log = folder.path().join("log.txt");
    let blog = Blog::from(command.stderr(fs::File::create(&log).expect("a file")));
    let mut connection = Connection::open(blog.address);
    connection.send(request("GET", "/article/a/big.txt").as_bytes());
    let mut first = [0; 1];
    connection.stream.read_exact(&mut first).expect("the answer begins");
    let start = Instant::now();
    blog.server.signal("TERM");
    while TcpStream::connect(blog.address).is_ok() {
        assert!(start.elapsed() < Duration::from_secs(10), "it still accepts");
    }
    blog.server.signal("INT");
    assert_eq!(blog.server.wait().0.code(), Some(2));
    assert!(start.elapsed() < Duration::from_secs(8), "{:?}", start.elapsed());
    let log = fs::read_to_string(log).expect("the log");
    assert_eq!(log, "lissom-blog: stop: a second signal cut answers off\n");
}

/// A client that takes nothing cannot keep the server from leaving.
#[test]
fn the_end_is_bounded() {
    let folder = with_big_file(32 << 20);
    let blog = Blog::start(folder.path());
    let mut connection = Connection::open(blog.address);
    connection.send(request("GET", "/article/a/big.txt").as_bytes());
    let mut first = [0; 1];
    connection.stream.read_exact(&mut first).expect("the answer begins");
    let start = Instant::now();
    blog.server.signal("TERM");
    assert_eq!(blog.server.wait().0.code(), Some(0));
    assert!(start.elapsed() < Duration::from_secs(15), "{:?}", start.elapsed());
}

/// Clients that always have a request under way: each of them is told that the connection ends by
/// an answer that says so, and none loses an answer.
#[test]
fn no_answer_is_lost_when_it_stops_under_load() {
    for _ in 0..5 {
        let blog = Blog::start(&fixtures());
        let expected = blog.get("/article/specimen").body;
        let answered = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| {
                    let mut connection = Connection::open(blog.address);
                    loop {
                        connection.send(request("GET", "/article/specimen").as_bytes());
                        let answer = connection.answer(true).expect("closed without an answer");
                        assert_eq!((answer.status, &answer.body), (200, &expected));
                        answered.fetch_add(1, Ordering::Relaxed);
                        if answer.field("connection") == Some("close") {
                            assert!(connection.is_closed());
                            break;
                        }
                    }
                });
            }
            while answered.load(Ordering::Relaxed) < 500 {
                thread::yield_now();
            }
            blog.server.signal("TERM");
        });
        assert_eq!(blog.server.wait().0.code(), Some(0));
    }
}
