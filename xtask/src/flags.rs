//! The flag tables of the programs, taken from their sources as they are, so that the parser,
//! `--help`, the manual page and the completions cannot disagree.

#[allow(
    dead_code,
    missing_docs,
    unreachable_pub,
    reason = "another crate's file: there its items are public and used"
)]
#[path = "../../crates/blog/src/cli.rs"]
pub(crate) mod blog;
