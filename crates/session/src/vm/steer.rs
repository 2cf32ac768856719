//! Predictions about a C program: it is run once for the trace, and again along each witness.
//!
//! In: a program. Out: the trace of a plain run, and which findings the machine did. A witness knows
//! nothing of values; where the program does not follow it, the solver is asked for another
//! execution, with data, that does the same, or says that no interleaving of the run does.

use std::sync::Arc;

use raddle_cfront::ir::Program;
use raddle_finding::Schedule;
use raddle_predict::{Goal, Prediction};
use raddle_ranges::ctp::{Ctp, StateId};
use raddle_ranges::feasible::{Feasibility, Options, Pattern, Query, Solver};
use raddle_ranges::graph::{Graph, GraphKind};
use raddle_ranges::propagate::propagate;
use raddle_ranges::record::record;
use raddle_ranges::replay::{Replayed, replay};
use raddle_trace::check::Mode;
use raddle_trace::{EventId, Trace};
use raddle_vm::record::Recorder;
use raddle_vm::{Event, Machine, Observer as Watch, Outcome, Settings, What};
use rustc_hash::FxHashMap;

use crate::error::{Cause, Error};
use crate::forecast::Allowance;
use crate::observer::{Observer, Status};
use crate::predict::{Confirmed, Found, Shown};

/// How much work the solver may have.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// How many interval updates, once.
    pub n_updates_max: u64,
    /// How many conflicts, for each question.
    pub n_conflicts_max: u32,
}

/// A program on the machine, and one run of it.
pub struct Observed {
    program: Arc<Program>,
    settings: Settings,
    ctp: Ctp,
    /// The step that each event of the trace is, if it is one.
    steps: Vec<Option<StateId>>,
}

/// Records events, and counts those of each thread as steps of trace programs are counted.
#[derive(Default)]
struct Counting {
    recorder: Recorder,
    n_events: FxHashMap<u32, u32>,
    /// For each recorded event its thread and its number there.
    numbers: Vec<(u32, u32)>,
}

impl Watch for Counting {
    fn event(&mut self, event: &Event<'_>) {
        let n = self.n_events.entry(event.thread).or_default();
        *n += u32::from(!matches!(event.what, What::Request { .. }));
        let number = (event.thread, *n);
        self.recorder.event(event);
        self.numbers.resize(self.recorder.len() as usize, number);
    }
}

/// Runs a program once, as the machine does by itself: what happened, and what steers it along that. There
/// must be a point before every access.
pub fn observe(program: &Arc<Program>, settings: &Settings) -> Result<(Trace, Observed), Error> {
    let run = || -> Result<_, Cause> {
        let recorded = record(program, settings, None)?;
        let mut machine = Machine::new(program.clone(), settings)?;
        let mut counting = Counting::default();
        machine.replay(&recorded.schedule, &mut counting);
        let (events, kept) = counting.recorder.finish_with_kept();
        let trace = Trace::new(events, Mode::Strict)?;
        let steps = steps(&recorded.ctp, &counting.numbers, &kept);
        let (program, settings) = (program.clone(), settings.clone());
        Ok((trace, Observed { program, settings, ctp: recorded.ctp, steps }))
    };
    run().map_err(Error::Program)
}

fn steps(ctp: &Ctp, numbers: &[(u32, u32)], kept: &[EventId]) -> Vec<Option<StateId>> {
    let mut known = FxHashMap::default();
    for id in ctp.state_ids().filter(|&id| ctp.state(id).parent.is_some()) {
        let thread = ctp.threads[ctp.state(id).thread.0 as usize].number;
        known.insert((thread, ctp.step(id).n_events), id);
    }
    kept.iter().map(|old| known.get(&numbers[old.index()]).copied()).collect()
}

impl Observed {
    /// What could not be followed, in words.
    pub fn notices(&self) -> impl Iterator<Item = &str> {
        self.ctp.notices.iter().map(|notice| notice.text.as_str())
    }

