//! `budget`: binary sizes, system calls and memory peaks, held to `budget.toml` beside each
//! manifest.
//!
//! Exceeding a limit fails. Falling below it by more than a twentieth is reported, and `--update`
//! writes the new value back, so that what was won cannot be lost again unseen.

mod limits;

use crate::cargo::{self, Workspace};
use crate::error::{Error, Result};
use crate::programs::PROGRAMS;
use crate::repo;
use limits::{Binary, Limits, Run};
use lissom_sys::trace::{Counted, Traced};
use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use toml_edit::{DocumentMut, Value};

/// No measured program runs longer.
const BOUND: Duration = Duration::from_secs(60);

/// Runs whose median counts: memory peaks vary by a few pages with where the kernel puts things.
const RUNS: usize = 3;

/// `cargo xtask budget [--update]`.
pub(crate) fn run(update: bool) -> Result {
    let root = repo::root()?;
    let workspace = Workspace::read(&root)?;
    let mut rows = Vec::new();
    let mut built = HashSet::new();
    let mut unlimited: Vec<&str> = PROGRAMS.iter().map(|program| program.name).collect();
    for package in &workspace.members {
        let path = package.folder.join("budget.toml");
        if !path.exists() {
            continue;
        }
        let text = std::fs::read_to_string(&path).map_err(Error::at(&path))?;
        let limits = Limits::parse(&text).map_err(|error| Error::failed(path.display(), error))?;
        unlimited.retain(|name| !limits.binaries.iter().any(|binary| binary.name == *name));
        for program in limits.programs() {
            let package = workspace
                .package_of(program)
                .ok_or_else(|| Error::failed(path.display(), format!("nobody builds {program}")))?;
            if built.insert(package) {
                cargo::build_release(&root, package)?;
            }
        }
        let measured = measure(&limits, &workspace.release(), &package.folder)?;
        if update {
            let lowered = lowered(&text, &measured);
            if lowered != text {
                std::fs::write(&path, lowered).map_err(Error::at(&path))?;
                println!("budget: wrote {}", path.display());
            }
        }
        rows.extend(measured);
    }
    print_table(&rows);
    let over = rows.iter().filter(|row| row.is_over()).count();
    for name in &unlimited {
        println!("{name}: no `budget.toml` limits its size");
    }
    println!("budget: {} limits, {over} exceeded", rows.len());
    if over == 0 && unlimited.is_empty() { Ok(()) } else { Err(Error::Negative) }
}

/// One limit and what was measured.
#[derive(Debug)]
struct Row {
    what: String,
    value: u64,
    limit: u64,
    /// Where the limit stands: table, index in it, key.
    place: (&'static str, usize, &'static str),
}

impl Row {
    fn is_over(&self) -> bool {
        self.value > self.limit
    }

    /// More than a twentieth below the limit.
    fn is_improved(&self) -> bool {
        self.value * 20 < self.limit * 19
    }

    /// The limit to write: as measured; a memory peak with a fiftieth above it, in whole pages,
    /// because it varies from run to run.
    fn new_limit(&self) -> u64 {
        match self.place.2 {
            "peak_kib_max" => (self.value + self.value.div_ceil(50)).next_multiple_of(4),
            _ => self.value,
        }
    }
}

fn measure(limits: &Limits, release: &Path, folder: &Path) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (index, Binary { name, bytes_max }) in limits.binaries.iter().enumerate() {
        let path = release.join(name);
        let value = path.metadata().map_err(Error::at(&path))?.len();
        let place = ("binary", index, "bytes_max");
        rows.push(Row { what: format!("{name}: bytes"), value, limit: *bytes_max, place });
    }
    for (index, run) in limits.runs.iter().enumerate() {
        let mut counted =
            (0..RUNS).map(|_| count(run, release, folder)).collect::<Result<Vec<Counted>>>()?;
        let mut median = |key: fn(&Counted) -> u64| {
            counted.sort_by_key(key);
            key(&counted[RUNS / 2])
        };
        let syscalls = median(|counted| counted.syscalls);
        let peak_kib = median(|counted| counted.peak_resident_bytes.div_ceil(1024));
        let mut push = |unit, value, limit: Option<u64>, key| {
            let what = format!("{}: {unit}", run.name);
            rows.extend(limit.map(|limit| Row { what, value, limit, place: ("run", index, key) }));
        };
        push("system calls", syscalls, run.syscalls_max, "syscalls_max");
        push("peak KiB", peak_kib, run.peak_kib_max, "peak_kib_max");
    }
    Ok(rows)
}

