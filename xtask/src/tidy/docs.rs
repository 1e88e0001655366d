//! Rules over what people read: links resolve, named paths exist, every crate is described.

use super::{File, Finding};
use std::collections::BTreeMap;

/// The documents that promise to be true about the tree.
const DOCUMENTS: &[&str] = &["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"];

/// Links inside a document lead to a heading of it. (Links to other files: [`paths`].)
pub(super) fn links(file: &File, findings: &mut Vec<Finding>) {
    if !DOCUMENTS.contains(&file.name()) {
        return;
    }
    let headings: Vec<String> = prose(&file.text)
        .filter(|(_, line)| line.starts_with('#'))
        .map(|(_, line)| anchor(line))
        .collect();
    for (number, target) in link_targets(&file.text) {
        if let Some(wanted) = target.strip_prefix('#')
            && !headings.iter().any(|heading| heading == wanted)
        {
            findings.push(file.finding(number, format!("no heading is called `#{wanted}`")));
        }
    }
}

/// The change log has a place for what comes next.
pub(super) fn changelog(file: &File, findings: &mut Vec<Finding>) {
    let has_place =
        || file.text.lines().any(|line| line.starts_with("## ") && line.contains("Unreleased"));
    if file.path == "CHANGELOG.md" && !has_place() {
        findings.push(file.finding(0, "has no `## Unreleased` section"));
    }
}

/// Relative links and paths in backquotes name files of the tree.
pub(super) fn paths(files: &BTreeMap<String, File>, findings: &mut Vec<Finding>) {
    for document in DOCUMENTS {
        let Some(file) = files.get(*document) else {
            findings.push(Finding { path: (*document).into(), line: 0, what: "is missing".into() });
            continue;
        };
        let links = link_targets(&file.text).filter(|(_, target)| is_relative(target));
        let named = code_spans(&file.text).filter(|(_, span)| names_a_path(span, files));
        for (number, path) in links.chain(named) {
            let path = path.split('#').next().unwrap_or_default();
            if !exists(path, files) {
                findings.push(file.finding(number, format!("`{path}` is not in the tree")));
            }
        }
    }
    if !files.contains_key("CHANGELOG.md") {
        let what = "is missing".into();
        findings.push(Finding { path: "CHANGELOG.md".into(), line: 0, what });
    }
}

/// ARCHITECTURE.md describes every folder under `crates/`.
pub(super) fn every_crate_is_mentioned(
    files: &BTreeMap<String, File>,
    findings: &mut Vec<Finding>,
) {
    let Some(document) = files.get("ARCHITECTURE.md") else {
        return;
    };
    let mut last = "";
    for path in files.keys() {
        let Some((folder, _)) = path.strip_prefix("crates/").and_then(|rest| rest.split_once('/'))
        else {
            continue;
        };
        if folder != last && !document.text.contains(&format!("crates/{folder}")) {
            findings.push(document.finding(0, format!("does not mention `crates/{folder}`")));
        }
        last = folder;
    }
}

/// Lines outside fenced code, with their numbers.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    (1..).zip(text.lines()).filter(move |(_, line)| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        !fenced && !fence
    })
}

/// Targets of `[text](target)`, and of `[text]: target` at the beginning of a line.
fn link_targets(text: &str) -> impl Iterator<Item = (usize, &str)> {
    prose(text).flat_map(|(number, line)| {
        let inline = line.match_indices("](").filter_map(|(at, _)| {
            let rest = &line[at + 2..];
            rest.split(')').next()
        });
        let defined = line.starts_with('[').then(|| line.split_once("]: ")).flatten();
        inline
            .chain(defined.map(|(_, target)| target))
            .filter_map(|target| target.split_whitespace().next())
            .map(move |target| (number, target))
    })
}

/// Texts between single backquotes.
fn code_spans(text: &str) -> impl Iterator<Item = (usize, &str)> {
    prose(text).flat_map(|(number, line)| {
        line.split('`').skip(1).step_by(2).map(move |span| (number, span))
    })
}

fn is_relative(target: &str) -> bool {
    !target.starts_with('#') && !target.contains(':') && !target.starts_with('/')
}

