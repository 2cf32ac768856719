//! Search: finds a reordering that answers a query, or shows that there is none behind a base.
//!
//! In: the needs of a query, saturated. Out: a sequence of events, each enabled when its turn comes,
//! that ends with all that must happen and nothing behind the stops.
//!
//! The search goes forward, one event at a time, and prefers the observed order. It is complete:
//! an event is tried wherever it is enabled, and what follows from a state depends only on the
//! state, so none is looked at twice. Two things keep it short:
//!
//! - H1 (commit): an event that can only help (a read, a release, a fork, …) and is planned happens at
//!   once, and nothing else is tried in its place.
//! - H2 (saturate): where there is a choice, what is left to do is saturated, with what was done as
//!   its past; a cycle means that no choice leads to an answer.

use raddle_causality::{Clocks, Cut, Outcome, saturate};
use raddle_trace::{EventId, Kind, Sequence, ThreadId};
use rustc_hash::FxHashSet;

use crate::causes::Causes;
use crate::engine::{problem, witness};
use crate::memory::Memory;
use crate::needs::Needs;
use crate::shorten::shorten;
use crate::state::State;

/// What a search found.
pub(crate) enum Found {
    Witness(Sequence),
    Nothing,
    OutOfEffort,
}

/// Searches behind a base; `left` is what it may cost, and then what is left of that.
pub(crate) fn search(
    causes: &Causes,
    needs: &Needs,
    clocks: &Clocks,
    memory: &mut Memory,
    base: EventId,
    left: &mut u64,
) -> Found {
    let plan = plan(causes, needs);
    let state = State::new(causes, needs, Some(clocks), memory, base, &needs.must);
    let seen = FxHashSet::default();
    let mut search = Search { causes, needs, plan, state, seen, frames: Vec::new() };
    match search.run(left) {
        Found::Witness(_) => {
            let sequence = search.state.sequence().to_vec();
            drop(search);
            let sequence = shorten(causes, needs, memory, base, sequence);
            Found::Witness(witness(base, &sequence))
        }
        found => found,
    }
}

/// What must happen, and the releases that will probably be needed.
fn plan(causes: &Causes, needs: &Needs) -> Cut {
    let trace = causes.trace;
    let mut plan = needs.must.clone();
    loop {
        let before = plan.clone();
        for thread in (0..trace.n_threads() as u32).map(ThreadId) {
            let open = causes.held.inside(trace, thread, before.len(thread));
            for release in open.filter_map(|s| trace.scopes()[s.index()].release()) {
                let mut longer = plan.clone();
                causes.take_in(release, &needs.free, &mut longer);
                if longer.events_within(&needs.bounds) {
                    plan = longer;
                }
            }
        }
        if plan == before {
            return plan;
        }
    }
}

struct Search<'a> {
    causes: &'a Causes<'a>,
    needs: &'a Needs,
    plan: Cut,
    state: State<'a>,
    /// States from which nothing was found, or will be.
    seen: FxHashSet<u64>,
    frames: Vec<Frame>,
}

/// A point where several events can come next.
struct Frame {
    /// How long the sequence is here.
    length: usize,
    /// Events that have not been tried, the next one last.
    untried: Vec<EventId>,
}

impl Search<'_> {
    fn run(&mut self, left: &mut u64) -> Found {
        loop {
            self.commit();
            if self.is_done() {
                return Found::Witness(Sequence::default());
            }
            if self.seen.insert(self.state.fingerprint()) {
                let mut untried = self.choices();
                if untried.len() > 1 {
                    let cost = self.n_missing() / 4;
                    *left = left.saturating_sub(cost);
                    if self.is_hopeless() {
                        untried.clear();
                    }
                }
                self.frames.push(Frame { length: self.state.len(), untried });
            }
            if !self.advance() {
                return Found::Nothing;
            }
            match left.checked_sub(1) {
                Some(rest) => *left = rest,
                None => return Found::OutOfEffort,
            }
        }
    }

    fn is_done(&self) -> bool {
        self.n_missing() == 0
    }

    /// How many events that must happen have not.
    fn n_missing(&self) -> u64 {
        let missing = |t| self.needs.must.len(t).saturating_sub(self.state.position(t));
        self.threads().map(|t| u64::from(missing(t))).sum()
    }

    fn threads(&self) -> impl Iterator<Item = ThreadId> + use<> {
        (0..self.causes.trace.n_threads() as u32).map(ThreadId)
    }

    /// H1: lets happen what can only help, as long as there is something.
    fn commit(&mut self) {
        loop {
            let before = self.state.len();
            for thread in self.threads() {
                while let Some(e) = self.next(thread, self.plan.len(thread)) {
                    if !self.only_helps(e) || !self.state.is_enabled(e) {
                        break;
                    }
                    self.state.push(e);
                }
            }
            if self.state.len() == before {
                return;
            }
        }
    }

    fn only_helps(&self, e: EventId) -> bool {
        match self.causes.trace.code(e).kind() {
            Kind::Release => !self.causes.has_failed_tries,
            Kind::Wait => self.needs.lost.is_none(),
            Kind::Read
            | Kind::Request
            | Kind::Fork
            | Kind::Join
            | Kind::Begin
            | Kind::End
            | Kind::Post
            | Kind::TxBegin
            | Kind::TxEnd
            | Kind::Branch
            | Kind::Assert
            | Kind::Alloc
            | Kind::Free
            | Kind::Wake
            | Kind::Arrive
            | Kind::Leave => true,
            _ => false,
        }
    }

    /// The next event of a thread, if it is one of the first `n`.
    fn next(&self, thread: ThreadId, n: u32) -> Option<EventId> {
        let at = self.state.position(thread);
        (at < n).then(|| self.causes.trace.thread_events(thread)[at as usize])
    }

    /// What can come next: planned events in the observed order, then others. The first is last.
    fn choices(&mut self) -> Vec<EventId> {
        let (mut first, mut rest) = (Vec::new(), Vec::new());
        for thread in self.threads() {
            let Some(e) = self.next(thread, self.needs.bounds[thread.index()]) else { continue };
            if self.state.is_enabled(e) {
                let planned = self.plan.contains(self.causes.trace, e);
                if planned { first.push(e) } else { rest.push(e) }
            }
        }
        first.sort_unstable_by(|a, b| b.cmp(a));
        rest.sort_unstable_by(|a, b| b.cmp(a));
        rest.extend(first);
        rest
    }

    /// H2.
    fn is_hopeless(&self) -> bool {
        let past: Cut = self.threads().map(|t| self.state.position(t)).collect::<Vec<_>>().into();
        let mut must = self.needs.must.clone();
        self.threads().for_each(|t| {
            must.extend(t, past.len(t));
        });
        let mut problem = problem(self.causes, self.needs, &past, &self.needs.orders, true);
        problem.must = &must;
        matches!(saturate(&problem), Outcome::Cycle(_))
    }

    /// Goes back to the last point with something untried, and tries it.
    fn advance(&mut self) -> bool {
        while let Some(frame) = self.frames.last_mut() {
            let (length, next) = (frame.length, frame.untried.pop());
            self.state.rewind(length);
            match next {
                Some(e) => {
                    self.state.push(e);
                    return true;
                }
                None => {
                    self.frames.pop();
                }
            }
        }
        false
    }
}
