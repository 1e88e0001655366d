//! Dead files: source that no target names and no `mod` reaches, so that nobody compiles it.

use super::mask::{self, Masked};
use super::{File, Finding, relative};
use crate::cargo::Workspace;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Every `.rs` file below the `src/` or `tests/it/` of a package is reached from a target.
pub(super) fn dead_files(
    root: &Path,
    workspace: &Workspace,
    files: &BTreeMap<String, File>,
    findings: &mut Vec<Finding>,
) {
    let targets = workspace
        .members
        .iter()
        .flat_map(|package| &package.roots)
        .filter_map(|path| relative(root, path));
    let reached = reached(targets, files);
    let folders: Vec<String> = workspace
        .members
        .iter()
        .filter_map(|package| relative(root, &package.folder))
        .flat_map(|folder| ["src", "tests/it"].map(|part| format!("{folder}/{part}/")))
        .collect();
    for file in files.values().filter(|file| file.path.ends_with(".rs") && !file.is_fixture()) {
        let ours = folders.iter().any(|folder| file.path.starts_with(folder.as_str()));
        if ours && !reached.contains(&file.path) {
            findings.push(file.finding(0, "dead: no target names it and no `mod` reaches it"));
        }
    }
}

/// Files that the module tree takes in, from the targets' root files on.
fn reached(
    targets: impl Iterator<Item = String>,
    files: &BTreeMap<String, File>,
) -> BTreeSet<String> {
    let mut reached = BTreeSet::new();
    // A path, and whether its children lie beside it rather than in a folder of its name.
    let mut ahead: Vec<(String, bool)> = targets.map(|path| (path, true)).collect();
    while let Some((path, owns_folder)) = ahead.pop() {
        let Some(file) = files.get(&path) else {
            continue;
        };
        if !reached.insert(path.clone()) {
            continue;
        }
        let Some(masked) = &file.rust else { continue };
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", &path));
        let stem = name.trim_end_matches(".rs");
        for declared in declarations(&file.text, masked) {
            let beside = owns_folder || stem == "mod";
            let mut place = folder.to_owned();
            if !beside && (declared.path.is_none() || !declared.within.is_empty()) {
                place = join(&place, stem);
            }
            for part in &declared.within {
                place = join(&place, part);
            }
            match declared.path {
                Some(given) => ahead.push((join(&place, &given), true)),
                None => {
                    ahead.push((join(&place, &format!("{}.rs", declared.name)), false));
                    ahead.push((join(&place, &format!("{}/mod.rs", declared.name)), true));
                }
            }
        }
    }
    reached
}

