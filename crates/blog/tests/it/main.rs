//! The real binary over real sockets.

mod browser;
mod hostile;
mod http;
mod lifecycle;
mod serving;
mod webdriver;

use lissom_testkit::launch::Server;
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A running `lissom-blog` on a port of its own.
struct Blog {
    server: Server,
    address: SocketAddr,
}

impl Blog {
    /// Serves `folder`.
    fn start(folder: &Path) -> Self {
        Self::from(&mut command(folder))
    }

    fn from(command: &mut Command) -> Self {
        let server = Server::start(command);
        let line = &server.ready_line;
        let address = line
            .split_once("http://")
            .and_then(|(_, rest)| rest.split_once('/'))
            .and_then(|(address, _)| address.parse().ok());
        let address = address.unwrap_or_else(|| panic!("no address in {line:?}"));
        Self { server, address }
    }

    /// Sends one request on a connection of its own.
    fn get(&self, path: &str) -> http::Answer {
        http::get(self.address, path)
    }
}

/// `lissom-blog serve FOLDER` on a port that the system chooses.
fn command(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lissom-blog"));
    command.arg("serve").arg(folder).args(["--listen", "127.0.0.1:0"]);
    command
}

/// The articles that the tests are about.
fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/articles")
}

/// Writes an article with a title and `body` into `folder/slug`.
fn write_article(folder: &Path, slug: &str, body: &str) {
    let home = folder.join(slug);
    fs::create_dir_all(&home).expect("a folder for the article");
    fs::write(home.join("index.md"), format!("+++\ntitle = \"{slug}\"\n+++\n{body}"))
        .expect("written");
}
