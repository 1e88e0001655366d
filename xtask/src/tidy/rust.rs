//! Rules over one Rust file.

use super::mask::{Masked, line_of, words};
use super::{File, Finding};

/// Lines that `main.rs` may have: parse, call `run`, map the error to a status.
const MAIN_LINES_MAX: usize = 60;

/// Lines above an `unsafe` block that may hold its explanation, the statement's own included.
const SAFETY_LINES_MAX: usize = 16;

/// Macros that never land, and what to do instead.
const BANNED_MACROS: &[(&str, &str)] = &[
    ("dbg", "remove it, or log it"),
    ("todo", "write it, or leave it out"),
    ("unimplemented", "write it, or leave it out"),
];

/// Debugging leftovers, holes, and tests that nobody runs.
pub(super) fn banned_code(file: &File, findings: &mut Vec<Finding>) {
    let Some(Masked { code, .. }) = &file.rust else {
        return;
    };
    for (name, remedy) in BANNED_MACROS {
        for at in words(code, name).filter(|at| code[at + name.len()..].starts_with('!')) {
            findings
                .push(file.finding(line_of(code, at), format!("`{name}!` never lands: {remedy}")));
        }
    }
    for (at, attribute) in attributes(code) {
        if words(attribute, "ignore").next().is_some() && !attribute.starts_with("#![doc") {
            let what = "an ignored test proves nothing: assert today's behaviour, even a wrong one";
            findings.push(file.finding(line_of(code, at), what));
        }
    }
}

/// `main.rs` only parses, calls and maps errors; logic lives in the library, where tests reach it.
pub(super) fn long_main(file: &File, findings: &mut Vec<Finding>) {
    let is_main = file.path.ends_with("/src/main.rs")
        || (file.path.contains("/src/bin/") && file.path.ends_with("/main.rs"));
    let count = file.text.lines().count();
    if is_main && count > MAIN_LINES_MAX {
        findings
            .push(file.finding(0, format!("{count} lines; main.rs has at most {MAIN_LINES_MAX}")));
    }
}

/// Every relaxed lint says why.
pub(super) fn allow_without_reason(file: &File, findings: &mut Vec<Finding>) {
    let Some(Masked { code, .. }) = &file.rust else {
        return;
    };
    for (at, attribute) in attributes(code) {
        for list in lint_lists(attribute) {
            if !has_reason(list) {
                findings.push(
                    file.finding(line_of(code, at), "the relaxed lint has no `reason = \"…\"`"),
                );
            }
        }
    }
}

/// `unsafe` lives in files that say why they may, for themselves or item by item; what a parent
/// module was allowed does not count.
pub(super) fn undeclared_unsafe(file: &File, findings: &mut Vec<Finding>) {
    let Some(Masked { code, .. }) = &file.rust else {
        return;
    };
    let announced = attributes(code).any(|(_, attribute)| {
        lint_lists(attribute)
            .any(|list| words(list, "unsafe_code").next().is_some() && has_reason(list))
    });
    if let Some(at) = words(code, "unsafe").next().filter(|_| !announced) {
        let what = "`unsafe` in a file without `allow(unsafe_code, reason = \"…\")`";
        findings.push(file.finding(line_of(code, at), what));
    }
}

/// Every `unsafe` block or impl names its obligation and who discharged it.
pub(super) fn unexplained_unsafe(file: &File, findings: &mut Vec<Finding>) {
    let Some(Masked { code, comments }) = &file.rust else {
        return;
    };
    let code_lines: Vec<&str> = code.lines().collect();
    let comment_lines: Vec<&str> = comments.lines().collect();
    for at in words(code, "unsafe") {
        let after = code[at + "unsafe".len()..].trim_start();
        if !after.starts_with('{') && !after.starts_with("impl") {
            continue;
        }
        let line = line_of(code, at);
        let explained = (0..line)
            .rev()
            .take(SAFETY_LINES_MAX)
            .take_while(|&index| {
                let blank =
                    code_lines[index].trim().is_empty() && comment_lines[index].trim().is_empty();
                !blank
            })
            .any(|index| comment_lines[index].contains("SAFETY:"));
        if !explained {
            findings.push(file.finding(line, "`unsafe` without a `// SAFETY:` before it"));
        }
    }
}

