//! Small random traces.
//!
//! A random program runs step by step: each step is a thread that does something, if it can. Who
//! waits or stands at a barrier goes on with that. Themes say what there is to do, so that what
//! belongs together meets in so few events.
//!
//! How many of 10,000 traces have a claim that some reordering shows, and one that none does:
//!
//! | claim | feasible | infeasible |
//! |---|---|---|
//! | race | 37 % | 30 % |
//! | deadlock | 4 % | 2 % |
//! | atomicity violation | 30 % | 20 % |
//! | nondeterministic read | 43 % | 53 % |
//! | lost wake-up | 10 % | 2 % |

use std::fmt;
use std::ops::Deref;

use Action::{
    Arrive, Fork, Join, Lock, Modify, Monitor, Nested, Notify, NotifyAll, Post, Read, Section,
    Signal, Take, TryLock, Unlock, Wait, Write,
};
use proptest::prelude::*;
use proptest::sample::{Index, subsequence};
use raddle_trace::check::Mode;
use raddle_trace::format::notation;
use raddle_trace::{
    BarrierId, CondId, Event, EventId, Events, LockId, LockMode, Op, Order, Range, SemaphoreId,
    ThreadId, Trace, VarId, WakeReason,
};

pub(crate) const N_THREADS: u32 = 4;
const MAX_EVENTS: usize = 13;

/// A trace that is shown as its events.
#[derive(Clone)]
pub(crate) struct SmallTrace(Trace);

impl Deref for SmallTrace {
    type Target = Trace;

    fn deref(&self) -> &Trace {
        &self.0
    }
}

impl fmt::Debug for SmallTrace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let event = |e: Event| (e.id.0, notation(self, e.thread, e.op), self.waker(e.id));
        f.debug_list().entries(self.iter().map(event)).finish()?;
        f.debug_list().entries(self.tables.ranges()).finish()
    }
}

#[derive(Clone, Copy, Debug)]
enum Action {
    Read,
    Write,
    Modify,
    Lock,
    Unlock,
    TryLock,
    Fork,
    Join,
    Wait,
    Notify,
    NotifyAll,
    Post,
    Take,
    Arrive,
    /// Several of the above under one lock.
    Section,
    /// Two locks, one taken inside the other.
    Nested,
    /// A wait under a lock, after a look at a variable.
    Monitor,
    /// A notify under a lock, after a change of that variable.
    Signal,
}

/// What there is to do, each as often as it is likely.
const THEMES: [&[Action]; 8] = [
    &[Read, Write, Read, Write, Modify],
    &[Read, Write],
    &[Section, Section, Read, Write],
    &[Read, Write, Lock, Lock, Unlock, TryLock],
    &[Wait, Wait, Notify, Notify, NotifyAll],
    &[Post, Take, Take],
    &[Arrive, Arrive],
    &[Fork, Fork, Join],
];

/// A thread, what it does, to which object or thread, and in which way.
type Step = (u32, Index, u32, u32, u8);

/// Where the variables lie.
const LAYOUTS: [&[(u64, u32)]; 3] = [&[], &[(0, 4), (2, 4)], &[(0, 4), (1, 1)]];

#[derive(Clone, Default)]
struct Thread {
    n_events: usize,
    forked: bool,
    joined: bool,
    held: Vec<(LockId, LockMode)>,
    waiting: Option<Waiting>,
    /// The barrier it stands at, and the generation.
    arrived: Option<(BarrierId, u32)>,
    /// What it has asked for and not got.
    asked: Option<(LockId, LockMode)>,
    /// What it does next, the first last.
    agenda: Vec<(Action, u32, u8)>,
}

#[derive(Clone, Copy)]
struct Waiting {
    cond: CondId,
    /// What it has to take back.
    lock: Option<LockId>,
    ended: Option<(WakeReason, Option<EventId>)>,
}

struct Program {
    events: Events,
    threads: Vec<Thread>,
    counts: [u32; 2],
    n_arrived: [u32; 2],
    /// How things are done that can be done in several ways.
    way: u8,
}

