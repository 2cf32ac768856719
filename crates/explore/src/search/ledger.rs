//! The ledger of a search: what was counted and found so far.
//!
//! It is data, and can be saved with the strategy: a search that goes on with both ends as if it
//! had never stopped.

use std::mem::take;
use std::time::Duration;

use raddle_finding::{ProgramId, Schedule};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::checkpoint::{COUNT_MAX, Flaw, POINTS_MAX, ensure};
use crate::coverage::{BoundCoverage, Meter, States};
use crate::growth::Curve;
use crate::plan::Plan;
use crate::report::{Doubt, Ending, Found, Report};
use crate::run::{Endless, Failure, Outcome, Race, Run};
use crate::search::ReleaseSequence;
use crate::strategy::Strategy;

/// What was counted and found so far.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct Ledger {
    pub(super) states: States,
    /// In the order in which bounds were begun, behind what is beside all bounds.
    bounds: Vec<BoundCoverage>,
    /// Which of them the run belongs to that is counted.
    #[serde(skip)]
    row: usize,
    findings: Vec<Found>,
    executions: u64,
    assumptions: u64,
    n_lost: u64,
    /// How the first one of them ended.
    lost: Option<Outcome>,
    spins: u64,
    /// One for each place, in the order in which they were met.
    endless: Vec<Endless>,
    restarts: u32,
    /// The races whose accesses became points.
    promoted: Vec<Race>,
    meter: Meter,
    curve: Curve,
    /// How long the search went on before it was saved.
    spent: Duration,
    /// Which finding a race is.
    #[serde(skip)]
    races: FxHashMap<[[u64; 2]; 2], usize>,
    /// Races that were only seen in doubt.
    doubts: Vec<Doubt>,
}

impl Ledger {
    /// How many executions were started.
    pub fn executions(&self) -> u64 {
        self.executions
    }

    /// What was found, in the order in which it was found.
    pub fn findings(&self) -> &[Found] {
        &self.findings
    }

    /// How many of the findings are no races.
    pub fn n_failures(&self) -> usize {
        self.findings.iter().filter(|found| found.race.is_none()).count()
    }

    /// What was seen, bound by bound.
    pub fn bounds(&self) -> &[BoundCoverage] {
        &self.bounds
    }

    /// How many distinct states there were.
    pub fn states(&self) -> u64 {
        self.states.len()
    }

    /// How long the search went on, in all its parts.
    pub fn spent(&self) -> Duration {
        self.spent
    }

    /// Refuses what no search can have counted and found.
    pub(crate) fn check(&self) -> Result<(), Flaw> {
        let parts = [self.assumptions, self.n_lost];
        ensure(self.executions < COUNT_MAX && self.spins < COUNT_MAX, "its counts")?;
        ensure(parts.iter().all(|&part| part <= self.executions), "its counts")?;
        ensure(self.restarts < u32::MAX / 2, "how often it began again")?;
        ensure(self.spent.as_secs() < COUNT_MAX, "how long it took")?;
        let within = |row: &BoundCoverage| {
            [row.executions, row.cut, row.lost].iter().all(|&n| n <= self.executions)
        };
        ensure(self.bounds.iter().all(within), "what it counted at a bound")?;
        ensure(self.meter.is_sound(), "its largest numbers")?;
        ensure(self.curve.is_sound(self.executions), "its growth")?;
        let is_sound = |found: &Found| {
            found.promoted <= self.promoted.len()
                && found.execution < self.executions
                && found.times < COUNT_MAX
                && found.schedule.len() <= POINTS_MAX
        };
        ensure(self.findings.iter().all(is_sound), "a finding")
    }

    pub(super) fn add_time(&mut self, time: Duration) {
        self.spent += time;
    }

    /// Goes to the bound of a run that is about to be counted. The bound before one that is new
    /// is complete.
    pub(super) fn enter(&mut self, bound: Option<u32>, states: bool) {
        if let Some(row) = self.bounds.iter().rposition(|row| row.bound == bound) {
            self.row = row;
            return;
        }
        let states = states.then_some(self.states.len());
        let row = BoundCoverage { bound, executions: 0, cut: 0, lost: 0, states, complete: false };
        self.row = if bound.is_some() { self.bounds.len() } else { 0 };
        if let Some(before) = self.bounds.last_mut().filter(|_| bound.is_some()) {
            before.complete = before.bound.is_some();
        }
        self.bounds.insert(self.row, row);
    }

    /// Counts a run that was learned. How it ended is taken out of it, unless its races need that, too.
    pub(super) fn count(&mut self, plan: &Plan, run: &mut Run, states: bool, program: &ProgramId) {
        let row = self.bounds.get_mut(self.row).expect("a bound was begun before the run");
        row.executions += 1;
        row.cut += u64::from(!run.outcome.is_whole());
        if run.outcome.is_lost() {
            row.lost += 1;
            self.n_lost += 1;
            self.lost.get_or_insert_with(|| run.outcome.clone());
        }
        if states {
            self.states.add(run, plan.prefix.len());
            row.states = Some(self.states.len());
            self.curve.add(self.states.len(), row.bound);
        }
        self.spins += u64::from(self.meter.add(run));
        run.endless.drain(..).for_each(|endless| self.take_for_endless(endless));
        self.assumptions += u64::from(run.outcome == Outcome::Assumption);
        self.executions += 1;
        for misuse in &run.misuses {
            match self.known(&misuse.failure) {
                Some(known) => self.findings[known].times += 1,
                None => {
                    let (failure, outcome) = (misuse.failure.clone(), Some(run.outcome.clone()));
                    let mut found = self.found(failure, outcome, run, program);
                    // Where runs end there, the rest cannot be taken.
                    let n_points = misuse.point as usize + 1;
                    let preempts = |&point: &usize| run.preempts(point, run.taken(point));
                    found.preemptions = (0..n_points).filter(preempts).count() as u32;
                    found.schedule = Schedule::new(program.clone());
                    found.schedule.extend(run.choices().take(n_points));
                    self.findings.push(found);
                }
            }
        }
        if let Some(failure) = run.outcome.failure() {
            match self.known(failure) {
                Some(known) => self.findings[known].times += 1,
                None => {
                    let has_races = !run.races.is_empty();
                    let outcome =
                        if has_races { run.outcome.clone() } else { take(&mut run.outcome) };
                    let failure = outcome.into_failure().expect("it has been asked for it");
                    let found = self.found(failure, None, run, program);
                    self.findings.push(found);
                }
            }
        }
    }

