//! `fuzz`: the differential suites, at length and with optimised programs.

use crate::cargo;
use crate::count::Count;
use crate::error::{Error, Result};
use crate::follow::follow;
use crate::programs::{self, PROGRAMS, Program};
use crate::repo;
use std::ffi::OsString;

/// Tells the suites how many cases to draw.
const CASES: &str = "LISSOM_FUZZ_CASES";

/// `cargo xtask fuzz [PROGRAM] [--cases N]`.
pub(crate) fn run(program: Option<&str>, cases: u64) -> Result {
    let root = repo::root()?;
    let mut failed = false;
    for (package, filters) in suites(program)? {
        println!("fuzz: {package}: {} with {CASES}={cases}", filters.join(", "));
        let mut command = cargo::command(&root);
        command.args(arguments(package, &filters)).env(CASES, cases.to_string());
        let mut count = Count::default();
        let status = follow(command, |line| count.take_result(line));
        let status = status.map_err(|error| Error::failed("cargo", error))?;
        // A filter that matches nothing succeeds without having tried a case.
        let idle = count.passed + count.failed == 0;
        println!("fuzz: {package}: {count}{}", if idle { ": no test was run" } else { "" });
        failed |= idle || !status.success();
    }
    if failed { Err(Error::Negative) } else { Ok(()) }
}

/// Packages with the tests to run, each package once.
fn suites(program: Option<&str>) -> Result<Vec<(&'static str, Vec<&'static str>)>> {
    let chosen: Vec<&Program> = match program {
        Some(name) => vec![programs::find(name)?],
        None => PROGRAMS.iter().collect(),
    };
    let mut suites: Vec<(&str, Vec<&str>)> = Vec::new();
    for Program { package, fuzz, .. } in chosen {
        let Some(filter) = fuzz else { continue };
        match suites.iter_mut().find(|(known, _)| known == package) {
            Some((_, filters)) => filters.push(filter),
            None => suites.push((package, vec![filter])),
        }
    }
    if suites.is_empty() {
        let which = program.unwrap_or("the family");
        return Err(Error::failed(which, "has no differential suite"));
    }
    Ok(suites)
}

/// The cargo call for one package. Output is shown as it comes: these runs are long.
fn arguments(package: &str, filters: &[&str]) -> Vec<OsString> {
    ["test", "--release", "--locked", "--package", package, "--test", "it", "--", "--nocapture"]
        .iter()
        .chain(filters)
        .map(OsString::from)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suites_are_found_by_program() {
        assert_eq!(
            suites(Some("blog")).unwrap_err().line().unwrap(),
            "blog: has no differential suite"
        );
        assert_eq!(suites(Some("tr")).unwrap(), [("lissom-streams", vec!["tr::differential"])]);
        assert_eq!(suites(None).unwrap().len(), 1);
        assert_eq!(suites(Some("frob")).unwrap_err().status(), 2);
    }

    #[test]
    fn a_package_is_called_once() {
        let line = arguments("p", &["a", "b"]).join(" ".as_ref());
        assert!(line.to_str().unwrap().ends_with("--package p --test it -- --nocapture a b"));
    }
}