impl Program {
    fn new(layout: &[(u64, u32)], parties: [u32; 2], counts: [u32; 2]) -> Program {
        let mut events = Events::default();
        let tables = &mut events.tables;
        for n in 0..N_THREADS {
            tables.threads.intern(format!("T{n}").as_bytes()).expect("a short name");
        }
        let names = [
            &mut tables.variables,
            &mut tables.locks,
            &mut tables.conditions,
            &mut tables.semaphores,
            &mut tables.barriers,
            &mut tables.regions,
        ];
        for names in names {
            (0..3).for_each(|n| {
                names.intern(format!("o{n}").as_bytes()).expect("a short name");
            });
        }
        for n in 0..2 {
            tables.set_parties(BarrierId(n), parties[n as usize]);
            tables.set_initial(SemaphoreId(n), counts[n as usize]);
        }
        for (n, &(offset, size)) in layout.iter().enumerate() {
            tables.set_range(VarId(n as u32), Range { region: 0, offset, size });
        }
        let threads = vec![Thread::default(); N_THREADS as usize];
        Program { events, threads, counts, n_arrived: [0; 2], way: 0 }
    }

    fn emit(&mut self, thread: ThreadId, op: Op) -> EventId {
        self.threads[thread.index()].n_events += 1;
        self.events.push(thread, op, None)
    }

    /// A thread that was notified and has not gone on.
    fn woken(&self) -> Option<ThreadId> {
        let ended = |thread: &Thread| thread.waiting.is_some_and(|w| w.ended.is_some());
        self.threads.iter().position(ended).map(|n| ThreadId(n as u32))
    }

    fn step(&mut self, me: ThreadId, action: Action, n: u32, other: ThreadId, detail: u8) {
        let thread = &self.threads[me.index()];
        if thread.joined {
            return;
        }
        if let Some((lock, mode)) = thread.asked {
            return self.grant(me, lock, mode);
        }
        match (thread.waiting, thread.arrived, thread.agenda.last()) {
            (Some(waiting), ..) => self.go_on(me, waiting, detail),
            (None, Some((barrier, generation)), _) => self.leave(me, barrier, generation),
            (None, None, Some(_)) => drop(self.follow_agenda(me)),
            (None, None, None) => self.act(me, action, n, other, detail),
        }
    }

    /// Does the next thing of an agenda, if that can be done.
    fn follow_agenda(&mut self, me: ThreadId) -> bool {
        let before = self.events.len();
        let next = self.threads[me.index()].agenda.last().filter(|_| before < MAX_EVENTS);
        let Some(&(action, n, detail)) = next else { return false };
        self.act(me, action, n, me, detail);
        let done = self.events.len() > before;
        if done {
            self.threads[me.index()].agenda.pop();
        }
        done
    }

    /// Sets out to do several things, perhaps at once.
    fn set_out(&mut self, me: ThreadId, agenda: &[(Action, u32, u8)], at_once: bool) {
        self.threads[me.index()].agenda = agenda.iter().rev().copied().collect();
        let is_free = |thread: &Thread| thread.waiting.is_none() && thread.asked.is_none();
        while self.follow_agenda(me) && at_once && is_free(&self.threads[me.index()]) {}
    }

    fn act(&mut self, me: ThreadId, action: Action, n: u32, other: ThreadId, detail: u8) {
        let order = if detail.is_multiple_of(3) { Order::SeqCst } else { Order::Plain };
        let (var, lock, cond) = (VarId(n % 2), LockId(n), CondId(u32::from(detail == 0)));
        let (semaphore, barrier) = (SemaphoreId(n % 2), BarrierId(n % 2));
        let mode = if detail.is_multiple_of(4) { LockMode::Shared } else { LockMode::Exclusive };
        match action {
            Action::Read => drop(self.emit(me, Op::Read { var, order })),
            Action::Write => drop(self.emit(me, Op::Write { var, order })),
            Action::Modify => drop(self.emit(me, Op::ReadModifyWrite { var, order })),
            Action::Lock => self.lock(me, lock, mode, detail == 5),
            Action::TryLock => self.try_lock(me, lock, mode),
            Action::Unlock => self.unlock(me, n),
            Action::Fork => self.fork(me, other),
            Action::Join => self.join(me, other),
            Action::Wait => self.wait(me, cond),
            Action::Notify => self.notify(me, cond, 1),
            Action::NotifyAll => self.notify(me, cond, N_THREADS as usize),
            Action::Post => {
                self.emit(me, Op::Post { semaphore });
                self.counts[semaphore.index()] += 1;
            }
            Action::Take if self.counts[semaphore.index()] > 0 => {
                self.emit(me, Op::Take { semaphore });
                self.counts[semaphore.index()] -= 1;
            }
            Action::Take => {}
            Action::Arrive => self.arrive(me, barrier),
            Action::Section | Action::Nested | Action::Monitor | Action::Signal => {
                let way = if detail < 6 { self.way } else { detail % 2 };
                self.set_out(me, &agenda(action, n, way, detail == 0), detail > 1);
            }
        }
    }

