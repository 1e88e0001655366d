//! Rules over the text of one file, whatever its language.

use super::mask::line_of;
use super::{File, Finding};

/// Lines that a source file may have, unless it says in its first lines that it is a table.
const SOURCE_LINES_MAX: usize = 800;

/// Bytes that a file may have; larger inputs are made when they are needed.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// Extensions of source files.
const SOURCES: &[&str] = &["rs", "go", "c", "h", "py", "sh", "bash", "zsh", "fish", "js", "ts"];

/// Remarks about work undone. `concat!` keeps this table from condemning itself.
const FIX: &str = concat!("FIX", "ME");
const LATER: &str = concat!("TO", "DO");

/// Beginnings of paths that exist on one machine only.
const PLACES: &[&str] = &[concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/ho", "me/")];

/// Hosts of package registries: a client knows its own, our files name none.
const HOSTS: &[&str] = &[
    concat!("crates", ".io"),
    concat!("pypi", ".org"),
    concat!("pythonhosted", ".org"),
    concat!("proxy.", "golang.org"),
    concat!("sum.", "golang.org"),
    concat!("registry.", "npmjs.org"),
    concat!("deb.", "debian.org"),
    concat!("security.", "debian.org"),
];

/// Files that clients write and that name their registry.
const LOCKS: &[&str] = &["Cargo.lock", "go.sum", "package-lock.json"];

/// Work undone is written down where it can be found, or done.
pub(super) fn banned_remarks(file: &File, findings: &mut Vec<Finding>) {
    if !file.has_extension(SOURCES) || file.is_fixture() {
        return;
    }
    let text = file.rust.as_ref().map_or(&file.text, |masked| &masked.comments);
    for (at, _) in text.match_indices(FIX) {
        findings.push(file.finding(line_of(text, at), format!("{FIX} never lands")));
    }
    for at in super::mask::words(text, LATER) {
        let rest = &text[at + LATER.len()..];
        let reason = rest.strip_prefix('(').and_then(|rest| rest.split_once(')'));
        if reason.is_none_or(|(reason, _)| reason.trim().is_empty()) {
            let what =
                format!("{LATER} without an issue or a reason: `{LATER}(#7)`, `{LATER}(until …)`");
            findings.push(file.finding(line_of(text, at), what));
        }
    }
}

/// A file that has grown past what one reads in one go.
pub(super) fn long_source(file: &File, findings: &mut Vec<Finding>) {
    let count = file.text.lines().count();
    let is_table = file.text.lines().take(5).any(|line| {
        let remark = line.trim_start_matches(['/', '!', '#', '*', ' ']);
        remark.to_ascii_lowercase().starts_with("table")
    });
    if file.has_extension(SOURCES) && count > SOURCE_LINES_MAX && !is_table && !file.is_fixture() {
        findings.push(file.finding(
            0,
            format!("{count} lines; split at {SOURCE_LINES_MAX}, or open with `//! table …` if it is one"),
        ));
    }
}

/// The repository stays quick to clone.
pub(super) fn large_file(file: &File, findings: &mut Vec<Finding>) {
    if file.bytes > FILE_BYTES_MAX {
        findings.push(file.finding(0, format!("{} bytes; at most {FILE_BYTES_MAX}", file.bytes)));
    }
}

/// Nothing that an editor adds by itself.
pub(super) fn whitespace(file: &File, findings: &mut Vec<Finding>) {
    if file.is_fixture() || file.text.is_empty() {
        return;
    }
    for (number, line) in (1..).zip(file.text.split('\n')) {
        if line.ends_with('\r') {
            findings.push(file.finding(number, "a carriage return ends the line"));
        } else if line.ends_with([' ', '\t']) {
            findings.push(file.finding(number, "white space ends the line"));
        }
    }
    if !file.text.ends_with('\n') {
        findings.push(file.finding(0, "the last line does not end"));
    } else if file.text.ends_with("\n\n") {
        findings.push(file.finding(0, "empty lines end the file"));
    }
    if let Some(masked) = &file.rust
        && let Some(at) = masked.code.find('\t').or_else(|| masked.comments.find('\t'))
    {
        findings.push(file.finding(line_of(&file.text, at), "a tab in Rust source"));
    }
}

/// Paths that only exist where the author works.
pub(super) fn absolute_paths(file: &File, findings: &mut Vec<Finding>) {
    for place in PLACES {
        for (at, _) in file.text.match_indices(place) {
            let before = file.text[..at].chars().next_back();
            let inside_a_path =
                before.is_some_and(|c| c.is_alphanumeric() || "._-~/$}*".contains(c));
            let after = file.text[at + place.len()..].chars().next();
            let named = after.is_some_and(char::is_alphanumeric);
            if !inside_a_path && named {
                findings.push(file.finding(
                    line_of(&file.text, at),
                    format!("`{place}…` is a path of somebody's own machine"),
                ));
            }
        }
    }
}

/// Registries are reached through their clients.
pub(super) fn registry_hosts(file: &File, findings: &mut Vec<Finding>) {
    if LOCKS.contains(&file.name()) {
        return;
    }
    for host in HOSTS {
        for (at, _) in file.text.match_indices(host) {
            let what = format!("names the registry host {host}");
            findings.push(file.finding(line_of(&file.text, at), what));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use super::*;

    #[test]
    fn remarks_about_work_undone_are_found() {
        let bad = format!("// {FIX}: x\nlet a = 1; // {LATER}: later\n/* {LATER}() */\n");
        check(banned_remarks, "a.rs", &bad, &[1, 2, 3]);
        check(banned_remarks, "a.sh", &format!("x\n# {LATER} y\n"), &[2]);
        let good =
            format!("// {LATER}(#7): x\n// {LATER}(until rustix has it)\nlet s = \"{FIX}\";\n");
        check(banned_remarks, "a.rs", &good, &[]);
        check(banned_remarks, "a.md", &bad, &[]);
    }

    #[test]
    fn long_sources_are_found_and_tables_are_not() {
        let long = "x\n".repeat(SOURCE_LINES_MAX + 1);
        check(long_source, "a.c", &long, &[0]);
        check(long_source, "a.rs", &long[2..], &[]);
        check(long_source, "a.rs", &format!("//! Table of names.\n{long}"), &[]);
        check(long_source, "a.json", &long, &[]);
    }

    #[test]
    fn large_files_are_found() {
        let most = "x".repeat(usize::try_from(FILE_BYTES_MAX).unwrap());
        check(large_file, "a.bin", &most, &[]);
        check(large_file, "a.bin", &format!("{most}x"), &[0]);
    }

    #[test]
    fn stray_white_space_is_found() {
        check(whitespace, "a.md", "a \nb\t\nc\r\nd", &[1, 2, 3, 0]);
        check(whitespace, "a.md", "a\n\n", &[0]);
        check(whitespace, "a.rs", "fn f() {\n\tg()\n}\n", &[2]);
        check(whitespace, "a.rs", "let x = \"\t\";\n", &[]);
        check(whitespace, "a.go", "func f() {\n\tg()\n}\n", &[]);
        check(whitespace, "tests/fixtures/a", "a \n\n", &[]);
        check(whitespace, "empty", "", &[]);
    }

    #[test]
    fn paths_of_one_machine_are_found() {
        for place in PLACES {
            check(absolute_paths, "a.md", &format!("x\n`{place}me/x`\n"), &[2]);
            check(absolute_paths, "a.md", &format!("target{place}x\n"), &[]);
            check(absolute_paths, "a.md", &format!("{place}\n{place}$USER\n"), &[]);
        }
    }

    #[test]
    fn registry_hosts_are_found_outside_locks() {
        for host in HOSTS {
            let text = format!("a\nhttps://{host}/x\n");
            check(registry_hosts, "a.toml", &text, &[2]);
            check(registry_hosts, "Cargo.lock", &text, &[]);
        }
    }
}
