//! Going along: lets events happen in the observed order, except for those that have to wait.
//!
//! In: the needs of a query. Out: a reordering that answers it, or nothing if some events wait for
//! each other. A thread that needs no more events but stands in the way with a lock goes on until it
//! has released it. What the result can do without in the end is left out.
//!
//! Where it gets stuck, the threads that wait for each other make a [`Conflict`]: some wait because
//! they must, others because of choices that were made. Each choice is a way out. Before the needs
//! are saturated, choices are repaired on the spot, the last one first; that is no proof of anything
//! if it fails, but it is cheap, and enough for most.
//!
//! - K1 (locks): an acquire waits for the end of another scope; its own could come first.
//! - K2 (views): a write waits for a read of the write that it overwrites; it could come before that.

use raddle_causality::{Cause, Clocks, Cut, Edge, excludes};
use raddle_trace::{EventId, LockId, Op, Scope, Sequence, ThreadId, Trace};

use crate::causes::Causes;
use crate::engine::witness;
use crate::memory::Memory;
use crate::needs::Needs;
use crate::shorten::shorten;
use crate::state::State;

const NONE: u32 = u32::MAX;

/// Goes along the observed order; the reordering is empty unless it is to be spelled out.
pub(crate) fn go_along(
    causes: &Causes,
    needs: &Needs,
    clocks: Option<&Clocks>,
    memory: &mut Memory,
    base: EventId,
    beyond: Beyond,
    spelled_out: bool,
) -> Result<Sequence, Conflict> {
    let trace = causes.trace;
    let goal = match beyond {
        Beyond::Anticipated | Beyond::Allowed => anticipate(causes, needs),
        Beyond::Forbidden => needs.must.clone(),
    };
    let start = match beyond {
        Beyond::Anticipated => first_difference(causes, needs, &goal, base),
        Beyond::Allowed | Beyond::Forbidden => base,
    };
    let skipped = if spelled_out { observed(trace, &goal, base, start) } else { Vec::new() };
    let state = State::new(causes, needs, clocks, memory, start, &goal);
    let next = vec![NONE; trace.n_threads()];
    let n_repairs = if clocks.is_none() { MAX_REPAIRS } else { 0 };
    let mut along = Along { causes, needs, state, beyond, goal, next, n_repairs };
    along.look_around();
    if !along.run() {
        return Err(along.conflict());
    }
    if !spelled_out {
        return Ok(Sequence::default());
    }
    let mut sequence = skipped;
    sequence.extend_from_slice(along.state.sequence());
    if along.goal != needs.must {
        drop(along);
        sequence = shorten(causes, needs, memory, base, sequence);
    }
    Ok(witness(base, &sequence))
}

/// Whether events may happen that do not have to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Beyond {
    /// As far as it can be anticipated that threads will stand in the way of others, so that the
    /// observed order can be taken over until it makes a difference.
    Anticipated,
    /// As far as threads stand in the way of others.
    Allowed,
    /// Not at all; so all that stands in the way is known to be needed.
    Forbidden,
}

/// Threads that wait for each other.
pub(crate) struct Conflict {
    /// Orders, one of which any answer has, if the conflict is certain.
    pub ways_out: Vec<Edge>,
    /// False if something else might help.
    pub is_certain: bool,
}

/// What a thread waits for.
struct Obstacle {
    /// The thread that has to go on first.
    thread: ThreadId,
    /// What would have that thread go on, if nothing has to.
    go_on: Option<Edge>,
    /// The choice that made it so.
    way_out: Option<Edge>,
    /// False if something else might help.
    is_certain: bool,
}

/// The events of a cut from one event of the trace up to another, in the observed order.
fn observed(trace: &Trace, cut: &Cut, from: EventId, to: EventId) -> Vec<EventId> {
    let threads = (0..trace.n_threads() as u32).map(ThreadId);
    let mut rest: Vec<&[EventId]> = threads
        .map(|thread| {
            let inside = &trace.thread_events(thread)[..cut.len(thread) as usize];
            let start = inside.partition_point(|&e| e < from);
            let end = inside.partition_point(|&e| e < to);
            &inside[start..end.max(start)]
        })
        .filter(|events| !events.is_empty())
        .collect();
    let mut sequence = Vec::with_capacity(rest.iter().map(|events| events.len()).sum());
    // Threads run for a while before another goes on: the first of all runs up to the next one.
    while let Some(first) = (0..rest.len()).min_by_key(|&thread| rest[thread][0]) {
        let others = rest.iter().enumerate().filter(|&(thread, _)| thread != first);
        let limit = others.map(|(_, events)| events[0]).min().unwrap_or(to);
        let run = rest[first].partition_point(|&e| e < limit);
        sequence.extend_from_slice(&rest[first][..run]);
        rest[first] = &rest[first][run..];
        if rest[first].is_empty() {
            rest.swap_remove(first);
        }
    }
    sequence
}

