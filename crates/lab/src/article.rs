//! Articles: a template over a data file, and a plot for every case. Text, tables and plots come
//! from the data file alone, so that they can be made again and checked against it.

use crate::data::{CaseData, Data, ResultData, SCHEMA};
use crate::error::{Error, Result};
use crate::place::Place;
use crate::{plot, table};
use minijinja::{Environment, ErrorKind, UndefinedBehavior, Value};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file of an article: name and contents.
type Made = (String, Vec<u8>);

/// Makes sure, before anything is measured, that articles can be written to `out`.
///
/// # Errors
/// When they cannot.
pub fn prepare(out: &Path) -> Result<()> {
    fs::create_dir_all(out).map_err(|cause| Error::file(out, cause))?;
    let probe = out.join(format!(".probe-{}", std::process::id()));
    fs::write(&probe, "")
        .and_then(|()| fs::remove_file(&probe))
        .map_err(|cause| Error::file(out, cause))
}

/// Writes the article of `data` into its folder below `out`, each file whole or not at all; the
/// data file last, so that a half-written article is seen to differ from it.
///
/// # Errors
/// When the template fails or a file cannot be written.
pub fn write(data: &Data, out: &Path, place: &Place) -> Result<PathBuf> {
    let folder = out.join(&data.suite);
    let files = make(data, place)?;
    fs::create_dir_all(&folder).map_err(|cause| Error::file(&folder, cause))?;
    for (name, bytes) in files {
        let path = folder.join(&name);
        let part = folder.join(format!(".{name}.part"));
        let written = fs::write(&part, bytes).and_then(|()| fs::rename(&part, &path));
        if let Err(cause) = written {
            drop(fs::remove_file(&part));
            return Err(Error::file(&path, cause));
        }
    }
    Ok(folder)
}

/// The article folders below `dir` that have a data file, by name.
///
/// # Errors
/// When `dir` cannot be read.
pub fn folders(dir: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(dir).map_err(|cause| Error::file(dir, cause))?;
    let mut folders = Vec::new();
    for entry in entries {
        let folder = entry.map_err(|cause| Error::file(dir, cause))?.path();
        if folder.join("data.json").is_file() {
            folders.push(folder);
        }
    }
    folders.sort();
    Ok(folders)
}

/// Reads the data file of an article.
///
/// # Errors
/// When it cannot be read, is no data file, or is one of another version.
pub fn read_data(folder: &Path) -> Result<Data> {
    let path = folder.join("data.json");
    let text = fs::read_to_string(&path).map_err(|cause| Error::file(&path, cause))?;
    let data: Data = serde_json::from_str(&text)
        .map_err(|error| Error::Article { path: path.clone(), cause: error.to_string() })?;
    if data.schema != SCHEMA {
        let cause = format!("format {}, and this program reads {SCHEMA}", data.schema);
        return Err(Error::Article { path, cause });
    }
    Ok(data)
}

/// The files of an article that are not what its data would make them.
///
/// # Errors
/// When the template fails.
pub fn differing(data: &Data, folder: &Path, place: &Place) -> Result<Vec<PathBuf>> {
    let differs = |(name, bytes): Made| {
        let path = folder.join(name);
        (fs::read(&path).ok().as_deref() != Some(&bytes)).then_some(path)
    };
    Ok(make(data, place)?.into_iter().filter_map(differs).collect())
}

/// All files of the article.
fn make(data: &Data, place: &Place) -> Result<Vec<Made>> {
    let mut files: Vec<Made> = data
        .cases
        .iter()
        .map(|case| (plot_name(case), plot::svg(data, case).into_bytes()))
        .collect();
    files.push(("index.md".into(), text(data, place)?.into_bytes()));
    let mut json = serde_json::to_vec_pretty(data).expect("plain data becomes JSON");
    json.push(b'\n');
    files.push(("data.json".into(), json));
    Ok(files)
}

fn plot_name(case: &CaseData) -> String {
    format!("{}.svg", case.case.id)
}

