//! Rules over the crates from outside: licences, sources, versions.

use super::{File, Finding};
use crate::cargo::Workspace;
use crate::error::{Error, Result};
use std::collections::{BTreeMap, BTreeSet};
use toml_edit::DocumentMut;

/// The one place from which crates come. `concat!`: see the rule about registry hosts.
const REGISTRY: &str = concat!("registry+https://github.com/rust-lang/", "crates", ".io-index");

/// The list of allowed licences and duplicates.
const POLICY: &str = "xtask/deps.toml";

/// All rules about what the workspace takes in from outside.
pub(super) fn check(
    workspace: &Workspace,
    files: &BTreeMap<String, File>,
    findings: &mut Vec<Finding>,
) -> Result {
    let text = files.get(POLICY).map(|file| file.text.as_str()).unwrap_or_default();
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
            findings.push(Finding { path: "Cargo.lock".into(), line: 0, what });
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
        for licence in
            document.get("licences").and_then(|list| list.as_array()).into_iter().flatten()
        {
            policy.licences.insert(licence.as_str().ok_or("licences: not a string")?.to_owned());
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
    document.get(key).and_then(|item| item.as_array_of_tables()).into_iter().flatten()
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
            let Taken { name, version, licence, .. } = crate_;
            let what = format!("{name} {version} has the licence '{licence}'");
            findings.push(Finding { path: "Cargo.lock".into(), line: 0, what });
        }
    }
    for (name, licence) in policy.exceptions.difference(&used) {
        let what = format!("the exception for {name} ({licence}) is not needed");
        findings.push(Finding { path: POLICY.into(), line: 0, what });
    }
}

/// Whether a licence expression (`A OR (B AND C)`, old style `A/B`) can be met. `X WITH Y` is one
/// licence of that name.
fn satisfied(expression: &str, accepted: &mut impl FnMut(&str) -> bool) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
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
            findings.push(Finding { path: "Cargo.lock".into(), line: 0, what });
        }
    }
    for name in &policy.duplicates {
        if !twice.iter().any(|(found, _)| found == name) {
            let what = format!("{name} is there once only: the entry is not needed");
            findings.push(Finding { path: POLICY.into(), line: 0, what });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whats(findings: &[Finding]) -> Vec<&str> {
        findings.iter().map(|finding| finding.what.split([':', ' ']).next().unwrap()).collect()
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
        Taken { name, version: "1", licence, source }
    }

    #[test]
    fn licences_are_checked_with_their_exceptions() {
        let policy = Policy::parse(POLICY_TEXT).unwrap();
        let check = |taken: &[Taken<'_>]| {
            let mut findings = Vec::new();
            licences(&policy, taken, &mut findings);
            whats(&findings).join(" ")
        };
        assert_eq!(check(&[taken("a", "MIT", ""), taken("flames", "CDDL-1.0", "")]), "");
        assert_eq!(check(&[taken("b", "CDDL-1.0", ""), taken("flames", "CDDL-1.0", "")]), "b");
        assert_eq!(check(&[taken("flames", "MIT", "")]), "the");
        assert!(Policy::parse("[[duplicate]]\ncrate = \"x\"\n").unwrap_err().contains("reason"));
    }

    #[test]
    fn sources_and_duplicates_are_checked() {
        let mut findings = Vec::new();
        let list = [taken("a", "", REGISTRY), taken("b", "", ""), taken("c", "", "git+https://x")];
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
