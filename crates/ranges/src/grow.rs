//! More runs, until the trace program shows everything that its threads can do.
//!
//! In: a program and the runs to begin with. Out: the trace program of these runs and of those that
//! were added, and the gaps that are left (`gaps`).
//!
//! - G1: a gap of W1 that the solver finds an execution for is executed on the machine, and the run
//!   that goes it is added.
//! - G2: for W2 and W3 random runs are added, a few, unless a run has failed: what cuts threads off
//!   is then a finding.
//! - G3: it ends when no gap is left, when a round adds nothing, or when a limit is reached. What is
//!   open then is said.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use raddle_cfront::ir::Program;
use raddle_finding::Schedule;
use raddle_vm::{Outcome, Settings, SetupError};

use crate::analysis::{self, Analysed, Inquiry};
use crate::constant;
use crate::ctp::{Ctp, Otherwise};
use crate::feasible::Options;
use crate::gaps::{self, Gap};
use crate::graph::GraphKind;
use crate::merge;
use crate::propagate::{Exhausted, Limit};
use crate::record::{self, RecordError, Recorded};

/// How many gaps are closed at once before the trace program is made again.
const N_LEADS_MAX: usize = 8;

/// G2: how many random runs there may be.
const N_RANDOM_MAX: usize = 16;

/// What growing may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How many runs there may be, those to begin with included.
    pub n_runs_max: usize,
    /// When it has to end.
    pub deadline: Option<Instant>,
    /// How many interval updates an analysis may take.
    pub n_updates_max: u64,
    /// A trace program with more states does not grow.
    pub n_states_max: usize,
}

impl Limits {
    /// Whether the time is over.
    pub fn is_over(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// How a trace program is analysed.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    /// Where threads may be switched.
    pub graph: GraphKind,
    /// How many transactions are looked at in one piece.
    pub lookahead: usize,
    /// What the solver may do.
    pub options: Options,
}

/// A trace program, the runs it comes from, and what it does not show.
pub struct Grown {
    /// The trace program, without what is constant.
    pub ctp: Ctp,
    /// Its intervals.
    pub analysed: Analysed,
    /// The runs, without their own trace programs.
    pub runs: Vec<Recorded>,
    /// What no run shows.
    pub open: Vec<Gap>,
}

/// A trace program cannot be made or analysed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GrowError {
    /// A run cannot be recorded.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The program cannot be run.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// It is too large.
    #[error(transparent)]
    Exhausted(#[from] Exhausted),
}

/// Something to be grown.
pub struct Grower<'a> {
    /// The program.
    pub program: &'a Arc<Program>,
    /// How it runs.
    pub settings: &'a Settings,
    /// Variables that are followed in any case.
    pub named: &'a [String],
    /// How its trace programs are analysed.
    pub manner: Manner,
    /// What it may take.
    pub limits: Limits,
    /// Whether something is asked about the trace program besides its own assertions. If nothing
    /// is, it does not grow.
    pub asked: bool,
    /// Whether gaps are looked for at all.
    pub looks: bool,
}

impl Grower<'_> {
    /// Grows from these runs. `random` makes the schedule of a random run.
    pub fn grow(
        &self,
        mut schedules: Vec<Option<Schedule>>,
        random: &mut dyn FnMut() -> Schedule,
    ) -> Result<Grown, GrowError> {
        let mut tried: BTreeSet<String> = BTreeSet::new();
        let mut n_random = 0;
        let mut last: Option<Grown> = None;
        loop {
            let grown = match (self.shown(&schedules), last.take()) {
                (Ok(grown), _) => grown,
                // What was there before is enough, and its gaps are known.
                (Err(GrowError::Exhausted(_)), Some(last)) => return Ok(last),
                (Err(error), _) => return Err(error),
            };
            if !self.looks || !self.asked && !has_assertions(&grown) {
                return Ok(grown);
            }
            let (mut grown, open) = self.look(grown)?;
            let before = schedules.len();
            let room = self.limits.n_runs_max.saturating_sub(before);
            let fresh = open.leads.into_iter().map(|(_, schedule)| schedule);
            let fresh = fresh.filter(|schedule| tried.insert(schedule.to_string()));
            schedules.extend(fresh.take(room).map(Some));
            if schedules.len() == before && open.by_chance && !grown.runs.iter().any(has_failed) {
                let more = (N_RANDOM_MAX - n_random).min(4).min(room);
                schedules.extend((0..more).map(|_| Some(random())));
                n_random += more;
            }
            grown.open = open.gaps;
            if schedules.len() == before || self.limits.is_over() {
                return Ok(grown);
            }
            last = Some(grown);
        }
    }

    /// What the runs show.
    fn shown(&self, schedules: &[Option<Schedule>]) -> Result<Grown, GrowError> {
        let mut runs = record::record_all(self.program, self.settings, schedules, self.named)?;
        let mut ctp = Ctp::default();
        for (number, run) in runs.iter_mut().enumerate() {
            let own = std::mem::take(&mut run.ctp);
            match number {
                0 => ctp = own,
                _ => drop(merge::merge(&mut ctp, &own)),
            }
        }
        let ctp = constant::propagate(ctp);
        let Manner { graph, lookahead, .. } = self.manner;
        let limits = &self.limits;
        let limit = Limit { n_updates: limits.n_updates_max, deadline: limits.deadline };
        let analysed = analysis::analyse(&ctp, graph, lookahead, limit)?;
        Ok(Grown { ctp, analysed, runs, open: Vec::new() })
    }

    /// What they do not show.
    fn look(&self, grown: Grown) -> Result<(Grown, gaps::Open), GrowError> {
        let Manner { options, .. } = self.manner;
        let is_large = grown.ctp.states.len() > self.limits.n_states_max;
        let mut inquiry =
            Inquiry::new(self.program, self.settings, &grown.ctp, &grown.analysed, options);
        let stop = || is_large || self.limits.is_over();
        let open = gaps::open(&grown.ctp, &mut inquiry, N_LEADS_MAX, &stop)?;
        Ok((grown, open))
    }
}

/// Whether the program itself asks something, as far as it is shown.
fn has_assertions(grown: &Grown) -> bool {
    let mut guards = grown.ctp.states.iter().flat_map(|state| &state.step.guards);
    guards.any(|guard| guard.otherwise == Otherwise::Fails) || grown.runs.iter().any(has_failed)
}

fn has_failed(run: &Recorded) -> bool {
    matches!(run.outcome, Some(Outcome::Fault(_)))
}
