//! Cases are data: a suite file names programs, inputs and the cases that combine them.
//!
//! Format: `crates/lab/suites/<slug>.toml`, with the article's template beside it as `<slug>.md`.

use crate::error::{Error, Result};
use crate::place::Place;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fs;
use std::path::Path;

/// One suite: all that one article needs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    /// The file's stem: name of the suite, of its article and of the article's folder.
    #[serde(skip)]
    pub slug: String,
    /// Title of the article.
    pub title: String,
    /// Id of the program that ratios are taken to.
    pub reference: String,
    /// Id of the program that does nothing; it is timed and never checked.
    pub floor: String,
    /// Rounds at each effort.
    pub rounds: Rounds,
    /// The contenders.
    #[serde(rename = "program")]
    pub programs: Vec<Program>,
    /// The inputs.
    #[serde(rename = "input")]
    pub inputs: Vec<Input>,
    /// The cases.
    #[serde(rename = "case")]
    pub cases: Vec<Case>,
}

/// Rounds at each effort.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rounds {
    /// With `--quick`.
    pub quick: u32,
    /// With `--full`, and by default.
    pub full: u32,
}

/// A contender.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// Short name, unique in the suite.
    pub id: String,
    /// What an article calls it.
    pub label: String,
    /// Language it is written in.
    pub language: String,
    /// Its place on a ladder, if the article is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rung: Option<u32>,
    /// One of ours, whose losses are listed first.
    #[serde(default)]
    pub ours: bool,
    /// Program and arguments; `{bin}` is the folder of the lab's own program.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// Instead of a command: folder of a Go program, below `crates/lab`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub go: Option<String>,
    /// Instead of a command: environment variable that holds the program's path, for rivals that
    /// no machine has in a usual place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variable: Option<String>,
    /// Command that prints its version on the first line; `{self}` is the program's path.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub version: Vec<String>,
}

/// Something to read. Exactly one of the kinds is given.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Short name, unique in the suite.
    pub id: String,
    /// What an article calls it.
    pub label: String,
    /// The numbers from 1 to this, a line each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// So many MiB of lines of words, the same on every machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text_mib: Option<u64>,
    /// So many MiB of bytes without any order, the same on every machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub random_mib: Option<u64>,
    /// So many files of a line each, in a folder; their names are given as arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<u32>,
}

/// One measurement: an input, and what stands at both ends of the contender.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Short name, unique in the suite.
    pub id: String,
    /// What an article calls it, as Markdown.
    pub title: String,
    /// Id of the input.
    pub input: String,
    /// What standard input is.
    pub stdin: Source,
    /// What standard output is.
    pub stdout: Sink,
    /// Arguments added to every contender's command.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<String>,
    /// What a right output is.
    #[serde(default)]
    pub expect: Expect,
    /// Runs that make one timed sample: more than one where a run is too short to time.
    #[serde(default = "one")]
    pub repeat: u32,
}

fn one() -> u32 {
    1
}

/// What a right output is.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Expect {
    /// The input, unchanged.
    #[default]
    Input,
    /// What the reference writes.
    Reference,
}

/// What a contender's standard input is.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// A pipe that is kept full.
    Pipe,
    /// The input file itself, in the page cache.
    File,
    /// `/dev/null`: the input is in the arguments.
    Null,
}

/// What a contender's standard output is.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Sink {
    /// A pipe that is kept empty.
    Pipe,
    /// `/dev/null`.
    Null,
    /// A new file.
    File,
    /// A file that is appended to.
    Append,
    /// A terminal in raw mode.
    Terminal,
}

impl Suite {
    /// Reads every suite there is, by name.
    ///
    /// # Errors
    /// When the folder cannot be read, or a file in it is no valid suite.
    pub fn all(place: &Place) -> Result<Vec<Suite>> {
        let folder = place.suites();
        let entries = fs::read_dir(&folder).map_err(|cause| Error::file(&folder, cause))?;
        let mut paths = Vec::new();
        for entry in entries {
            let path = entry.map_err(|cause| Error::file(&folder, cause))?.path();
            if path.extension().is_some_and(|extension| extension == "toml") {
                paths.push(path);
            }
        }
        paths.sort();
        paths.iter().map(|path| Suite::read(path)).collect()
    }