/// The first event behind a base where going along to a goal differs from the observed order: up to
/// there the observed order, less what is not part of the goal, is legal as it is. Reads find their
/// writers, which come with them; only what is missing of locks, semaphores and failed
/// tries can make a difference, and what the query itself puts in another order.
fn first_difference(causes: &Causes, needs: &Needs, goal: &Cut, base: EventId) -> EventId {
    let trace = causes.trace;
    if causes.has_failed_tries || !trace.tables.semaphores.is_empty() || needs.lost.is_some() {
        return base;
    }
    let mut first = EventId(trace.len() as u32);
    let reversed = needs.orders.iter().filter(|o| o.before > o.after).map(|o| o.after);
    reversed.for_each(|after| first = first.min(after));
    for thread in (0..trace.n_threads() as u32).map(ThreadId) {
        for scope in causes.held.inside(trace, thread, goal.len(thread)) {
            let scope = &trace.scopes()[scope.index()];
            for chain in causes.chains.scopes(scope.lock) {
                let begun = chain.before(goal.len(chain.thread)).iter();
                let begun = begun.map(|s| &trace.scopes()[s.index()]);
                let later = begun.rev().take_while(|other| other.acquire > scope.acquire);
                let wanted = later.filter(|other| excludes(scope, other)).last();
                first = wanted.map_or(first, |other| first.min(other.acquire));
            }
        }
    }
    first.max(base)
}

/// What must happen, and the ends of scopes that others will want to follow: if a thread is left
/// inside a scope, and in the trace a scope of the same lock comes later that must happen.
fn anticipate(causes: &Causes, needs: &Needs) -> Cut {
    let trace = causes.trace;
    let mut goal = needs.must.clone();
    let mut threads: Vec<ThreadId> = (0..trace.n_threads() as u32).map(ThreadId).collect();
    while let Some(thread) = threads.pop() {
        let open: Vec<_> = causes.held.inside(trace, thread, goal.len(thread)).collect();
        for scope in open.into_iter().map(|s| &trace.scopes()[s.index()]) {
            let wanted = causes.chains.scopes(scope.lock).any(|chain| {
                let last = chain.last_excluding(trace, goal.len(chain.thread), scope);
                last.is_some_and(|other| other.acquire > scope.acquire)
            });
            let Some(release) = scope.release().filter(|_| wanted) else { continue };
            let mut longer = goal.clone();
            causes.take_in(release, &needs.free, &mut longer);
            if longer.events_within(&needs.bounds) && longer != goal {
                let grown = |t: &ThreadId| longer.len(*t) > goal.len(*t);
                threads.extend((0..trace.n_threads() as u32).map(ThreadId).filter(grown));
                goal = longer;
            }
        }
    }
    goal
}

/// Choices that are made the other way round before the engine saturates.
const MAX_REPAIRS: u32 = 64;

struct Along<'a> {
    causes: &'a Causes<'a>,
    needs: &'a Needs,
    state: State<'a>,
    beyond: Beyond,
    goal: Cut,
    /// Per thread, its next event, if that is part of the goal.
    next: Vec<u32>,
    /// How many choices may still be made the other way round.
    n_repairs: u32,
}

