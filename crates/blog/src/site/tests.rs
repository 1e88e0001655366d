use super::*;
use crate::content::front_matter::FrontMatter;
use crate::content::{Article, File};

fn site(body: &str) -> (Snapshot, Vec<Fault>) {
    let article = Article {
        slug: "a b".to_owned(),
        source: "x/a b/index.md".into(),
        text: body.to_owned(),
        body_start: 0,
        head: FrontMatter { title: "T".to_owned(), date: None, description: None },
        files: vec![File {
            name: "img/ä.svg".to_owned(),
            media_type: "image/svg+xml",
            bytes: b"<svg/>".to_vec(),
        }],
    };
    Snapshot::build(Content { articles: vec![article], notes: Vec::new() }, "Site")
}

#[track_caller]
fn check(path: &str, status: u16) {
    let (site, _) = site("");
    assert_eq!(site.answer(&RequestHead::get(path)).status.as_u16(), status, "for {path:?}");
}

#[test]
fn routes() {
    for path in
        ["/", "/content/", "/article/a%20b", "/article/a%20b/img/%C3%A4.svg", "/favicon.ico"]
    {
        check(path, 200);
    }
    for path in ["/content", "/article", "/article/", "/article/a%20b/"] {
        check(path, 308);
    }
    for path in [
        "/article/a%20b/img",
        "/article/a%20b/img/",
        "/article/a%20b/index.md",
        "//",
        "/content//",
        "/theme/",
    ] {
        check(path, 404);
    }
}

#[test]
fn redirects_lead_to_pages() {
    let (site, _) = site("");
    for path in site.paths() {
        let address = render::escape::path(path);
        let answer = site.answer(&RequestHead::get(&address));
        if answer.status == StatusCode::PERMANENT_REDIRECT {
            let target = answer.headers[header::LOCATION].to_str().expect("ASCII");
            assert_eq!(site.answer(&RequestHead::get(target)).status, StatusCode::OK, "{path}");
        } else {
            assert_eq!(answer.status, StatusCode::OK, "{path}");
        }
    }
}

#[test]
fn lengths_are_those_of_the_bodies() {
    let (site, _) = site("");
    let refused = [&site.bad_request, &site.not_found, &site.method_not_allowed];
    for ready in site.resources.values().map(|resource| &resource.full).chain(refused) {
        assert_eq!(ready.headers[header::CONTENT_LENGTH], ready.body.len().to_string().as_str());
    }
}

#[test]
fn the_tag_saves_the_body() {
    let (site, _) = site("");
    let full = site.answer(&RequestHead::get("/"));
    let etag = full.headers[header::ETAG].as_bytes();
    let again = RequestHead { if_none_match: Some(etag), ..RequestHead::get("/") };
    let unchanged = site.answer(&again);
    assert_eq!(unchanged.status, StatusCode::NOT_MODIFIED);
    assert!(unchanged.body.is_empty() && !unchanged.headers.contains_key(header::CONTENT_LENGTH));
    assert_eq!(unchanged.headers[header::ETAG].as_bytes(), etag);
    let other = RequestHead { if_none_match: Some(b"\"0\""), ..RequestHead::get("/") };
    assert_eq!(site.answer(&other).status, StatusCode::OK);
    let redirected = RequestHead { if_none_match: Some(b"*"), ..RequestHead::get("/content") };
    assert_eq!(site.answer(&redirected).status, StatusCode::PERMANENT_REDIRECT);
}

#[test]
fn dead_references_are_noted_with_their_place() {
    let (_, notes) = site("![x](img/ä.svg)\n\n[y](gone.json) [z](../a%20b/) [w](/content/)");
    let notes: Vec<String> = notes.iter().map(ToString::to_string).collect();
    let expected = "lissom-blog: x/a b/index.md:3: refers to /article/a%20b/gone.json, which is not on the site";
    assert_eq!(notes, [expected]);
}
