//! Markdown blog server: each page kept as ready-to-send bytes.
//!
//! ```text
//! DIR/<slug>/index.md ──content──▶ Content ──render, site──▶ Snapshot ──serve──▶ one write
//!      source                       state                  ready bytes
//! ```
//!
//! - [`content`] reads the folder once: front matter, Markdown, the files beside it. What may not
//!   be published is not read.
//! - [`render`] makes HTML of it with the theme in `theme/`.
//! - [`site`] keeps every path with its answers: full, 304, redirect. Immutable.
//! - [`request`] decides whether a request is looked up; pure, and the place to fuzz.
//! - [`mod@serve`] moves bytes between sockets and the site; the only module that knows hyper.
//!
//! # Routes
//!
//! | path | answer |
//! |---|---|
//! | `/`, `/content/` | the articles, newest first |
//! | `/article/<slug>` | an article |
//! | `/article/<slug>/<file>` | a file beside it, if its type is listed in [`content::media`] |
//! | `/theme/<hash>.css`, `/favicon.ico` | the theme |
//! | `/content`, `/article`, `/article/`, `/article/<slug>/` | 308 to the above |
//!
//! Anything else is 404; a path over 1024 bytes, a NUL or U+FFFD in it, a missing or repeated
//! `Host` is 400; methods other than GET and HEAD are 405.
//!
//! # Invariants
//!
//! - A request never reaches the file system, and its look-up never allocates.
//! - Text of an author becomes HTML in one place only, [`render::escape`].
//! - A page asks no other host for anything and runs no script.
//!
//! # What is not here
//!
//! Reloading, feeds, TLS, compression, telemetry: they come with their own work. Reloading replaces
//! the `Arc<Snapshot>` that `serve` hands out; encodings become further answers of a resource.

pub mod cli;
pub mod content;
pub mod error;
pub mod render;
pub mod request;
pub mod serve;
mod signals;
pub mod site;

use error::{Error, Fault};
use std::io::{self, Write};
use std::sync::Arc;

/// Renders and serves a folder until interrupted.
///
/// Standard output gets one line, once the articles can be read; standard error what was left out.
///
/// # Errors
/// Content that cannot be published, an address that cannot be listened on, a system that refuses.
pub fn serve(arguments: &cli::Serve) -> Result<(), Error> {
    // The address first: it is the cheaper of the two to find wrong.
    let server = serve::Server::bind(arguments.listen)?;
    let content = content::read(&arguments.folder)?;
    let (site, notes) = site::Snapshot::build(content, &arguments.title);
    for note in notes {
        let _ = writeln!(io::stderr(), "{note}");
    }
    let line = format!(
        "lissom-blog: {} article{} from {} on http://{}/ (Ctrl-C stops)\n",
        site.articles(),
        if site.articles() == 1 { "" } else { "s" },
        arguments.folder.display(),
        server.address(),
    );
    server.run(Arc::new(site), || announce(&line))
}

/// One write. That nobody reads it is no reason not to serve.
fn announce(line: &str) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    match out.write_all(line.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Error::System(Fault::io("standard output", &error)))
        }
        _ => Ok(()),
    }
}
