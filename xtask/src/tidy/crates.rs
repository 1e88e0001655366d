//! Rules over manifests and what they take in: closures, licences, duplicates, sources.

use super::{File, Finding, relative};
use crate::cargo::{self, Workspace};
use crate::error::{Error, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use toml_edit::DocumentMut;

/// The one place from which crates come. `concat!`: see the rule about registry hosts.
const REGISTRY: &str = concat!(
    "registry+https://github.com/rust-lang/",
    "crates",
    ".io-index"
);

/// The list of allowed licences and duplicates.
const POLICY: &str = "xtask/deps.toml";

/// All rules about dependencies, over the tree.
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
        }
        let list = format!("{folder}/deps.allow");
        let allowed = files
            .get(&list)
            .map(|file| file.text.as_str())
            .unwrap_or_default();
        let actual = cargo::closure(root, &package.name)?;
        compare_closure(&list, allowed, &actual, findings);
    }
    if let Some(file) = files.get("Cargo.toml") {
        unexplained_dependencies(file, findings);
    }
    let text = files
        .get(POLICY)
        .map(|file| file.text.as_str())
        .unwrap_or_default();
    let policy = Policy::parse(text).map_err(|error| Error::failed(POLICY, error))?;
    let taken: Vec<Taken<'_>> = workspace
        .others
        .iter()
        .map(|package| Taken {
            name: &package.name,
            version: &package.version,
            licence: &package.licence,
            source: &package.source,
        })
        .collect();
    licences(&policy, &taken, findings);
    sources(&taken, findings);
    duplicates(&policy, &workspace.duplicates(), findings);
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
        before
            .lines()
            .find(|line| listed_name(line) == Some(name))
            .unwrap_or(name)
            .to_owned()
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
        findings.push(Finding {
            path: path.to_owned(),
            line,
            what,
        });
    };
    let listed: Vec<(usize, &str)> = (1..)
        .zip(allowed.lines())
        .filter_map(|(number, line)| Some((number, listed_name(line)?)))
        .collect();
    for (number, name) in &listed {
        if !actual.contains(*name) {
            push(
                *number,
                format!("- {name}: no longer taken in; `cargo xtask tidy --bless`"),
            );
        }
    }
    for pair in listed.windows(2) {
        if pair[0].1 >= pair[1].1 {
            push(
                pair[1].0,
                format!("{} is out of order or there twice", pair[1].1),
            );
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
            let single = header
                .rsplit_once('.')
                .is_some_and(|(before, _)| before.ends_with("dependencies"));
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

/// A crate from outside.
struct Taken<'a> {
    name: &'a str,
    version: &'a str,
    licence: &'a str,
    source: &'a str,
}

/// Crates come from the registry or from our tree, never from a branch somewhere.
fn sources(taken: &[Taken<'_>], findings: &mut Vec<Finding>) {
    for crate_ in taken {
        if !crate_.source.is_empty() && crate_.source != REGISTRY {
            let what = format!("{} comes from {}", crate_.name, crate_.source);
            findings.push(Finding {
                path: "Cargo.lock".into(),
                line: 0,
                what,
            });
        }
    }
}

/// What `xtask/deps.toml` allows.
#[derive(Debug, Default)]
struct Policy {
    /// Licences that any crate may have.
    licences: BTreeSet<String>,
    /// Further licences, for one crate each.
    exceptions: BTreeSet<(String, String)>,
    /// Crates that may be there in several versions.
    duplicates: BTreeSet<String>,
}

impl Policy {
    fn parse(text: &str) -> std::result::Result<Self, String> {
        let document: DocumentMut = text.parse().map_err(|error| format!("{error}"))?;
        let mut policy = Policy::default();
        for licence in document
            .get("licences")
            .and_then(|list| list.as_array())
            .into_iter()
            .flatten()
        {
            policy
                .licences
                .insert(licence.as_str().ok_or("licences: not a string")?.to_owned());
        }
        for table in tables(&document, "exception") {
            let (name, licence) = (text_of(table, "crate")?, text_of(table, "licence")?);
            text_of(table, "reason")?;
            policy.exceptions.insert((name, licence));
        }
        for table in tables(&document, "duplicate") {
            text_of(table, "reason")?;
            policy.duplicates.insert(text_of(table, "crate")?);
        }
        Ok(policy)
    }
}

fn tables<'a>(document: &'a DocumentMut, key: &str) -> impl Iterator<Item = &'a toml_edit::Table> {
    document
        .get(key)
        .and_then(|item| item.as_array_of_tables())
        .into_iter()
        .flatten()
}

