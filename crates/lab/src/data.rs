//! The data file beside an article: everything the article says, and nothing it does not.

use crate::measure::Measured;
use crate::program::{Contender, Identity, State};
use crate::run::{Facts, Sample};
use crate::stamp::Stamp;
use crate::stats::{Summary, paired};
use crate::store::Store;
use crate::suite::{Case, Program};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Version of this format; a reader refuses another.
pub const SCHEMA: u32 = 1;

/// The contents of a `data.json`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Data {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Name of the suite and of the article's folder.
    pub suite: String,
    /// Title of the article.
    pub title: String,
    /// Id of the program that ratios are taken to.
    pub reference: String,
    /// Id of the program that does nothing.
    pub floor: String,
    /// The sessions whose rounds are in here, oldest first.
    pub stamps: Vec<Stamp>,
    /// The contenders, in the suite's order.
    pub programs: Vec<ProgramData>,
    /// The cases, in the suite's order.
    pub cases: Vec<CaseData>,
}

/// A contender as it was here.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct ProgramData {
    /// Its description in the suite.
    #[serde(flatten)]
    pub program: Program,
    /// Version and fingerprint, when it was here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identity: Option<Identity>,
    /// Why it was not, otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

/// A case with its results.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct CaseData {
    /// Its description in the suite.
    #[serde(flatten)]
    pub case: Case,
    /// Size of the input.
    pub input_bytes: u64,
    /// Rounds in here.
    pub rounds: usize,
    /// Results by program, in the suite's order; a missing program has none.
    pub results: Vec<ResultData>,
}

/// What one program did on one case.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ResultData {
    /// Id of the program.
    pub program: String,
    /// What the checked run found.
    pub facts: Facts,
    /// The timed runs; absent when the program failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub times: Option<Times>,
}

/// The timed runs of one program on one case.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Times {
    /// Processor time, user and system, in microseconds.
    pub cpu_us: Summary,
    /// Wall time in microseconds.
    pub wall_us: Summary,
    /// Processor time relative to the reference's in the same round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_ratio: Option<Summary>,
    /// Wall time relative to the reference's in the same round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wall_ratio: Option<Summary>,
}

/// Digits kept of every figure: more would be noise, and noise in a file is a difference.
const DIGITS: i32 = 4;

impl Data {
    /// Gathers what the store holds of `measured`, the newest of the rounds that were wanted.
    #[must_use]
    pub fn gather(measured: &Measured, store: &Store) -> Data {
        let mut sessions = Vec::new();
        let cases = (measured.suite.cases.iter().zip(&measured.keys))
            .map(|(case, key)| gather_case(measured, store, case, key, &mut sessions))
            .collect();
        sessions.sort();
        sessions.dedup();
        Data {
            schema: SCHEMA,
            suite: measured.suite.slug.clone(),
            title: measured.suite.title.clone(),
            reference: measured.suite.reference.clone(),
            floor: measured.suite.floor.clone(),
            stamps: sessions.iter().filter_map(|id| store.stamp(id).cloned()).collect(),
            programs: measured.contenders.iter().map(program_data).collect(),
            cases,
        }
    }

    /// The program with this id.
    #[must_use]
    pub fn program(&self, id: &str) -> Option<&ProgramData> {
        self.programs.iter().find(|program| program.program.id == id)
    }
}

fn program_data(contender: &Contender) -> ProgramData {
    let missing = match &contender.state {
        State::Here { .. } => None,
        State::Missing(reason) => Some(reason.clone()),
    };
    ProgramData {
        program: contender.program.clone(),
        identity: contender.identity().cloned(),
        missing,
    }
}

fn gather_case(
    measured: &Measured,
    store: &Store,
    case: &Case,
    key: &str,
    sessions: &mut Vec<String>,
) -> CaseData {
    let mut rounds: Vec<&BTreeMap<String, Sample>> = Vec::new();
    for (session, samples) in store.rounds(key).rev().take(measured.wanted) {
        sessions.push(session.clone());
        rounds.push(samples);
    }
    rounds.reverse();
    let result = |contender: &Contender| {
        let facts = store.facts(key, contender.id())?.clone();
        let times = times(contender.id(), &measured.suite.reference, &rounds);
        Some(ResultData { program: contender.id().to_owned(), facts, times })
    };
    CaseData {
        case: case.clone(),
        input_bytes: measured.inputs[&case.input].contents.len() as u64,
        rounds: rounds.len(),
        results: measured.here().filter_map(result).collect(),
    }
}

fn times(id: &str, reference: &str, rounds: &[&BTreeMap<String, Sample>]) -> Option<Times> {
    // A round in which either failed has no pair, but still a time.
    let figures = |figure: fn(&Sample) -> f64| -> Vec<f64> {
        rounds.iter().filter_map(|round| round.get(id)).map(figure).collect()
    };
    let ratio = |figure: fn(&Sample) -> f64| {
        let pairs = rounds.iter().filter_map(|round| Some((round.get(id)?, round.get(reference)?)));
        let (ours, theirs): (Vec<_>, Vec<_>) =
            pairs.map(|(ours, theirs)| (figure(ours), figure(theirs))).unzip();
        paired(&ours, &theirs).map(|ratio| ratio.rounded(DIGITS))
    };
    let cpu = |sample: &Sample| (sample.user_us + sample.system_us) as f64;
    let wall = |sample: &Sample| sample.wall_us as f64;
    Some(Times {
        cpu_us: Summary::of(figures(cpu))?.rounded(DIGITS),
        wall_us: Summary::of(figures(wall))?.rounded(DIGITS),
        cpu_ratio: ratio(cpu),
        wall_ratio: ratio(wall),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(samples: &[(&str, u64, u64)]) -> BTreeMap<String, Sample> {
        let sample = |&(id, user_us, wall_us): &(&str, u64, u64)| {
            let sample = Sample { user_us, system_us: 0, wall_us, waits: 0, preemptions: 0 };
            (id.to_owned(), sample)
        };
        samples.iter().map(sample).collect()
    }

    #[test]
    fn ratios_are_taken_inside_rounds() {
        let rounds = [
            round(&[("ref", 10, 100), ("ours", 5, 25)]),
            round(&[("ref", 1000, 100), ("ours", 500, 25)]),
            round(&[("ref", 10, 100)]),
        ];
        let rounds: Vec<_> = rounds.iter().collect();
        let ours = times("ours", "ref", &rounds).unwrap();
        assert_eq!(ours.cpu_ratio.unwrap().median, 0.5);
        assert_eq!(ours.wall_ratio.unwrap().median, 0.25);
        assert_eq!(ours.cpu_us.max, 500.0);
        assert_eq!(times("ref", "ref", &rounds).unwrap().cpu_us.median, 10.0);
        assert!(times("absent", "ref", &rounds).is_none());
    }
}
