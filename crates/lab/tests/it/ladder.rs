//! The rungs themselves: what goes in comes out, but for the scanner, which loses every newline.

use lissom_testkit::launch::{self, workspace_bin};
use std::path::Path;
use std::process::Command;

const RUNGS: [&str; 7] = ["byte", "scanner", "readfull", "read", "direct", "enlarged", "splice"];

/// Inputs that end in the middle of a block, of a line, and with nothing.
fn inputs() -> [Vec<u8>; 4] {
    let lines: Vec<u8> = (1..=30_000).flat_map(|n| format!("{n}\n").into_bytes()).collect();
    let unterminated = lines[..lines.len() - 1].to_vec();
    [lines, unterminated, b"\n".to_vec(), Vec::new()]
}

fn check(program: &Path, rung: &str) {
    for input in inputs() {
        let ended = launch::run(&mut Command::new(program), &input);
        assert!(ended.status.success(), "{}: {}", program.display(), ended.stderr_text());
        let expected = match rung {
            "scanner" => input.iter().copied().filter(|&byte| byte != b'\n').collect(),
            _ => input,
        };
        assert!(ended.stdout == expected, "{}: other bytes", program.display());
    }
}

#[test]
fn rust_rungs_copy() {
    for rung in RUNGS {
        check(&workspace_bin("ladder", &format!("ladder-{rung}")), rung);
    }
}

#[test]
fn go_rungs_copy() {
    if Command::new("go").arg("version").output().is_err() {
        return lissom_testkit::absent("go");
    }
    let built = lissom_testkit::folder();
    for rung in RUNGS {
        let program = built.path().join(rung);
        let mut build = Command::new("go");
        build
            .args(["build", "-buildvcs=false", "-o"])
            .args([program.as_os_str(), ".".as_ref()])
            .current_dir(launch::root().join("crates/lab/ladder/go").join(rung))
            .envs([("GOTOOLCHAIN", "local"), ("GOPROXY", "off")]);
        let ended = launch::run(&mut build, b"");
        assert!(ended.status.success(), "{rung}: {}", ended.stderr_text());
        check(&program, rung);
    }
}

#[test]
fn the_floor_makes_one_system_call() {
    let counted = launch::count(Command::new(workspace_bin("ladder", "ladder-noop")));
    assert!(counted.status.success());
    assert_eq!(counted.syscalls, 1);
    assert!(counted.peak_resident_bytes <= 64 << 10, "{counted:?}");
}

#[test]
fn without_go_its_rungs_are_missing() {
    let project = crate::support::Project::new();
    let suite = project.path("crates/lab/suites/tiny.toml");
    let text = std::fs::read_to_string(&suite).unwrap();
    let text = text.replace("command = [\"sed\", \"-n\", \"p\"]", "go = \"ladder/go/byte\"");
    std::fs::write(&suite, text).unwrap();
    let rung = project.path("crates/lab/ladder/go/byte");
    std::fs::create_dir_all(&rung).unwrap();
    // A path on which the other programs of the suite are, and no go.
    let bin = project.path("bin");
    std::fs::create_dir(&bin).unwrap();
    for tool in ["cat", "tr", "sh"] {
        std::os::unix::fs::symlink(Path::new("/usr/bin").join(tool), bin.join(tool)).unwrap();
    }
    let mut command = project.command(&["bench", "tiny/pipe-pipe", "--rounds", "1"]);
    let ended = launch::run(command.env("PATH", &bin), b"");
    assert!(ended.status.success(), "{}", ended.stderr_text());
    assert!(ended.stdout_text().contains("missing: go: not found"), "{}", ended.stdout_text());
}