/// One run under the counter.
fn count(run: &Run, release: &Path, folder: &Path) -> Result<Counted> {
    let at_run = |cause: String| Error::failed(&run.name, cause);
    let program = release.join(&run.command[0]);
    let mut command = Command::new(&program);
    // The loader's and the runtime's calls depend on the environment, so it is always the same.
    command.args(&run.command[1..]).current_dir(folder).env_clear().env("PATH", "/usr/bin:/bin");
    if run.stdin == "null" {
        command.stdin(Stdio::null());
    } else {
        let path = folder.join(&run.stdin);
        command.stdin(std::fs::File::open(&path).map_err(Error::at(&path))?);
    }
    let (reader, writer) = std::io::pipe().map_err(|error| at_run(error.to_string()))?;
    command.stdout(writer);
    let traced = Traced::spawn(command).map_err(|error| Error::failed(program.display(), error))?;
    let pid = traced.id();
    let counted = std::thread::scope(|scope| {
        scope.spawn(move || drain(reader, run.until_first_line.then_some(pid)));
        traced.finish(BOUND, u64::MAX)
    });
    let counted = counted.map_err(|error| at_run(error.to_string()))?;
    if counted.timed_out {
        return Err(at_run(format!("still running after {} s", BOUND.as_secs())));
    }
    if counted.status.code() != Some(run.exit) {
        return Err(at_run(format!("{} instead of {}", counted.status, run.exit)));
    }
    Ok(counted)
}

/// Reads and forgets a program's output. With a process id, ends that process politely after the
/// first line.
fn drain(reader: impl Read, end_after_line: Option<u32>) {
    let mut reader = BufReader::new(reader);
    if let Some(pid) = end_after_line {
        let mut line = String::new();
        // A program that ends without a line needs no signal; its status tells.
        if reader.read_line(&mut line).is_ok_and(|length| length > 0) {
            drop(Command::new("kill").args(["-s", "TERM", &pid.to_string()]).status());
        }
    }
    drop(std::io::copy(&mut reader, &mut std::io::sink()));
}

/// `text` with every limit that has room lowered, and nothing else touched.
fn lowered(text: &str, rows: &[Row]) -> String {
    let mut document: DocumentMut = text.parse().expect("it was parsed before");
    for row in rows.iter().filter(|row| row.is_improved()) {
        let (table, index, key) = row.place;
        let value = document[table]
            .as_array_of_tables_mut()
            .and_then(|tables| tables.get_mut(index))
            .and_then(|table| table.get_mut(key))
            .and_then(|item| item.as_value_mut())
            .expect("the limit was read from there");
        let decor = value.decor().clone();
        let number: Value = grouped(row.new_limit(), '_').parse().expect("digits are a number");
        *value = number;
        *value.decor_mut() = decor;
    }
    document.to_string()
}

fn print_table(rows: &[Row]) {
    let width = rows.iter().map(|row| row.what.chars().count()).max().unwrap_or(0);
    for row in rows {
        let remark = if row.is_over() {
            "  EXCEEDED"
        } else if row.is_improved() {
            "  room: `cargo xtask budget --update`"
        } else {
            ""
        };
        println!(
            "{:width$}  {:>12} of {:>12}  {:>4} %{remark}",
            row.what,
            grouped(row.value, ','),
            grouped(row.limit, ','),
            row.value * 100 / row.limit.max(1),
        );
    }
}