impl Along<'_> {
    fn run(&mut self) -> bool {
        loop {
            match self.first_enabled() {
                Some(event) => {
                    self.state.push(event);
                    self.look_up(self.causes.trace.thread(event));
                }
                None if self.next.iter().all(|&next| next == NONE) => return true,
                None if self.beyond == Beyond::Allowed && self.extend() => {}
                None if self.n_repairs > 0 && self.repair() => self.n_repairs -= 1,
                None => return false,
            }
        }
    }

    fn look_up(&mut self, thread: ThreadId) {
        let at = self.state.position(thread);
        let next = (at < self.goal.len(thread))
            .then(|| self.causes.trace.thread_events(thread)[at as usize].0);
        self.next[thread.index()] = next.unwrap_or(NONE);
    }

    /// The first next event in the observed order that may happen now.
    fn first_enabled(&mut self) -> Option<EventId> {
        let mut from = 0;
        loop {
            let next = self.next.iter().copied().filter(|&next| next >= from).min()?;
            if next == NONE {
                return None;
            }
            if self.state.is_enabled(EventId(next)) {
                return Some(EventId(next));
            }
            from = next + 1;
        }
    }

    /// Lets a thread go on that stands in the way of an acquire; false if there is none.
    fn extend(&mut self) -> bool {
        let trace = self.causes.trace;
        let mut waiting: Vec<u32> =
            self.next.iter().copied().filter(|&next| next != NONE).collect();
        waiting.sort_unstable();
        for acquire in waiting.into_iter().map(EventId) {
            let Op::Acquire { lock, .. } = trace.op(acquire) else { continue };
            let own = trace.scope_of(acquire).map(|s| &trace.scopes()[s.index()]);
            for chain in self.causes.chains.scopes(lock) {
                let at = self.state.position(chain.thread);
                let other = chain.last_before(at).filter(|_| at == self.goal.len(chain.thread));
                let other = other.map(|s| &trace.scopes()[s.index()]);
                let other = other.filter(|other| own.is_some_and(|own| excludes(own, other)));
                let release = other.and_then(|other| other.release());
                let open = release.filter(|&release| trace.position(release) >= at);
                if open.is_some_and(|release| self.take_in(release)) {
                    return true;
                }
            }
        }
        false
    }

    fn take_in(&mut self, event: EventId) -> bool {
        let mut goal = self.goal.clone();
        self.causes.take_in(event, &self.needs.free, &mut goal);
        if !goal.events_within(&self.needs.bounds) {
            return false;
        }
        self.goal = goal;
        self.state.await_reads(&self.goal);
        self.look_around();
        true
    }

    fn look_around(&mut self) {
        (0..self.next.len() as u32).for_each(|t| self.look_up(ThreadId(t)));
    }

    /// Goes back to the last choice that made the conflict, and makes it the other way round.
    fn repair(&mut self) -> bool {
        let Causes { trace, order, .. } = self.causes;
        let possible = |way_out: &&Edge| !order.reaches(trace, way_out.after, way_out.before);
        let ways_out = self.conflict().ways_out;
        let place = |e: EventId| self.state.sequence().iter().rposition(|&other| other == e);
        let mut choices: Vec<(usize, Edge)> =
            ways_out.iter().filter(possible).filter_map(|&w| Some((place(w.after)?, w))).collect();
        choices.sort_by_key(|&(place, _)| std::cmp::Reverse(place));
        for (place, way_out) in choices {
            if self.take_in(way_out.before) {
                self.state.rewind(place);
                self.state.hold_back(way_out);
                self.look_around();
                return true;
            }
        }
        false
    }

    /// Follows what threads wait for until one comes up again.
    fn conflict(&mut self) -> Conflict {
        let stuck = (0..self.next.len()).find(|&t| self.next[t] != NONE);
        let mut path: Vec<(ThreadId, Obstacle)> = Vec::new();
        let mut thread = ThreadId(stuck.unwrap_or(0) as u32);
        loop {
            if let Some(at) = path.iter().position(|(t, _)| *t == thread) {
                return Along::cycle(&path[at..]);
            }
            let next = self.next[thread.index()];
            let obstacle = (next != NONE).then(|| self.obstacle(EventId(next))).flatten();
            match obstacle {
                Some(obstacle) => {
                    let following = obstacle.thread;
                    path.push((thread, obstacle));
                    thread = following;
                }
                // Who waits for a thread that goes no further is there first, or it goes on.
                None if next == NONE => {
                    return Along::cycle(&path[path.len().saturating_sub(1)..]);
                }
                None => return Conflict { ways_out: Vec::new(), is_certain: false },
            }
        }
    }

    fn cycle(path: &[(ThreadId, Obstacle)]) -> Conflict {
        let ways = |(_, obstacle): &(ThreadId, Obstacle)| [obstacle.go_on, obstacle.way_out];
        Conflict {
            ways_out: path.iter().flat_map(ways).flatten().collect(),
            is_certain: path.iter().all(|(_, obstacle)| obstacle.is_certain),
        }
    }

    /// What an event waits for, if it is one of the things that can be decided.
    fn obstacle(&mut self, event: EventId) -> Option<Obstacle> {
        let trace = self.causes.trace;
        let is_certain = self.needs.must.contains(trace, event);
        if let Some(thread) = self.state.waits_for(event) {
            return Some(Obstacle { thread, go_on: None, way_out: None, is_certain });
        }
        match trace.op(event) {
            Op::Acquire { lock, .. } => self.held_lock(event, lock),
            Op::Write { .. } | Op::ReadModifyWrite { .. } => {
                let (cell, last, read) = self.state.awaited(event)?;
                let thread = trace.thread(read);
                let is_certain = is_certain && self.needs.must.contains(trace, read);
                let cause = Cause::View(cell);
                let way_out = last.map(|last| Edge { before: event, after: last, cause });
                Some(Obstacle { thread, go_on: None, way_out, is_certain })
            }
            _ => None,
        }
    }

    /// K1.
    fn held_lock(&self, acquire: EventId, lock: LockId) -> Option<Obstacle> {
        let trace = self.causes.trace;
        let own = &trace.scopes()[trace.scope_of(acquire)?.index()];
        let other = self.causes.chains.scopes(lock).find_map(|chain| {
            let at = self.state.position(chain.thread);
            let other = &trace.scopes()[chain.last_before(at)?.index()];
            let open = other.release().is_none_or(|release| trace.position(release) >= at);
            (open && excludes(own, other)).then_some(other)
        })?;
        let thread = other.thread;
        let cause = Cause::Lock(lock);
        let ends = |scope: &Scope| scope.release().filter(|_| !self.needs.is_final(trace, scope));
        let at_goal = self.next[thread.index()] == NONE;
        let go_on = ends(other).filter(|_| at_goal);
        Some(Obstacle {
            thread,
            go_on: go_on.map(|before| Edge { before, after: acquire, cause }),
            way_out: ends(own).map(|before| Edge { before, after: other.acquire, cause }),
            is_certain: self.needs.must.contains(trace, acquire)
                && self.needs.must.contains(trace, other.acquire),
        })
    }
}
