//! The house rules as checks.
//!
//! A rule is a pure function from a file (or from the tree, as lists and texts) to findings, so
//! that its unit test can feed it a sample that breaks it: a rule that cannot fail is no rule.
//! [`run`] reads the tree once and puts every file before every rule.

mod crates;
mod docs;
mod mask;
mod modules;
mod policy;
mod rust;
mod text;
mod tools;

use crate::cargo::Workspace;
use crate::error::{Error, Result};
use crate::repo;
use mask::Masked;
use std::collections::BTreeMap;
use std::path::Path;

/// Something that breaks a rule.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    /// Relative to the root.
    path: String,
    /// From 1; 0 means the file as a whole.
    line: usize,
    /// What is wrong and, where it is not plain, what to do.
    what: String,
}

/// A file of the tree.
struct File {
    /// Relative to the root, parts separated by `/`.
    path: String,
    bytes: u64,
    /// Empty when the file is not text.
    text: String,
    /// Layers, of a Rust file.
    rust: Option<Masked>,
}

impl File {
    fn new(path: &str, content: Vec<u8>) -> Self {
        let bytes = content.len() as u64;
        let text = if content.contains(&0) {
            String::new()
        } else {
            String::from_utf8(content).unwrap_or_default()
        };
        let rust = path.ends_with(".rs").then(|| mask::mask(&text));
        File { path: path.to_owned(), bytes, text, rust }
    }

    fn finding(&self, line: usize, what: impl Into<String>) -> Finding {
        Finding { path: self.path.clone(), line, what: what.into() }
    }

    /// Numbered lines, from 1.
    fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        (1..).zip(self.text.lines())
    }

    fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    fn has_extension(&self, extensions: &[&str]) -> bool {
        self.name().rsplit_once('.').is_some_and(|(_, found)| extensions.contains(&found))
    }

    /// Whether this is input or expected output of a test: bytes that must stay as they are.
    fn is_fixture(&self) -> bool {
        self.path.split('/').any(|part| matches!(part, "fixtures" | "snapshots" | "corpus"))
    }
}

/// A rule that looks at one file at a time.
type Rule = fn(&File, &mut Vec<Finding>);

/// Every rule of that kind.
const RULES: &[Rule] = &[
    rust::allow_without_reason,
    rust::banned_code,
    rust::long_main,
    rust::undeclared_unsafe,
    rust::unexplained_unsafe,
    text::absolute_paths,
    text::banned_remarks,
    text::large_file,
    text::long_source,
    text::registry_hosts,
    text::whitespace,
    docs::links,
    docs::changelog,
];

/// `cargo xtask tidy`.
pub(crate) fn run(bless: bool) -> Result {
    let root = repo::root()?;
    let workspace = Workspace::read(&root)?;
    if bless {
        crates::bless(&root, &workspace)?;
    }
    let paths = repo::files(&root)?;
    let mut findings = Vec::new();
    let mut files = BTreeMap::new();
    for path in paths {
        let on_disk = root.join(&path);
        let kind = on_disk.symlink_metadata().map_err(Error::at(&on_disk))?;
        if kind.is_file() {
            let content = std::fs::read(&on_disk).map_err(Error::at(&on_disk))?;
            files.insert(path.clone(), File::new(&path, content));
        }
    }
    for file in files.values() {
        for rule in RULES {
            rule(file, &mut findings);
        }
    }
    docs::paths(&files, &mut findings);
    docs::every_crate_is_mentioned(&files, &mut findings);
    modules::dead_files(&root, &workspace, &files, &mut findings);
    crates::check(&root, &workspace, &files, &mut findings)?;
    policy::check(&workspace, &files, &mut findings)?;
    tools::check(&root, &files, &mut findings)?;
    crate::gen_docs::drift(&root, |path, what| {
        findings.push(Finding { path, line: 0, what });
    })?;
    report(files.len(), findings)
}

fn report(files: usize, mut findings: Vec<Finding>) -> Result {
    findings.sort();
    findings.dedup();
    for Finding { path, line, what } in &findings {
        match line {
            0 => println!("{path}: {what}"),
            line => println!("{path}:{line}: {what}"),
        }
    }
    println!("tidy: {files} files, {} findings", findings.len());
    if findings.is_empty() { Ok(()) } else { Err(Error::Negative) }
}

/// The path from `root` with `/` between its parts, when it lies below.
fn relative(root: &Path, path: &Path) -> Option<String> {
    path.strip_prefix(root).ok()?.to_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the lines at which `rule` finds something in a file of this name and text.
    #[track_caller]
    pub(super) fn check(rule: Rule, path: &str, text: &str, expected: &[usize]) {
        let mut findings = Vec::new();
        rule(&File::new(path, text.as_bytes().to_vec()), &mut findings);
        let lines: Vec<usize> = findings.iter().map(|finding| finding.line).collect();
        assert_eq!(lines, expected, "{path}: {findings:?}");
    }

    #[test]
    fn binary_files_have_no_text() {
        let file = File::new("x.png", b"\x89PNG\0 \n".to_vec());
        assert_eq!((file.text.as_str(), file.bytes), ("", 7));
    }

    #[test]
    fn a_finding_is_a_negative_answer() {
        assert!(report(1, Vec::new()).is_ok());
        let finding = File::new("x", Vec::new()).finding(0, "bad");
        assert_eq!(report(1, vec![finding]).unwrap_err().status(), 1);
    }
}
