//! Every refusal: one line that names what and where, status 2, nothing lost.

use crate::support::Project;
use lissom_testkit::launch;
use std::fs;

/// Runs `arguments` and expects exactly this one line, and status 2.
fn refused(project: &Project, arguments: &[&str], expected: &str) {
    let ended = project.run(arguments);
    let stderr = ended.stderr_text();
    // Progress may stand before it; the reason is the last line, and the only one of its kind.
    assert_eq!(stderr.lines().last(), Some(expected), "{arguments:?}: {stderr}");
    assert_eq!(ended.status.code(), Some(2), "{arguments:?}");
    assert!(ended.stdout.is_empty(), "{arguments:?}: {}", ended.stdout_text());
}

#[test]
fn unknown_names() {
    let project = Project::new();
    let known = "known are tiny, tiny/pipe-pipe, tiny/file-null";
    refused(&project, &["bench", "nope"], &format!("lissom: nope: no such case; {known}"));
    refused(&project, &["report", "nope"], "lissom: nope: no such case; known are tiny");
    assert!(!project.path("results.jsonl").exists());
}

#[test]
fn no_sources() {
    let project = Project::new();
    let elsewhere = lissom_testkit::folder();
    let at = elsewhere.path().display();
    let line = format!(
        "lissom: {at}: no folder crates/lab/suites here or above; name the sources with --root"
    );
    refused(&project, &["--root", &at.to_string(), "cases"], &line);
}

#[test]
fn a_suite_that_is_none() {
    let project = Project::new();
    let path = project.path("crates/lab/suites/tiny.toml");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("stdin = \"file\"", "stdin = \"tty\"")).unwrap();
    let ended = project.run(&["cases"]);
    let stderr = ended.stderr_text();
    assert!(stderr.contains("tiny.toml: line 61: unknown variant `tty`"), "{stderr}");
    assert_eq!((stderr.lines().count(), ended.status.code()), (1, Some(2)));
}

#[test]
fn a_missing_reference() {
    let project = Project::new();
    let path = project.path("crates/lab/suites/tiny.toml");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("reference = \"cat\"", "reference = \"absent\"")).unwrap();
    let line = "lissom: absent: a-program-that-nobody-has: not found; it is what the others are \
                measured against";
    refused(&project, &["bench"], line);
}

#[test]
fn results_that_cannot_be_written() {
    let project = Project::new();
    project.succeed(&["bench", "tiny/pipe-pipe", "--rounds", "1"]);
    let before = fs::read(project.path("results.jsonl")).unwrap();
    // A device that never ends, a folder, a folder that would have to be a file.
    let folder = project.path(".").display().to_string();
    let below = project.path("results.jsonl/more").display().to_string();
    for (place, cause) in [
        ("/dev/full", "not a regular file"),
        (&folder, "not a regular file"),
        (&below, "Not a directory (os error 20)"),
    ] {
        let arguments = ["--results", place, "bench", "tiny/pipe-pipe", "--rounds", "2"];
        refused(&project, &arguments, &format!("lissom: {place}: {cause}"));
    }
    assert_eq!(fs::read(project.path("results.jsonl")).unwrap(), before);
}

#[test]
fn a_disk_that_fills_up_while_results_are_written() {
    let project = Project::new();
    project.succeed(&["bench", "tiny/pipe-pipe", "--rounds", "2"]);
    let before = fs::read_to_string(project.path("results.jsonl")).unwrap();
    // The shell's limit on file sizes, in blocks of 512 bytes, fails a write as a full disk does:
    // after a part of it. The signal that comes with it is ignored, so that the error is seen.
    let blocks = before.len() / 512 + 2;
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"");
    let lissom = project.command(&["bench", "tiny/pipe-pipe", "--rounds", "200"]);
    let mut limited = std::process::Command::new("sh");
    limited.args(["-c", &script, "sh"]).arg(lissom.get_program()).args(lissom.get_args());
    limited.current_dir(project.path("."));
    for (name, value) in lissom.get_envs() {
        match value {
            Some(value) => limited.env(name, value),
            None => limited.env_remove(name),
        };
    }
    let ended = launch::run(&mut limited, b"");
    let stderr = ended.stderr_text();
    let line = stderr.lines().last().unwrap();
    assert!(line.ends_with("results.jsonl: File too large (os error 27)"), "{stderr}");
    assert_eq!(ended.status.code(), Some(2));
    let after = fs::read_to_string(project.path("results.jsonl")).unwrap();
    assert!(after.starts_with(&before) && after.ends_with('\n'), "whole lines only");
    project.results(); // and every one of them is readable
}

#[test]
fn articles_that_cannot_be_written_are_found_before_measuring() {
    let project = Project::new();
    fs::write(project.path("file"), "").unwrap();
    let out = project.path("file/articles").display().to_string();
    let line = format!("lissom: {out}: Not a directory (os error 20)");
    refused(&project, &["report", "--out", &out], &line);
    assert!(!project.path("results.jsonl").exists(), "nothing was measured");
}

#[test]
fn articles_that_cannot_be_read() {
    let project = Project::new();
    refused(&project, &["render"], "lissom: articles: No such file or directory (os error 2)");
    fs::create_dir_all(project.path("articles/tiny")).unwrap();
    fs::write(project.path("articles/tiny/data.json"), "{}").unwrap();
    let line = "lissom: articles/tiny/data.json: missing field `schema` at line 1 column 2";
    refused(&project, &["render"], line);
}

#[test]
fn arguments_that_make_no_sense() {
    let project = Project::new();
    for arguments in
        [&["bench", "--rounds", "0"][..], &["measure"], &["report", "--quick", "--full"]]
    {
        let ended = project.run(arguments);
        assert_eq!(ended.status.code(), Some(2), "{arguments:?}");
        assert!(ended.stderr_text().starts_with("error: "), "{arguments:?}");
    }
}
