//! What clients send that mean harm, or know no better: the right status, and the next client is
//! served.

use crate::http::{Connection, request};
use crate::{Blog, fixtures, write_article};
use std::io::{Read, Write};
use std::time::{Duration, Instant};

/// Sends `bytes`; expects `status` and then, if asked for, the end of the connection.
#[track_caller]
fn check(blog: &Blog, bytes: &[u8], status: u16, closes: bool) {
    let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(120)]).into_owned();
    let mut connection = Connection::open(blog.address);
    // The server may refuse before it has read everything.
    let _ = connection.stream.write_all(bytes);
    let answer = connection.answer(true).unwrap_or_else(|| panic!("no answer to {shown:?}"));
    assert_eq!(answer.status, status, "for {shown:?}");
    if closes {
        assert!(connection.is_closed(), "still open after {shown:?}");
    }
    assert_eq!(blog.get("/").status, 200, "after {shown:?}");
}

#[test]
fn escapes_lead_nowhere() {
    let blog = Blog::start(&fixtures());
    for path in [
        "/../../../../etc/passwd",
        "/article/../../../../etc/passwd",
        "/article/specimen/../hostile",
        "/article/%2e%2e/%2e%2e/etc/passwd",
        "/article/specimen/%2E./index.md",
        "/article/specimen%2fplot.svg",
        "/article/specimen/..%2f..%2f..%2fetc%2fpasswd",
        "/article\\specimen",
        "/article/specimen/..\\..\\etc\\passwd",
        "/article/%5c..%5cetc",
        "/.git/config",
        "/article/.hidden",
        "/article/specimen/.",
        "/article/specimen/./plot.svg",
    ] {
        check(&blog, request("GET", path).as_bytes(), 404, false);
    }
    for path in
        ["/%00", "/article/specimen%00.svg", "/%", "/%g0", "/%ff", "/%ef%bf%bd", "/%0d%0aX:%20y"]
    {
        check(&blog, request("GET", path).as_bytes(), 400, true);
    }
}

#[test]
fn long_things_are_refused() {
    let blog = Blog::start(&fixtures());
    let path = |length: usize| format!("/{}", "a".repeat(length - 1));
    check(&blog, request("GET", &path(1024)).as_bytes(), 404, false);
    check(&blog, request("GET", &path(1025)).as_bytes(), 400, true);
    check(&blog, request("GET", &path(8000)).as_bytes(), 400, true);
    check(&blog, request("GET", &path(100_000)).as_bytes(), 431, true);
    let field = format!("GET / HTTP/1.1\r\nHost: a\r\nX: {}\r\n\r\n", "b".repeat(100_000));
    check(&blog, field.as_bytes(), 431, true);
    let fields = format!("GET / HTTP/1.1\r\nHost: a\r\n{}\r\n", "X: b\r\n".repeat(1000));
    check(&blog, fields.as_bytes(), 431, true);
}

#[test]
fn methods_that_only_write() {
    let blog = Blog::start(&fixtures());
    for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW", "get"] {
        let mut connection = Connection::open(blog.address);
        connection.send(request(method, "/").as_bytes());
        let answer = connection.answer(true).expect("an answer");
        assert_eq!((answer.status, answer.field("allow")), (405, Some("GET, HEAD")), "{method}");
    }
    check(&blog, b"OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", 405, false);
    check(&blog, b"CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n", 405, false);
}

#[test]
fn malformed_and_smuggled_requests() {
    let blog = Blog::start(&fixtures());
    let cases: [&[u8]; 20] = [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 a TLS greeting \r\n\r\n",
        b"\xff\xfe\xfd\xfc\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET /\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET / HTTP/1.1 x\r\nHost: a\r\n\r\n",
        b"GE T / HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET /a b HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a/b\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost : a\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n c\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nX\0: b\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
        b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999999\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    ];
    for case in cases {
        check(&blog, case, 400, true);
    }
    let chunked = b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
    check(&blog, chunked, 405, true);
}

#[test]
fn an_earlier_answer_survives_a_later_mistake() {
    let blog = Blog::start(&fixtures());
    let mut connection = Connection::open(blog.address);
    let good = request("GET", "/article/specimen");
    connection.send(format!("{good}{good}\x01\x02\x03\r\n\r\n").as_bytes());
    let expected = blog.get("/article/specimen").body;
    for _ in 0..2 {
        assert_eq!(connection.answer(true).expect("an answer").body, expected);
    }
    assert_eq!(connection.answer(true).expect("an answer").status, 400);
    assert!(connection.is_closed());
}