    /// Reads one suite file.
    ///
    /// # Errors
    /// When the file cannot be read or is no valid suite.
    pub fn read(path: &Path) -> Result<Suite> {
        let text = fs::read_to_string(path).map_err(|cause| Error::file(path, cause))?;
        let invalid = |cause: String| Error::Suite { path: path.to_path_buf(), cause };
        let mut suite: Suite = toml::from_str(&text).map_err(|error| {
            let offset = error.span().map_or(0, |span| span.start);
            let line = text[..offset].matches('\n').count() + 1;
            invalid(format!("line {line}: {}", error.message().trim_end()))
        })?;
        suite.slug = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        suite.validate().map_err(invalid)?;
        Ok(suite)
    }

    /// What serde cannot see: names that refer to each other, and either-or fields.
    fn validate(&self) -> std::result::Result<(), String> {
        unique("program", self.programs.iter().map(|program| &program.id))?;
        unique("input", self.inputs.iter().map(|input| &input.id))?;
        unique("case", self.cases.iter().map(|case| &case.id))?;
        for (role, id) in [("reference", &self.reference), ("floor", &self.floor)] {
            if !self.programs.iter().any(|program| program.id == *id) {
                return Err(format!("{role} {id}: no such program"));
            }
        }
        for program in &self.programs {
            let command = (!program.command.is_empty()).then_some(&program.id);
            if [command, program.go.as_ref(), program.variable.as_ref()].iter().flatten().count()
                != 1
            {
                let id = &program.id;
                return Err(format!("program {id}: wants one of command, go and variable"));
            }
        }
        for input in &self.inputs {
            let kinds = [input.seq, input.text_mib, input.random_mib, input.files.map(u64::from)];
            if kinds.iter().flatten().count() != 1 {
                let id = &input.id;
                return Err(format!(
                    "input {id}: wants one of seq, text_mib, random_mib and files"
                ));
            }
        }
        for case in &self.cases {
            if !self.inputs.iter().any(|input| input.id == case.input) {
                return Err(format!("case {}: no input {}", case.id, case.input));
            }
            if case.repeat == 0 {
                return Err(format!("case {}: repeat is 0", case.id));
            }
            // There is no one file to stand on standard input.
            if self.input_of(case).files.is_some() && case.stdin != Source::Null {
                return Err(format!("case {}: files want stdin = \"null\"", case.id));
            }
        }
        Ok(())
    }

    /// The input of a case.
    ///
    /// # Panics
    /// Never for a case of this suite: reading it has checked the name.
    #[must_use]
    pub fn input_of(&self, case: &Case) -> &Input {
        let found = self.inputs.iter().find(|input| input.id == case.input);
        found.expect("validated when the suite was read")
    }

    /// How the command line names one of its cases.
    #[must_use]
    pub fn full_name(&self, case: &Case) -> String {
        format!("{}/{}", self.slug, case.id)
    }
}

fn unique<'a>(
    what: &str,
    ids: impl Iterator<Item = &'a String>,
) -> std::result::Result<(), String> {
    let mut seen = HashSet::new();
    for id in ids {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'.';
        if id.is_empty() || !id.bytes().all(plain) {
            return Err(format!("{what} id {id:?}: wants letters, digits, '-' and '.'"));
        }
        if !seen.insert(id) {
            return Err(format!("{what} {id}: named twice"));
        }
    }
    Ok(())
}

/// Keeps, of `suites`, the cases that `names` ask for (`SUITE` or `SUITE/CASE`); all for no names.
///
/// # Errors
/// When a name fits nothing.
pub fn select(mut suites: Vec<Suite>, names: &[String]) -> Result<Vec<Suite>> {
    if names.is_empty() {
        return Ok(suites);
    }
    for name in names {
        let known = |suite: &Suite| {
            suite.slug == *name || suite.cases.iter().any(|case| suite.full_name(case) == *name)
        };
        if !suites.iter().any(known) {
            let all = suites.iter().flat_map(|suite| {
                std::iter::once(suite.slug.clone())
                    .chain(suite.cases.iter().map(|case| suite.full_name(case)))
            });
            let known = all.collect::<Vec<_>>().join(", ");
            return Err(Error::UnknownCase { name: name.clone(), known });
        }
    }
    for suite in &mut suites {
        let Suite { slug, cases, .. } = suite;
        cases.retain(|case| names.contains(slug) || names.contains(&format!("{slug}/{}", case.id)));
    }
    suites.retain(|suite| !suite.cases.is_empty());
    Ok(suites)
}