/// `folder` and `path` in one, with `..` resolved.
fn join(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// A module, or included text, that lives in another file.
#[derive(Debug, PartialEq)]
struct Declared {
    name: String,
    /// Inline modules around it, outermost first.
    within: Vec<String>,
    /// From `#[path = "…"]` or `include!("…")`.
    path: Option<String>,
}

/// All `mod name;` and `include!("…")` of a file.
fn declarations(text: &str, Masked { code, .. }: &Masked) -> Vec<Declared> {
    let tokens = tokens(text, code);
    let mut found = Vec::new();
    let mut inline: Vec<(String, usize)> = Vec::new();
    let mut depth = 0;
    let mut path = None;
    for (at, &token) in tokens.iter().enumerate() {
        let next = |ahead: usize| tokens.get(at + ahead).copied().unwrap_or_default();
        match token {
            "{" => depth += 1,
            "}" => {
                depth -= 1;
                inline.retain(|(_, opened)| *opened < depth + 1);
            }
            "path" if next(1) == "=" && next(2).starts_with('"') => path = Some(unquote(next(2))),
            "include" if next(1) == "!" && next(3).starts_with('"') => found.push(Declared {
                name: String::new(),
                within: Vec::new(),
                path: Some(unquote(next(3))),
            }),
            "mod" if next(2) == ";" => found.push(Declared {
                name: next(1).trim_start_matches("r#").to_owned(),
                within: inline.iter().map(|(name, _)| name.clone()).collect(),
                path: path.take(),
            }),
            "mod" if next(2) == "{" => {
                let name = path.take().unwrap_or_else(|| next(1).to_owned());
                inline.push((name, depth + 1));
            }
            ";" => path = None,
            _ => {}
        }
    }
    found
}

fn unquote(literal: &str) -> String {
    literal.trim_matches('"').to_owned()
}

/// Words, strings (with their text) and single signs of a file.
fn tokens<'a>(text: &'a str, code: &'a str) -> Vec<&'a str> {
    let bytes = code.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let word = bytes[at..].iter().take_while(|byte| mask::is_word(**byte)).count();
        if word > 0 {
            tokens.push(&code[at..at + word]);
            at += word;
        } else if bytes[at] == b'"' {
            let inside = bytes[at + 1..].iter().position(|&byte| byte == b'"');
            let end = inside.map_or(bytes.len(), |inside| at + inside + 2);
            tokens.push(&text[at..end]);
            at = end;
        } else {
            if !bytes[at].is_ascii_whitespace() {
                tokens.push(&code[at..=at]);
            }
            at += 1;
        }
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, &str)]) -> BTreeMap<String, File> {
        files
            .iter()
            .map(|(path, text)| ((*path).to_owned(), File::new(path, text.as_bytes().to_vec())))
            .collect()
    }

    /// The files of `tree` that are not reached from `a/src/lib.rs`.
    fn dead(files: &[(&str, &str)]) -> Vec<String> {
        let files = tree(files);
        let reached = reached(["a/src/lib.rs".to_owned()].into_iter(), &files);
        files.into_keys().filter(|path| !reached.contains(path)).collect()
    }

    #[test]
    fn a_file_that_no_mod_reaches_is_dead() {
        let files =
            [("a/src/lib.rs", "mod b;\n// mod c;\n"), ("a/src/b.rs", ""), ("a/src/c.rs", "")];
        assert_eq!(dead(&files), ["a/src/c.rs"]);
    }

    #[test]
    fn modules_are_followed_as_rustc_does() {
        let files = [
            ("a/src/lib.rs", "pub mod b;\npub(crate) mod d { mod e; }\nmod f;\n"),
            ("a/src/b.rs", "mod c;"),
            ("a/src/b/c.rs", ""),
            ("a/src/c.rs", "the c of b is not this one"),
            ("a/src/d/e.rs", ""),
            ("a/src/f/mod.rs", "mod g;"),
            ("a/src/f/g.rs", ""),
        ];
        assert_eq!(dead(&files), ["a/src/c.rs"]);
    }

    #[test]
    fn given_paths_are_followed() {
        let files = [
            ("a/src/lib.rs", "#[path = \"../../b/src/cli.rs\"]\nmod x;\nmod y;"),
            ("a/src/y.rs", "#[cfg(test)]\n#[path = \"z.rs\"]\nmod zz;\ninclude!(\"table.rs\");"),
            ("a/src/z.rs", ""),
            ("a/src/table.rs", ""),
            ("a/src/x.rs", ""),
            ("b/src/cli.rs", "mod deep;"),
            ("b/src/deep.rs", ""),
        ];
        assert_eq!(dead(&files), ["a/src/x.rs"]);
    }

    #[test]
    fn an_inline_module_ends_with_its_bracket() {
        let files = [
            ("a/src/lib.rs", "mod b { fn f() { if x { y } } }\nmod c;"),
            ("a/src/b/c.rs", ""),
            ("a/src/c.rs", ""),
        ];
        assert_eq!(dead(&files), ["a/src/b/c.rs"]);
    }

    #[test]
    fn paths_are_joined_and_resolved() {
        assert_eq!(join("a/src", "../../b/c.rs"), "b/c.rs");
        assert_eq!(join("", "./c.rs"), "c.rs");
    }
}
