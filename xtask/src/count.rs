//! What the lines of a test run say in numbers.

use std::fmt;

/// Results of any number of test binaries.
#[derive(Debug, Default)]
pub(crate) struct Count {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    /// Tests that cargo itself left out.
    pub(crate) ignored: u64,
    /// Lines of tests that failed.
    pub(crate) failures: Vec<String>,
    /// Lines that begin with `SKIPPED:`: a test or check that could not run here and said so.
    pub(crate) skips: Vec<String>,
}

impl Count {
    /// Takes in `test result: ok. 3 passed; 0 failed; 1 ignored; …`.
    pub(crate) fn take_result(&mut self, line: &str) {
        let Some((_, counts)) =
            line.strip_prefix("test result: ").and_then(|rest| rest.split_once(". "))
        else {
            return;
        };
        for part in counts.split(';') {
            let Some((number, what)) = part.trim().split_once(' ') else {
                continue;
            };
            let number = number.parse().unwrap_or(0);
            match what {
                "passed" => self.passed += number,
                "failed" => self.failed += number,
                "ignored" => self.ignored += number,
                _ => {}
            }
        }
    }

    /// Takes in `test name ... FAILED`.
    pub(crate) fn take_failure(&mut self, line: &str) {
        if line.starts_with("test ") && line.ends_with(" ... FAILED") {
            self.failures.push(line.to_owned());
        }
    }

    /// Takes in a line of a skipped test, once.
    pub(crate) fn take_skip(&mut self, line: &str) {
        if line.starts_with("SKIPPED: ") && !self.skips.iter().any(|known| known == line) {
            self.skips.push(line.to_owned());
        }
    }

    /// Adds the numbers of another run.
    pub(crate) fn add(&mut self, other: Count) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.ignored += other.ignored;
        self.failures.extend(other.failures);
        for line in other.skips {
            self.take_skip(&line);
        }
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)?;
        match self.ignored + self.skips.len() as u64 {
            0 => Ok(()),
            skipped => write!(f, ", {skipped} skipped"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(lines: &[&str], expected: &str) {
        let mut count = Count::default();
        for line in lines {
            count.take_result(line);
            count.take_skip(line);
        }
        assert_eq!(count.to_string(), expected);
    }

    #[test]
    fn results_are_summed() {
        check(&["running 3 tests", "test a ... ok"], "0 passed, 0 failed");
        check(
            &[
                "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
                "test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 7 filtered out",
            ],
            "4 passed, 2 failed",
        );
    }

    #[test]
    fn skips_are_told_once_each() {
        check(
            &[
                "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out",
                "SKIPPED: zsh is missing",
                "SKIPPED: zsh is missing",
                "SKIPPED: fish is missing",
            ],
            "3 passed, 0 failed, 3 skipped",
        );
    }

    #[test]
    fn runs_are_added() {
        let one = || {
            let mut count = Count { passed: 2, failed: 1, ..Count::default() };
            count.take_skip("SKIPPED: x");
            count.take_failure("test a::b ... ok");
            count.take_failure("test a::c ... FAILED");
            count
        };
        let mut total = one();
        total.add(one());
        assert_eq!(total.to_string(), "4 passed, 2 failed, 1 skipped");
        assert_eq!(total.failures, ["test a::c ... FAILED"; 2]);
    }
}
