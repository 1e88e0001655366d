//! `budget.toml`: what it may say. A key that nobody reads is an error, not a comment.

use toml_edit::{DocumentMut, Table};

/// What a `budget.toml` says.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Limits {
    pub(super) binaries: Vec<Binary>,
    pub(super) runs: Vec<Run>,
}

#[derive(Debug, PartialEq)]
pub(super) struct Binary {
    pub(super) name: String,
    pub(super) bytes_max: u64,
}

/// A program to be run under the counter.
#[derive(Debug, PartialEq)]
pub(super) struct Run {
    pub(super) name: String,
    /// Program, looked up in the release folder, and its arguments.
    pub(super) command: Vec<String>,
    /// "null", or a path relative to the package.
    pub(super) stdin: String,
    /// Whether it is ended after its first line of output rather than by itself.
    pub(super) until_first_line: bool,
    pub(super) exit: i32,
    pub(super) syscalls_max: Option<u64>,
    pub(super) peak_kib_max: Option<u64>,
}

impl Limits {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let document: DocumentMut = text.parse().map_err(|error| format!("{error}"))?;
        let mut limits = Limits::default();
        for (key, item) in document.iter() {
            let tables =
                item.as_array_of_tables().ok_or_else(|| format!("`{key}` is not [[{key}]]"))?;
            for table in tables {
                match key {
                    "binary" => limits.binaries.push(Binary::parse(table)?),
                    "run" => limits.runs.push(Run::parse(table)?),
                    _ => return Err(format!("unknown key `{key}`")),
                }
            }
        }
        Ok(limits)
    }
}

impl Limits {
    /// Every program that is named.
    pub(super) fn programs(&self) -> impl Iterator<Item = &str> {
        let sized = self.binaries.iter().map(|binary| binary.name.as_str());
        sized.chain(self.runs.iter().map(|run| run.command[0].as_str()))
    }
}

impl Binary {
    pub(super) fn parse(table: &Table) -> Result<Self, String> {
        only(table, &["name", "bytes_max"])?;
        Ok(Binary {
            name: text(table, "name")?,
            bytes_max: number(table, "bytes_max")?.ok_or("a binary without `bytes_max`")?,
        })
    }
}

impl Run {
    pub(super) fn parse(table: &Table) -> Result<Self, String> {
        only(
            table,
            &["name", "command", "stdin", "until", "exit", "syscalls_max", "peak_kib_max"],
        )?;
        let name = text(table, "name")?;
        let command: Vec<String> = table
            .get("command")
            .and_then(|item| item.as_array())
            .into_iter()
            .flatten()
            .filter_map(|word| word.as_str().map(str::to_owned))
            .collect();
        if command.is_empty() {
            return Err(format!("{name}: `command` is no list of words"));
        }
        let until_first_line = match text(table, "until")?.as_str() {
            "exit" => false,
            "first-line" => true,
            other => {
                return Err(format!("{name}: `until` is neither exit nor first-line: {other}"));
            }
        };
        Ok(Run {
            command,
            stdin: text(table, "stdin")?,
            until_first_line,
            exit: i32::try_from(number(table, "exit")?.unwrap_or(0)).map_err(|e| e.to_string())?,
            syscalls_max: number(table, "syscalls_max")?,
            peak_kib_max: number(table, "peak_kib_max")?,
            name,
        })
    }
}

/// Refuses keys that nobody reads.
fn only(table: &Table, known: &[&str]) -> Result<(), String> {
    match table.iter().find(|(key, _)| !known.contains(key)) {
        Some((key, _)) => Err(format!("unknown key `{key}`")),
        None => Ok(()),
    }
}

fn text(table: &Table, key: &str) -> Result<String, String> {
    let value = table.get(key).and_then(|item| item.as_str());
    value.map(str::to_owned).ok_or_else(|| format!("an entry has no text `{key}`"))
}

fn number(table: &Table, key: &str) -> Result<Option<u64>, String> {
    let Some(item) = table.get(key) else {
        return Ok(None);
    };
    let value = item.as_integer().and_then(|value| u64::try_from(value).ok());
    value.map(Some).ok_or_else(|| format!("`{key}` is no natural number"))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A file with every key.
    pub(in crate::budget) const TEXT: &str = "\
# Small, and staying so.
[[binary]]
name = \"p\"
bytes_max = 100_000 # stripped

[[run]]
name = \"start-up\"
command = [\"sh\", \"-c\", \"echo ready; exit 3\"] # sh stands in
stdin = \"null\"
until = \"exit\"
exit = 3
syscalls_max = 1_000
peak_kib_max = 100_000 # KiB
";

    #[test]
    fn limits_are_read() {
        let limits = Limits::parse(TEXT).unwrap();
        assert_eq!(limits.binaries, [Binary { name: "p".into(), bytes_max: 100_000 }]);
        let run = &limits.runs[0];
        assert_eq!((run.exit, run.syscalls_max, run.peak_kib_max), (3, Some(1000), Some(100_000)));
        assert!(!run.until_first_line);
        assert_eq!(limits.programs().collect::<Vec<_>>(), ["p", "sh"]);
    }

    #[test]
    fn limits_that_nobody_would_read_are_refused() {
        for (from, to, part) in [
            ("bytes_max", "bytes_most", "bytes_most"),
            ("[[run]]", "[[walk]]", "walk"),
            ("\"exit\"", "\"noon\"", "noon"),
            ("1_000\n", "-1\n", "syscalls_max"),
            ("[[binary]]", "[binary]", "binary"),
            ("stdin = \"null\"\n", "", "stdin"),
        ] {
            let error = Limits::parse(&TEXT.replace(from, to)).unwrap_err();
            assert!(error.contains(part), "{part}: {error}");
        }
    }
}