    fn is_free(&self, lock: LockId, mode: LockMode) -> bool {
        let mut held = self.threads.iter().flat_map(|thread| &thread.held);
        held.all(|&(l, m)| l != lock || (m, mode) == (LockMode::Shared, LockMode::Shared))
    }

    fn holds(&self, me: ThreadId, lock: LockId) -> bool {
        self.threads[me.index()].held.iter().any(|&(l, _)| l == lock)
    }

    fn lock(&mut self, me: ThreadId, lock: LockId, mode: LockMode, request: bool) {
        if self.holds(me, lock) || !request && !self.is_free(lock, mode) {
            return;
        }
        if request {
            self.emit(me, Op::Request { lock, mode });
            self.threads[me.index()].asked = Some((lock, mode));
            return self.grant(me, lock, mode);
        }
        self.take(me, lock, mode, false);
    }

    /// A lock that a thread has asked for is free, or the thread goes on waiting.
    fn grant(&mut self, me: ThreadId, lock: LockId, mode: LockMode) {
        if self.is_free(lock, mode) {
            self.threads[me.index()].asked = None;
            self.take(me, lock, mode, false);
        }
    }

    fn take(&mut self, me: ThreadId, lock: LockId, mode: LockMode, tried: bool) {
        self.emit(me, Op::Acquire { lock, mode, tried });
        self.threads[me.index()].held.push((lock, mode));
    }

    fn try_lock(&mut self, me: ThreadId, lock: LockId, mode: LockMode) {
        if self.holds(me, lock) {
            return;
        }
        if self.is_free(lock, mode) {
            self.take(me, lock, mode, true);
        } else {
            self.emit(me, Op::TryFail { lock, mode });
        }
    }

    /// Releases any lock, not only the last that was taken.
    fn unlock(&mut self, me: ThreadId, n: u32) {
        let held = &mut self.threads[me.index()].held;
        if !held.is_empty() {
            let (lock, mode) = held.remove(n as usize % held.len());
            self.emit(me, Op::Release { lock, mode });
        }
    }

    fn fork(&mut self, me: ThreadId, child: ThreadId) {
        let thread = &mut self.threads[child.index()];
        if child != me && thread.n_events == 0 && !thread.forked {
            thread.forked = true;
            self.emit(me, Op::Fork { child });
        }
    }

    fn join(&mut self, me: ThreadId, child: ThreadId) {
        let thread = &mut self.threads[child.index()];
        if child != me && (thread.n_events > 0 || thread.forked) && !thread.joined {
            thread.joined = true;
            self.emit(me, Op::Join { child });
        }
    }

    /// Waits, and gives up the lock that was taken last, if there is one.
    fn wait(&mut self, me: ThreadId, cond: CondId) {
        self.emit(me, Op::Wait { cond });
        let lock = self.threads[me.index()].held.pop_if(|held| held.1 == LockMode::Exclusive);
        if let Some((lock, mode)) = lock {
            self.emit(me, Op::Release { lock, mode });
        }
        let waiting = Waiting { cond, lock: lock.map(|(lock, _)| lock), ended: None };
        self.threads[me.index()].waiting = Some(waiting);
    }

    /// Takes the lock back and wakes up, if the wait is over or its time is.
    fn go_on(&mut self, me: ThreadId, mut waiting: Waiting, detail: u8) {
        if waiting.ended.is_none() && detail == 0 {
            waiting.ended = Some((WakeReason::Timeout, None));
        }
        let Some((reason, waker)) = waiting.ended else { return };
        if let Some(lock) = waiting.lock {
            self.lock(me, lock, LockMode::Exclusive, false);
            if self.holds(me, lock) {
                waiting.lock = None;
            }
            self.threads[me.index()].waiting = Some(waiting);
            return;
        }
        let wake = self.emit(me, Op::Wake { cond: waiting.cond, reason });
        waker.into_iter().for_each(|notify| self.events.set_waker(wake, notify));
        self.threads[me.index()].waiting = None;
    }

    /// Wakes at most so many.
    fn notify(&mut self, me: ThreadId, cond: CondId, n_woken: usize) {
        let op = if n_woken == 1 { Op::Notify { cond } } else { Op::NotifyAll { cond } };
        let notify = self.emit(me, op);
        let waiting = self.threads.iter_mut().filter_map(|thread| thread.waiting.as_mut());
        let asleep = waiting.filter(|w| w.cond == cond && w.ended.is_none());
        asleep.take(n_woken).for_each(|w| w.ended = Some((WakeReason::Notified, Some(notify))));
    }

