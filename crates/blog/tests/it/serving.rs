//! What a well-behaved client gets.

use crate::http::{Connection, request};
use crate::{Blog, fixtures, write_article};
use std::fs;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

#[test]
fn every_route_has_its_type_and_length() {
    let blog = Blog::start(&fixtures());
    for (path, media_type) in [
        ("/", "text/html; charset=utf-8"),
        ("/content/", "text/html; charset=utf-8"),
        ("/article/specimen", "text/html; charset=utf-8"),
        ("/article/specimen?utm_source=x", "text/html; charset=utf-8"),
        ("/article/specimen/plot.svg", "image/svg+xml"),
        ("/article/specimen/images/small%20square.png", "image/png"),
        ("/article/specimen/data.json", "application/json"),
        ("/favicon.ico", "image/svg+xml"),
    ] {
        let answer = blog.get(path);
        assert_eq!(answer.status, 200, "{path}");
        assert_eq!(answer.field("content-type"), Some(media_type), "{path}");
        let length = answer.body.len().to_string();
        assert_eq!(answer.field("content-length"), Some(&*length), "{path}");
        assert_eq!(answer.field("x-content-type-options"), Some("nosniff"), "{path}");
        let policy = answer.field("content-security-policy").expect("a policy");
        assert!(
            policy.starts_with("default-src 'none'; ") && !policy.contains("script"),
            "{policy}"
        );
        assert!(answer.field("date").is_some(), "{path}");
    }
    let bytes = fs::read(fixtures().join("specimen/data.json")).expect("a fixture");
    assert_eq!(blog.get("/article/specimen/data.json").body, bytes);
}

#[test]
fn articles_are_listed_newest_first_and_escaped() {
    let blog = Blog::start(&fixtures());
    let page = blog.get("/content/");
    let page = page.text();
    let places: Vec<usize> = ["/article/specimen\"", "/article/second\"", "/article/hostile\""]
        .iter()
        .map(|path| page.find(path).unwrap_or_else(|| panic!("no {path} in {page}")))
        .collect();
    assert!(places.is_sorted(), "{page}");
    assert!(page.contains("&lt;script&gt;") && !page.contains("<script"), "{page}");
    assert!(!page.contains("not-an-article"), "{page}");
}

#[test]
fn the_stylesheet_is_kept_for_ever_and_pages_are_asked_about() {
    let blog = Blog::start(&fixtures());
    let page = blog.get("/");
    let style =
        page.text().split("stylesheet\" href=\"").nth(1).and_then(|rest| rest.split('"').next());
    let style = blog.get(style.expect("a stylesheet"));
    assert_eq!((style.status, style.field("content-type")), (200, Some("text/css; charset=utf-8")));
    assert!(style.field("cache-control").expect("cached").contains("immutable"));
    assert_eq!(page.field("cache-control"), Some("no-cache"));

    let etag = page.field("etag").expect("a tag");
    let mut connection = Connection::open(blog.address);
    connection.send(
        format!("GET / HTTP/1.1\r\nHost: a\r\nIf-None-Match: \"other\", W/{etag}\r\n\r\n")
            .as_bytes(),
    );
    let unchanged = connection.answer(true).expect("an answer");
    assert_eq!((unchanged.status, unchanged.body.len()), (304, 0));
    assert_eq!(unchanged.field("etag"), Some(etag));
    // The connection goes on: nothing of a body was left in it.
    connection.send(request("GET", "/").as_bytes());
    assert_eq!(connection.answer(true).expect("an answer").status, 200);
}

#[test]
fn addresses_have_one_spelling() {
    let blog = Blog::start(&fixtures());
    for (path, target) in [
        ("/content", "/content/"),
        ("/article", "/content/"),
        ("/article/", "/content/"),
        ("/article/specimen/", "/article/specimen"),
    ] {
        let answer = blog.get(path);
        assert_eq!((answer.status, answer.field("location")), (308, Some(target)), "{path}");
    }
}

