//! `bench` and `report`: every fate of a program is told, rounds add up, an interrupt loses none.

use crate::support::Project;
use std::collections::HashSet;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

#[test]
fn a_report_tells_the_fate_of_every_program() {
    let project = Project::new();
    project.succeed(&["report", "--quick"]);
    let data = project.data();
    assert_eq!(data["programs"].as_array().unwrap().len(), 6);
    let absent = data["programs"].as_array().unwrap().iter().find(|p| p["id"] == "absent").unwrap();
    assert_eq!(absent["missing"], "a-program-that-nobody-has: not found");
    for case in data["cases"].as_array().unwrap() {
        assert_eq!(case["rounds"], 2);
        let result = |id: &str| {
            case["results"].as_array().unwrap().iter().find(|found| found["program"] == id).cloned()
        };
        assert!(result("absent").is_none());
        let cat = result("cat").unwrap();
        assert_eq!(cat["times"]["cpu_ratio"]["median"], 1.0);
        assert!(cat["facts"]["wrong"].is_null() && cat["facts"]["failed"].is_null());
        assert!(cat["facts"]["syscalls"].as_u64().unwrap() > 10);
        assert!(cat["facts"]["peak_kib"].as_u64().unwrap() > 100);
        assert!(result("sed").unwrap()["times"]["wall_us"]["median"].as_f64().unwrap() > 0.0);
        // From 1 to 5000 there are 1500 digits 7, the first after six lines of two bytes.
        let wrong = &result("loses").unwrap()["facts"]["wrong"];
        assert_eq!(wrong, "loses 1500 of 23893 bytes, first at 12");
        let failed = result("fails").unwrap();
        assert_eq!(failed["facts"]["failed"], "exit status 3: no such luck");
        assert!(failed["times"].is_null());
        // The floor does nothing: one system call, and it is never called wrong.
        let noop = result("noop").unwrap();
        assert_eq!(noop["facts"]["syscalls"], 1);
        assert!(noop["facts"]["wrong"].is_null());
    }
    let text = std::fs::read_to_string(project.path("articles/tiny/index.md")).unwrap();
    for fate in ["missing: a-program", "failed: exit status 3", "wrong: loses", "| right |"] {
        assert!(text.contains(fate), "{fate}: {text}");
    }
}

#[test]
fn a_program_of_ours_that_is_wrong_is_listed_among_the_losses() {
    let project = Project::new();
    let suites = project.path("crates/lab/suites");
    let suite = std::fs::read_to_string(suites.join("tiny.toml")).unwrap();
    let suite = suite.replace("id = \"loses\"\n", "id = \"loses\"\nours = true\n");
    std::fs::write(suites.join("tiny.toml"), suite).unwrap();
    let template = "{% for line in losses() %}\n- {{ line }}\n{% endfor %}\n";
    std::fs::write(suites.join("tiny.md"), template).unwrap();
    project.succeed(&["report", "--quick"]);
    let text = std::fs::read_to_string(project.path("articles/tiny/index.md")).unwrap();
    assert_eq!(text.matches("- **loses** on numbers, ").count(), 2, "{text}");
    assert!(text.contains("loses 1500 of 23893 bytes"), "{text}");
}

#[test]
fn rounds_add_up_and_a_second_report_measures_nothing() {
    let project = Project::new();
    project.succeed(&["bench", "tiny/pipe-pipe", "--rounds", "1"]);
    assert_eq!((project.count("round"), project.count("session")), (1, 1));
    project.succeed(&["report", "--rounds", "3"]);
    // Two more of the case that had one, three of the other.
    assert_eq!((project.count("round"), project.count("session")), (6, 2));
    let before = project.results();
    let first = project.data();
    project.succeed(&["report", "--rounds", "3"]);
    assert_eq!(project.results(), before);
    assert_eq!(project.data(), first);
    assert_eq!(first["stamps"].as_array().unwrap().len(), 2, "both sessions are in the article");
    project.succeed(&["bench", "--rounds", "1", "--fresh"]);
    assert_eq!(project.count("round"), 8);
}

#[test]
fn every_contender_takes_every_turn() {
    let project = Project::new();
    project.succeed(&["bench", "tiny/pipe-pipe", "--rounds", "4"]);
    let rounds: Vec<_> =
        project.results().into_iter().filter(|line| line["kind"] == "round").collect();
    let firsts: HashSet<_> = rounds.iter().map(|round| round["order"][0].to_string()).collect();
    assert_eq!(firsts.len(), 4, "four contenders, four rounds, each first once");
    for round in &rounds {
        assert_eq!(round["samples"].as_object().unwrap().len(), 4);
    }
}

