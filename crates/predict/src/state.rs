//! The state of a search: a sequence of events so far, and which events are enabled after it.
//!
//! The sequence begins with the events of a cut before a base, in the observed order.
//! Beyond the rules of `docs/src/semantics.md`, an event waits
//!
//! - C1 (orders): for what must come before it;
//! - C2 (views): if it writes, while a read that must happen has still to see what it overwrites;
//! - C3 (lost wake-ups): if it is a notify, while it would end a wait that no notify may end.

use raddle_causality::{Clocks, Cut, Edge, Relations, for_each_source};
use raddle_trace::{CellId, EventId, Op, ThreadId, Trace, VarId, WakeReason};
use rustc_hash::FxHashSet;

use crate::causes::Causes;
use crate::memory::Memory;
use crate::needs::{Needs, other_wait};

/// A sequence of events, each of which was enabled when it was added.
pub(crate) struct State<'a> {
    trace: &'a Trace,
    causes: &'a Causes<'a>,
    needs: &'a Needs,
    /// What is known to come before each event.
    clocks: Option<&'a Clocks>,
    /// Orders beside those of the needs.
    choices: Vec<Edge>,
    /// The events that orders hold back, each once.
    held_back: Vec<EventId>,
    memory: &'a mut Memory,
    base: EventId,
    /// Reads that have to see their writers, so that these are not overwritten before.
    awaited: Cut,
    /// What happened after the base.
    sequence: Vec<EventId>,
    positions: Vec<u32>,
    /// What writes have overwritten, to take it back.
    overwritten: Vec<(CellId, Option<EventId>)>,
    /// Waits that had happened when their notify did, after the base.
    notified: FxHashSet<usize>,
    fingerprint: u64,
}