    /// Runs the program along every witness, or along what the solver finds instead.
    pub fn confirm(
        &self,
        trace: &Trace,
        found: &Found,
        effort: Effort,
        allowance: &Allowance,
        observer: &mut dyn Observer,
    ) -> Result<Confirmed, Error> {
        let mut solver = None;
        let mut confirmed = Confirmed::default();
        for prediction in found.predictions() {
            if allowance.is_over() {
                break;
            }
            let of = found.n_predictions();
            observer.status(&Status::Steering { done: confirmed.n_tried, of });
            confirmed.n_tried += 1;
            let mut shown = self.along(prediction)?;
            if shown.is_none()
                && let Some(query) = self.question(prediction)
            {
                let solver = solver.get_or_insert_with(|| self.solver(effort));
                match solver.ask(&query) {
                    Feasibility::Feasible(steps) => {
                        shown = self.show(prediction, &steps, &query)?;
                    }
                    Feasibility::Infeasible => confirmed.rule_out(prediction, trace),
                    Feasibility::Unknown => {}
                }
            }
            if let Some(replayed) = shown {
                confirmed.add(prediction, trace, shown_by(replayed));
            }
        }
        Ok(confirmed)
    }

    /// A solver with the widths that intervals allow. Steps are ordered one by one, since findings
    /// are about moments.
    fn solver(&self, effort: Effort) -> Solver<'_> {
        let graph = Graph::with(&self.ctp, GraphKind::TsgReduced, true);
        let ranges = propagate(&self.ctp, &graph, 1, effort.n_updates_max).ok();
        let options =
            Options { n_conflicts_max: Some(effort.n_conflicts_max), ..Options::default() };
        Solver::new(&self.ctp, &Graph::stepwise(&self.ctp), ranges.as_ref(), options)
    }

    /// The question whether a finding can happen with data, if it can be asked: the events of a race
    /// or a deadlock are next at once, those of an atomicity violation come in their order, and a
    /// read reads from the challenger.
    fn question(&self, prediction: &dyn Prediction) -> Option<Query> {
        let step = |event: EventId| self.steps[event.index()];
        match prediction.goal() {
            Goal::Meet(events) | Goal::Block(events) => {
                let next: Option<Vec<_>> = events.into_iter().map(step).collect();
                next.map(Query::Meet)
            }
            Goal::InOrder(events) => {
                let [first, second, third] = events.map(step);
                let before = vec![(first?, second?), (second?, third?)];
                Some(Query::Events(Pattern { before, ..Pattern::default() }))
            }
            Goal::Sees { read, write } => {
                let from = match write {
                    Some(write) => Some(step(write)?),
                    None => None,
                };
                Some(Query::ReadsFrom(step(read?)?, from))
            }
            Goal::NeverEnds(_) => None,
        }
    }

    /// Follows the witness; what its end shows must be there.
    fn along(&self, prediction: &dyn Prediction) -> Result<Option<Replayed>, Error> {
        let steps: Vec<_> =
            prediction.witness().iter().filter_map(|event| self.steps[event.index()]).collect();
        let Some(&last) = steps.last() else { return Ok(None) };
        let query = match prediction.goal() {
            Goal::Meet(_) => self.question(prediction).unwrap_or(Query::Reaches(last)),
            _ => Query::Reaches(last),
        };
        self.show(prediction, &steps, &query)
    }

    /// Takes steps; what the finding is about must come true at their end.
    fn show(
        &self,
        prediction: &dyn Prediction,
        steps: &[StateId],
        query: &Query,
    ) -> Result<Option<Replayed>, Error> {
        let Goal::Block(_) = prediction.goal() else {
            return Ok(self.run(steps, query)?.filter(|run| run.confirmed));
        };
        // A thread that is stuck is not next: the end of the run says whether it was a deadlock.
        let Some(&last) = steps.last() else { return Ok(None) };
        let replayed = self.run(steps, &Query::Reaches(last))?;
        Ok(replayed.filter(|run| run.confirmed && self.deadlocks(&run.schedule)))
    }

    fn run(&self, steps: &[StateId], query: &Query) -> Result<Option<Replayed>, Error> {
        let replayed = replay(&self.program, &self.settings, &self.ctp, steps, query);
        replayed.map(Some).map_err(|error| Error::Program(error.into()))
    }

    /// Whether a run by a schedule, and then as the machine goes on by itself, ends in a deadlock.
    pub(super) fn deadlocks(&self, schedule: &Schedule) -> bool {
        let machine = Machine::new(self.program.clone(), &self.settings);
        machine.is_ok_and(|mut machine| {
            machine.replay(schedule, &mut ());
            matches!(machine.outcome(), Some(Outcome::Deadlock(_)))
        })
    }
}

fn shown_by(replayed: Replayed) -> Shown {
    let outcome = match &replayed.outcome {
        None => "goes-on",
        Some(Outcome::Exited(_)) => "exited",
        Some(Outcome::Deadlock(_)) => "deadlock",
        Some(_) => "fault",
    };
    Shown { outcome, schedule: replayed.schedule }
}