#[test]
fn nobody_waits_for_a_body_that_is_not_wanted() {
    let blog = Blog::start(&fixtures());
    let start = Instant::now();
    let announced =
        b"POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 9999999999\r\n\r\n";
    check(&blog, announced, 405, true);
    let announced =
        b"GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 9999999999\r\n\r\n";
    check(&blog, announced, 200, true);
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

/// And it is followed by a goodbye, not by a reset, which some systems let overtake the refusal.
#[test]
fn the_refusal_of_an_upload_arrives() {
    let blog = Blog::start(&fixtures());
    for length in [10, 60_000, 800_000] {
        let head = format!(
            "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n"
        );
        let mut connection = Connection::open(blog.address);
        connection.send(head.as_bytes());
        connection.send(&vec![b'x'; length]);
        let refusal = connection.answer(true).expect("the refusal");
        assert_eq!(refusal.status, 405, "{length}");
        let end = connection.stream.read(&mut [0]);
        assert_eq!(end.expect("no reset"), 0, "{length}");
    }
}

#[test]
fn a_body_is_never_taken_for_a_request() {
    let blog = Blog::start(&fixtures());
    let inner = request("GET", "/nothing");
    let outer =
        format!("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: {}\r\n\r\n{inner}", inner.len());
    let mut connection = Connection::open(blog.address);
    connection.send(outer.as_bytes());
    connection.send(request("HEAD", "/content").as_bytes());
    assert_eq!(connection.answer(true).expect("an answer").status, 200);
    if let Some(next) = connection.answer(false) {
        assert_eq!(next.status, 308, "the body was answered");
    }
}

/// Slow heads and idle connections are closed within ten seconds, and harm nobody meanwhile.
#[test]
fn slow_heads_and_idle_connections_are_not_waited_for() {
    let blog = Blog::start(&fixtures());
    let mut slow: Vec<Connection> = (0..300)
        .map(|number| {
            let mut connection = Connection::open(blog.address);
            if number % 3 > 0 {
                connection.send(b"GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ");
            }
            connection
        })
        .collect();
    let start = Instant::now();
    // A byte now and then must not keep a head alive: one connection goes on until it is refused.
    let mut dripping = slow.pop().expect("300 of them");
    dripping.stream.set_read_timeout(Some(Duration::from_millis(250))).expect("a socket");
    let dripped = loop {
        let mut byte = [0];
        match dripping.stream.read(&mut byte) {
            Ok(_) => break start.elapsed(),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            Err(_) => break start.elapsed(),
        }
        if dripping.stream.write_all(b"x").is_err() {
            break start.elapsed();
        }
        assert!(start.elapsed() < Duration::from_secs(20), "the drip is still read");
        assert_eq!(blog.get("/").status, 200);
    };
    assert!(dripped < Duration::from_secs(10), "{dripped:?}");
    for connection in &mut slow {
        assert!(connection.is_closed());
    }
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

#[test]
fn many_idle_connections_do_no_harm() {
    let blog = Blog::start(&fixtures());
    let idle: Vec<Connection> = (0..400).map(|_| Connection::open(blog.address)).collect();
    let mut kept: Vec<Connection> = (0..400).map(|_| Connection::open(blog.address)).collect();
    for connection in &mut kept {
        connection.send(request("GET", "/").as_bytes());
        assert_eq!(connection.answer(true).expect("an answer").status, 200);
    }
    assert_eq!(blog.get("/article/specimen").status, 200);
    drop(idle);
    for connection in &mut kept {
        connection.send(request("HEAD", "/").as_bytes());
        assert_eq!(connection.answer(false).expect("an answer").status, 200);
    }
}

#[test]
fn clients_that_leave_in_the_middle() {
    let folder = lissom_testkit::folder();
    write_article(folder.path(), "a", "x");
    std::fs::write(folder.path().join("a/big.txt"), vec![b'x'; 8 << 20]).expect("written");
    let blog = Blog::start(folder.path());
    for _ in 0..50 {
        let mut connection = Connection::open(blog.address);
        connection.send(request("GET", "/article/a/big.txt").as_bytes());
        let mut some = [0; 1000];
        connection.stream.read_exact(&mut some).expect("the beginning");
    }
    assert_eq!(blog.get("/article/a/big.txt").body.len(), 8 << 20);
}
