//! Well-formedness: what a trace must obey before anything is concluded from it.
//!
//! In: events from any source. Out: the same events, if they obey every [`Rule`]; the first
//! [`Violation`] (strict); or events that do obey, with the list of every [`Repair`]
//! (normalise). Both modes are one state machine: strict stops where normalise applies a fix and
//! looks again. A trace that was normalised passes the strict check; a property test says so.
//!
//! The machine has four parts, one for each kind of thing that events act on: threads, locks,
//! condition variables, and the counting and grouping blocks (semaphores, barriers,
//! transactions). A part looks at an event and either takes it into its state or answers with a
//! `Fault` and leaves its state alone.

mod blocks;
mod locks;
mod rule;
mod threads;
mod waits;

#[cfg(test)]
mod tests;

pub use rule::{Action, Place, Repair, Rule, Violation};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::edit::{Edits, Insertion};
use crate::events::Events;
use crate::id::{EventId, LocationId, SemaphoreId, ThreadId};
use crate::op::{Kind, Op};

/// What to do with a trace that is not well-formed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Mode {
    /// Reject it.
    #[default]
    Strict,
    /// Repair it and list every repair.
    Normalise,
}

/// Checks events and, in [`Mode::Normalise`], repairs them.
pub fn check(events: Events, mode: Mode) -> Result<(Events, Vec<Repair>), Violation> {
    objects_exist(&events)?;
    let mut checker = Checker::new(&events, mode);
    for e in 0..events.len() as u32 {
        checker.event(EventId(e))?;
    }
    checker.settle_requests();
    let Checker { edits, repairs, blocks, claims, .. } = checker;
    let initials = blocks.initials();
    let mut events = edits.apply(events);
    events.drop_idle_wakers();
    events.claims = claims;
    for (semaphore, count) in initials {
        events.tables.set_initial(semaphore, count);
    }
    Ok((events, repairs))
}

/// X1, for which there is no repair.
fn objects_exist(events: &Events) -> Result<(), Violation> {
    let tables = &events.tables;
    let mut limits = [u32::MAX; 32];
    for (limit, kind) in limits.iter_mut().zip(Kind::ALL) {
        *limit = tables.names(kind.class()).map_or(u32::MAX, |names| names.len() as u32);
    }
    let n_threads = tables.threads.len() as u32;
    for e in 0..events.len() {
        let limit = limits[events.codes[e].kind() as usize];
        if events.threads[e].0 >= n_threads || events.objects[e] >= limit {
            let detail = "refers to a thread or an object that the trace does not name".to_owned();
            let place = Place::of(events, EventId(e as u32));
            return Err(Violation { rule: Rule::KnownObject, place, detail });
        }
    }
    let n_events = events.len();
    let linked = events.wakers.iter().find(|(wake, notify)| wake.max(notify).index() >= n_events);
    if linked.is_some() {
        let place = Place { position: None, line: None, event: "wake".to_owned() };
        let detail = "a wake-up is matched with an event that does not exist".to_owned();
        return Err(Violation { rule: Rule::KnownObject, place, detail });
    }
    Ok(())
}

/// What one part of the machine objects to, and how it can be mended.
struct Fault {
    rule: Rule,
    detail: String,
    fix: Fix,
}

/// How a fault is mended. After all but the first the event is looked at again.
enum Fix {
    /// Leave this event out; with an acquire, its request.
    Drop,
    /// Leave this acquire out, but not its request.
    DropAnswer,
    /// Leave an earlier or later event out.
    DropOther(EventId),
    /// Let this event do something else.
    Change(Op),
    /// Let an earlier event do something else.
    ChangeOther(EventId, Op),
    /// Add an event of this or another thread.
    Insert { before: EventId, thread: ThreadId, op: Op },
    /// Let the semaphore start with one more.
    RaiseInitial(SemaphoreId),
    /// Do not claim that locks are nested.
    WithdrawNesting,
}

