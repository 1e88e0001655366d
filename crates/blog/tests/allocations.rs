//! The data plane allocates nothing: from the head of a request to the answer that will be sent.
//!
//! A binary of its own, because the counting allocator is the whole program's.

use lissom_blog::request::RequestHead;
use lissom_blog::{content, site::Snapshot};
use lissom_testkit::alloc::{self, Counting};
use std::path::Path;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn a_thousand_requests_allocate_nothing() {
    alloc::prove();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/articles");
    let (site, _) = Snapshot::build(content::read(&folder).expect("the fixtures"), "Site");
    let etag = site.answer(&RequestHead::get("/")).headers["etag"].as_bytes().to_vec();
    let long = "/".repeat(2000);
    let get = RequestHead::get;
    let requests = [
        (get("/"), 200),
        (get("/content/"), 200),
        (get("/article/specimen"), 200),
        (get("/article/specimen/images/small%20square.png"), 200),
        (RequestHead { method: "HEAD", ..get("/article/second") }, 200),
        (RequestHead { if_none_match: Some(&etag), ..get("/") }, 304),
        (get("/article/specimen/"), 308),
        (get("/nothing"), 404),
        (get("/%2e%2e/etc/passwd"), 404),
        (get("/%00"), 400),
        (get(&long), 400),
        (RequestHead { method: "POST", ..get("/") }, 405),
    ];
    let round = |times: usize| {
        for turn in 0..times {
            let (head, status) = &requests[turn % requests.len()];
            let answer = std::hint::black_box(site.answer(std::hint::black_box(head)));
            assert_eq!(answer.status.as_u16(), *status);
        }
    };
    round(requests.len());
    let ((), allocations) = alloc::count(|| round(1000));
    assert_eq!(allocations.calls, 0, "{allocations:?}");
}
