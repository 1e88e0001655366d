//! Figures as people read them: the words and columns that terminal tables, articles and plots
//! share.

use crate::data::{CaseData, Data, ResultData};
use crate::stats::Summary;
use crate::suite::Suite;
use std::fmt::Write;

/// A ratio with three digits that mean something: `28.9`, `1.62`, `0.153`.
#[must_use]
pub fn ratio(value: f64) -> String {
    match value {
        value if value >= 100.0 => format!("{value:.0}"),
        value if value >= 10.0 => format!("{value:.1}"),
        value if value >= 0.995 => format!("{value:.2}"),
        value => format!("{value:.3}"),
    }
}

/// Microseconds as milliseconds.
#[must_use]
pub fn milliseconds(us: f64) -> String {
    let ms = us / 1000.0;
    match ms {
        ms if ms >= 100.0 => format!("{ms:.0}"),
        ms if ms >= 10.0 => format!("{ms:.1}"),
        ms => format!("{ms:.2}"),
    }
}

/// A count with thin groups of three digits.
#[must_use]
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// How often was measured, in words.
#[must_use]
pub fn rounds(count: usize) -> String {
    format!("{count} round{}", if count == 1 { "" } else { "s" })
}

/// Gigabytes a second for a run over `bytes` that took `us`.
#[must_use]
pub fn gigabytes_per_second(bytes: u64, us: f64) -> f64 {
    bytes as f64 / us / 1000.0
}

/// The columns of a result table. The last one speaks.
pub const COLUMNS: [&str; 9] = [
    "program",
    "CPU ratio",
    "spread",
    "CPU ms",
    "wall ratio",
    "GB/s",
    "system calls",
    "peak KiB",
    "output",
];

/// The rows of a case's table: every program of the suite, also those that are missing.
#[must_use]
pub fn rows(data: &Data, case: &CaseData) -> Vec<[String; COLUMNS.len()]> {
    let row = |program: &crate::data::ProgramData| {
        let name = name(data, &program.program.id);
        let Some(result) = case.results.iter().find(|found| found.program == program.program.id)
        else {
            let reason = program.missing.as_deref().unwrap_or("not measured");
            return outcome_row(name, format!("missing: {reason}"));
        };
        result_row(name, data, case, result)
    };
    data.programs.iter().map(row).collect()
}

/// What tables and plots call a program: its label with its language.
#[must_use]
pub fn name(data: &Data, id: &str) -> String {
    let Some(found) = data.program(id) else {
        return id.to_owned();
    };
    let program = &found.program;
    if program.rung.is_some() {
        format!("{}, {}", program.label, program.language)
    } else {
        program.label.clone()
    }
}

fn outcome_row(name: String, outcome: String) -> [String; COLUMNS.len()] {
    let mut row = [const { String::new() }; COLUMNS.len()];
    row[0] = name;
    row[COLUMNS.len() - 1] = outcome;
    row
}

fn result_row(
    name: String,
    data: &Data,
    case: &CaseData,
    result: &ResultData,
) -> [String; COLUMNS.len()] {
    let Some(times) = &result.times else {
        let reason = result.facts.failed.as_deref().unwrap_or("no time taken");
        return outcome_row(name, format!("failed: {reason}"));
    };
    let is_floor = result.program == data.floor;
    let median = |summary: &Option<Summary>| {
        summary.as_ref().map_or(String::new(), |summary| ratio(summary.median))
    };
    let spread = times
        .cpu_ratio
        .map_or(String::new(), |summary| format!("{}–{}", ratio(summary.low), ratio(summary.high)));
    let rate = gigabytes_per_second(case.input_bytes, times.wall_us.median);
    let outcome = match &result.facts.wrong {
        _ if is_floor => "none".to_owned(),
        Some(wrong) => format!("wrong: {wrong}"),
        None => "right".to_owned(),
    };
    let counted = |value: Option<u64>| value.map_or_else(|| "not counted".into(), count);
    [
        name,
        median(&times.cpu_ratio),
        spread,
        milliseconds(times.cpu_us.median),
        median(&times.wall_ratio),
        if is_floor { String::new() } else { ratio(rate) },
        format!(
            "{}{}",
            if result.facts.syscalls_capped { "over " } else { "" },
            counted(result.facts.syscalls)
        ),
        counted(result.facts.peak_kib),
        outcome,
    ]
}

/// All cases of a data file as text for a terminal.
#[must_use]
pub fn results(data: &Data) -> String {
    let mut text = String::new();
    for case in &data.cases {
        let title = case.case.title.replace('`', "");
        writeln!(text, "{}/{}: {title} ({} rounds)", data.suite, case.case.id, case.rounds)
            .expect("a string takes everything");
        text.push_str(&aligned(&COLUMNS.map(str::to_owned), &rows(data, case)));
        text.push('\n');
    }
    text
}

/// Columns padded to their widest cell: the first and the last to the left, figures to the right.
fn aligned(head: &[String; COLUMNS.len()], rows: &[[String; COLUMNS.len()]]) -> String {
    let lines = || std::iter::once(head).chain(rows);
    let width = |column: usize| lines().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<_> = (0..COLUMNS.len()).map(width).collect();
    let mut text = String::new();
    for line in lines() {
        let mut shown = String::from(" ");
        for (column, (cell, width)) in line.iter().zip(&widths).enumerate() {
            if column == 0 {
                write!(shown, " {cell:<width$}")
            } else if column == COLUMNS.len() - 1 {
                write!(shown, "  {cell}")
            } else {
                write!(shown, "  {cell:>width$}")
            }
            .expect("a string takes everything");
        }
        text.push_str(shown.trim_end());
        text.push('\n');
    }
    text
}

/// The list of cases for a terminal.
#[must_use]
pub fn cases(suites: &[Suite]) -> String {
    let mut text = String::new();
    for suite in suites {
        let mut line = |line: std::fmt::Arguments<'_>| {
            writeln!(text, "{line}").expect("a string takes everything");
        };
        line(format_args!("{}: {}", suite.slug, suite.title));
        for case in &suite.cases {
            line(format_args!("  {}  {}", suite.full_name(case), case.title.replace('`', "")));
        }
        let ids: Vec<_> = suite.programs.iter().map(|program| program.id.as_str()).collect();
        line(format_args!("  programs: {}", ids.join(" ")));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_keep_the_digits_that_mean_something() {
        let ratios = [(128.4, "128"), (28.94, "28.9"), (1.6234, "1.62"), (0.1534, "0.153")];
        for (value, expected) in ratios {
            assert_eq!(ratio(value), expected);
        }
        assert_eq!(milliseconds(813.0), "0.81");
        assert_eq!(milliseconds(212_345.0), "212");
        assert_eq!(
            (count(0), count(999), count(1_234_567)),
            ("0".into(), "999".into(), "1,234,567".into())
        );
        assert!((gigabytes_per_second(1_000_000_000, 500_000.0) - 2.0).abs() < 1e-9);
    }
}