#[test]
fn outputs_are_compared_wherever_they_go() {
    let project = Project::new();
    let suite = project.path("crates/lab/suites/tiny.toml");
    let mut text = std::fs::read_to_string(&suite).unwrap();
    text.push_str("[[input]]\nid = \"many\"\nlabel = \"many\"\nfiles = 40\n");
    for (id, stdin, stdout, input, more) in [
        ("to-file", "pipe", "file", "numbers", ""),
        ("to-end", "file", "append", "numbers", "repeat = 3"),
        ("to-terminal", "file", "terminal", "numbers", ""),
        ("from-many", "null", "pipe", "many", ""),
        // With an argument, what the reference makes of it is right.
        ("numbered", "file", "null", "numbers", "arguments = [\"-n\"]\nexpect = \"reference\""),
    ] {
        text.push_str(&format!(
            "[[case]]\nid = \"{id}\"\ntitle = \"{id}\"\ninput = \"{input}\"\nstdin = \"{stdin}\"\n\
             stdout = \"{stdout}\"\n{more}\n"
        ));
    }
    std::fs::write(&suite, text).unwrap();
    project.succeed(&["bench", "--rounds", "1"]);
    let checks: Vec<_> =
        project.results().into_iter().filter(|line| line["kind"] == "check").collect();
    let wrong = |case: &str, program: &str| {
        let is_it = |line: &&serde_json::Value| line["case"] == case && line["program"] == program;
        checks.iter().find(is_it).unwrap()["facts"]["wrong"].clone()
    };
    for case in ["to-file", "to-end", "to-terminal", "from-many", "numbered"] {
        assert!(wrong(case, "cat").is_null(), "{case}: {}", wrong(case, "cat"));
    }
    for case in ["to-file", "to-end", "to-terminal"] {
        assert!(wrong(case, "sed").is_null(), "{case}: {}", wrong(case, "sed"));
        assert_eq!(wrong(case, "loses"), "loses 1500 of 23893 bytes, first at 12", "{case}");
    }
    // `sed -n p -n` numbers no lines, and `cat -n` does.
    assert!(wrong("numbered", "sed").as_str().unwrap().starts_with("loses "));
}

#[test]
fn a_changed_program_is_measured_anew() {
    let project = Project::new();
    let script = project.path("contender.sh");
    let suite = project.path("crates/lab/suites/tiny.toml");
    let text = std::fs::read_to_string(&suite).unwrap();
    let own = format!("command = [{:?}]", script.to_str().unwrap());
    std::fs::write(&suite, text.replace("command = [\"sed\", \"-n\", \"p\"]", &own)).unwrap();
    let write = |body: &str| {
        std::fs::write(&script, format!("#!/bin/sh\n{body}\n")).unwrap();
        let made = Command::new("chmod").arg("755").arg(&script).status().unwrap();
        assert!(made.success());
    };
    write("exec cat");
    project.succeed(&["bench", "tiny/pipe-pipe", "--rounds", "1"]);
    project.succeed(&["bench", "tiny/pipe-pipe", "--rounds", "1"]);
    assert_eq!(project.count("round"), 1);
    write("exec cat -");
    project.succeed(&["bench", "tiny/pipe-pipe", "--rounds", "1"]);
    assert_eq!(project.count("round"), 2);
}

#[test]
fn bench_prints_what_it_measured() {
    let project = Project::new();
    let table = project.succeed(&["bench", "tiny/file-null", "--quick"]);
    assert!(
        table.starts_with("tiny/file-null: numbers, file to /dev/null (2 rounds)\n"),
        "{table}"
    );
    for word in ["CPU ratio", "GB/s", "no-op process", "wrong: loses", "missing: a-program"] {
        assert!(table.contains(word), "{word}: {table}");
    }
    let cases = project.succeed(&["cases"]);
    assert!(
        cases.contains("tiny/pipe-pipe") && cases.contains("programs: noop cat sed"),
        "{cases}"
    );
}

#[test]
fn an_interrupt_keeps_every_complete_round_and_says_what_is_missing() {
    let project = Project::new();
    let mut child = project
        .command(&["bench", "--rounds", "500"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    // Rounds have begun; a few may be complete.
    assert!(lines.any(|line| line.unwrap().contains("500 rounds of")));
    let sent = Command::new("kill").args(["-s", "INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let last = lines.map(Result::unwrap).last().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let kept = project.count("round");
    assert!(kept < 500);
    assert!(last.starts_with(&format!("lissom: interrupted: {kept} rounds kept")), "{last}");
    assert!(last.contains(&format!("tiny/pipe-pipe ({kept} of 500 rounds)")), "{last}");
    assert!(last.contains("tiny/file-null (0 of 500 rounds)"), "{last}");
    // What was kept counts when the work is taken up again.
    project.succeed(&["bench", "tiny/pipe-pipe", "--rounds", &(kept + 1).to_string()]);
    assert_eq!(project.count("round"), kept + 1);
}
