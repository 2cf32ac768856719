//! The state of a search: a sequence of events so far, and which events are enabled after it.

use raddle_trace::WakeReason;
use raddle_trace::{CellId, EventId, LockId, LockMode, Op, SemaphoreId, ThreadId, Trace, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::causes::Causes;
use crate::needs::Needs;

/// A sequence of events, each of which was enabled when it was added.
pub(crate) struct State<'a> {
    trace: &'a Trace,
    causes: &'a Causes<'a>,
    needs: &'a Needs,
    sequence: Vec<EventId>,
    positions: Vec<u32>,
    holders: FxHashMap<LockId, Vec<(ThreadId, LockMode)>>,
    /// Takes minus posts.
    taken: FxHashMap<SemaphoreId, i64>,
    last_write: FxHashMap<CellId, EventId>,
    /// What writes have overwritten, to take it back.
    overwritten: Vec<(CellId, Option<EventId>)>,
    /// Per cell and writer, how many reads that must happen have still to see it.
    awaited: FxHashMap<(CellId, Option<EventId>), u32>,
    /// Waits that had happened when their notify did.
    notified: FxHashSet<usize>,
    fingerprint: u64,
}

impl<'a> State<'a> {
    pub(crate) fn new(causes: &'a Causes<'a>, needs: &'a Needs) -> State<'a> {
        let trace = causes.trace;
        let mut awaited = FxHashMap::default();
        for read in needs.must.events(trace).filter(|&e| trace.code(e).reads()) {
            for (cell, writer) in trace.writers(read) {
                *awaited.entry((cell, writer)).or_insert(0) += 1;
            }
        }
        State {
            trace,
            causes,
            needs,
            sequence: Vec::new(),
            positions: vec![0; trace.n_threads()],
            holders: FxHashMap::default(),
            taken: FxHashMap::default(),
            last_write: FxHashMap::default(),
            overwritten: Vec::new(),
            awaited,
            notified: FxHashSet::default(),
            fingerprint: 0,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.sequence.len()
    }

    pub(crate) fn into_sequence(self) -> Vec<EventId> {
        self.sequence
    }

    /// How many events of a thread have happened.
    pub(crate) fn position(&self, thread: ThreadId) -> u32 {
        self.positions[thread.index()]
    }

    /// Two states with the same fingerprint have the same future, save for a collision of 64 bits.
    ///
    /// Locks, counts and barriers follow from the positions; what was written last and which waits
    /// were notified depend on the order as well. A sum of hashes, kept up to date.
    pub(crate) fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Moves a thread forward or back by one event.
    fn step(&mut self, thread: ThreadId, forward: bool) {
        let position = &mut self.positions[thread.index()];
        self.fingerprint = self.fingerprint.wrapping_sub(hash(1, thread.0, *position));
        *position = if forward { *position + 1 } else { *position - 1 };
        self.fingerprint = self.fingerprint.wrapping_add(hash(1, thread.0, *position));
    }

    /// Makes `writer` the last to have written a cell; answers who was before.
    fn set_writer(&mut self, cell: CellId, writer: Option<EventId>) -> Option<EventId> {
        let before = match writer {
            Some(writer) => self.last_write.insert(cell, writer),
            None => self.last_write.remove(&cell),
        };
        let of = |writer: Option<EventId>| writer.map_or(0, |writer| hash(2, cell.0, writer.0));
        self.fingerprint = self.fingerprint.wrapping_sub(of(before)).wrapping_add(of(writer));
        before
    }

    fn happened(&self, e: EventId) -> bool {
        self.trace.position(e) < self.positions[self.trace.thread(e).index()]
    }

    /// Whether the next event of a thread may happen now.
    pub(crate) fn is_enabled(&self, e: EventId) -> bool {
        let trace = self.trace;
        let thread = trace.thread(e);
        if trace.position(e) == 0 && trace.fork_of(thread).is_some_and(|f| !self.happened(f)) {
            return false;
        }
        match trace.op(e) {
            Op::Read { var, .. } => self.sees_its_writers(e, var),
            Op::Write { var, .. } => self.overwrites_nothing_awaited(var, 0),
            Op::ReadModifyWrite { var, .. } => {
                let own = u32::from(self.needs.must.contains(trace, e));
                self.sees_its_writers(e, var) && self.overwrites_nothing_awaited(var, own)
            }
            Op::Acquire { lock, mode } => !self.is_held(lock, mode) && self.is_in_turn(e),
            Op::TryFail { lock, mode } => self.is_held(lock, mode),
            Op::Join { child } => {
                let forked = trace.fork_of(child).is_none_or(|fork| self.happened(fork));
                forked && self.position(child) as usize == trace.thread_events(child).len()
            }
            Op::Wake { reason: WakeReason::Notified, .. } => {
                trace.partner(e).is_some_and(|wait| self.notified.contains(&wait))
            }
            Op::Notify { .. } | Op::NotifyAll { .. } => self.loses_no_wait(e),
            Op::Take { semaphore } => {
                let initial = trace.tables.initial(semaphore).unwrap_or(0);
                self.taken.get(&semaphore).copied().unwrap_or(0) < i64::from(initial)
            }
            Op::Leave { .. } | Op::Arrive { .. } => self.is_gathered(e),
            _ => true,
        }
    }

    fn sees_its_writers(&self, read: EventId, var: VarId) -> bool {
        let last = |cell| self.last_write.get(&cell).copied();
        if !self.trace.has_wide_reads() {
            let writer = self.trace.writer(read);
            return self.trace.cells(var).all(|cell| last(cell) == writer);
        }
        self.trace.writers(read).into_iter().all(|(cell, writer)| last(cell) == writer)
    }

    /// C3; `own` is what the writing event itself awaits.
    fn overwrites_nothing_awaited(&self, var: VarId, own: u32) -> bool {
        self.trace.cells(var).all(|cell| {
            let last = self.last_write.get(&cell).copied();
            self.awaited.get(&(cell, last)).copied().unwrap_or(0) <= own
        })
    }

    fn is_held(&self, lock: LockId, mode: LockMode) -> bool {
        self.holders.get(&lock).is_some_and(|holders| {
            let exclusive = |&(_, m): &(ThreadId, LockMode)| m == LockMode::Exclusive;
            !holders.is_empty() && (mode == LockMode::Exclusive || holders.iter().any(exclusive))
        })
    }

    /// C2.
    fn is_in_turn(&self, acquire: EventId) -> bool {
        let last = self.needs.last.iter().find(|(a, _)| *a == acquire);
        last.is_none_or(|(_, releases)| releases.iter().all(|&r| self.happened(r)))
    }

    /// A notify waits for the waits that it has to end.
    fn loses_no_wait(&self, notify: EventId) -> bool {
        self.causes.ended_by(notify).iter().all(|&wait| {
            let wait = self.trace.waits()[wait];
            let needed = wait.wake.is_some_and(|wake| self.needs.must.contains(self.trace, wake));
            !needed || self.happened(wait.wait)
        })
    }

    fn is_gathered(&self, e: EventId) -> bool {
        let mut gathered = true;
        let relations = raddle_causality::Relations::SYNCHRONISATION;
        raddle_causality::for_each_source(self.trace, relations, e, |source| {
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

    fn apply(&mut self, e: EventId, forward: bool) {
        let thread = self.trace.thread(e);
        match self.trace.op(e) {
            Op::Read { .. } => self.read(e, forward),
            Op::Write { var, .. } => self.write(e, var, forward),
            Op::ReadModifyWrite { var, .. } => {
                self.read(e, forward);
                self.write(e, var, forward);
            }
            Op::Acquire { lock, mode } => self.hold(lock, thread, mode, forward),
            Op::Release { lock, mode } => self.hold(lock, thread, mode, !forward),
            Op::Post { semaphore } => *self.taken.entry(semaphore).or_insert(0) -= sign(forward),
            Op::Take { semaphore } => *self.taken.entry(semaphore).or_insert(0) += sign(forward),
            Op::Notify { .. } | Op::NotifyAll { .. } => self.notify(e, forward),
            _ => {}
        }
    }

    fn read(&mut self, e: EventId, forward: bool) {
        if !self.needs.must.contains(self.trace, e) {
            return;
        }
        for (cell, writer) in self.trace.writers(e) {
            let awaited = self.awaited.entry((cell, writer)).or_insert(0);
            *awaited = if forward { *awaited - 1 } else { *awaited + 1 };
        }
    }

    fn write(&mut self, e: EventId, var: VarId, forward: bool) {
        let trace = self.trace;
        for cell in trace.cells(var) {
            if forward {
                let before = self.set_writer(cell, Some(e));
                self.overwritten.push((cell, before));
            } else if let Some((cell, before)) = self.overwritten.pop() {
                self.set_writer(cell, before);
            }
        }
    }

    fn hold(&mut self, lock: LockId, thread: ThreadId, mode: LockMode, forward: bool) {
        let holders = self.holders.entry(lock).or_default();
        if forward {
            holders.push((thread, mode));
        } else {
            holders.retain(|&(t, _)| t != thread);
        }
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
