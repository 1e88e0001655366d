//! The command line of `lissom`: one table for the parser, the help, the manual page and the
//! completions. Nothing here but clap and std: `xtask gen` includes this file as it is.

use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// Measures each program beside what it replaces, on this machine, and writes the result as
/// articles.
#[derive(Debug, Parser)]
#[command(name = "lissom", version, max_term_width = 100)]
pub struct Cli {
    /// Folder of the project's sources (found from the working folder upwards)
    #[arg(long, global = true, value_name = "DIR", env = "LISSOM_ROOT")]
    pub root: Option<PathBuf>,

    /// File that raw results are appended to [default: $XDG_STATE_HOME/lissom/results.jsonl]
    #[arg(long, global = true, value_name = "FILE", env = "LISSOM_RESULTS")]
    pub results: Option<PathBuf>,

    /// What to do
    #[command(subcommand)]
    pub command: Command,
}

/// The lab's commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the cases: what is measured, on which input, in which articles
    Cases,
    /// Measure cases and print their tables
    Bench {
        /// Cases to measure, as `SUITE/CASE` or a whole `SUITE` [default: all]
        #[arg(value_name = "CASE")]
        cases: Vec<String>,
        /// How many rounds
        #[command(flatten)]
        effort: Effort,
    },
    /// Measure what is missing, then write the articles
    Report {
        /// Articles to write, by suite [default: all]
        #[arg(value_name = "SUITE")]
        suites: Vec<String>,
        /// How many rounds
        #[command(flatten)]
        effort: Effort,
        /// Folder for the articles, one folder each
        #[arg(long, value_name = "DIR", default_value = "articles")]
        out: PathBuf,
    },
    /// Write the articles again from the data files beside them, without measuring
    Render {
        /// Folder of the articles
        #[arg(value_name = "DIR", default_value = "articles")]
        dir: PathBuf,
        /// Write nothing; status 1 when an article and its data disagree
        #[arg(long)]
        check: bool,
    },
}

/// How many rounds to measure. Rounds measured before on this machine with the same programs
/// count, so a second call is short.
#[derive(Args, Clone, Copy, Debug)]
pub struct Effort {
    /// Few rounds: minutes, wide spread
    #[arg(long, conflicts_with_all = ["full", "rounds"])]
    pub quick: bool,
    /// The rounds an article is published with (the default)
    #[arg(long, conflicts_with = "rounds")]
    pub full: bool,
    /// Exactly so many rounds
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub rounds: Option<u32>,
    /// Measure again: earlier rounds do not count
    #[arg(long)]
    pub fresh: bool,
}