struct Checker<'a> {
    events: &'a Events,
    mode: Mode,
    claims: crate::events::Claims,
    threads: threads::Threads,
    locks: locks::Locks,
    waits: waits::Waits,
    blocks: blocks::Blocks,
    edits: Edits,
    /// Events that were dropped before the checker came to them.
    dropped_ahead: FxHashSet<EventId>,
    repairs: Vec<Repair>,
    /// Requests that were dropped though their thread goes on, and their repairs.
    unanswered: Vec<(EventId, usize)>,
}

/// The event under the checker's eye.
#[derive(Clone, Copy)]
struct Step {
    id: EventId,
    thread: ThreadId,
    op: Op,
    /// False for an event that a fix adds.
    observed: bool,
}

impl<'a> Checker<'a> {
    fn new(events: &'a Events, mode: Mode) -> Checker<'a> {
        Checker {
            events,
            mode,
            claims: events.claims,
            threads: threads::Threads::new(events),
            locks: locks::Locks::new(events),
            waits: waits::Waits::new(events),
            blocks: blocks::Blocks::new(events),
            edits: Edits::default(),
            dropped_ahead: FxHashSet::default(),
            repairs: Vec::new(),
            unanswered: Vec::new(),
        }
    }

    #[inline]
    fn event(&mut self, id: EventId) -> Result<(), Violation> {
        let (thread, code) = (self.events.thread(id), self.events.code(id));
        let at_ease = self.is_at_ease(thread);
        if at_ease && code.is_access() && self.locks.is_idle(thread) {
            return Ok(());
        }
        if self.dropped_ahead.contains(&id) {
            return Ok(());
        }
        let step = Step { id, thread, op: self.events.op(id), observed: true };
        let only_locks = matches!(code.kind(), Kind::Acquire | Kind::Release);
        if at_ease && only_locks && self.lock_fault(&step).is_none() {
            self.locks.commit(&step);
            return Ok(());
        }
        self.examine(step)
    }

    /// True if nothing special applies to a thread, so that its accesses and lock operations,
    /// which most events are, concern no part but the locks.
    #[inline]
    fn is_at_ease(&self, thread: ThreadId) -> bool {
        self.threads.is_running(thread) && self.waits.is_idle(thread) && self.blocks.is_idle(thread)
    }

    /// Takes an event into the state, after as many fixes as that needs.
    fn examine(&mut self, mut step: Step) -> Result<(), Violation> {
        while let Some(fault) = self.fault(&step) {
            if self.mode == Mode::Strict {
                let place = Place::of(self.events, step.id);
                return Err(Violation { rule: fault.rule, place, detail: fault.detail });
            }
            if self.mend(&mut step, fault)? {
                return Ok(());
            }
        }
        self.threads.commit(&step);
        self.locks.commit(&step);
        self.waits.commit(&step, self.events);
        self.blocks.commit(&step);
        Ok(())
    }

    fn fault(&self, step: &Step) -> Option<Fault> {
        let names = &self.events.tables;
        self.locks
            .end_fault(step, names, &self.rest())
            .or_else(|| self.threads.fault(step, names))
            .or_else(|| self.waits.fault(step, self.events))
            .or_else(|| self.blocks.fault(step, names))
            .or_else(|| self.lock_fault(step))
    }

    fn lock_fault(&self, step: &Step) -> Option<Fault> {
        self.locks.fault(step, &self.events.tables, &self.rest())
    }

    /// What else is known of the threads that hold locks.
    fn rest(&self) -> locks::Rest<'_> {
        let (threads, waits, blocks) = (&self.threads, &self.waits, &self.blocks);
        locks::Rest { claims: self.claims, threads, waits, blocks }
    }

