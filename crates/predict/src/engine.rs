//! The engine: answers every query about reorderings of a trace.
//!
//! ```text
//!                                      ┌───── decide ◄────┐
//!                                      ▼                  │ conflict
//! query ─► needs ─► chop ─► go along ─► saturate ─► go along ─► search ─► witness
//!            │                             │                       │
//!            └──────► infeasible ◄─────────┴───────────────────────┘
//! ```
//!
//! - *Chop*: a witness may begin with all events up to the first that the query does not need, or
//!   that an order forbids to come so early. The engine deals with the window behind them only. A
//!   witness found so is one; that there is none is believed only of the whole, so the window grows
//!   until it is found, or ruled out by saturation, or the window is the whole trace. No order that
//!   saturation knows leads from the window back into what was cut off: it is a causality barrier,
//!   from-read orders included.
//! - *Go along*: in the observed order as far as possible. Most feasible queries need no more, which
//!   is why it comes first: it costs a fraction of saturation.
//! - *Saturate*: adds all that is unavoidable; most infeasible queries end here, with their core.
//! - *Decide*: where threads still wait for each other in a cycle, some of that is due to choices of
//!   going along: this scope, or this write, before that one. Any answer makes one of these choices
//!   the other way round; each is tried, with saturation after the decision.
//! - *Search*: where other things stand in the way (semaphores, failed tries, events that the query
//!   does not need), everything is tried.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use raddle_causality::{Clocks, Cut, Edge, Outcome, Problem, orders, saturate};
use raddle_trace::{EventId, Sequence, ThreadId};

use crate::along::{Beyond, Conflict, go_along};
use crate::causes::Causes;
use crate::memory::Memory;
use crate::needs::Needs;
use crate::query::{Answer, Query, Reason};
use crate::search::{Found, search};

/// Answers queries about one trace, one after the other.
pub struct Engine<'a> {
    causes: &'a Causes<'a>,
    memory: Memory,
    tally: Tally,
    stop: Arc<AtomicBool>,
    /// Whether the witness is wanted.
    spells_out: bool,
}

/// What resolving conflicts leads to.
enum Refined {
    Witness(Sequence),
    Infeasible(Reason),
    OutOfEffort,
    /// Conflicts cannot decide it; what is known by then, and where the window begins.
    Undecided(Box<Needs>, EventId),
}

/// How queries were answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// All of them.
    pub n_queries: u64,
    /// Ruled out by what must happen.
    pub n_needs: u64,
    /// Witnessed by going along the observed order.
    pub n_along: u64,
    /// Ruled out by saturation.
    pub n_circles: u64,
    /// Witnessed by going along the saturated order.
    pub n_saturated: u64,
    /// Searched.
    pub n_searched: u64,
    /// Times that something was saturated.
    pub n_saturations: u64,
    /// Events in the windows of all queries.
    pub n_window: u64,
}

impl Tally {
    /// Both together.
    pub(crate) fn add(self, other: Tally) -> Tally {
        Tally {
            n_queries: self.n_queries + other.n_queries,
            n_needs: self.n_needs + other.n_needs,
            n_along: self.n_along + other.n_along,
            n_circles: self.n_circles + other.n_circles,
            n_saturated: self.n_saturated + other.n_saturated,
            n_searched: self.n_searched + other.n_searched,
            n_saturations: self.n_saturations + other.n_saturations,
            n_window: self.n_window + other.n_window,
        }
    }
}

/// Answers one query.
pub fn answer(causes: &Causes, query: &Query) -> Answer {
    Engine::new(causes).answer(query)
}

