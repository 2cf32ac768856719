//! From a run to what it predicts, and from there to runs that show it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use raddle_native::confirm::{Confirmer, Witness};
use raddle_native::launch::{Answer, Request};
use raddle_native::recording::{self, Guide, Options, Recording};
use raddle_native::schedule::to_schedule;
use raddle_native::symbol::Symbols;
use raddle_native::target::{Target, identity};
use raddle_predict::{
    Causes, Job, TransactionSource, deadlocks, lost_wakeups, races, transactions, violations,
};
use raddle_trace::Trace;
use raddle_trace::check::Mode;
use raddle_wire::{OutcomeKind, Threading};

use super::{Workshop, drawn};

/// A program that was built, and its functions that are meant to be atomic.
pub struct Subject<'a> {
    pub workshop: &'a Workshop,
    pub target: Target,
    pub atomic: Vec<String>,
    /// Whether everything that orders its threads is known, so that all predictions hold.
    pub is_whole: bool,
}

/// What can happen to a run that is asked for predictions.
pub type Outcome<T> = Result<T, String>;

pub fn passed(answer: &Answer) -> bool {
    answer.outcome == OutcomeKind::Exited && answer.exit.code == 0
}

impl Subject<'_> {
    /// Runs it once; the recording is finished.
    pub fn record(&self, seed: u64) -> Outcome<(Answer, PathBuf)> {
        self.record_by(Request { seed: drawn(seed), points_all: true, ..Request::default() })
    }

    /// The same with threads at once; what hangs then is ended soon.
    pub fn record_parallel(&self) -> Outcome<(Answer, PathBuf)> {
        let (threading, timeout) = (Threading::Parallel, Some(Duration::from_secs(1)));
        self.record_by(Request { threading, timeout, ..Request::default() })
    }

    fn record_by(&self, request: Request<'_>) -> Outcome<(Answer, PathBuf)> {
        let path = self.workshop.file();
        let (stacks, recording) = (!self.atomic.is_empty(), Some(path.clone()));
        let request = Request { stacks, recording, ..request };
        let answer = self.workshop.run(&self.target, &request)?;
        let schedule = to_schedule(identity(&self.target).unwrap(), &answer.taken).unwrap();
        recording::finish(&path, &self.target, &schedule.to_string(), &self.atomic).unwrap();
        Ok((answer, path))
    }

    /// What a run predicts and the program does when it is steered there. Where everything is
    /// instrumented, that has to be all that is predicted.
    pub fn predictions(&self, path: &Path) -> Outcome<BTreeSet<String>> {
        let mut kinds = BTreeSet::new();
        for (kind, shown) in self.each_prediction(path)? {
            match shown {
                Ok(()) => _ = kinds.insert(kind.to_owned()),
                Err(error) if self.is_whole => return Err(format!("{kind} is not shown: {error}")),
                Err(_) => {}
            }
        }
        Ok(kinds)
    }

    /// What a run predicts, and for each whether the program does it when it is steered there.
    pub fn each_prediction(&self, path: &Path) -> Outcome<Vec<(&'static str, Outcome<()>)>> {
        let observed = Recording::open(path).unwrap();
        let native = recording::read(&observed, &Options::default(), &mut Symbols::new()).unwrap();
        if let Some(note) = native.note {
            return Err(note.to_string());
        }
        let (events, guide) = native.split();
        let trace = Trace::new(events, Mode::Strict).map_err(|fault| fault.to_string())?;
        let shown = |witness: Witness| self.confirm(&observed, &trace, &guide, &witness);
        Ok(predict(&trace)?.into_iter().map(|(kind, witness)| (kind, shown(witness))).collect())
    }

    fn confirm(
        &self,
        recording: &Recording,
        trace: &Trace,
        guide: &Guide,
        witness: &Witness,
    ) -> Outcome<()> {
        let attempt = Confirmer::new(recording, trace, guide).attempt(witness, |plan| {
            let path = self.workshop.file();
            let request = Request { plan, recording: Some(path.clone()), ..Request::default() };
            let answer = self.workshop.run(&self.target, &request)?;
            let run = Recording::open(&path).map_err(|error| error.to_string())?;
            std::fs::remove_file(&path).unwrap();
            Ok::<_, String>((answer, Some(run)))
        })?;
        match attempt.has_shown {
            true => Ok(()),
            false => Err(format!(
                "{witness:?} by {:?} came to {:?} {:?} by {:?}",
                attempt.plan, attempt.answer.outcome, attempt.answer.message, attempt.answer.taken
            )),
        }
    }
}

/// All findings of a trace.
fn predict(trace: &Trace) -> Outcome<Vec<(&'static str, Witness)>> {
    let causes = Causes::new(trace);
    let blocks = transactions(trace, TransactionSource::Marked);
    let mut on = |_, _| true;
    let mut found = Vec::new();
    let refused = |error: raddle_predict::Refused| error.to_string();
    for race in races(&causes, false, job(&mut on)).map_err(refused)?.races {
        let next = [race.first, race.second];
        found.push(("race", Witness::new(race.witness.iter().collect(), &next, next.into())));
    }
    for violation in violations(&causes, &blocks, false, job(&mut on)).map_err(refused)?.violations
    {
        let order = violation.witness.iter().collect();
        found.push(("atomicity", Witness::new(order, &[], violation.events.into())));
    }
    for deadlock in deadlocks(&causes, false, job(&mut on)).map_err(refused)?.deadlocks {
        let order = deadlock.witness.iter().collect();
        found.push(("deadlock", Witness::deadlock(order, deadlock.blocked)));
    }
    for lost in lost_wakeups(&causes, false, job(&mut on)).map_err(refused)?.lost {
        let order = lost.witness.iter().collect();
        found.push(("lost-wakeup", Witness::new(order, &[], vec![lost.wait, lost.notify])));
    }
    Ok(found)
}

fn job(progress: &mut dyn FnMut(usize, usize) -> bool) -> Job<'_> {
    Job { n_workers: 1, progress }
}
