//! The tally of a search: what was counted and found so far, and whether the budget is spent.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use raddle_finding::ProgramId;
use rustc_hash::FxBuildHasher;

use crate::coverage::{BoundCoverage, Meter, States};
use crate::plan::Plan;
use crate::report::{Ending, Found, Report};
use crate::run::{Outcome, Run};
use crate::search::Budget;
use crate::strategy::Strategy;

/// How many runs go by before clock and memory are looked at again.
const PATIENCE: u64 = 64;

/// What was counted and found so far.
pub(super) struct Tally<'a> {
    pub(super) budget: &'a Budget,
    stop: &'a AtomicBool,
    start: Instant,
    program: ProgramId,
    states: States,
    meter: Meter,
    bounds: Vec<BoundCoverage>,
    findings: Vec<Found>,
    /// Where the finding of a kind and place is.
    known: HashMap<(String, String), usize, FxBuildHasher>,
    executions: u64,
    assumptions: u64,
    spins: u64,
}

impl<'a> Tally<'a> {
    pub(super) fn new(program: ProgramId, budget: &'a Budget, stop: &'a AtomicBool) -> Self {
        Tally {
            budget,
            stop,
            start: Instant::now(),
            program,
            states: States::default(),
            meter: Meter::default(),
            bounds: Vec::new(),
            findings: Vec::new(),
            known: HashMap::default(),
            executions: 0,
            assumptions: 0,
            spins: 0,
        }
    }

    /// A run is about to be counted: begins its bound, and says whether the search ends instead.
    pub(super) fn before(&mut self, strategy: &dyn Strategy) -> Option<Ending> {
        let bound = strategy.bound();
        if self.bounds.last().is_none_or(|row| row.bound != bound) {
            self.close(true);
            let states = self.budget.states.then_some(self.states.len());
            let row = BoundCoverage { bound, executions: 0, cut: 0, states, complete: false };
            self.bounds.push(row);
        }
        let over = |limit: Option<u64>, used| limit.is_some_and(|limit| used >= limit);
        if self.stop.load(Ordering::Relaxed) {
            return Some(Ending::Stopped);
        } else if over(self.budget.runs, self.executions) {
            return Some(Ending::Runs);
        } else if over(self.budget.findings.map(|n| n as u64), self.findings.len() as u64) {
            return Some(Ending::Findings);
        } else if !self.executions.is_multiple_of(PATIENCE) {
            return None;
        }
        let late = self.budget.time.is_some_and(|limit| self.start.elapsed() >= limit);
        let full = self.budget.memory.is_some_and(|limit| self.memory(strategy) >= limit);
        late.then_some(Ending::Time).or(full.then_some(Ending::Memory))
    }

    /// Counts a run.
    pub(super) fn count(&mut self, plan: &Plan, run: &Run) {
        let row = self.bounds.last_mut().expect("a bound was begun before the run");
        row.executions += 1;
        row.cut += u64::from(!run.outcome.is_whole());
        if self.budget.states {
            self.states.add(run, plan.prefix.len());
        }
        self.spins += u64::from(self.meter.add(run));
        self.assumptions += u64::from(run.outcome == Outcome::Assumption);
        if run.outcome.trouble().is_some() {
            self.find(run);
        }
        self.executions += 1;
    }

    pub(super) fn report(mut self, ending: Ending, strategy: &dyn Strategy) -> Report {
        self.close(ending == Ending::Done);
        Report {
            ending,
            exhausted: strategy.is_exhausted(),
            maxima: self.meter.maxima,
            executions: self.executions,
            assumptions: self.assumptions,
            spins: self.spins,
            memory: self.memory(strategy),
            bounds: self.bounds,
            findings: self.findings,
        }
    }

    /// Ends the bound in progress.
    fn close(&mut self, complete: bool) {
        let states = self.budget.states.then_some(self.states.len());
        if let Some(row) = self.bounds.last_mut() {
            row.states = states;
            row.complete = complete;
        }
    }

    fn memory(&self, strategy: &dyn Strategy) -> usize {
        strategy.memory() + self.states.memory()
    }

    fn find(&mut self, run: &Run) {
        let trouble = run.outcome.trouble().expect("there is trouble");
        let key = (trouble.kind.clone(), trouble.place.clone());
        if let Some(&index) = self.known.get(&key) {
            self.findings[index].times += 1;
            return;
        }
        self.known.insert(key, self.findings.len());
        self.findings.push(Found {
            outcome: run.outcome.clone(),
            schedule: run.schedule(self.program.clone()),
            preemptions: run.n_preemptions(),
            bound: self.bounds.last().and_then(|row| row.bound),
            execution: self.executions,
            times: 1,
        });
    }
}
