//! The lab: measures each program beside what it replaces, on this machine, and writes the result
//! as articles.
//!
//! Source → state → ready bytes → one write: a [`suite`] says what to measure, [`mod@measure`]
//! appends rounds to the [`store`], [`data`] gathers them into the file an article is made from,
//! and [`article`] renders text, tables and plots from that file alone.

pub mod article;
pub mod cli;
pub mod data;
pub mod error;
pub mod input;
pub mod interrupt;
pub mod measure;
pub mod place;
pub mod plot;
pub mod plumb;
pub mod program;
pub mod progress;
pub mod run;
pub mod stamp;
pub mod stats;
pub mod store;
pub mod suite;
pub mod table;

use crate::cli::{Cli, Command, Effort};
use crate::data::Data;
use crate::error::{Error, Result};
use crate::place::Place;
use crate::store::Store;
use crate::suite::Suite;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;

/// Does what the command line asks.
///
/// # Errors
/// Whatever ends a command early; the message is one line.
pub fn run(cli: &Cli) -> Result<ExitCode> {
    let place = Place::find(cli)?;
    match &cli.command {
        Command::Cases => {
            say(&table::cases(&Suite::all(&place)?))?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Bench { cases, effort } => bench(cases, *effort, &place),
        Command::Report { suites, effort, out } => report(suites, *effort, out, &place),
        Command::Render { dir, check } => render(dir, *check, &place),
    }
}

fn bench(names: &[String], effort: Effort, place: &Place) -> Result<ExitCode> {
    let suites = suite::select(Suite::all(place)?, names)?;
    let mut store = open(place)?;
    for suite in suites {
        let measured = measure::measure(suite, effort, place, &mut store)?;
        say(&table::results(&Data::gather(&measured, &store)))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn report(names: &[String], effort: Effort, out: &Path, place: &Place) -> Result<ExitCode> {
    let suites = suite::select_whole(Suite::all(place)?, names)?;
    article::prepare(out)?; // before minutes of measuring, not after
    let mut store = open(place)?;
    for suite in suites {
        let measured = measure::measure(suite, effort, place, &mut store)?;
        let data = Data::gather(&measured, &store);
        let folder = article::write(&data, out, place)?;
        say(&format!("{}\n", folder.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn render(dir: &Path, check: bool, place: &Place) -> Result<ExitCode> {
    let mut differ = false;
    for folder in article::folders(dir)? {
        let data = article::read_data(&folder)?;
        if check {
            for file in article::differing(&data, &folder, place)? {
                say(&format!("{}: differs from its data\n", file.display()))?;
                differ = true;
            }
        } else {
            article::write(&data, dir, place)?;
        }
    }
    Ok(if differ { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

/// Writes to standard output. Whoever reads it may have left: that is no failure.
fn say(text: &str) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(cause) if cause.kind() != ErrorKind::BrokenPipe => {
            Err(Error::System { subject: "standard output".into(), cause })
        }
        _ => Ok(()),
    }
}

/// A line on standard error, if anybody can still read it: a lost word must not end a measurement.
pub fn warn(text: &str) {
    drop(writeln!(std::io::stderr(), "lissom: {text}"));
}

/// The results, with a word about lines that cannot be read.
fn open(place: &Place) -> Result<Store> {
    let store = Store::open(&place.results)?;
    for (line, reason) in &store.unreadable {
        warn(&format!("{}:{line}: left out: {reason}", place.results.display()));
    }
    Ok(store)
}
