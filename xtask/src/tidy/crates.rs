//! Rules over manifests: why each dependency is there, and what it drags along.

use super::{File, Finding, relative};
use crate::cargo::{self, Workspace};
use crate::error::{Error, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use toml_edit::DocumentMut;

/// All rules about manifests, over the tree.
pub(super) fn check(
    root: &Path,
    workspace: &Workspace,
    files: &BTreeMap<String, File>,
    findings: &mut Vec<Finding>,
) -> Result {
    for package in &workspace.members {
        let folder = relative(root, &package.folder).unwrap_or_default();
        let manifest = format!("{folder}/Cargo.toml");
        if let Some(file) = files.get(&manifest) {
            unexplained_dependencies(file, findings);
            workspace_lints(file, findings);
            untested_benches(file, &package.untested_benches, findings);
        }
        let list = format!("{folder}/deps.allow");
        let allowed = files.get(&list).map(|file| file.text.as_str()).unwrap_or_default();
        let actual = cargo::closure(root, &package.name)?;
        compare_closure(&list, allowed, &actual, findings);
    }
    if let Some(file) = files.get("Cargo.toml") {
        unexplained_dependencies(file, findings);
    }
    Ok(())
}

/// Rewrites every `deps.allow` to what is taken in now, its leading comment kept.
pub(super) fn bless(root: &Path, workspace: &Workspace) -> Result {
    for package in &workspace.members {
        let path = package.folder.join("deps.allow");
        let actual = cargo::closure(root, &package.name)?;
        let before = std::fs::read_to_string(&path).unwrap_or_default();
        if actual.is_empty() && before.is_empty() {
            continue;
        }
        let after = blessed(&before, &actual);
        if after != before {
            std::fs::write(&path, after).map_err(Error::at(&path))?;
            println!("tidy: wrote {}", path.display());
        }
    }
    Ok(())
}

/// The new text of a list: its comments stay, remarks behind names too.
fn blessed(before: &str, actual: &BTreeSet<String>) -> String {
    let head = before.lines().take_while(|line| line.starts_with('#'));
    let remark = |name: &str| {
        before.lines().find(|line| listed_name(line) == Some(name)).unwrap_or(name).to_owned()
    };
    head.map(str::to_owned)
        .chain(actual.iter().map(|name| remark(name)))
        .map(|line| line + "\n")
        .collect()
}

/// The crate that a line of a list names.
fn listed_name(line: &str) -> Option<&str> {
    let name = line.split('#').next()?.trim();
    (!name.is_empty()).then_some(name)
}

/// A crate takes in exactly what its list says: growth is a reviewed edit, and so is shrinking.
fn compare_closure(
    path: &str,
    allowed: &str,
    actual: &BTreeSet<String>,
    findings: &mut Vec<Finding>,
) {
    let mut push = |line, what: String| {
        findings.push(Finding { path: path.to_owned(), line, what });
    };
    let listed: Vec<(usize, &str)> = (1..)
        .zip(allowed.lines())
        .filter_map(|(number, line)| Some((number, listed_name(line)?)))
        .collect();
    for (number, name) in &listed {
        if !actual.contains(*name) {
            push(*number, format!("- {name}: no longer taken in; `cargo xtask tidy --bless`"));
        }
    }
    for pair in listed.windows(2) {
        if pair[0].1 >= pair[1].1 {
            push(pair[1].0, format!("{} is out of order or there twice", pair[1].1));
        }
    }
    let grown: Vec<&str> = actual
        .iter()
        .map(String::as_str)
        .filter(|name| !listed.iter().any(|(_, listed)| listed == name))
        .collect();
    if !grown.is_empty() {
        let names = grown.join(" ");
        push(
            0,
            format!("+ {names}: taken in and not listed; `cargo xtask tidy --bless` if wanted"),
        );
    }
}

/// Each dependency says, behind it or in the line above, why it is there. Our own crates need not.
fn unexplained_dependencies(file: &File, findings: &mut Vec<Finding>) {
    let mut in_dependencies = false;
    let mut explained_above = false;
    let mut open = 0;
    let mut entry = (0, String::new());
    for (number, line) in file.lines() {
        let (value, comment) = line.split_once('#').unwrap_or((line, ""));
        let value = value.trim();
        if open == 0 && value.starts_with('[') {
            let header = value.trim_matches(['[', ']']);
            in_dependencies = header.split('.').any(|part| part.ends_with("dependencies"));
            let single =
                header.rsplit_once('.').is_some_and(|(before, _)| before.ends_with("dependencies"));
            if single && comment.is_empty() && !explained_above {
                findings.push(file.finding(number, format!("`{header}` does not say why")));
            }
            in_dependencies &= !single;
        } else if in_dependencies && (open > 0 || value.contains('=')) {
            if open == 0 {
                entry = (number, String::new());
            }
            entry.1 += value;
            let count = |sign| value.matches(sign).count();
            open += count(['{', '[']);
            open -= count(['}', ']']).min(open);
            let ours = entry.1.contains("path =") || entry.1.contains("workspace = true");
            if open == 0 && comment.trim().is_empty() && !explained_above && !ours {
                let name = entry.1.split('=').next().unwrap_or_default().trim();
                findings.push(file.finding(entry.0, format!("`{name}` does not say why")));
            }
        }
        explained_above = value.is_empty() && !comment.trim().is_empty();
    }
}

/// A benchmark runs, tiny, with the tests, or it rots.
fn untested_benches(file: &File, benches: &[String], findings: &mut Vec<Finding>) {
    for name in benches {
        let what =
            format!("the benchmark `{name}` has no `test = true` and does not run with the tests");
        findings.push(file.finding(0, what));
    }
}

/// Every package takes the workspace's lints.
fn workspace_lints(file: &File, findings: &mut Vec<Finding>) {
    let inherits = file
        .text
        .parse::<DocumentMut>()
        .ok()
        .and_then(|manifest| manifest.get("lints")?.get("workspace")?.as_bool());
    if inherits != Some(true) {
        findings.push(file.finding(0, "has no `[lints] workspace = true`"));
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use super::*;

    fn names(list: &[&str]) -> BTreeSet<String> {
        list.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn a_closure_neither_grows_nor_shrinks_unseen() {
        let check = |allowed: &str, actual: &[&str]| {
            let mut findings = Vec::new();
            compare_closure("deps.allow", allowed, &names(actual), &mut findings);
            findings
                .iter()
                .map(|f| (f.line, f.what.split(':').next().unwrap().to_owned()))
                .collect::<Vec<_>>()
        };
        assert_eq!(check("# why\na # x\nb\n", &["a", "b"]), []);
        assert_eq!(check("a\n", &["a", "b"]), [(0, "+ b".to_owned())]);
        assert_eq!(check("a\nb\n", &["a"]), [(2, "- b".to_owned())]);
        assert_eq!(check("", &["a"]), [(0, "+ a".to_owned())]);
        assert_eq!(check("b\na\n", &["a", "b"]).len(), 1);
        assert_eq!(check("a\na\n", &["a"]).len(), 1);
    }

    #[test]
    fn a_blessed_list_keeps_its_comments() {
        let before = "# Small on purpose.\nb # the parser\nc\n";
        assert_eq!(
            blessed(before, &names(&["a", "b"])),
            "# Small on purpose.\na\nb # the parser\n"
        );
    }

    #[test]
    fn dependencies_say_why() {
        let bad = "[dependencies]\na = \"1\"\nb = { version = \"1\", features = [\n  \"x\",\n] }\n\
                   [target.'cfg(unix)'.dev-dependencies]\nc = \"1\" #\n[dependencies.d]\nversion = \"1\"\n";
        check(unexplained_dependencies, "Cargo.toml", bad, &[2, 3, 7, 8]);
        let good = "[package]\nname = \"x\"\n[dependencies]\na = \"1\" # parses\n# above\nb = { version = \"1\" }\n\
                    c = { path = \"../c\" }\nd = [\n  \"x\", # y\n] # z\n\n[features]\ne = []\n\
                    # single\n[dependencies.f]\nversion = \"1\"\n";
        check(unexplained_dependencies, "Cargo.toml", good, &[]);
    }

    #[test]
    fn benchmarks_run_with_the_tests() {
        let mut findings = Vec::new();
        let file = File::new("Cargo.toml", Vec::new());
        untested_benches(&file, &[], &mut findings);
        assert!(findings.is_empty());
        untested_benches(&file, &["rots".to_owned()], &mut findings);
        assert!(findings[0].what.contains("`rots`"));
    }

    #[test]
    fn lints_are_inherited() {
        check(workspace_lints, "Cargo.toml", "[package]\nname = \"x\"\n", &[0]);
        check(workspace_lints, "Cargo.toml", "[lints]\nworkspace = false\n", &[0]);
        check(workspace_lints, "Cargo.toml", "[lints]\nworkspace = true\n", &[]);
    }
}