/// Digits in groups of three.
fn grouped(number: u64, separator: char) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(separator);
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::limits::tests::TEXT;
    use super::*;

    fn rows(values: [u64; 3]) -> Vec<Row> {
        let places = [
            ("binary", 0, "bytes_max", 100_000),
            ("run", 0, "syscalls_max", 1000),
            ("run", 0, "peak_kib_max", 100_000),
        ];
        places
            .into_iter()
            .zip(values)
            .map(|((table, index, key, limit), value)| Row {
                what: key.to_owned(),
                value,
                limit,
                place: (table, index, key),
            })
            .collect()
    }

    #[test]
    fn only_a_larger_value_is_over() {
        let over: Vec<bool> = rows([100_001, 1000, 1]).iter().map(Row::is_over).collect();
        assert_eq!(over, [true, false, false]);
        let improved: Vec<bool> =
            rows([95_000, 949, 100_001]).iter().map(Row::is_improved).collect();
        assert_eq!(improved, [false, true, false]);
    }

    #[test]
    fn room_is_written_back_with_the_comments_kept() {
        let expected = TEXT
            .replace("100_000 # stripped", "31_234 # stripped")
            .replace("100_000 # KiB", "2_100 # KiB");
        assert_eq!(lowered(TEXT, &rows([31_234, 990, 2055])), expected);
        assert_eq!(lowered(TEXT, &rows([100_000, 1000, 100_000])), TEXT);
        assert_eq!(lowered(TEXT, &rows([200_000, 1000, 100_000])), TEXT);
    }

    #[test]
    fn a_program_is_measured_and_its_status_checked() {
        let limits = Limits::parse(TEXT).unwrap();
        let release = Path::new("/bin");
        let counted = count(&limits.runs[0], release, Path::new("/")).unwrap();
        assert!(counted.syscalls > 0 && counted.peak_resident_bytes > 0, "{counted:?}");
        let wrong = Run { exit: 0, ..Limits::parse(TEXT).unwrap().runs.remove(0) };
        let error = count(&wrong, release, Path::new("/")).unwrap_err();
        assert!(error.line().unwrap().starts_with("start-up: "), "{error:?}");
    }

    #[test]
    fn a_server_is_ended_after_its_first_line() {
        let text =
            TEXT.replace("exit 3", "exec cat /dev/zero").replace("\"exit\"", "\"first-line\"");
        let mut run = Limits::parse(&text).unwrap().runs.remove(0);
        // The shell ends by the signal, so it has no status of its own.
        run.exit = 0;
        let error = count(&run, Path::new("/bin"), Path::new("/")).unwrap_err();
        assert!(error.line().unwrap().contains("15"), "{error:?}");
    }

    #[test]
    fn missing_programs_and_inputs_are_named() {
        let limits = Limits::parse(&TEXT.replace("\"sh\"", "\"no-such-program\"")).unwrap();
        let error = measure(&limits, Path::new("/bin"), Path::new("/")).unwrap_err();
        assert!(error.line().unwrap().starts_with("/bin/p: "), "{error:?}");
        let error = count(&limits.runs[0], Path::new("/bin"), Path::new("/")).unwrap_err();
        assert!(error.line().unwrap().starts_with("/bin/no-such-program: "), "{error:?}");
        let run =
            Run { stdin: "no-such-file".into(), ..Limits::parse(TEXT).unwrap().runs.remove(0) };
        let error = count(&run, Path::new("/bin"), Path::new("/")).unwrap_err();
        assert!(error.line().unwrap().contains("no-such-file"), "{error:?}");
    }

    #[test]
    fn digits_are_grouped() {
        assert_eq!(
            [grouped(0, ','), grouped(999, ','), grouped(1_234_567, '_')],
            ["0", "999", "1_234_567"]
        );
    }
}
