//! The stamp on every result: on what, from which sources, and when it was measured.

use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// Where and when a result was measured. Names no host and no person.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Stamp {
    /// UTC, RFC 3339, to the second.
    pub date: String,
    /// The machine.
    pub machine: Machine,
    /// The project's commit, `-dirty` when files differ from it; empty outside a repository.
    pub commit: String,
    /// Version of the lab.
    pub lab: String,
    /// Load average over a minute when the measurement began: above 1, somebody else was busy.
    pub load: f64,
}

/// The machine, as far as it decides a figure.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// Model name of the processor.
    pub cpu: String,
    /// Processors this program may use.
    pub processors: usize,
    /// Memory in MiB.
    pub memory_mib: u64,
    /// Kernel name, release and architecture.
    pub kernel: String,
    /// The distribution.
    pub system: String,
}

impl Stamp {
    /// The stamp for a measurement that begins now, of the sources in `root`.
    #[must_use]
    pub fn now(root: &Path) -> Self {
        let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
        Stamp {
            date: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            machine: Machine::here(),
            commit: commit(root),
            lab: env!("CARGO_PKG_VERSION").to_owned(),
            load: load.split(' ').next().and_then(|load| load.parse().ok()).unwrap_or(0.0),
        }
    }
}

impl Machine {
    /// This machine.
    #[must_use]
    pub fn here() -> Self {
        let name = rustix::system::uname();
        let [system, release, architecture] =
            [name.sysname(), name.release(), name.machine()].map(|part| part.to_string_lossy());
        Machine {
            cpu: field("/proc/cpuinfo", "model name", ':').unwrap_or_else(|| "unknown".into()),
            processors: std::thread::available_parallelism().map_or(1, usize::from),
            memory_mib: field("/proc/meminfo", "MemTotal", ':')
                .and_then(|total| total.strip_suffix(" kB")?.trim().parse::<u64>().ok())
                .map_or(0, |kib| kib / 1024),
            kernel: format!("{system} {release} {architecture}"),
            system: field("/etc/os-release", "PRETTY_NAME", '=')
                .map_or_else(|| "unknown".into(), |name| name.trim_matches('"').to_owned()),
        }
    }
}

/// The value of the first line of `file` that begins with `key`.
fn field(file: &str, key: &str, separator: char) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.starts_with(key))?;
    Some(line.split_once(separator)?.1.trim().to_owned())
}

fn commit(root: &Path) -> String {
    let git = |arguments: &[&str]| {
        let output =
            Command::new("git").arg("-C").arg(root).args(arguments).stdin(Stdio::null()).output();
        let output = output.ok().filter(|output| output.status.success())?;
        String::from_utf8(output.stdout).ok()
    };
    let Some(commit) = git(&["rev-parse", "--short=12", "HEAD"]) else {
        return String::new();
    };
    // An article that a report has just rewritten does not make the sources other sources.
    let changes = git(&["status", "--porcelain", "--", ".", ":(exclude)articles"]);
    let dirty = changes.is_none_or(|changes| !changes.is_empty());
    format!("{}{}", commit.trim(), if dirty { "-dirty" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_knows_its_machine_and_survives_json() {
        let root = lissom_testkit::launch::root();
        let stamp = Stamp::now(&root);
        assert!(stamp.machine.kernel.starts_with("Linux "), "{stamp:?}");
        assert!(stamp.machine.processors > 0 && stamp.machine.memory_mib > 0, "{stamp:?}");
        assert!(stamp.date.ends_with('Z') && stamp.date.len() == 20, "{stamp:?}");
        let text = serde_json::to_string(&stamp).unwrap();
        assert_eq!(serde_json::from_str::<Stamp>(&text).unwrap(), stamp);
    }

    #[test]
    fn a_folder_without_a_repository_has_no_commit() {
        assert_eq!(commit(lissom_testkit::folder().path()), "");
    }
}
