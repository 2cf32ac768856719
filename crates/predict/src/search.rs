//! Search: finds a reordering that answers a query, or shows that there is none.
//!
//! In: the needs of a query. Out: a sequence of events, each enabled when its turn comes
//! (`docs/src/semantics.md`), that ends with all that must happen and nothing behind the stops.
//!
//! The search goes forward, one event at a time, and prefers the observed order. It is complete:
//! an event is tried wherever it is enabled, and what follows from a state depends only on the
//! state, so none is looked at twice. Three things keep it short:
//!
//! - C1 (commit): an event that can only help (a read, a release, a fork, …) and is planned happens at
//!   once, and nothing else is tried in its place.
//! - C2 (last scopes): an acquire that no release follows waits for the scopes that must come before.
//! - C3 (views): a write waits while a read that must happen still has to see what it overwrites.

use raddle_trace::{EventId, Kind, ThreadId};
use rustc_hash::FxHashSet;

use crate::causes::Causes;
use crate::needs::Needs;
use crate::query::{Answer, Query, Reason};
use crate::state::State;

/// How much a query may cost, in events tried beyond those of its plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort(pub u64);

impl Default for Effort {
    fn default() -> Effort {
        Effort(100_000)
    }
}

/// Answers a query.
pub fn answer(causes: &Causes, query: &Query, effort: Effort) -> Answer {
    match Needs::new(causes, query) {
        Ok(needs) => Search::new(causes, &needs).run(effort),
        Err(reason) => Answer::Infeasible(reason),
    }
}

struct Search<'a> {
    causes: &'a Causes<'a>,
    needs: &'a Needs,
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

impl<'a> Search<'a> {
    fn new(causes: &'a Causes<'a>, needs: &'a Needs) -> Search<'a> {
        let state = State::new(causes, needs);
        Search { causes, needs, state, seen: FxHashSet::default(), frames: Vec::new() }
    }

    fn run(mut self, effort: Effort) -> Answer {
        let mut left = effort.0;
        loop {
            self.commit();
            if self.is_done() {
                return Answer::Witnessed(self.state.into_sequence());
            }
            if self.seen.insert(self.state.fingerprint()) {
                let untried = self.choices();
                self.frames.push(Frame { length: self.state.len(), untried });
            }
            if !self.advance() {
                return Answer::Infeasible(Reason::Exhausted);
            }
            let Some(rest) = left.checked_sub(1) else { return Answer::Unknown };
            left = rest;
        }
    }

    fn is_done(&self) -> bool {
        self.threads().all(|t| self.state.position(t) >= self.needs.must.len(t))
    }

    fn threads(&self) -> impl Iterator<Item = ThreadId> + use<> {
        (0..self.causes.trace.n_threads() as u32).map(ThreadId)
    }

    /// C1: lets happen what can only help, as long as there is something.
    fn commit(&mut self) {
        loop {
            let before = self.state.len();
            for thread in self.threads() {
                while let Some(e) = self.next(thread, self.needs.plan.len(thread)) {
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
            | Kind::Wait
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
    fn choices(&self) -> Vec<EventId> {
        let enabled = |e: &EventId| self.state.is_enabled(*e);
        let planned = |t: ThreadId| self.next(t, self.needs.plan.len(t));
        let possible = |t: ThreadId| self.next(t, self.needs.bounds[t.index()]);
        let mut first: Vec<_> = self.threads().filter_map(planned).filter(enabled).collect();
        let mut rest: Vec<_> = self.threads().filter_map(possible).filter(enabled).collect();
        rest.retain(|e| !first.contains(e));
        first.sort_unstable_by(|a, b| b.cmp(a));
        rest.sort_unstable_by(|a, b| b.cmp(a));
        rest.extend(first);
        rest
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