#[test]
fn unknown_addresses_get_the_sites_own_page() {
    let blog = Blog::start(&fixtures());
    for path in [
        "/nothing",
        "/article/nothing",
        "/article/specimen/nothing.svg",
        "/article/specimen/index.md",
        "/article/specimen/images",
        "/article/specimen/images/",
        "/article/not-an-article",
        "/article/not-an-article/readme.txt",
        "/index.html",
        "//",
    ] {
        let answer = blog.get(path);
        assert_eq!(answer.status, 404, "{path}");
        assert!(answer.text().contains("There is no such page"), "{path}");
    }
}

#[test]
fn head_is_get_without_the_body() {
    let blog = Blog::start(&fixtures());
    let mut connection = Connection::open(blog.address);
    for path in ["/", "/article/specimen", "/nothing", "/content"] {
        connection.send(request("HEAD", path).as_bytes());
        let head = connection.answer(false).expect("an answer");
        connection.send(request("GET", path).as_bytes());
        let get = connection.answer(true).expect("an answer");
        assert_eq!(head.status, get.status, "{path}");
        for name in ["content-length", "content-type", "etag", "location"] {
            assert_eq!(head.field(name), get.field(name), "{name} of {path}");
        }
    }
}

#[test]
fn pipelined_requests_are_answered_in_order() {
    let blog = Blog::start(&fixtures());
    let mut connection = Connection::open(blog.address);
    let paths = ["/", "/nothing", "/article/specimen", "/content", "/article/specimen/plot.svg"];
    let mut sent = String::new();
    for _ in 0..20 {
        sent.extend(paths.map(|path| request("GET", path)));
        sent.push_str(&request("HEAD", "/article/second"));
    }
    connection.send(sent.as_bytes());
    for _ in 0..20 {
        for path in paths {
            let expected = blog.get(path);
            let got = connection.answer(true).expect("an answer");
            assert_eq!((got.status, got.body), (expected.status, expected.body), "{path}");
        }
        assert_eq!(connection.answer(false).expect("an answer").status, 200);
    }
}

#[test]
fn http_10_closes_unless_asked_not_to() {
    let blog = Blog::start(&fixtures());
    let mut connection = Connection::open(blog.address);
    connection.send(b"GET / HTTP/1.0\r\n\r\n");
    assert_eq!(connection.answer(true).expect("an answer").status, 200);
    assert!(connection.is_closed());
}

#[test]
fn what_lies_outside_or_is_hidden_is_not_served() {
    let outside = lissom_testkit::folder();
    fs::write(outside.path().join("secret.txt"), "secret").expect("written");
    let folder = lissom_testkit::folder();
    write_article(folder.path(), "a", "![x](inside.txt)");
    let home = folder.path().join("a");
    fs::write(home.join("real.txt"), "inside").expect("written");
    fs::write(home.join(".hidden.txt"), "hidden").expect("written");
    fs::write(home.join("run.sh"), "no type").expect("written");
    fs::create_dir(home.join(".git")).expect("a folder");
    fs::write(home.join(".git/config.txt"), "hidden").expect("written");
    symlink("real.txt", home.join("inside.txt")).expect("a link");
    symlink(outside.path().join("secret.txt"), home.join("out.txt")).expect("a link");
    symlink("../../../../../../../../etc/passwd", home.join("passwd.txt")).expect("a link");
    symlink(outside.path(), home.join("linked")).expect("a link");
    symlink(".hidden.txt", home.join("shown.txt")).expect("a link");
    symlink(home.as_path(), home.join("circle")).expect("a link");
    assert!(Command::new("mkfifo").arg(home.join("pipe.txt")).status().expect("mkfifo").success());

    let mut command = crate::command(folder.path());
    let blog = Blog::from(command.stderr(Stdio::null()));
    assert_eq!(blog.get("/article/a/inside.txt").body, b"inside");
    assert_eq!(blog.get("/article/a/real.txt").body, b"inside");
    for name in [
        "out.txt",
        "passwd.txt",
        "linked/secret.txt",
        "shown.txt",
        ".hidden.txt",
        ".git/config.txt",
        "circle/real.txt",
        "pipe.txt",
        "run.sh",
    ] {
        assert_eq!(blog.get(&format!("/article/a/{name}")).status, 404, "{name}");
    }
}