    fn take_for_endless(&mut self, endless: Endless) {
        match self.endless.iter_mut().find(|known| known.place == endless.place) {
            Some(known) => known.operations = known.operations.min(endless.operations),
            None => self.endless.push(endless),
        }
    }

    /// Counts the races of the run that was counted last; answers with those that are new. One that was a race by the
    /// newer release sequences only is new when it is one by both.
    pub(super) fn count_races(&mut self, run: &Run, rule: ReleaseSequence) -> Vec<Race> {
        let mut fresh: Vec<Race> = Vec::new();
        for race in run.races.iter().filter(|race| rule.has(race)) {
            let is_settled =
                |known: usize| race.in_doubt || !is_worth_more(race, &self.findings[known].failure);
            match self.races.get(&race.identity()) {
                Some(&known) if is_settled(known) => self.findings[known].times += 1,
                None if race.in_doubt && self.has_doubt(race) => {}
                _ => {
                    fresh.retain(|other| other.identity() != race.identity());
                    fresh.push(*race);
                }
            }
        }
        fresh
    }

    fn has_doubt(&self, race: &Race) -> bool {
        self.doubts.iter().any(|doubt| doubt.race.identity() == race.identity())
    }

    /// Adds a race that is new, with the run that was counted last.
    pub(super) fn add_race(&mut self, race: Race, found: Found) {
        let finding = self.known(&found.failure).unwrap_or(self.findings.len());
        match self.findings.get_mut(finding) {
            Some(known) if is_worth_more(&race, &known.failure) => {
                *known = Found { times: known.times + 1, ..found };
            }
            Some(known) => known.times += 1,
            None => self.findings.push(found),
        }
        self.races.insert(race.identity(), finding);
        self.doubts.retain(|doubt| doubt.race.identity() != race.identity());
    }

    /// Adds a race that may be none.
    pub(super) fn add_doubt(&mut self, doubt: Doubt) {
        self.doubts.push(doubt);
    }

    /// The races whose accesses became points.
    pub(super) fn promoted(&self) -> &[Race] {
        &self.promoted
    }

    /// These races have made points: what was counted per bound begins again.
    pub(super) fn restart(&mut self, races: &[Race]) {
        self.promoted.extend_from_slice(races);
        // With other points, other loops are taken for endless, and other executions are too long.
        self.endless.clear();
        (self.n_lost, self.lost) = Default::default();
        self.bounds.clear();
        self.states = States::default();
        self.curve = Curve::default();
        self.restarts += 1;
    }

    /// What is known after a search that could not go on, since its engine diverged.
    pub fn diverged(&mut self, strategy: &(impl Strategy + ?Sized)) -> Report {
        self.report(Ending::Diverged, strategy, true)
    }

    /// What came out; the ledger keeps what was found if it is to be saved.
    pub(super) fn report(
        &mut self,
        ending: Ending,
        strategy: &(impl Strategy + ?Sized),
        keeps: bool,
    ) -> Report {
        if let Some(row) = self.bounds.last_mut() {
            row.complete = ending == Ending::Done;
        }
        // What was lost at a bound is missing at all bounds above it, too.
        let mut is_whole = true;
        for row in self.bounds.iter_mut().filter(|row| row.bound.is_some()) {
            is_whole &= row.lost == 0;
            row.complete &= is_whole;
        }
        Report {
            ending,
            exhausted: strategy.is_exhausted() && self.n_lost == 0,
            n_lost: self.n_lost,
            lost: self.lost.clone(),
            maxima: self.meter.maxima,
            executions: self.executions,
            assumptions: self.assumptions,
            spins: self.spins,
            endless: self.endless.clone(),
            promoted: self.promoted.clone(),
            doubts: {
                let all = self.doubts.iter();
                all.filter(|doubt| !doubt.race.is_about_end()).cloned().collect()
            },
            restarts: self.restarts,
            memory: strategy.memory() + self.states.memory(),
            bounds: self.bounds.clone(),
            findings: if keeps { self.findings.clone() } else { take(&mut self.findings) },
            growth: self.curve.points(),
        }
    }

    /// The run that was counted last as one that shows something; with how it ended, if not with that.
    pub(super) fn found(
        &self,
        failure: Failure,
        outcome: Option<Outcome>,
        run: &Run,
        program: &ProgramId,
    ) -> Found {
        Found {
            failure,
            outcome,
            schedule: run.schedule(program.clone()),
            preemptions: run.n_preemptions(),
            bound: self.bounds.get(self.row).and_then(|row| row.bound),
            execution: self.executions - 1,
            promoted: self.promoted.len(),
            race: None,
            times: 1,
        }
    }

    /// Which finding is the same failure.
    fn known(&self, failure: &Failure) -> Option<usize> {
        self.findings.iter().position(|old| old.failure.is_one_with(failure))
    }
}

/// Whether a race is one by all release sequences, and what is known of it is not.
fn is_worth_more(race: &Race, known: &Failure) -> bool {
    known.ordered_by_c11 && !race.ordered_by_c11
}
