//! The command line: one table for the parser, `--help`, the manual page and the completions.
//!
//! This file names nothing but `clap` and `std`: the generator of manual pages includes it as it is.

use clap::{Parser, Subcommand};
use std::net::SocketAddr;
use std::path::PathBuf;

/// Serve a folder of Markdown articles, each page kept as ready-to-send bytes.
#[derive(Debug, Parser)]
#[command(name = "lissom-blog", version, disable_help_subcommand = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Render the articles of a folder and serve them until interrupted.
    ///
    /// An article is DIR/NAME/index.md: CommonMark with tables and footnotes, opened by front matter
    /// in TOML between two lines of `+++` (title; date and description if you like). Pictures and
    /// data beside it are served with it. Everything is read and rendered once, at start; a broken
    /// article stops the start and is named with file and line.
    ///
    /// One line on standard output says where the articles are once they can be read there. SIGINT
    /// and SIGTERM stop the server: it accepts no more, answers what has arrived, and leaves with
    /// status 0. Bad input: one line each on standard error, status 2.
    Serve(Serve),
}

/// Arguments of `serve`.
#[derive(Debug, clap::Args)]
pub struct Serve {
    /// Folder of articles: one folder each, with an index.md
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,

    /// Address and port to listen on; port 0 lets the system choose
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8717")]
    pub listen: SocketAddr,

    /// Name of the site, shown on every page
    #[arg(long, value_name = "TITLE", default_value = "Articles")]
    pub title: String,
}
