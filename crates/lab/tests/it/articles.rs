//! Articles and their data: made again byte for byte, differences found, figures equal.

use crate::support::{Project, read_json};
use lissom_testkit::launch;
use serde_json::Value;
use std::fs;
use std::path::Path;

#[test]
fn an_article_is_made_again_from_its_data_and_a_changed_one_is_found() {
    let project = Project::new();
    project.succeed(&["report", "--quick"]);
    assert_eq!(project.succeed(&["render", "--check"]), "");
    let page = project.path("articles/tiny/index.md");
    let text = fs::read_to_string(&page).unwrap();
    fs::write(&page, text.replace("1.00", "0.90")).unwrap();
    let ended = project.run(&["render", "--check"]);
    assert_eq!(ended.status.code(), Some(1));
    assert_eq!(ended.stdout_text(), "articles/tiny/index.md: differs from its data\n");
    project.succeed(&["render"]);
    assert_eq!(fs::read_to_string(&page).unwrap(), text);
    // A figure changed in the data shows in the text and in the plot.
    let data = project.path("articles/tiny/data.json");
    let mut changed = project.data();
    changed["cases"][0]["results"][2]["times"]["cpu_ratio"]["median"] = 123.0.into();
    fs::write(&data, serde_json::to_vec_pretty(&changed).unwrap()).unwrap();
    let listed = project.run(&["render", "--check"]).stdout_text();
    assert!(listed.contains("index.md") && listed.contains("pipe-pipe.svg"), "{listed}");
}

#[test]
fn plots_are_well_formed_and_name_what_they_show() {
    let project = Project::new();
    project.succeed(&["report", "--quick"]);
    for case in ["pipe-pipe", "file-null"] {
        let svg = fs::read_to_string(project.path(&format!("articles/tiny/{case}.svg"))).unwrap();
        assert!(svg.starts_with("<svg "), "{svg:.80}");
        assert!(svg.trim_end().ends_with("</svg>"));
        assert!(svg.contains("prefers-color-scheme:dark"));
        for word in ["loses (wrong output)", "CPU time", "wall time", "less is better", "<title>"] {
            assert!(svg.contains(word), "{case}: no {word:?}");
        }
        assert!(!svg.contains("fails"), "a program without times has no bar");
    }
}

/// The committed articles say what their data files say. Two ways to know: made again they are the
/// same bytes; and, not trusting that, the figures in their tables are read back and compared.
#[test]
fn committed_articles_and_their_data_agree() {
    let root = launch::root();
    let articles = root.join("articles");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_lissom"));
    let ended = launch::run(command.current_dir(&root).args(["render", "--check"]), b"");
    assert_eq!((ended.stdout_text(), ended.status.code()), (String::new(), Some(0)));
    let mut compared = 0;
    for entry in fs::read_dir(&articles).unwrap() {
        let folder = entry.unwrap().path();
        if folder.join("data.json").is_file() {
            compared += compare_figures(&folder);
        }
    }
    assert!(compared >= 100, "only {compared} figures were compared");
}

fn compare_figures(folder: &Path) -> usize {
    let data = read_json(&folder.join("data.json"));
    let text = fs::read_to_string(folder.join("index.md")).unwrap();
    let programs = data["programs"].as_array().unwrap();
    let mut compared = 0;
    let mut tables = tables(&text, "| program | CPU ratio |");
    for case in data["cases"].as_array().unwrap() {
        let rows = tables.next().expect("a table for every case");
        assert_eq!(rows.len(), programs.len(), "a row for every program");
        for (program, row) in programs.iter().zip(rows) {
            let results = case["results"].as_array().unwrap();
            let result = results.iter().find(|result| result["program"] == program["id"]);
            let times = result.map_or(&Value::Null, |result| &result["times"]);
            if times.is_null() {
                assert!(
                    row[8].starts_with("missing: ") || row[8].starts_with("failed: "),
                    "{row:?}"
                );
                continue;
            }
            let facts = &result.unwrap()["facts"];
            for (cell, figure, scale) in [
                (&row[1], &times["cpu_ratio"]["median"], 1.0),
                (&row[3], &times["cpu_us"]["median"], 1000.0),
                (&row[4], &times["wall_ratio"]["median"], 1.0),
                (&row[6], &facts["syscalls"], 1.0),
                (&row[7], &facts["peak_kib"], 1.0),
            ] {
                let shown: f64 = cell
                    .replace(',', "")
                    .trim_start_matches("over ")
                    .parse()
                    .unwrap_or_else(|_| panic!("{row:?}"));
                let measured = figure.as_f64().unwrap() / scale;
                // Right to the last digit that is shown.
                let places = cell.split_once('.').map_or(0, |(_, places)| places.len());
                let tolerance = 0.51 * 0.1_f64.powi(i32::try_from(places).unwrap());
                assert!(
                    (shown - measured).abs() <= tolerance,
                    "{row:?}: {shown} is not {measured}"
                );
                compared += 1;
            }
            assert_eq!(row[8].starts_with("wrong: "), facts["wrong"].is_string(), "{row:?}");
        }
    }
    compared
}

/// The rows of every table whose head begins so, cell by cell.
fn tables<'a>(text: &'a str, head: &'a str) -> impl Iterator<Item = Vec<Vec<String>>> + 'a {
    text.split(head).skip(1).map(|rest| {
        let rows = rest.lines().skip(2).take_while(|line| line.starts_with('|'));
        rows.map(|row| {
            row.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
        })
        .collect()
    })
}
