//! `scripts/needs.sh` on systems made up of a few stand-ins.

use lissom_testkit::folder;
use lissom_testkit::launch::{root, run};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

/// A system: programs by name and what each does, a line of shell.
type Programs<'a> = &'a [(&'a str, &'a str)];

const BUILDS: Programs<'_> = &[("cargo", "exit 0"), ("cc", "exit 0"), ("git", "exit 0")];

/// What `needs.sh PURPOSE` says there, standard error last, and its status.
fn needs(purpose: &str, programs: &[Programs<'_>]) -> (Option<i32>, String) {
    let folder = folder();
    let here = |name: &str| folder.path().join(name);
    for (name, does) in programs.iter().copied().flatten() {
        fs::write(here(name), format!("#!/bin/sh\n{does}\n")).expect("a fresh folder");
        fs::set_permissions(here(name), fs::Permissions::from_mode(0o755)).expect("our file");
    }
    for name in ["cat", "env", "mktemp", "rm", "true"] {
        symlink(Path::new("/usr/bin").join(name), here(name)).expect("a fresh folder");
    }
    let mut command = Command::new("/bin/sh");
    command.arg(root().join("scripts/needs.sh")).arg(purpose).env("PATH", folder.path());
    let ended = run(&mut command, b"");
    (ended.status.code(), ended.stdout_text() + &ended.stderr_text())
}

#[test]
fn an_unknown_purpose_is_refused() {
    let expected = "needs.sh: usage: needs.sh run|test\n";
    assert_eq!(needs("dance", &[BUILDS]), (Some(2), expected.to_owned()));
}

#[test]
fn nothing_missing_is_nothing_said() {
    assert_eq!(needs("run", &[BUILDS]), (Some(0), String::new()));
}

#[test]
fn a_toolchain_is_asked_for() {
    let (status, said) = needs("run", &[]);
    assert_eq!(status, Some(2), "{said}");
    assert_eq!(said, "needs.sh: cargo: not found; install Rust 1.95 or newer\n");
}

#[test]
fn other_systems_are_told_what_is_missing() {
    let (status, said) = needs("run", &[&[("cargo", "exit 0")]]);
    assert_eq!(status, Some(2), "{said}");
    assert!(said.starts_with("needs.sh: missing: gcc git\n"), "{said}");
    assert!(said.contains("not Debian"), "{said}");
}

const APT: (&str, &str) = ("apt-get", "exit 0");

#[test]
fn without_root_or_sudo_the_command_is_named() {
    let user = ("id", "echo 1000");
    let (status, said) = needs("run", &[&[("cargo", "exit 0"), APT, user]]);
    assert_eq!(status, Some(2), "{said}");
    assert!(said.ends_with("as root: apt-get install gcc git\n"), "{said}");

    let (status, said) = needs("run", &[BUILDS, &[("sudo", "exit 1"), APT, user]]);
    assert_eq!((status, said.as_str()), (Some(0), ""), "nothing to install, nothing to refuse");

    let (status, said) = needs("run", &[&[("cargo", "exit 0"), ("sudo", "exit 1"), APT, user]]);
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("sudo wants a password"), "{said}");
}

#[test]
fn only_what_is_missing_is_installed() {
    // Named in the log of the stand-in, which is shown because the stand-in fails.
    let apt = ("apt-get", "echo \"apt: $*\"; case $* in *install*) exit 100;; esac");
    for (id, sudo) in [("echo 0", "exit 9"), ("echo 1000", "shift; exec \"$@\"")] {
        let system = [("cargo", "exit 0"), ("cc", "exit 0"), ("id", id), ("sudo", sudo), apt];
        let (status, said) = needs("run", &[&system]);
        assert_eq!(status, Some(2), "{said}");
        let calls: Vec<&str> = said.lines().filter(|line| line.starts_with("apt: ")).collect();
        let [update, install] = calls.as_slice() else { panic!("two calls: {said}") };
        assert!(update.ends_with(" update"), "{said}");
        assert!(install.ends_with(" install --no-install-recommends git"), "{said}");
        assert!(said.ends_with("needs.sh: apt-get install: failed, see above\n"), "{said}");
    }
}
