//! The program as it is called, and the script that comes before it.

mod needs;

use lissom_testkit::folder;
use lissom_testkit::launch::{Ended, root, run};
use std::process::Command;

fn xtask(arguments: &[&str]) -> Ended {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.args(arguments).env("CARGO_MANIFEST_DIR", root().join("xtask"));
    run(&mut command, b"")
}

/// One line on standard error that holds `part`, nothing on standard output, status 2.
#[track_caller]
fn refused(arguments: &[&str], part: &str) {
    let ended = xtask(arguments);
    let line = ended.stderr_text();
    assert!(line.starts_with("xtask: ") && line.contains(part), "{arguments:?}: {line}");
    assert_eq!(line.matches('\n').count(), 1, "{arguments:?}: {line}");
    assert_eq!((ended.status.code(), ended.stdout_text().as_str()), (Some(2), ""));
}

#[test]
fn without_arguments_the_commands_are_listed() {
    let bare = xtask(&[]);
    assert_eq!(bare.status.code(), Some(0));
    assert_eq!(bare.stdout, xtask(&["--help"]).stdout);
    assert!(bare.stdout_text().contains("\n  tidy "));
}

#[test]
fn nonsense_is_refused_in_one_line() {
    refused(&["frobnicate"], "frobnicate");
    refused(&["tidy", "--frob"], "--frob");
    refused(&["install"], "--prefix");
    refused(&["fuzz", "frob"], "frob");
}

#[test]
fn nothing_installed_is_nothing_to_remove() {
    let folder = folder();
    let prefix = folder.path().to_str().expect("a plain path");
    refused(&["uninstall", "--prefix", prefix], "nothing is installed");
}

#[test]
fn a_prefix_that_cannot_be_written_is_refused_before_anything_is_built() {
    // Not by permissions: tests may run as root, whom they do not stop.
    let folder = folder();
    let file = folder.path().join("file");
    std::fs::write(&file, "").expect("a temporary folder can be written");
    refused(&["install", "--prefix", file.to_str().expect("a plain path")], "file");
    refused(&["install", "--prefix", "/proc/self/lissom"], "/proc/self");
}

#[test]
fn generated_files_agree_with_the_flag_tables() {
    let ended = xtask(&["gen", "--check"]);
    assert_eq!(ended.stdout_text(), "");
    assert_eq!(ended.status.code(), Some(0));
}