fn text_of(table: &toml_edit::Table, key: &str) -> std::result::Result<String, String> {
    table
        .get(key)
        .and_then(|item| item.as_str())
        .map(str::to_owned)
        .ok_or_else(|| format!("an entry has no `{key}`"))
}

/// Every crate can be had under a licence that we accept; every exception is used.
fn licences(policy: &Policy, taken: &[Taken<'_>], findings: &mut Vec<Finding>) {
    let mut used = BTreeSet::new();
    for crate_ in taken {
        let mut accepted = |licence: &str| {
            let exception = (crate_.name.to_owned(), licence.to_owned());
            let named = policy.exceptions.contains(&exception);
            if named {
                used.insert(exception);
            }
            named || policy.licences.contains(licence)
        };
        if !satisfied(crate_.licence, &mut accepted) {
            let Taken {
                name,
                version,
                licence,
                ..
            } = crate_;
            let what = format!("{name} {version} has the licence '{licence}'");
            findings.push(Finding {
                path: "Cargo.lock".into(),
                line: 0,
                what,
            });
        }
    }
    for (name, licence) in policy.exceptions.difference(&used) {
        let what = format!("the exception for {name} ({licence}) is not needed");
        findings.push(Finding {
            path: POLICY.into(),
            line: 0,
            what,
        });
    }
}

/// Whether a licence expression (`A OR (B AND C)`, old style `A/B`) can be met. `X WITH Y` is one
/// licence of that name.
fn satisfied(expression: &str, accepted: &mut impl FnMut(&str) -> bool) -> bool {
    let spaced = expression
        .replace('/', " OR ")
        .replace('(', " ( ")
        .replace(')', " ) ");
    let spaced = spaced.replace(" WITH ", "\u{a0}WITH\u{a0}");
    let words: Vec<String> = spaced
        .split([' ', '\t', '\n'])
        .filter(|word| !word.is_empty())
        .map(|word| word.replace('\u{a0}', " "))
        .collect();
    let mut ahead = words.iter().map(String::as_str).peekable();
    let met = any_of(&mut ahead, accepted);
    met && ahead.next().is_none()
}

type Ahead<'a, I> = std::iter::Peekable<I>;

fn any_of<'a>(
    ahead: &mut Ahead<'a, impl Iterator<Item = &'a str>>,
    accepted: &mut impl FnMut(&str) -> bool,
) -> bool {
    let mut met = all_of(ahead, accepted);
    while ahead.next_if_eq(&"OR").is_some() {
        met |= all_of(ahead, accepted);
    }
    met
}

fn all_of<'a>(
    ahead: &mut Ahead<'a, impl Iterator<Item = &'a str>>,
    accepted: &mut impl FnMut(&str) -> bool,
) -> bool {
    let mut met = true;
    loop {
        met &= match ahead.next() {
            Some("(") => {
                let met = any_of(ahead, accepted);
                ahead.next() == Some(")") && met
            }
            Some(licence) => accepted(licence),
            None => false,
        };
        if ahead.next_if_eq(&"AND").is_none() {
            return met;
        }
    }
}