/// Whether a code span claims that a file exists: a path below a folder of ours, or `name.rs`.
fn names_a_path(span: &str, files: &BTreeMap<String, File>) -> bool {
    let plain = span.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"./_-".contains(&byte));
    if !plain {
        return false;
    }
    match span.split_once('/') {
        Some((first, _)) => {
            files.keys().any(|path| path.split_once('/').is_some_and(|(top, _)| top == first))
        }
        None => span.len() > ".rs".len() && span.ends_with(".rs"),
    }
}

/// Whether `path` is a file of the tree, a folder of one, or (without a folder) any file's name.
fn exists(path: &str, files: &BTreeMap<String, File>) -> bool {
    let path = path.trim_start_matches("./").trim_end_matches('/');
    let below = format!("{path}/");
    path.is_empty()
        || files.contains_key(path)
        || files.keys().any(|known| known.starts_with(&below))
        || (!path.contains('/') && files.values().any(|file| file.name() == path))
}

/// The anchor that a heading gets: lower case, words joined by hyphens, the rest dropped.
fn anchor(heading: &str) -> String {
    heading
        .trim_start_matches('#')
        .trim()
        .to_lowercase()
        .chars()
        .filter_map(|c| match c {
            ' ' => Some('-'),
            c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use super::*;

    fn tree(files: &[(&str, &str)]) -> BTreeMap<String, File> {
        files
            .iter()
            .map(|(path, text)| ((*path).to_owned(), File::new(path, text.as_bytes().to_vec())))
            .collect()
    }

    #[test]
    fn links_to_headings_resolve() {
        let bad = "# One\n[a](#one) [b](#two)\n```\n# Two\n[c](#three)\n```\n";
        check(links, "README.md", bad, &[2]);
        check(links, "README.md", "## It's `x`, two!\n[a](#its-x-two)\n", &[]);
    }

    #[test]
    fn the_change_log_has_a_place() {
        check(changelog, "CHANGELOG.md", "# Changes\n## 1.0\n", &[0]);
        check(changelog, "CHANGELOG.md", "# Changes\n\n## Unreleased\n", &[]);
        check(changelog, "OTHER.md", "", &[]);
    }

    fn check_paths(readme: &str, expected: &[&str]) {
        let files = tree(&[
            ("README.md", readme),
            ("ARCHITECTURE.md", ""),
            ("CONTRIBUTING.md", ""),
            ("CHANGELOG.md", ""),
            ("crates/sys/src/lib.rs", ""),
        ]);
        let mut findings = Vec::new();
        paths(&files, &mut findings);
        let found: Vec<&str> = findings.iter().map(|finding| finding.what.as_str()).collect();
        assert_eq!(found, expected, "{readme}");
    }

    #[test]
    fn named_paths_exist() {
        check_paths("[a](crates/gone) x\n", &["`crates/gone` is not in the tree"]);
        check_paths("`crates/gone.rs`\n", &["`crates/gone.rs` is not in the tree"]);
        check_paths("`gone.rs`\n", &["`gone.rs` is not in the tree"]);
        check_paths("[a]: gone.md \"title\"\n", &["`gone.md` is not in the tree"]);
        let good = "[a](crates/sys/) [b](./ARCHITECTURE.md#x) [c](https://x.y/z) `crates/sys/src`\n\
                    `lib.rs` `a/b` `crates/<name>/x` `cargo run crates/x`\n```\n`crates/gone`\n```\n";
        check_paths(good, &[]);
    }

    #[test]
    fn documents_are_there() {
        let mut findings = Vec::new();
        paths(&tree(&[]), &mut findings);
        assert_eq!(findings.len(), DOCUMENTS.len() + 1);
    }

    #[test]
    fn every_crate_is_described() {
        let undescribed = |text| {
            let files = tree(&[
                ("ARCHITECTURE.md", text),
                ("crates/lab/src/lib.rs", ""),
                ("crates/sys/src/lib.rs", ""),
            ]);
            let mut findings = Vec::new();
            every_crate_is_mentioned(&files, &mut findings);
            findings.len()
        };
        assert_eq!(undescribed("only `crates/sys`"), 1);
        assert_eq!(undescribed("`crates/sys` and `crates/lab`"), 0);
    }
}
