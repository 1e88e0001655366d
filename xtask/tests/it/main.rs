//! The program as it is called.

use lissom_testkit::folder;
use lissom_testkit::launch::{Ended, root, run};
use std::path::Path;
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

#[test]
fn the_needs_of_an_unknown_purpose_are_refused() {
    let script = root().join("scripts/needs.sh");
    let ended = run(Command::new(&script).arg("dance"), b"");
    assert_eq!(ended.status.code(), Some(2));
    assert_eq!(ended.stderr_text(), "needs.sh: usage: needs.sh run|test\n");
}

/// What `needs.sh run` says where only the tools in `tools` are to be found.
fn needs_with(tools: &[&str]) -> (Option<i32>, String) {
    let folder = folder();
    for tool in tools {
        let found = ["/usr/bin", "/bin", "/usr/sbin"]
            .iter()
            .map(|place| Path::new(place).join(tool))
            .find(|path| path.exists());
        let here = folder.path().join(tool);
        match found {
            Some(found) => std::os::unix::fs::symlink(found, here).expect("a fresh folder"),
            None => {
                let script = "#!/bin/sh\nexit 0\n";
                std::fs::write(&here, script).expect("a fresh folder");
                let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
                std::fs::set_permissions(&here, mode).expect("our own file");
            }
        }
    }
    let mut command = Command::new("/bin/sh");
    command.arg(root().join("scripts/needs.sh")).arg("run").env("PATH", folder.path());
    let ended = run(&mut command, b"");
    (ended.status.code(), ended.stdout_text() + &ended.stderr_text())
}

#[test]
fn a_system_without_packages_is_told_what_it_lacks() {
    let (status, said) = needs_with(&["cargo"]);
    assert_eq!(status, Some(2), "{said}");
    assert!(said.starts_with("needs.sh: missing: gcc git\n"), "{said}");
    assert!(said.contains("not Debian"), "{said}");

    let (status, said) = needs_with(&[]);
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("cargo: not found"), "{said}");

    let (status, said) = needs_with(&["cargo", "cc", "git"]);
    assert_eq!((status, said.as_str()), (Some(0), ""));
}
