//! The state: every path of the site, each with its answers ready.
//!
//! Built once from the content, then never changed: a change of the content makes a new
//! [`Snapshot`]. A request is [`Snapshot::answer`]: check, look up, and a reference comes back.
//! This is the seam between what is said and how it is sent: nothing here knows of sockets or of
//! hyper, and a loop of our own can take its place behind the same call.
//!
//! Budget of `answer`: 0 allocations, no system call, no copy except that a path with a `%` is
//! decoded on the stack. Proved by `tests/allocations.rs`.

use crate::content::Content;
use crate::error::Fault;
use crate::render::{self, Theme};
use crate::request::{self, PATH_BYTES_MAX, Refusal, RequestHead};
use bytes::Bytes;
use http::StatusCode;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// An answer, ready to send. `HEAD` gets the same one; the sender leaves the body out.
#[derive(Debug)]
pub struct Ready {
    /// The status.
    pub status: StatusCode,
    /// All fields but `Date` and `Connection`, which belong to the moment and the connection.
    pub headers: HeaderMap,
    /// The body, shared by all who send it.
    pub body: Bytes,
}

/// What is found under a path.
#[derive(Debug)]
struct Resource {
    full: Ready,
    /// For what does not change under its path: the tag, and the answer to those who have it.
    current: Option<(HeaderValue, Ready)>,
}

/// The whole site at one moment.
#[derive(Debug)]
pub struct Snapshot {
    resources: HashMap<Box<str>, Resource>,
    bad_request: Ready,
    not_found: Ready,
    method_not_allowed: Ready,
    articles: usize,
}

/// What an answer is made of.
#[derive(Debug, Clone, Copy)]
enum Kind {
    /// HTML of our own.
    Page,
    /// A file beside an article.
    File,
    /// Its path is made of its content: it may be kept for ever.
    Immutable,
}

impl Snapshot {
    /// Renders the content. The notes say what was published but refers to something that is not.
    #[must_use]
    pub fn build(content: Content, site_title: &str) -> (Self, Vec<Fault>) {
        let style_path = format!("/theme/{:016x}.css", hash(render::STYLE.as_bytes()));
        let theme = Theme { site_title, style_path: &style_path };
        let mut site = Self::empty(&theme);
        site.articles = content.articles.len();
        site.add(&style_path, "text/css; charset=utf-8", render::STYLE, Kind::Immutable);
        // Browsers ask for this name whatever the page says; they take the type from the answer.
        site.add("/favicon.ico", "image/svg+xml", render::ICON, Kind::File);

        let list = Bytes::from(theme.list(&content.articles));
        site.add("/", HTML, list.clone(), Kind::Page);
        site.add("/content/", HTML, list, Kind::Page);
        for path in ["/content", "/article", "/article/"] {
            site.redirect(path, "/content/");
        }

        let mut notes = content.notes;
        let mut references = Vec::new();
        for article in content.articles {
            let (page, body) = theme.article(&article);
            let path = format!("/article/{}", article.slug);
            let address = render::article_path(&article.slug);
            site.add(&path, HTML, page, Kind::Page);
            site.redirect(&format!("{path}/"), &address);
            for file in article.files {
                let file_path = format!("{path}/{}", file.name);
                if render::escape::path(&file_path).len() > PATH_BYTES_MAX {
                    let cause =
                        format!("left out: its address is longer than {PATH_BYTES_MAX} bytes");
                    notes.push(Fault::new(
                        article.source.with_file_name(&file.name).display(),
                        cause,
                    ));
                } else {
                    site.add(&file_path, file.media_type, file.bytes, Kind::File);
                }
            }
            references.extend(
                body.references
                    .into_iter()
                    .map(|(line, target)| (format!("{}:{line}", article.source.display()), target)),
            );
        }
        notes.extend(references.into_iter().filter_map(|(place, target)| {
            let dead = site.answer(&RequestHead::get(&target)).status.is_client_error();
            dead.then(|| Fault::new(place, format!("refers to {target}, which is not on the site")))
        }));
        (site, notes)
    }