    /// Applies a fix; true if the event is gone.
    fn mend(&mut self, step: &mut Step, fault: Fault) -> Result<bool, Violation> {
        let Fault { rule, detail, fix } = fault;
        match fix {
            Fix::Drop => {
                self.drop_this(step, rule, detail);
                if let Some(request) = self.locks.dropped(step) {
                    let detail = "the acquire that it asked for was dropped".to_owned();
                    self.drop_other(step, request, rule, detail);
                }
                return Ok(true);
            }
            Fix::DropAnswer => {
                self.edits.drop(step.id);
                self.repair(rule, Action::Dropped, step.id, detail);
                return Ok(true);
            }
            Fix::DropOther(other) => {
                if matches!(self.events.op(other), Op::Request { .. }) {
                    self.unanswered.push((other, self.repairs.len()));
                }
                self.drop_other(step, other, rule, detail);
            }
            Fix::Change(op) => {
                step.op = op;
                self.edits.change(step.id, op);
                self.repair(rule, Action::Changed, step.id, detail);
            }
            Fix::ChangeOther(other, op) => {
                self.edits.change(other, op);
                self.repair(rule, Action::Changed, other, detail);
                self.waits.notify_changed(other);
            }
            Fix::Insert { before, thread, op } => self.insert(before, thread, op, rule, detail)?,
            Fix::RaiseInitial(semaphore) => {
                self.blocks.raise_initial(semaphore);
                self.repair(rule, Action::Changed, step.id, detail);
            }
            Fix::WithdrawNesting => {
                self.claims.nested_locks = false;
                self.repair(rule, Action::Changed, step.id, detail);
            }
        }
        Ok(false)
    }

    fn insert(
        &mut self,
        before: EventId,
        thread: ThreadId,
        op: Op,
        rule: Rule,
        detail: String,
    ) -> Result<(), Violation> {
        let location = None::<LocationId>;
        self.edits.insert(Insertion { before, thread, op, location, origin: None, waker: None });
        let event = crate::format::notation(self.events, thread, op);
        let place = Place { position: None, line: self.events.source.line(before), event };
        let hides_wait = false;
        self.repairs.push(Repair { rule, action: Action::Added, place, detail, hides_wait });
        self.examine(Step { id: before, thread, op, observed: false })
    }

    /// Drops the event under examination.
    fn drop_this(&mut self, step: &Step, rule: Rule, detail: String) {
        self.edits.drop(step.id);
        self.repair(rule, Action::Dropped, step.id, detail);
        let hides_wait = self.locks.may_wait(step.thread, step.op);
        self.repairs.last_mut().expect("it was added").hides_wait = hides_wait;
    }

    /// A request that was dropped hides a wait, unless its thread takes the lock later: then the
    /// acquire is what it waited at.
    fn settle_requests(&mut self) {
        let events = self.events;
        let mut open: FxHashMap<(ThreadId, u32), Vec<usize>> = FxHashMap::default();
        let Some(first) = self.unanswered.iter().map(|dropped| dropped.0).min() else { return };
        let mut dropped: FxHashMap<EventId, usize> = self.unanswered.drain(..).collect();
        for e in (0..events.len() as u32).map(EventId) {
            if e < first || !matches!(events.code(e).kind(), Kind::Request | Kind::Acquire) {
                continue;
            }
            let key = (events.thread(e), events.objects[e.index()]);
            match events.code(e).kind() {
                Kind::Acquire => drop(open.remove(&key)),
                _ => open.entry(key).or_default().extend(dropped.remove(&e)),
            }
        }
        open.into_values().flatten().for_each(|repair| self.repairs[repair].hides_wait = true);
    }

    /// Drops an event before or behind this one, and takes it back out of the state.
    fn drop_other(&mut self, step: &Step, other: EventId, rule: Rule, detail: String) {
        self.edits.drop(other);
        self.repair(rule, Action::Dropped, other, detail);
        let (thread, op) = (self.events.thread(other), self.events.op(other));
        let examined = other < step.id;
        self.threads.forget(thread, op, examined);
        self.locks.forget_request(thread, op);
        self.blocks.forget_arrival(thread, op);
        if !examined {
            self.dropped_ahead.insert(other);
        }
    }

    fn repair(&mut self, rule: Rule, action: Action, event: EventId, detail: String) {
        let place = Place::of(self.events, event);
        self.repairs.push(Repair { rule, action, place, detail, hides_wait: false });
    }
}
