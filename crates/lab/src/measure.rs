//! Measuring a suite: check every contender once, then rounds in rotating order until there are
//! enough, every round kept as soon as it is complete.

use crate::cli::Effort;
use crate::error::{Error, Result};
use crate::input::{self, Ready};
use crate::interrupt;
use crate::place::Place;
use crate::program::{Contender, State, fnv1a};
use crate::progress::Progress;
use crate::run::{self, Facts, Sample, Setting};
use crate::stamp::{Machine, Stamp};
use crate::store::{Line, Store};
use crate::suite::{Case, Expect, Suite};
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

/// A suite with everything that has been measured of it here.
pub struct Measured {
    /// The suite, with the cases that were asked for.
    pub suite: Suite,
    /// Its programs as they are here.
    pub contenders: Vec<Contender>,
    /// Inputs by id.
    pub inputs: HashMap<String, Ready>,
    /// Keys of the cases in the results, in the order of the cases.
    pub keys: Vec<String>,
    /// Rounds that were wanted of each case.
    pub wanted: usize,
    /// A folder for outputs that have to be files.
    pub scratch: PathBuf,
}

/// Measures what the results do not hold yet.
///
/// # Errors
/// When a place cannot be read or written, the reference cannot run, or a signal came.
pub fn measure(suite: Suite, effort: Effort, place: &Place, store: &mut Store) -> Result<Measured> {
    interrupt::listen()?;
    let mut contenders = Vec::new();
    for program in &suite.programs {
        contenders.push(Contender::find(program, place));
        stop_before_rounds(&suite)?; // a signal may have ended the build: that is not a missing program
    }
    for id in [&suite.reference, &suite.floor] {
        let found = contenders.iter().find(|contender| contender.id() == id);
        let found = found.expect("validated when the suite was read");
        if let State::Missing(reason) = &found.state {
            return Err(Error::NoReference { program: id.clone(), cause: reason.clone() });
        }
    }
    let mut inputs = HashMap::new();
    for case in &suite.cases {
        let input = suite.input_of(case);
        if !inputs.contains_key(&input.id) {
            inputs.insert(input.id.clone(), input::ready(input, &place.cache)?);
            stop_before_rounds(&suite)?;
        }
    }
    let machine = Machine::here();
    let keys = suite.cases.iter().map(|case| key(&suite, case, &contenders, &machine)).collect();
    let wanted = wanted(&suite, effort);
    let scratch = place.cache.join("outputs");
    let measured = Measured { suite, contenders, inputs, keys, wanted, scratch };
    let missing: Vec<usize> =
        (measured.keys.iter())
            .map(|key| {
                if effort.fresh { wanted } else { wanted.saturating_sub(store.rounds(key).count()) }
            })
            .collect();
    if missing.iter().any(|&rounds| rounds > 0) {
        let session = measured.open_session(place, store)?;
        let here = measured.here().count();
        let runs: usize =
            missing.iter().filter(|&&rounds| rounds > 0).map(|r| (r + 1) * here).sum();
        let progress = Progress::new(runs as u64);
        for (index, &rounds) in missing.iter().enumerate() {
            if rounds > 0 {
                measured.case(index, rounds, effort.fresh, &session, store, &progress)?;
            }
        }
    }
    Ok(measured)
}

/// Ends a measurement in which nothing was measured yet, if a signal asked for it.
fn stop_before_rounds(suite: &Suite) -> Result<()> {
    if !interrupt::asked() {
        return Ok(());
    }
    let names: Vec<_> = suite.cases.iter().map(|case| suite.full_name(case)).collect();
    Err(Error::Interrupted { kept: 0, missing: names.join(", ") })
}

fn wanted(suite: &Suite, effort: Effort) -> usize {
    let rounds = match effort.rounds {
        Some(rounds) => rounds,
        None if effort.quick => suite.rounds.quick,
        None => suite.rounds.full,
    };
    usize::try_from(rounds).expect("a count of rounds fits")
}

/// What decides a figure, as one hash: two rounds with the same key may stand in one sample.
fn key(suite: &Suite, case: &Case, contenders: &[Contender], machine: &Machine) -> String {
    let programs: Vec<_> = contenders
        .iter()
        .map(|contender| {
            let fingerprint = contender.identity().map(|found| &found.fingerprint);
            (contender.id(), &contender.program.command, fingerprint)
        })
        .collect();
    let parts = (case, suite.input_of(case), &suite.reference, programs, machine);
    let text = serde_json::to_string(&parts).expect("plain data becomes JSON");
    format!("{:016x}", fnv1a(text.into_bytes()))
}

impl Measured {
    /// The contenders that can run.
    pub fn here(&self) -> impl Iterator<Item = &Contender> {
        self.contenders.iter().filter(|contender| contender.identity().is_some())
    }