/// The text, from the template beside the suite, which may import others beside it. Besides the
/// data itself a template has: `table(case)`, `plot(case)`, `overview()`, `ratio(program, case)`,
/// `losses()` and `name(program)`.
fn text(data: &Data, place: &Place) -> Result<String> {
    let suites = place.suites();
    let name = format!("{}.md", data.suite);
    let path = suites.join(&name);
    let failed = |error: minijinja::Error| Error::Article {
        path: error.name().map_or_else(|| path.clone(), |name| suites.join(name)),
        cause: error.line().map_or(error.to_string(), |line| format!("line {line}: {error}")),
    };
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_keep_trailing_newline(true);
    environment.set_trim_blocks(true);
    environment.set_lstrip_blocks(true);
    let folder = suites.clone();
    environment.set_loader(move |name| match fs::read_to_string(folder.join(name)) {
        Ok(template) => Ok(Some(template)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => {
            Err(minijinja::Error::new(ErrorKind::InvalidOperation, "unreadable").with_source(error))
        }
    });
    add_functions(&mut environment, &Arc::new(data.clone()));
    let template = environment.get_template(&name).map_err(failed)?;
    let text = template.render(Value::from_serialize(data)).map_err(failed)?;
    Ok(format!("{}\n", text.trim_end()))
}

fn add_functions(environment: &mut Environment<'_>, data: &Arc<Data>) {
    let with = |body: fn(&Data, &CaseData) -> String| {
        let data = Arc::clone(data);
        move |case: String| Ok::<_, minijinja::Error>(body(&data, find(&data, &case)?))
    };
    environment.add_function("table", with(markdown_table));
    environment.add_function("plot", with(|data, case| {
        let title = case.case.title.replace('`', "");
        let name = table::name(data, &data.reference);
        format!(
            "![{title}: CPU and wall time of every program relative to {name}; the figures are in \
             the table below]({} \"{title}: time relative to {name}, median of {}; the thin \
             line spans the quartiles\")",
            plot_name(case),
            table::rounds(case.rounds),
        )
    }));
    let source = Arc::clone(data);
    environment.add_function("ratio", move |program: String, case: String| {
        Ok::<_, minijinja::Error>(cpu_ratio(&source, find(&source, &case)?, &program))
    });
    let source = Arc::clone(data);
    environment.add_function("name", move |program: String| table::name(&source, &program));
    let source = Arc::clone(data);
    environment.add_function("overview", move || overview(&source));
    let source = Arc::clone(data);
    environment.add_function("losses", move || losses(&source));
    environment.add_filter("count", table::count);
}

fn find<'a>(data: &'a Data, id: &str) -> std::result::Result<&'a CaseData, minijinja::Error> {
    let found = data.cases.iter().find(|case| case.case.id == id);
    found.ok_or_else(|| minijinja::Error::new(ErrorKind::InvalidOperation, format!("no case {id}")))
}

fn markdown_table(data: &Data, case: &CaseData) -> String {
    let escape = |cell: String| cell.replace('|', "\\|");
    let mut lines = vec![
        format!("| {} |", table::COLUMNS.join(" | ")),
        format!("|---|{}---|", "---:|".repeat(table::COLUMNS.len() - 2)),
    ];
    for row in table::rows(data, case) {
        lines.push(format!("| {} |", row.map(escape).join(" | ")));
    }
    lines.join("\n")
}

/// Every case in a row, every contender that is here in a column: wall ratio, CPU ratio in
/// brackets, and a mark on an output that is wrong.
fn overview(data: &Data) -> String {
    let here = data.programs.iter().filter(|found| found.missing.is_none());
    let columns: Vec<_> = here.filter(|found| found.program.id != data.reference).collect();
    let heads = columns.iter().map(|found| format!(" {} |", table::name(data, &found.program.id)));
    let mut text =
        format!("| |{}\n|---|{}", heads.collect::<String>(), "---:|".repeat(columns.len()));
    for case in &data.cases {
        text.push_str(&format!("\n| {} |", case.case.title));
        for column in &columns {
            let result = case.results.iter().find(|result| result.program == column.program.id);
            text.push_str(&format!(" {} |", result.map_or("not measured".into(), overview_cell)));
        }
    }
    text
}

fn overview_cell(result: &ResultData) -> String {
    let ratios = result.times.and_then(|times| Some((times.wall_ratio?, times.cpu_ratio?)));
    let Some((wall, cpu)) = ratios else { return "failed".into() };
    let mark = if result.facts.wrong.is_some() { ", wrong" } else { "" };
    format!("{} ({}{mark})", table::ratio(wall.median), table::ratio(cpu.median))
}

/// A program's median ratio of processor time, or why there is none.
fn cpu_ratio(data: &Data, case: &CaseData, program: &str) -> String {
    let result = case.results.iter().find(|result| result.program == program);
    match result.and_then(|result| result.times?.cpu_ratio) {
        Some(summary) => table::ratio(summary.median),
        None if data.program(program).is_some_and(|found| found.missing.is_some()) => {
            "missing".into()
        }
        None => "not measured".into(),
    }
}

/// Where our programs fail, are wrong, or lose by more than the spread: a list item each.
fn losses(data: &Data) -> Vec<String> {
    let mut lines = Vec::new();
    for case in &data.cases {
        for result in &case.results {
            let ours = data.program(&result.program).is_some_and(|found| found.program.ours);
            let facts = &result.facts;
            if let (true, Some(why)) = (ours, facts.failed.as_ref().or(facts.wrong.as_ref())) {
                let name = table::name(data, &result.program);
                lines.push(format!("**{name}** on {}: {why}", case.case.title));
                continue;
            }
            let Some(times) = result.times.filter(|_| ours) else {
                continue;
            };
            let lost: Vec<_> = [("CPU", times.cpu_ratio), ("wall", times.wall_ratio)]
                .into_iter()
                .filter_map(|(what, summary)| Some((what, summary?)))
                .filter(|(_, summary)| summary.low > 1.0)
                .map(|(what, summary)| {
                    format!("{} × the {what} time", table::ratio(summary.median))
                })
                .collect();
            if !lost.is_empty() {
                let name = table::name(data, &result.program);
                lines.push(format!("**{name}** on {}: {}", case.case.title, lost.join(", ")));
            }
        }
    }
    lines
}