impl<'a> Engine<'a> {
    /// An engine for a trace.
    pub fn new(causes: &'a Causes<'a>) -> Engine<'a> {
        Engine::stopped_by(causes, Arc::default())
    }

    /// An engine that has no more answers once `stop` is set.
    pub(crate) fn stopped_by(causes: &'a Causes<'a>, stop: Arc<AtomicBool>) -> Engine<'a> {
        let memory = Memory::new(causes.trace);
        Engine { causes, memory, tally: Tally::default(), stop, spells_out: true }
    }

    /// What is known about the trace.
    pub fn causes(&self) -> &'a Causes<'a> {
        self.causes
    }

    /// How queries were answered so far.
    pub fn tally(&self) -> Tally {
        self.tally
    }

    /// Answers a query whose witness is not wanted; it is left empty. A witness can have as many
    /// events as the trace, and to spell it out can be most of the work.
    pub(crate) fn answer_briefly(&mut self, query: &Query) -> Answer {
        self.spells_out = false;
        let answer = self.answer(query);
        self.spells_out = true;
        answer
    }

    /// Answers a query.
    pub fn answer(&mut self, query: &Query) -> Answer {
        if self.stop.load(Ordering::Relaxed) {
            return Answer::Unknown;
        }
        self.tally.n_queries += 1;
        match Needs::new(self.causes, query) {
            Ok(needs) => self.find(needs).unwrap_or_else(Answer::Infeasible),
            Err(reason) => {
                self.tally.n_needs += 1;
                Answer::Infeasible(reason)
            }
        }
    }

    /// The orders that every answer to a query has, beyond those of all reorderings: what the query asks for, and
    /// what locks, reads and wake-ups make of it; none if there is no answer.
    pub fn orders(&mut self, query: &Query) -> Vec<Edge> {
        let Ok(mut needs) = Needs::new(self.causes, query) else { return Vec::new() };
        let mut base = self.chop(&needs);
        match self.saturate(&mut needs, &mut base) {
            Ok(_) => orders(&self.problem(&needs, &self.cut_before(base))),
            Err(_) => Vec::new(),
        }
    }

    fn find(&mut self, needs: Needs) -> Result<Answer, Reason> {
        let mut base = self.chop(&needs);
        self.tally.n_window += self.window_len(&needs, base);
        for beyond in [Beyond::Anticipated, Beyond::Allowed] {
            if let Ok(witness) = self.go_along(&needs, None, base, beyond) {
                self.tally.n_along += 1;
                return Ok(Answer::Witnessed(witness));
            }
        }
        let mut left = self.causes.settings.effort;
        let saturated = match self.refine(needs, base, &mut left) {
            Refined::Witness(witness) => return Ok(Answer::Witnessed(witness)),
            Refined::Infeasible(reason) => return Err(reason),
            Refined::OutOfEffort => return Ok(Answer::Unknown),
            Refined::Undecided(needs, at) => {
                base = at;
                needs
            }
        };
        self.search(*saturated, base, left)
    }

    /// Resolves what stands in the way, conflict by conflict, with saturation after each decision.
    fn refine(&mut self, mut needs: Needs, mut base: EventId, left: &mut u64) -> Refined {
        loop {
            let clocks = match self.saturate(&mut needs, &mut base) {
                Ok(clocks) => clocks,
                Err(reason) => return Refined::Infeasible(reason),
            };
            *left = left.saturating_sub(self.window_len(&needs, base));
            if *left == 0 {
                return Refined::OutOfEffort;
            }
            let conflict = match self.resolve(&needs, &clocks, base) {
                Ok(witness) => {
                    self.tally.n_saturated += 1;
                    return Refined::Witness(witness);
                }
                Err(conflict) => conflict,
            };
            match conflict.ways_out[..] {
                [only] if conflict.is_certain => {
                    if let Err(reason) = needs.decide(self.causes, only) {
                        return Refined::Infeasible(reason);
                    }
                }
                [] => return Refined::Undecided(Box::new(needs), base),
                _ => return self.branch(needs, base, &conflict, left),
            }
        }
    }

    fn resolve(
        &mut self,
        needs: &Needs,
        clocks: &Clocks,
        base: EventId,
    ) -> Result<Sequence, Conflict> {
        let along = self.go_along(needs, Some(clocks), base, Beyond::Allowed);
        match along {
            Err(conflict) if !conflict.is_certain => {
                self.go_along(needs, Some(clocks), base, Beyond::Forbidden)
            }
            along => along,
        }
    }

    fn go_along(
        &mut self,
        needs: &Needs,
        clocks: Option<&Clocks>,
        base: EventId,
        beyond: Beyond,
    ) -> Result<Sequence, Conflict> {
        go_along(self.causes, needs, clocks, &mut self.memory, base, beyond, self.spells_out)
    }

    /// Tries the ways out of a conflict one after the other.
    fn branch(
        &mut self,
        needs: Needs,
        base: EventId,
        conflict: &Conflict,
        left: &mut u64,
    ) -> Refined {
        let mut is_certain = conflict.is_certain;
        for &way_out in &conflict.ways_out {
            let mut decided = needs.clone();
            if decided.decide(self.causes, way_out).is_err() {
                continue;
            }
            match self.refine(decided, base, left) {
                Refined::Infeasible(_) => {}
                Refined::Undecided(..) => is_certain = false,
                found => return found,
            }
        }
        match is_certain {
            true => Refined::Infeasible(Reason::Exhausted),
            false => Refined::Undecided(Box::new(needs), base),
        }
    }

    /// Tries everything, in a window that grows to the whole trace.
    fn search(
        &mut self,
        mut needs: Needs,
        mut base: EventId,
        mut left: u64,
    ) -> Result<Answer, Reason> {
        self.tally.n_searched += 1;
        loop {
            let clocks = self.saturate(&mut needs, &mut base)?;
            match search(self.causes, &needs, &clocks, &mut self.memory, base, &mut left) {
                Found::Witness(witness) => return Ok(Answer::Witnessed(witness)),
                Found::OutOfEffort => return Ok(Answer::Unknown),
                Found::Nothing if base == EventId(0) => return Err(Reason::Exhausted),
                Found::Nothing => {
                    let len = self.window_len(&needs, base) as u32;
                    base = EventId(base.0.saturating_sub(len.max(64)));
                }
            }
        }
    }

    /// The first event that is not simply taken over from the trace.
    fn chop(&self, needs: &Needs) -> EventId {
        let trace = self.causes.trace;
        if !self.causes.settings.chop {
            return EventId(0);
        }
        let threads = (0..trace.n_threads() as u32).map(ThreadId);
        let rest = |t| trace.thread_events(t).get(needs.must.len(t) as usize).copied();
        let not_needed = threads.filter_map(rest).min();
        let reversed = needs.orders.iter().filter(|o| o.before > o.after).map(|o| o.after).min();
        not_needed.into_iter().chain(reversed).min().unwrap_or(EventId(trace.len() as u32))
    }

    /// How many events must happen behind the base.
    fn window_len(&self, needs: &Needs, base: EventId) -> u64 {
        let threads = (0..self.causes.trace.n_threads() as u32).map(ThreadId);
        threads.map(|t| u64::from(needs.must.len(t))).sum::<u64>() - u64::from(base.0)
    }

    /// Adds what is unavoidable; the needs may grow and the window with them.
    fn saturate(&mut self, needs: &mut Needs, base: &mut EventId) -> Result<Clocks, Reason> {
        loop {
            let cut = self.cut_before(*base);
            self.tally.n_saturations += 1;
            let problem = self.problem(needs, &cut);
            match saturate(&problem) {
                Outcome::Closed(clocks) => return Ok(clocks),
                Outcome::Cycle(core) => {
                    self.tally.n_circles += 1;
                    return Err(Reason::Cycle(core));
                }
                Outcome::More(event) => {
                    needs.require(self.causes, event)?;
                    *base = self.chop(needs).min(*base);
                }
                Outcome::Before(event) => *base = event,
            }
        }
    }

    fn cut_before(&self, base: EventId) -> Cut {
        let trace = self.causes.trace;
        let threads = (0..trace.n_threads() as u32).map(ThreadId);
        let before = |t| trace.thread_events(t).partition_point(|&e| e < base) as u32;
        threads.map(before).collect::<Vec<u32>>().into()
    }

    fn problem<'b>(&self, needs: &'b Needs, base: &'b Cut) -> Problem<'b>
    where
        'a: 'b,
    {
        problem(self.causes, needs, base, &needs.orders, false)
    }
}

/// What is to be saturated for some needs behind a base.
pub(crate) fn problem<'a>(
    causes: &'a Causes,
    needs: &'a Needs,
    base: &'a Cut,
    asked: &'a [Edge],
    base_is_past: bool,
) -> Problem<'a> {
    Problem {
        trace: causes.trace,
        order: &causes.order,
        chains: &causes.chains,
        implied: causes.implied(),
        held: &causes.held,
        must: &needs.must,
        base,
        base_is_past,
        bounds: &needs.bounds,
        free: &needs.free,
        asked,
    }
}

/// The first events of the trace up to a base, then some others.
pub(crate) fn witness(base: EventId, tail: &[EventId]) -> Sequence {
    let mut witness = Sequence::default();
    witness.push_run(0..base.0);
    witness.extend(tail.iter().copied());
    witness
}