/// A crate in two versions is paid for twice; each case has its reason, each reason its case.
fn duplicates(policy: &Policy, twice: &[(String, Vec<String>)], findings: &mut Vec<Finding>) {
    for (name, versions) in twice {
        if !policy.duplicates.contains(name) {
            let what = format!("{name} is there in versions {}", versions.join(", "));
            findings.push(Finding {
                path: "Cargo.lock".into(),
                line: 0,
                what,
            });
        }
    }
    for name in &policy.duplicates {
        if !twice.iter().any(|(found, _)| found == name) {
            let what = format!("{name} is there once only: the entry is not needed");
            findings.push(Finding {
                path: POLICY.into(),
                line: 0,
                what,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use super::*;

    fn names(list: &[&str]) -> BTreeSet<String> {
        list.iter().map(|&name| name.to_owned()).collect()
    }

    fn whats(findings: &[Finding]) -> Vec<&str> {
        findings
            .iter()
            .map(|finding| finding.what.split([':', ' ']).next().unwrap())
            .collect()
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
    fn lints_are_inherited() {
        check(
            workspace_lints,
            "Cargo.toml",
            "[package]\nname = \"x\"\n",
            &[0],
        );
        check(
            workspace_lints,
            "Cargo.toml",
            "[lints]\nworkspace = false\n",
            &[0],
        );
        check(
            workspace_lints,
            "Cargo.toml",
            "[lints]\nworkspace = true\n",
            &[],
        );
    }

    const POLICY_TEXT: &str = "
        licences = [\"MIT\", \"Apache-2.0\", \"Unicode-3.0\"]
        [[exception]]
        crate = \"flames\"
        licence = \"CDDL-1.0\"
        reason = \"draws\"
        [[duplicate]]
        crate = \"twin\"
        reason = \"two users\"
    ";

    #[test]
    fn licence_expressions_are_evaluated() {
        let policy = Policy::parse(POLICY_TEXT).unwrap();
        let met = |text: &str| satisfied(text, &mut |licence| policy.licences.contains(licence));
        for good in [
            "MIT",
            "MIT OR GPL-3.0",
            "GPL-3.0/MIT",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception OR MIT",
        ] {
            assert!(met(good), "{good}");
        }
        for bad in [
            "",
            "GPL-3.0",
            "MIT AND GPL-3.0",
            "Apache-2.0 WITH LLVM-exception",
            "(MIT OR GPL-3.0",
            "MIT)",
            "(GPL-3.0 OR BSD-3-Clause) AND MIT",
        ] {
            assert!(!met(bad), "{bad}");
        }
    }

    fn taken<'a>(name: &'a str, licence: &'a str, source: &'a str) -> Taken<'a> {
        Taken {
            name,
            version: "1",
            licence,
            source,
        }
    }

    #[test]
    fn licences_are_checked_with_their_exceptions() {
        let policy = Policy::parse(POLICY_TEXT).unwrap();
        let check = |taken: &[Taken<'_>]| {
            let mut findings = Vec::new();
            licences(&policy, taken, &mut findings);
            whats(&findings).join(" ")
        };
        assert_eq!(
            check(&[taken("a", "MIT", ""), taken("flames", "CDDL-1.0", "")]),
            ""
        );
        assert_eq!(
            check(&[taken("b", "CDDL-1.0", ""), taken("flames", "CDDL-1.0", "")]),
            "b"
        );
        assert_eq!(check(&[taken("flames", "MIT", "")]), "the");
        assert!(
            Policy::parse("[[duplicate]]\ncrate = \"x\"\n")
                .unwrap_err()
                .contains("reason")
        );
    }

    #[test]
    fn sources_and_duplicates_are_checked() {
        let mut findings = Vec::new();
        let list = [
            taken("a", "", REGISTRY),
            taken("b", "", ""),
            taken("c", "", "git+https://x"),
        ];
        sources(&list, &mut findings);
        assert_eq!(whats(&findings), ["c"]);

        let policy = Policy::parse(POLICY_TEXT).unwrap();
        let check = |twice: &[&str]| {
            let twice: Vec<_> = twice
                .iter()
                .map(|&name| (name.to_owned(), vec!["1".to_owned(), "2".to_owned()]))
                .collect();
            let mut findings = Vec::new();
            duplicates(&policy, &twice, &mut findings);
            whats(&findings).join(" ")
        };
        assert_eq!(check(&["twin"]), "");
        assert_eq!(check(&["twin", "other"]), "other");
        assert_eq!(check(&[]), "twin");
    }
}