impl<'a> State<'a> {
    /// The state after the events of a cut before `base`; no others of them may follow.
    pub(crate) fn new(
        causes: &'a Causes<'a>,
        needs: &'a Needs,
        clocks: Option<&'a Clocks>,
        memory: &'a mut Memory,
        base: EventId,
        cut: &Cut,
    ) -> State<'a> {
        let trace = causes.trace;
        let threads = (0..trace.n_threads() as u32).map(ThreadId);
        let mut held_back: Vec<EventId> = needs.orders.iter().map(|order| order.after).collect();
        held_back.sort_unstable();
        held_back.dedup();
        let before = |t| {
            let inside = &trace.thread_events(t)[..cut.len(t) as usize];
            inside.partition_point(|&e| e < base) as u32
        };
        let positions: Vec<u32> = threads.map(before).collect();
        memory.reset(trace, &causes.held, base, &positions);
        State {
            trace,
            causes,
            needs,
            clocks,
            choices: Vec::new(),
            held_back,
            memory,
            base,
            awaited: cut.clone(),
            sequence: Vec::new(),
            positions,
            overwritten: Vec::new(),
            notified: FxHashSet::default(),
            fingerprint: 0,
        }
    }

    /// How many events were added.
    pub(crate) fn len(&self) -> usize {
        self.sequence.len()
    }

    /// The events that were added.
    pub(crate) fn sequence(&self) -> &[EventId] {
        &self.sequence
    }

    /// How many events of a thread have happened.
    #[inline]
    pub(crate) fn position(&self, thread: ThreadId) -> u32 {
        self.positions[thread.index()]
    }

    /// Two states with the same base and fingerprint have the same future, save for a collision of
    /// 64 bits.
    ///
    /// Locks, counts and barriers follow from the positions; what was written last and which waits
    /// were notified depend on the order as well. A sum of hashes, kept up to date.
    pub(crate) fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    #[inline]
    fn happened(&self, e: EventId) -> bool {
        self.trace.position(e) < self.positions[self.trace.thread(e).index()]
    }

    /// Whether the next event of a thread may happen now.
    pub(crate) fn is_enabled(&mut self, e: EventId) -> bool {
        let trace = self.trace;
        let thread = trace.thread(e);
        if trace.position(e) == 0 && trace.fork_of(thread).is_some_and(|f| !self.happened(f)) {
            return false;
        }
        if !self.is_in_turn(e) {
            return false;
        }
        match trace.op(e) {
            Op::Read { var, .. } => self.sees_its_writers(e, var),
            Op::Write { var, .. } => self.overwrites_nothing_awaited(e, var),
            Op::ReadModifyWrite { var, .. } => {
                self.sees_its_writers(e, var) && self.overwrites_nothing_awaited(e, var)
            }
            Op::Acquire { lock, mode, .. } => !self.memory.is_held(lock, mode),
            Op::TryFail { lock, mode } => self.memory.is_held(lock, mode),
            Op::Join { child } => {
                let forked = trace.fork_of(child).is_none_or(|fork| self.happened(fork));
                forked && self.position(child) as usize == trace.thread_events(child).len()
            }
            Op::Wake { reason: WakeReason::Notified, .. } => self.is_notified(e),
            Op::Notify { .. } | Op::NotifyAll { .. } => self.loses_no_wait(e) && self.may_notify(e),
            Op::Take { semaphore } => *self.memory.count(trace, semaphore) > 0,
            Op::Leave { .. } | Op::Arrive { .. } => self.is_gathered(e),
            _ => true,
        }
    }

    /// C1.
    #[inline]
    fn is_in_turn(&self, e: EventId) -> bool {
        match self.clocks.and_then(|clocks| clocks.of(self.trace, e)) {
            Some(clock) => {
                let own = self.trace.thread(e).index();
                let known = clock.iter().zip(&self.positions).enumerate();
                known.into_iter().all(|(t, (n, position))| n <= position || t == own)
            }
            None if !self.held_back.contains(&e) => true,
            None => self.missing_order(e).is_none(),
        }
    }

    /// An event that an order puts before this one and that has not happened.
    fn missing_order(&self, e: EventId) -> Option<EventId> {
        let mut orders = self.needs.orders.iter().chain(&self.choices);
        orders.find(|o| o.after == e && !self.happened(o.before)).map(|o| o.before)
    }

    /// Says which reads have to see their writers.
    pub(crate) fn await_reads(&mut self, goal: &Cut) {
        self.awaited = goal.clone();
    }

    /// Demands one more order.
    pub(crate) fn hold_back(&mut self, order: Edge) {
        self.choices.push(order);
        if !self.held_back.contains(&order.after) {
            self.held_back.push(order.after);
        }
    }

    fn sees_its_writers(&mut self, read: EventId, var: VarId) -> bool {
        let trace = self.trace;
        if self.needs.free.contains(&read) {
            return true;
        }
        let chains = &self.causes.chains;
        let mut cells = trace.cells(var);
        if !trace.has_wide_reads() {
            let writer = trace.writer(read);
            return cells.all(|cell| !chains.is_shared(cell) || self.memory.holds(cell, writer));
        }
        let mut views = trace.writers(read).into_iter();
        views.all(|(cell, writer)| !chains.is_shared(cell) || self.memory.holds(cell, writer))
    }

    /// C2.
    fn overwrites_nothing_awaited(&mut self, write: EventId, var: VarId) -> bool {
        self.trace.cells(var).all(|cell| self.pending_read(cell, write).is_none())
    }

    /// What a write that C2 holds back would overwrite, and a read that has still to see it.
    pub(crate) fn awaited(&mut self, write: EventId) -> Option<(CellId, Option<EventId>, EventId)> {
        let (_, var) = self.trace.op(write).encode();
        let mut cells = self.trace.cells(VarId(var));
        cells.find_map(|cell| {
            let read = self.pending_read(cell, write)?;
            let (_, last) = self.trace.writers(read).into_iter().find(|&(c, _)| c == cell)?;
            Some((cell, last, read))
        })
    }

    /// The thread of an event that has to happen before this one, and has not.
    pub(crate) fn waits_for(&self, e: EventId) -> Option<ThreadId> {
        if let Some(clock) = self.clocks.and_then(|clocks| clocks.of(self.trace, e)) {
            let own = self.trace.thread(e).index();
            let known = clock.iter().zip(&self.positions).enumerate();
            let mut missing = known.filter(|&(t, (n, position))| n > position && t != own);
            return missing.next().map(|(t, _)| ThreadId(t as u32));
        }
        let mut missing = self.missing_order(e);
        let relations = Relations { reads_from: !self.needs.free.contains(&e) };
        for_each_source(self.trace, relations, e, |source| {
            if missing.is_none() && !self.happened(source) {
                missing = Some(source);
            }
        });
        let missing = missing.or_else(|| {
            let ended = self.causes.ended_by(e).iter().map(|&wait| self.trace.waits()[wait]);
            ended.map(|wait| wait.wait).find(|&wait| !self.happened(wait))
        });
        missing.map(|event| self.trace.thread(event))
    }

    /// A read other than `write` that has still to see the last write of a cell. In the trace the
    /// reads of a write stand between it and the next one.
    fn pending_read(&mut self, cell: CellId, write: EventId) -> Option<EventId> {
        let trace = self.trace;
        if !self.causes.chains.is_shared(cell) {
            return None;
        }
        let since = self.memory.written(cell).map_or(self.base, |last| EventId(last.0 + 1));
        let accesses = trace.accesses(cell);
        for &read in &accesses[accesses.partition_point(|&e| e < since)..] {
            let awaits = read != write && trace.code(read).reads() && !self.happened(read);
            if awaits && self.awaited.contains(trace, read) && !self.needs.free.contains(&read) {
                return Some(read);
            }
            if trace.code(read).writes() {
                return None;
            }
        }
        None
    }

    fn is_notified(&self, wake: EventId) -> bool {
        let Some(wait) = self.trace.partner(wake) else { return false };
        let notify = self.trace.waits()[wait].notify;
        self.notified.contains(&wait) || notify.is_some_and(|notify| notify < self.base)
    }

    /// A notify waits for the waits that it has to end.
    fn loses_no_wait(&self, notify: EventId) -> bool {
        self.causes.ended_by(notify).iter().all(|&wait| {
            let wait = self.trace.waits()[wait];
            let needed = wait.wake.is_some_and(|wake| self.needs.must.contains(self.trace, wake));
            !needed || self.happened(wait.wait)
        })
    }

    /// C3.
    fn may_notify(&self, notify: EventId) -> bool {
        let Some(lost) = self.needs.lost else { return true };
        let wait = self.trace.waits()[lost];
        let (Op::Notify { cond } | Op::NotifyAll { cond }) = self.trace.op(notify) else {
            return true;
        };
        if cond != wait.cond || !self.happened(wait.wait) {
            return true;
        }
        other_wait(self.causes, notify, lost).is_some_and(|other| self.happened(other))
    }

    fn is_gathered(&self, e: EventId) -> bool {
        let mut gathered = true;
        for_each_source(self.trace, Relations::SYNCHRONISATION, e, |source| {
            gathered &= self.happened(source);
        });
        gathered
    }

    /// Lets an event happen that is enabled.
    pub(crate) fn push(&mut self, e: EventId) {
        self.step(self.trace.thread(e), true);
        self.sequence.push(e);
        self.apply(e, true);
    }

    /// Takes back all but the first `length` events.
    pub(crate) fn rewind(&mut self, length: usize) {
        while self.sequence.len() > length {
            let Some(e) = self.sequence.pop() else { return };
            self.step(self.trace.thread(e), false);
            self.apply(e, false);
        }
    }

    /// Moves a thread forward or back by one event.
    fn step(&mut self, thread: ThreadId, forward: bool) {
        let position = &mut self.positions[thread.index()];
        self.fingerprint = self.fingerprint.wrapping_sub(hash(1, thread.0, *position));
        *position = if forward { *position + 1 } else { *position - 1 };
        self.fingerprint = self.fingerprint.wrapping_add(hash(1, thread.0, *position));
    }

    fn apply(&mut self, e: EventId, forward: bool) {
        match self.trace.op(e) {
            Op::Write { var, .. } | Op::ReadModifyWrite { var, .. } => self.write(e, var, forward),
            Op::Acquire { lock, mode, .. } => self.memory.hold(lock, mode, forward),
            Op::Release { lock, mode } => self.memory.hold(lock, mode, !forward),
            Op::Post { semaphore } => *self.memory.count(self.trace, semaphore) += sign(forward),
            Op::Take { semaphore } => *self.memory.count(self.trace, semaphore) -= sign(forward),
            Op::Notify { .. } | Op::NotifyAll { .. } => self.notify(e, forward),
            _ => {}
        }
    }

    fn write(&mut self, e: EventId, var: VarId, forward: bool) {
        let trace = self.trace;
        for cell in trace.cells(var).filter(|&cell| self.causes.chains.is_shared(cell)) {
            if forward {
                let before = self.set_writer(cell, Some(e));
                self.overwritten.push((cell, before));
            } else if let Some((cell, before)) = self.overwritten.pop() {
                self.set_writer(cell, before);
            }
        }
    }

    /// Makes `writer` the last to have written a cell; answers who was before.
    fn set_writer(&mut self, cell: CellId, writer: Option<EventId>) -> Option<EventId> {
        let before = self.memory.write(cell, writer);
        let of = |writer: Option<EventId>| writer.map_or(0, |writer| hash(2, cell.0, writer.0));
        self.fingerprint = self.fingerprint.wrapping_sub(of(before)).wrapping_add(of(writer));
        before
    }

    fn notify(&mut self, e: EventId, forward: bool) {
        let causes = self.causes;
        for &wait in causes.ended_by(e) {
            let of = hash(3, wait as u32, 0);
            let in_time = self.happened(self.trace.waits()[wait].wait);
            if forward && in_time && self.notified.insert(wait) {
                self.fingerprint = self.fingerprint.wrapping_add(of);
            } else if !forward && self.notified.remove(&wait) {
                self.fingerprint = self.fingerprint.wrapping_sub(of);
            }
        }
    }
}

/// A hash of two numbers, different for each role that they play.
fn hash(role: u64, a: u32, b: u32) -> u64 {
    let mixed = (u64::from(a) << 32 | u64::from(b)).wrapping_add(role << 61);
    let mixed = (mixed ^ mixed >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ mixed >> 29).wrapping_mul(0xd1b5_4a32_d192_ed03)
}

fn sign(forward: bool) -> i64 {
    if forward { 1 } else { -1 }
}