/// Keeps, of `suites`, those that `names` ask for, each with all its cases; all for no names.
///
/// # Errors
/// When a name is no suite's.
pub fn select_whole(mut suites: Vec<Suite>, names: &[String]) -> Result<Vec<Suite>> {
    let slugs: Vec<_> = suites.iter().map(|suite| suite.slug.clone()).collect();
    if let Some(name) = names.iter().find(|name| !slugs.contains(name)) {
        return Err(Error::UnknownCase { name: name.clone(), known: slugs.join(", ") });
    }
    suites.retain(|suite| names.is_empty() || names.contains(&suite.slug));
    Ok(suites)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = r#"
        title = "T"
        reference = "a"
        floor = "a"
        rounds = { quick = 1, full = 2 }
        [[program]]
        id = "a"
        label = "A"
        language = "C"
        command = ["a"]
        [[input]]
        id = "i"
        label = "I"
        seq = 3
        [[case]]
        id = "c"
        title = "C"
        input = "i"
        stdin = "pipe"
        stdout = "null"
    "#;

    fn read(text: &str) -> Result<Suite> {
        let folder = lissom_testkit::folder();
        let path = folder.path().join("small.toml");
        fs::write(&path, text).unwrap();
        Suite::read(&path)
    }

    #[test]
    fn a_suite_is_named_by_its_file() {
        let suite = read(SMALL).unwrap();
        assert_eq!(suite.slug, "small");
        assert_eq!(suite.full_name(&suite.cases[0]), "small/c");
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        for (from, to, expected) in [
            ("title = \"T\"", "titel = \"T\"", "line 2: unknown field `titel`"),
            ("reference = \"a\"", "reference = \"b\"", "reference b: no such program"),
            ("seq = 3", "", "input i: wants one of seq, text_mib, random_mib and files"),
            ("command = [\"a\"]", "", "program a: wants one of command, go and variable"),
            ("input = \"i\"", "input = \"j\"", "case c: no input j"),
            ("id = \"c\"", "id = \"../c\"", "wants letters"),
            ("seq = 3", "files = 3", "case c: files want stdin"),
            ("stdin = \"pipe\"", "repeat = 0\nstdin = \"pipe\"", "case c: repeat is 0"),
            ("stdin = \"pipe\"", "stdin = \"tty\"", "unknown variant `tty`"),
        ] {
            let message = read(&SMALL.replace(from, to)).unwrap_err().to_string();
            assert!(message.contains(expected), "{message:?} has no {expected:?}");
            assert!(message.contains("small.toml: "), "{message:?} names no file");
        }
    }

    #[test]
    fn names_select_suites_and_cases() {
        let suite = read(SMALL).unwrap();
        let select = |names: &[&str]| {
            let names: Vec<_> = names.iter().map(ToString::to_string).collect();
            select(vec![suite.clone()], &names)
        };
        assert_eq!(select(&[]).unwrap().len(), 1);
        assert_eq!(select(&["small"]).unwrap()[0].cases.len(), 1);
        assert_eq!(select(&["small/c"]).unwrap()[0].cases.len(), 1);
        let message = select(&["small/x"]).unwrap_err().to_string();
        assert_eq!(message, "small/x: no such case; known are small, small/c");
        // An article is about a whole suite.
        let whole = select_whole(vec![suite.clone()], &["small/c".to_owned()]);
        assert_eq!(whole.unwrap_err().to_string(), "small/c: no such case; known are small");
        assert_eq!(select_whole(vec![suite], &["small".to_owned()]).unwrap().len(), 1);
    }
}
