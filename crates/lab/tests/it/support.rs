//! A project of its own with one small suite, and the real `lissom` to run in it.

use lissom_testkit::launch::{self, Ended, workspace_bin};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Programs of every fate: the floor and the reference, one that is right, one that loses bytes,
/// one that fails, one that is not installed.
const SUITE: &str = r#"
title = "Tiny & small"
reference = "cat"
floor = "noop"
rounds = { quick = 2, full = 3 }

[[program]]
id = "noop"
label = "no-op process"
language = "asm"
command = ["{bin}/ladder-noop"]

[[program]]
id = "cat"
label = "the system's cat"
language = "C"
command = ["cat"]
version = ["cat", "--version"]

[[program]]
id = "sed"
label = "sed"
language = "C"
ours = true
command = ["sed", "-n", "p"]

[[program]]
id = "loses"
label = "loses"
language = "C"
command = ["tr", "-d", "7"]

[[program]]
id = "fails"
label = "fails"
language = "sh"
command = ["sh", "-c", "echo no such luck >&2; exit 3"]

[[program]]
id = "absent"
label = "absent"
language = "C"
command = ["a-program-that-nobody-has"]

[[input]]
id = "numbers"
label = "numbers"
seq = 5000

[[case]]
id = "pipe-pipe"
title = "numbers, pipe to pipe"
input = "numbers"
stdin = "pipe"
stdout = "pipe"

[[case]]
id = "file-null"
title = "numbers, file to /dev/null"
input = "numbers"
stdin = "file"
stdout = "null"
"#;

const TEMPLATE: &str = r"# {{ title }}
{% for case in cases %}
{{ plot(case.id) }}

{{ table(case.id) }}

sed: {{ ratio('sed', case.id) }}
{% endfor %}
";

/// A temporary project.
pub(crate) struct Project {
    folder: lissom_testkit::Folder,
}

impl Project {
    pub(crate) fn new() -> Project {
        let project = Project { folder: lissom_testkit::folder() };
        let suites = project.path("crates/lab/suites");
        fs::create_dir_all(&suites).unwrap();
        fs::write(suites.join("tiny.toml"), SUITE).unwrap();
        fs::write(suites.join("tiny.md"), TEMPLATE).unwrap();
        project
    }

    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.folder.path().join(relative)
    }

    pub(crate) fn results(&self) -> Vec<serde_json::Value> {
        let text = fs::read_to_string(self.path("results.jsonl")).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// How many lines of this kind the results hold.
    pub(crate) fn count(&self, kind: &str) -> usize {
        self.results().iter().filter(|line| line["kind"] == kind).count()
    }

    /// `lissom` in this project, with nothing of the machine's own results or caches.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        // The suite's floor stands beside the lab's program, where `make` puts it too.
        let floor = workspace_bin("ladder", "ladder-noop");
        assert!(floor.is_file());
        let mut command = Command::new(env!("CARGO_BIN_EXE_lissom"));
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .env("XDG_CACHE_HOME", self.path("cache"))
            .env("LISSOM_RESULTS", self.path("results.jsonl"))
            .env_remove("LISSOM_ROOT");
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ended {
        launch::run(&mut self.command(arguments), b"")
    }

    /// Runs what must succeed; its standard output.
    pub(crate) fn succeed(&self, arguments: &[&str]) -> String {
        let ended = self.run(arguments);
        assert!(ended.status.success(), "{arguments:?}: {}", ended.stderr_text());
        ended.stdout_text()
    }

    pub(crate) fn data(&self) -> serde_json::Value {
        read_json(&self.path("articles/tiny/data.json"))
    }
}

pub(crate) fn read_json(path: &Path) -> serde_json::Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}
