//! Rules that other programs know better: shells about their scripts, gofmt about Go.

use super::{File, Finding};
use crate::error::{Error, Result};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;

/// A language whose files are put before a program.
struct Tool {
    /// The program and its arguments before the file.
    command: &'static [&'static str],
    /// What it reads.
    reads: fn(&File) -> bool,
    /// Whether output alone means a finding (gofmt -l succeeds and lists).
    output_is_finding: bool,
}

const TOOLS: &[Tool] = &[
    Tool {
        command: &["sh", "-n"],
        reads: |file| shell(file) == Some("sh"),
        output_is_finding: false,
    },
    Tool {
        command: &["bash", "-n"],
        reads: |file| shell(file) == Some("bash"),
        output_is_finding: false,
    },
    Tool {
        command: &["zsh", "-n"],
        reads: |file| shell(file) == Some("zsh"),
        output_is_finding: false,
    },
    Tool {
        command: &["fish", "--no-execute"],
        reads: |file| shell(file) == Some("fish"),
        output_is_finding: false,
    },
    Tool {
        command: &["shellcheck", "--format=gcc", "--"],
        reads: |file| {
            matches!(shell(file), Some("sh" | "bash")) && !file.path.contains("/completions/")
        },
        output_is_finding: false,
    },
    Tool {
        command: &["gofmt", "-l"],
        reads: |file| file.has_extension(&["go"]),
        output_is_finding: true,
    },
];

/// Puts every file before the tools for its language.
pub(super) fn check(
    root: &Path,
    files: &BTreeMap<String, File>,
    findings: &mut Vec<Finding>,
) -> Result {
    let in_ci = std::env::var_os("CI").is_some_and(|value| value == "true");
    for tool in TOOLS {
        let paths: Vec<&File> =
            files.values().filter(|file| (tool.reads)(file) && !file.is_fixture()).collect();
        if paths.is_empty() {
            continue;
        }
        if let Err(missing) = run(root, tool, &paths, findings)? {
            let what = format!(
                "{missing} is missing: {} files not checked; `make test` installs it",
                paths.len()
            );
            if in_ci {
                findings.push(Finding { path: missing.into(), line: 0, what });
            } else {
                println!("SKIPPED: tidy: {what}");
            }
        }
    }
    Ok(())
}

/// Runs one tool over its files, or gives its name when it is not installed.
fn run(
    root: &Path,
    tool: &Tool,
    files: &[&File],
    findings: &mut Vec<Finding>,
) -> Result<std::result::Result<(), &'static str>> {
    let [program, arguments @ ..] = tool.command else {
        return Ok(Ok(()));
    };
    for file in files {
        let output = match Command::new(program)
            .args(arguments)
            .arg(&file.path)
            .current_dir(root)
            .output()
        {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Err(program)),
            other => other.map_err(|error| Error::failed(program, error))?,
        };
        let said = [output.stdout, output.stderr].concat();
        if !output.status.success() || (tool.output_is_finding && !said.is_empty()) {
            let said = String::from_utf8_lossy(&said);
            let said: Vec<&str> = said.lines().collect();
            findings
                .push(file.finding(0, format!("{}: {}", tool.command.join(" "), said.join("; "))));
        }
    }
    Ok(Ok(()))
}

/// The shell that a script is for: by its first line, else by its name.
fn shell(file: &File) -> Option<&'static str> {
    const SHELLS: &[&str] = &["bash", "zsh", "fish", "sh"];
    if let Some(line) = file.text.lines().next().and_then(|line| line.strip_prefix("#!")) {
        let mut words = line.split(['/', ' ']).rev().filter(|word| !word.starts_with('-'));
        let program = words.next()?;
        return SHELLS.iter().copied().find(|shell| *shell == program);
    }
    if file.text.starts_with("#compdef ") {
        return Some("zsh");
    }
    SHELLS.iter().copied().find(|shell| file.has_extension(&[shell]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> File {
        File::new(path, text.as_bytes().to_vec())
    }

    #[test]
    fn the_shell_is_read_from_the_first_line_or_the_name() {
        for (path, text, expected) in [
            (".ci/run", "#!/bin/bash\n", Some("bash")),
            ("x", "#!/usr/bin/env -S zsh -f\n", Some("zsh")),
            ("x", "#!/bin/sh -e\n", Some("sh")),
            ("x.sh", "echo\n", Some("sh")),
            ("x.fish", "", Some("fish")),
            ("_x", "#compdef x\n", Some("zsh")),
            ("x.py", "#!/usr/bin/python3\n", None),
            ("x.rs", "#![no_std]\n", None),
        ] {
            assert_eq!(shell(&file(path, text)), expected, "{path}");
        }
    }

    #[test]
    fn a_script_that_does_not_parse_is_found() {
        let folder = lissom_testkit::folder();
        for (name, text) in [("bad.sh", "if true; then\n"), ("good.sh", "true\n")] {
            std::fs::write(folder.path().join(name), text).unwrap();
            let mut findings = Vec::new();
            let file = file(name, text);
            run(folder.path(), &TOOLS[0], &[&file], &mut findings).unwrap().unwrap();
            assert_eq!(findings.len(), usize::from(name == "bad.sh"), "{findings:?}");
        }
    }

    #[test]
    fn output_counts_where_the_tool_only_lists() {
        let tool = Tool { command: &["echo"], reads: |_| true, output_is_finding: true };
        let mut findings = Vec::new();
        run(Path::new("/"), &tool, &[&file("x.go", "")], &mut findings).unwrap().unwrap();
        assert_eq!(findings[0].what, "echo: x.go");
    }

    #[test]
    fn a_missing_tool_is_named() {
        let tool =
            Tool { command: &["no-such-tool-here"], reads: |_| true, output_is_finding: false };
        let mut findings = Vec::new();
        let missing = run(Path::new("/"), &tool, &[&file("x", "")], &mut findings).unwrap();
        assert_eq!((missing, findings.len()), (Err("no-such-tool-here"), 0));
    }
}