/// Attributes of masked code, `#[…]` and `#![…]`, with where they begin.
fn attributes(code: &str) -> impl Iterator<Item = (usize, &str)> {
    code.match_indices('#').filter_map(|(at, _)| {
        let rest = &code[at..];
        let open = if rest.starts_with("#![") { 2 } else { 1 };
        if rest.as_bytes().get(open) != Some(&b'[') {
            return None;
        }
        Some((at, &rest[..open + closing(&rest[open..])?]))
    })
}

/// The lists of `allow(…)` and `expect(…)` in an attribute, also inside `cfg_attr`.
fn lint_lists(attribute: &str) -> impl Iterator<Item = &str> {
    ["allow", "expect"].into_iter().flat_map(move |name| {
        words(attribute, name).filter_map(move |at| {
            let rest = &attribute[at + name.len()..];
            rest.starts_with('(').then(|| closing(rest).map(|end| &rest[..end])).flatten()
        })
    })
}

fn has_reason(list: &str) -> bool {
    words(list, "reason").any(|at| list[at + "reason".len()..].trim_start().starts_with('='))
}

/// Length of `text` up to and with the bracket that closes its first one.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use super::*;

    #[test]
    fn leftovers_are_found_in_code_and_not_in_strings() {
        let bad = "fn f() {\n    dbg!(1);\n    todo!()\n}\nunimplemented!();\n";
        check(banned_code, "a.rs", bad, &[2, 3, 5]);
        let good = "// dbg! is banned\nfn f() { g(\"todo!()\"); my_todo!(); let dbg = 1; }\n";
        check(banned_code, "a.rs", good, &[]);
        check(banned_code, "a.go", bad, &[]);
    }

    #[test]
    fn ignored_tests_are_found() {
        let bad = "#[test]\n#[ignore]\nfn a() {}\n#[ignore = \"slow\"]\nfn b() {}\n\
                   #[cfg_attr(miri, ignore)]\nfn c() {}\n";
        check(banned_code, "a.rs", bad, &[2, 4, 6]);
        check(banned_code, "a.rs", "#[ignored]\nfn ignore() {}\n", &[]);
    }

    #[test]
    fn a_long_main_is_found() {
        let long = "x\n".repeat(MAIN_LINES_MAX + 1);
        check(long_main, "crates/a/src/main.rs", &long, &[0]);
        check(long_main, "crates/a/src/bin/b/main.rs", &long, &[0]);
        check(long_main, "crates/a/tests/it/main.rs", &long, &[]);
        check(long_main, "crates/a/src/main.rs", &long[2..], &[]);
    }

    #[test]
    fn relaxed_lints_need_a_reason() {
        let bad = "#![allow(dead_code)]\n#[expect(unused)]\nfn f() {}\n\
                   #[cfg_attr(test, allow(unused))]\nfn g() {}\n";
        check(allow_without_reason, "a.rs", bad, &[1, 2, 4]);
        let good = "#[allow(\n    dead_code,\n    reason = \"shared\"\n)]\nfn f() { x.expect(\"y\") }\n\
                    // #[allow(unused)]\n#[cfg_attr(test, expect(unused, reason = \"x\"))]\n";
        check(allow_without_reason, "a.rs", good, &[]);
    }

    #[test]
    fn unsafe_is_announced() {
        let body = "fn f() {\n    // SAFETY: none needed.\n    unsafe { g() }\n}\n";
        check(undeclared_unsafe, "a.rs", body, &[3]);
        let bare = format!("#![allow(unsafe_code)]\n{body}");
        check(undeclared_unsafe, "a.rs", &bare, &[4]);
        let item = format!("#[allow(unsafe_code, reason = \"x\")]\n{body}");
        check(undeclared_unsafe, "a.rs", &item, &[]);
        let good = format!("#![allow(unsafe_code, reason = \"x\")]\n{body}");
        check(undeclared_unsafe, "a.rs", &good, &[]);
        check(undeclared_unsafe, "a.rs", "// unsafe\nlet s = \"unsafe\";\n", &[]);
    }

    #[test]
    fn unsafe_blocks_are_explained() {
        let bad = "fn f() {\n    unsafe { g() }\n}\nunsafe impl Send for X {}\n";
        check(unexplained_unsafe, "a.rs", bad, &[2, 4]);
        let far = "// SAFETY: far away.\n\nfn f() {\n    unsafe { g() }\n}\n";
        check(unexplained_unsafe, "a.rs", far, &[4]);
        let good = "fn f() {\n    // SAFETY: g asks nothing.\n    let x =\n        unsafe { g() };\n}\n\
                    unsafe fn h() {}\n";
        check(unexplained_unsafe, "a.rs", good, &[]);
    }
}
