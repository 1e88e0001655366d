//! `fuzz`: the differential suites, at length and with optimised programs.

use crate::cargo;
use crate::error::{Error, Result};
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
        println!(
            "fuzz: {package}: {} with {CASES}={cases}",
            filters.join(", ")
        );
        let status = cargo::command(&root)
            .args(arguments(package, &filters))
            .env(CASES, cases.to_string())
            .status()
            .map_err(|error| Error::failed("cargo", error))?;
        failed |= !status.success();
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
    [
        "test",
        "--release",
        "--locked",
        "--package",
        package,
        "--test",
        "it",
        "--",
        "--nocapture",
    ]
    .iter()
    .chain(filters)
    .map(OsString::from)
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_without_a_suite_is_an_error() {
        assert_eq!(
            suites(Some("blog")).unwrap_err().line().unwrap(),
            "blog: has no differential suite"
        );
        assert_eq!(suites(Some("frob")).unwrap_err().status(), 2);
    }

    #[test]
    fn a_package_is_called_once() {
        let line = arguments("p", &["a", "b"]).join(" ".as_ref());
        assert!(
            line.to_str()
                .unwrap()
                .ends_with("--package p --test it -- --nocapture a b")
        );
    }
}