    fn arrive(&mut self, me: ThreadId, barrier: BarrierId) {
        let n_arrived = &mut self.n_arrived[barrier.index()];
        let parties = self.events.tables.parties(barrier).expect("it is declared");
        self.threads[me.index()].arrived = Some((barrier, *n_arrived / parties));
        *n_arrived += 1;
        self.emit(me, Op::Arrive { barrier });
    }

    fn leave(&mut self, me: ThreadId, barrier: BarrierId, generation: u32) {
        let parties = self.events.tables.parties(barrier).expect("it is declared");
        if self.n_arrived[barrier.index()] / parties > generation {
            self.threads[me.index()].arrived = None;
            self.emit(me, Op::Leave { barrier });
        }
    }
}

/// What several things together are, in one of four ways.
fn agenda(action: Action, n: u32, way: u8, request: bool) -> Vec<(Action, u32, u8)> {
    let detail = if request { 5 } else { 1 };
    let (outer, inner, guard) = ((Lock, n % 2, detail), (Lock, 1 - n % 2, 1), (Lock, 2, 1));
    let (read, write) = ((Read, n, 1), (Write, n, 1));
    let (wait, notify) = ((Wait, n, 1), (Notify, n, 1));
    let (first, last) = ((Unlock, 0, 1), (Unlock, 1, 1));
    match (action, way) {
        (Section, 0) => vec![outer, read, write, first],
        (Section, 1) => vec![outer, read, first, outer, write, first],
        (Section, 2) => vec![outer, write, first],
        (Section, _) => vec![(Lock, n % 2, 4), read, first],
        (Nested, 0) => vec![guard, outer, inner, first, first, first],
        (Nested, 1) => vec![read, outer, inner, write, first, first],
        (Nested, 2) => vec![outer, inner, last, first],
        (Nested, _) => vec![(Lock, n, 1), (Lock, (n + 1) % 3, 1), first, first],
        (Monitor, 0 | 1) => vec![(Lock, 0, detail), read, wait, first],
        (Monitor, 2) => vec![(Lock, 0, detail), wait, first],
        (Monitor, _) => vec![read, wait],
        (Signal, 0 | 1) => vec![(Lock, 0, detail), write, notify, first],
        (Signal, 2) => vec![(Lock, 0, detail), notify, first],
        (_, _) => vec![write, notify],
    }
}

prop_compose! {
    /// A well-formed trace about some themes.
    fn trace_about(themes: impl Strategy<Value = Vec<&'static [Action]>>)(
        n_threads in 2..=N_THREADS,
        themes in themes,
        layout in prop::sample::select(&LAYOUTS[..]),
        parties in prop::array::uniform2(2..=3u32),
        counts in prop::array::uniform2(0..=1u32),
        way in 0..4u8,
        steps in prop::collection::vec(
            (0..N_THREADS, any::<Index>(), 0..3u32, 0..N_THREADS, 0..8u8), 4..40),
    ) -> SmallTrace {
        let actions: Vec<Action> = themes.concat();
        let mut program = Program::new(layout, parties, counts);
        program.way = way;
        for &(thread, action, n, other, detail) in &steps as &[Step] {
            if program.events.len() < MAX_EVENTS {
                let (me, other) = (ThreadId(thread % n_threads), ThreadId(other % n_threads));
                let me = program.woken().filter(|_| detail < 5).unwrap_or(me);
                program.step(me, *action.get(&actions), n, other, detail);
            }
        }
        SmallTrace(Trace::new(program.events, Mode::Strict).expect("the program is well-formed"))
    }
}

/// A well-formed trace.
pub(crate) fn small_trace() -> impl Strategy<Value = SmallTrace> {
    let with = |theme: &'static [Action]| {
        subsequence(&THEMES[..], 0..=1).prop_map(move |others| [vec![theme], others].concat())
    };
    prop_oneof![
        3 => trace_about(subsequence(&THEMES[..], 1..=2)),
        2 => trace_about(with(&[Nested, Nested, Nested, Nested])),
        2 => trace_about(with(&[Monitor, Signal, Monitor, Signal])),
    ]
}

/// A bounded number of cases unless the environment asks for more.
pub(crate) fn config() -> ProptestConfig {
    let default = ProptestConfig::default();
    ProptestConfig { cases: default.cases.max(2000), ..default }
}