    /// The answer to a request.
    #[must_use]
    pub fn answer(&self, head: &RequestHead<'_>) -> &Ready {
        let mut scratch = [0; PATH_BYTES_MAX];
        let path = match request::check(head, &mut scratch) {
            Ok(path) => path,
            Err(Refusal::BadRequest) => return &self.bad_request,
            Err(Refusal::NotFound) => return &self.not_found,
            Err(Refusal::MethodNotAllowed) => return &self.method_not_allowed,
        };
        let Some(resource) = self.resources.get(path) else {
            return &self.not_found;
        };
        if let (Some((etag, unchanged)), Some(field)) = (&resource.current, head.if_none_match)
            && request::has_current(field, etag.as_bytes())
        {
            return unchanged;
        }
        &resource.full
    }

    /// Number of articles.
    #[must_use]
    pub fn articles(&self) -> usize {
        self.articles
    }

    /// Every path that is answered with something other than an error, in no order.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.resources.keys().map(|path| &**path)
    }

    fn empty(theme: &Theme<'_>) -> Self {
        let message = |status: StatusCode, title: &str, explanation: &str| {
            let page = theme.message(title, explanation);
            let mut ready = ready(status, HTML, Bytes::from(page), Kind::Page);
            ready.headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
            ready
        };
        let mut bad_request = message(
            StatusCode::BAD_REQUEST,
            "That request makes no sense",
            "Its address or one of its headers breaks the rules of HTTP.",
        );
        // What follows on this connection cannot be trusted either.
        bad_request.headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        let mut method_not_allowed = message(
            StatusCode::METHOD_NOT_ALLOWED,
            "This site can only be read",
            "It answers GET and HEAD.",
        );
        method_not_allowed.headers.insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
        Self {
            resources: HashMap::new(),
            bad_request,
            not_found: message(
                StatusCode::NOT_FOUND,
                "There is no such page",
                "It may have moved, or the address has a mistake in it.",
            ),
            method_not_allowed,
            articles: 0,
        }
    }

    fn add(&mut self, path: &str, media_type: &'static str, body: impl Into<Bytes>, kind: Kind) {
        let body = body.into();
        let etag = field(&format!("\"{:016x}\"", hash(&body)));
        let mut full = ready(StatusCode::OK, media_type, body, kind);
        full.headers.insert(header::ETAG, etag.clone());
        // RFC 9110, section 15.4.5: what a cache needs to update what it has, and no more.
        let mut unchanged = HeaderMap::with_capacity(2);
        for name in [header::ETAG, header::CACHE_CONTROL] {
            unchanged.insert(name.clone(), full.headers[&name].clone());
        }
        let unchanged =
            Ready { status: StatusCode::NOT_MODIFIED, headers: unchanged, body: Bytes::new() };
        self.resources.insert(path.into(), Resource { full, current: Some((etag, unchanged)) });
    }

    fn redirect(&mut self, path: &str, target: &str) {
        let mut full =
            ready(StatusCode::PERMANENT_REDIRECT, "text/plain", Bytes::new(), Kind::Page);
        full.headers.remove(header::CONTENT_TYPE);
        full.headers.insert(header::LOCATION, field(target));
        self.resources.insert(path.into(), Resource { full, current: None });
    }
}

const HTML: &str = "text/html; charset=utf-8";

/// Pages load the stylesheet, pictures and fonts of this site, and nothing else; no script runs.
const PAGE_POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// A drawing that is opened by itself keeps its own styles; scripts in it stay dead (`default-src`).
const FILE_POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'";

fn ready(status: StatusCode, media_type: &'static str, body: Bytes, kind: Kind) -> Ready {
    let (policy, cache) = match kind {
        Kind::Page => (PAGE_POLICY, "no-cache"),
        Kind::File => (FILE_POLICY, "no-cache"),
        Kind::Immutable => (FILE_POLICY, "public, max-age=31536000, immutable"),
    };
    let fixed: [(HeaderName, &'static str); 6] = [
        (header::CONTENT_TYPE, media_type),
        // `no-cache` means: keep it, but ask whether it is still current. The tag makes that cheap.
        (header::CACHE_CONTROL, cache),
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "strict-origin-when-cross-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ];
    let mut headers = HeaderMap::with_capacity(fixed.len() + 2);
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(body.len()));
    headers.extend(fixed.into_iter().map(|(name, value)| (name, HeaderValue::from_static(value))));
    Ready { status, headers, body }
}

fn field(text: &str) -> HeaderValue {
    HeaderValue::from_str(text).expect("made of encoded paths and hexadecimal digits")
}

/// 64 bits with fixed keys: that an edit keeps the tag has a chance of one in 18 trillion million,
/// and a new version of the algorithm costs each reader one whole answer.
fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests;