    fn open_session(&self, place: &Place, store: &mut Store) -> Result<String> {
        let stamp = Stamp::now(&place.root);
        let id = format!("{}-{}", stamp.date, std::process::id());
        let mut here = BTreeMap::new();
        let mut missing = BTreeMap::new();
        for contender in &self.contenders {
            match &contender.state {
                State::Here { identity, .. } => {
                    here.insert(contender.id().to_owned(), identity.clone());
                }
                State::Missing(reason) => {
                    missing.insert(contender.id().to_owned(), reason.clone());
                }
            }
        }
        let suite = self.suite.slug.clone();
        store.append(Line::Session { id: id.clone(), suite, stamp, here, missing })?;
        Ok(id)
    }

    fn case(
        &self,
        index: usize,
        rounds: usize,
        fresh: bool,
        session: &str,
        store: &mut Store,
        progress: &Progress,
    ) -> Result<()> {
        let (case, key) = (&self.suite.cases[index], &self.keys[index]);
        let name = self.suite.full_name(case);
        let input = &self.inputs[&case.input];
        let mut setting =
            Setting { case, input, expected: &input.contents, scratch: &self.scratch };
        let reference;
        if case.expect == Expect::Reference {
            reference = self.reference_output(setting, store)?;
            setting.expected = &reference;
        }
        progress.stage(&format!("{name}: checking every output"));
        let mut runners = Vec::new();
        for contender in self.here() {
            // A failure may have been the machine's (a full disk, no memory): it is tried again.
            let known = store.facts(key, contender.id());
            let known = known.filter(|facts| !fresh && facts.failed.is_none()).cloned();
            // Either way it has run once before its time is taken: that is the warm-up.
            let facts = match known {
                Some(facts) => {
                    self.run_once(contender, setting, store)?.ok();
                    facts
                }
                None => self.check(contender, setting, index, session, store)?,
            };
            progress.step();
            for note in [facts.wrong.as_ref(), facts.failed.as_ref()].into_iter().flatten() {
                progress.warn(&format!("{name}: {}: {note}", contender.id()));
            }
            if facts.failed.is_none() {
                runners.push(contender);
            }
        }
        progress.stage(&format!("{name}: {rounds} rounds of {}", runners.len()));
        for round in 0..rounds {
            let mut samples = BTreeMap::new();
            // Every contender runs first, last and after each other one equally often.
            let start = round % runners.len().max(1);
            let turn = || runners[start..].iter().chain(&runners[..start]);
            for contender in turn() {
                let sample = self.run_once(contender, setting, store)?;
                progress.step();
                match sample {
                    Ok(sample) => drop(samples.insert(contender.id().to_owned(), sample)),
                    Err(failure) => {
                        progress.warn(&format!("{name}: {}: {failure}", contender.id()));
                    }
                }
            }
            let order = turn().map(|contender| contender.id().to_owned()).collect();
            store.append(Line::Round {
                session: session.to_owned(),
                key: key.clone(),
                case: case.id.clone(),
                order,
                samples,
            })?;
        }
        Ok(())
    }

    /// What the reference makes of the case's input.
    fn reference_output(&self, setting: Setting<'_>, store: &Store) -> Result<Vec<u8>> {
        let id = &self.suite.reference;
        let contender = self.here().find(|contender| contender.id() == id);
        let contender = contender.expect("measuring began with the reference");
        let output = run::output_of(contender, setting)
            .map_err(|cause| Error::System { subject: id.clone(), cause })?;
        self.stop_if_asked(store)?; // the signal may have ended the reference
        output.map_err(|cause| Error::NoReference { program: id.clone(), cause })
    }

    /// One timed run, unless a signal came before or meanwhile: it may have ended the contender.
    fn run_once(
        &self,
        contender: &Contender,
        setting: Setting<'_>,
        store: &Store,
    ) -> Result<std::result::Result<Sample, String>> {
        self.stop_if_asked(store)?;
        let sample = run::timed(contender, setting)
            .map_err(|cause| Error::System { subject: contender.id().into(), cause })?;
        self.stop_if_asked(store)?;
        Ok(sample)
    }

    fn check(
        &self,
        contender: &Contender,
        setting: Setting<'_>,
        index: usize,
        session: &str,
        store: &mut Store,
    ) -> Result<Facts> {
        self.stop_if_asked(store)?;
        let is_floor = contender.id() == self.suite.floor;
        let facts = run::checked(contender, setting, is_floor)
            .map_err(|cause| Error::System { subject: contender.id().into(), cause })?;
        self.stop_if_asked(store)?; // the signal may have ended the contender too
        store.append(Line::Check {
            session: session.to_owned(),
            key: self.keys[index].clone(),
            case: setting.case.id.clone(),
            program: contender.id().to_owned(),
            facts: facts.clone(),
        })?;
        Ok(facts)
    }

    fn stop_if_asked(&self, store: &Store) -> Result<()> {
        if !interrupt::asked() {
            return Ok(());
        }
        let rounds: Vec<_> = self.keys.iter().map(|key| store.rounds(key).count()).collect();
        let missing: Vec<_> = (self.suite.cases.iter().zip(&rounds))
            .filter(|(_, rounds)| **rounds < self.wanted)
            .map(|(case, rounds)| {
                let name = self.suite.full_name(case);
                format!("{name} ({rounds} of {} rounds)", self.wanted)
            })
            .collect();
        Err(Error::Interrupted { kept: rounds.iter().sum(), missing: missing.join(", ") })
    }
}
