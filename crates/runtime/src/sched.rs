//! Scheduling: announce, choose, go on.
//!
//! Before a thread does something that others can notice, it announces what (a [`Want`]) and what
//! must hold for that (its guard). The scheduler chooses among the threads that can go on, and the
//! one that returns from [`point`] does what it announced, with nobody in between. Who is chosen:
//!
//! 1. the plan, as long as there is one;
//! 2. then the policy, among the threads whose guard holds and that do not spin;
//! 3. if there are none, whoever's time runs out first: virtual time jumps to that moment;
//! 4. then those that spin, in turns;
//! 5. then whoever waits for the outside, as soon as that is ready.
//!
//! If nobody is left, that is a deadlock; if everybody has been spinning for many rounds and
//! nothing changed, a livelock.
//!
//! Plain memory accesses are not points. They are counted, so a plan can stop a thread before any
//! one of them, and a thread that does very many of them without a point gives others a turn.

use core::cell::Cell;

use raddle_wire::{Code, Flags, OutcomeKind, Record, Step, StepKind};

use crate::guard::{self, Guard};
use crate::outcome::{self, End};
use crate::state::State;
use crate::thread::{self, Thread};
use crate::{context, external, heap, host, record, signal, touch, unseen};

/// What a thread is about to do.
#[derive(Clone, Copy, Debug, Default)]
pub struct Want {
    /// What; none between two of them.
    pub code: Option<Code>,
    /// To what.
    pub object: u64,
    /// From where.
    pub pc: u64,
    /// What must hold.
    pub guard: Guard,
    /// When its time runs out; 0: never.
    pub deadline: u64,
}

/// After so many rounds in which only threads went on that seem to spin, they are taken for endless.
const IDLE_ROUNDS_MAX: u32 = 1_000_000;

/// How many events a thread may do at a time that was found spinning.
const SPIN_SLICE: u32 = 512;

/// A scheduling point: returns when the running thread may do what it wants. True if its guard
/// holds, false if its time ran out.
pub fn point(state: &State, want: Want) -> bool {
    let me = state.current();
    state.recorder.settle_value();
    signal::before_operation(state, me);
    unseen::settle(state);
    me.want.set(want);
    settle(state);
    host::control().n_points.update(|n| n + 1);
    // Who gives up after a while never waits for good.
    if want.code == Some(Code::Lock) && want.deadline == 0 && !want.guard.holds(state, me) {
        let shared = u16::from(matches!(want.guard, Guard::Readable(_)));
        state.recorder.write(Record::new(Code::Request, want.object, 0, want.pc, shared));
    }
    let next = choose(state, me);
    hand_over(state, next);
    touch::called(want.pc);
    let granted = want.guard.holds(state, me);
    if !granted {
        state.clock.set(state.clock.get().max(want.deadline));
    }
    me.want.set(Want::default());
    if let Some(code) = want.code {
        heap::check(state, Record::new(code, want.object, 0, want.pc, 0));
    }
    let slice = host::control().slice;
    let slice = if me.sights.spins(state.n_changes.get()) { slice.min(SPIN_SLICE) } else { slice };
    state.slice_left.set(slice.into());
    arm(state);
    granted
}

/// A point at which nothing has to hold.
pub fn free_point(state: &State, code: Code, object: u64, pc: u64) {
    point(state, Want { code: Some(code), object, pc, guard: Guard::Always, deadline: 0 });
}

/// The running thread did something that changed nothing; if it does that all the time, it spins.
pub fn idle(state: &State) {
    state.current().sights.idle(state.n_changes.get(), 1);
}

/// The running thread changed something, and it is not said what.
#[inline]
pub fn busy(state: &State) {
    busy_at(state, 0, u64::MAX);
}

/// The running thread changed so many bytes, or what is found by their address.
#[inline]
pub fn busy_at(state: &State, address: u64, len: u64) {
    state.n_changes.set(state.n_changes.get() + 1);
    state.explore.changed(address, len);
    sees_new(state);
}

/// The running thread changed nothing, but saw something new.
#[inline]
pub fn sees_new(state: &State) {
    state.current().sights.busy();
    state.idle_rounds.set(0);
}

/// The running thread lets others go first.
pub fn give_way(state: &State, pc: u64) {
    state.current().gives_way.set(true);
    pass(state, pc);
}

/// A point at which nothing happens that others can see. It is an event all the same: a thread
/// that had a turn has always done one, or a plan could not tell.
pub fn pass(state: &State, pc: u64) {
    pass_when(state, Guard::Always, 0, pc);
}

/// The same, when something holds, or at a moment; whether it holds.
pub fn pass_when(state: &State, guard: Guard, deadline: u64, pc: u64) -> bool {
    let want = Want { code: Some(Code::Pass), object: 0, pc, guard, deadline };
    let granted = point(state, want);
    record::event(state, Record::new(Code::Pass, 0, 0, pc, 0));
    granted
}

/// The slow path of an access: somebody has to look before it happens.
#[cold]
#[inline(never)]
pub fn look(state: &State, access: Record) {
    settle(state);
    record::end_at_limit(state, access.pc());
    if !(state.plan.is_active() && state.plan.left.get() <= 0) {
        unseen::settle(state);
        settle(state);
    }
    let plan_turns = state.plan.is_active() && state.plan.left.get() <= 0;
    let slice_ends = !state.plan.is_active() && state.slice_left.get() <= 0;
    let is_site = state.explore.is_on() && state.explore.is_site(access.pc());
    if plan_turns || slice_ends || is_site || host::has(Flags::POINTS_ALL) {
        if slice_ends {
            state.current().gives_way.set(true);
            state.current().sights.look();
            state.clock.set(state.clock.get() + 100_000);
        }
        let control = host::control();
        if control.max_events != 0 && state.n_events.get() >= control.max_events {
            limit(state, access.pc());
        }
        let (code, object, pc) = (access.code(), access.object(), access.pc());
        state.current().reach.set(reach(state, access));
        point(state, Want { code, object, pc, guard: Guard::Always, deadline: 0 });
    }
    state.current().sights.look_at(state, access);
    if state.explore.is_on() {
        changes(state, access);
    }
    record::event(state, access);
    if host::has(Flags::VALUES) {
        state.recorder.expect_value(access);
    }
    settle(state);
    arm(state);
}

/// How many bytes an access is about.
fn reach(state: &State, access: Record) -> u64 {
    match access.code() {
        Some(Code::ReadRange | Code::WriteRange) => access.count().into(),
        Some(Code::Free) => heap::block_size(state, access.object()),
        _ => access.detail().into(),
    }
}

/// Whether the last write of a thread to its own stack was a change shows now.
pub fn settle_own(state: &State, me: &Thread) {
    if let Some(access) = me.sights.changed() {
        let before = state.n_changes.get();
        busy_at(state, access.object(), access.detail().into());
        me.sights.changed_own(before, state.n_changes.get());
        state.explore.changed_own();
    }
}

/// An access that may change something.
fn changes(state: &State, access: Record) {
    let me = state.current();
    settle_own(state, me);
    match access.code() {
        Some(Code::Read | Code::ReadRange) => {
            state.explore.reads(access.object(), reach(state, access));
        }
        Some(Code::Write) if access.detail() <= 8 && me.has_on_stack(access.object()) => {
            // SAFETY: within its stack.
            unsafe { me.sights.writes(access) }
        }
        _ => busy_at(state, access.object(), reach(state, access)),
    }
}

fn limit(state: &State, pc: u64) -> ! {
    let end = End { kind: OutcomeKind::Limit, pc, address: 0 };
    outcome::finish(state, end, format_args!("{} events", state.n_events.get()))
}

/// Counts what happened since the budget was last looked at.
pub fn settle(state: &State) {
    let done = state.armed.get() - state.budget.get();
    state.armed.set(state.budget.get());
    if done == 0 || state.current.get().is_null() || host::page().is_none() {
        return;
    }
    state.n_events.set(state.n_events.get() + done as u64);
    state.slice_left.set(state.slice_left.get() - done);
    let me = state.current();
    state.plan.did(me, done);
    taken(Step::thread(me.number, done as u64));
}

/// Sets how many events may happen before somebody has to look.
pub fn arm(state: &State) {
    let mut budget =
        if state.plan.is_active() { state.plan.left.get() } else { state.slice_left.get() };
    let all = host::has(Flags::POINTS_ALL)
        || state.explore.watches()
        || state.current().sights.is_looking();
    // Who looks at values looks at every access.
    if all && !state.plan.is_active() || state.unseen.is_due() || host::has(Flags::VALUES) {
        budget = 0;
    }
    if state.recorder.is_on() && state.recorder.make_room() {
        budget = budget.min(state.recorder.room());
    }
    if record::is_over(state) {
        budget = 0;
    }
    state.budget.set(budget.max(0));
    state.armed.set(budget.max(0));
}

/// Notes a step that was taken.
fn taken(step: Step) {
    let control = host::control();
    let (n, max) = (control.n_taken.get(), control.taken_max);
    let base = host::at::<Step>(control.taken_offset as usize);
    let is_thread = step.kind == StepKind::Thread as u32;
    if is_thread && n > 0 && n <= max {
        // SAFETY: there is room for `max` steps, this one was written before, and the host does not look before the run
        // has ended. Field by field: a step as a whole would have to wait for what was just written.
        unsafe {
            let last = base.add(n as usize - 1);
            if (*last).kind == step.kind && (*last).value == step.value {
                (*last).times += step.times;
                return;
            }
        }
    }
    if n < max {
        // SAFETY: there is room for `max` steps.
        unsafe { base.add(n as usize).write(step) };
    }
    control.n_taken.set(n + 1);
}

/// Which of several waiting threads is woken: the plan's, or the policy's. They are in the order
/// in which they began to wait.
pub fn choose_waiter(state: &State, waiters: &[u32]) -> Option<u32> {
    let &first = waiters.first()?;
    if waiters.len() == 1 {
        return Some(first);
    }
    settle(state);
    if state.explore.is_on() {
        let chosen = state.explore.choose_waiter(state, waiters);
        taken(Step::waiter(chosen));
        arm(state);
        return Some(chosen);
    }
    // The plan may say who, right before the thread goes on.
    state.plan.turn(state);
    let planned = state.plan.waiter.replace(0);
    let chosen = match planned.checked_sub(1) {
        Some(planned) if waiters.contains(&planned) => planned,
        Some(planned) => diverged(state, format_args!("thread {planned} does not wait there")),
        None if random(state) => waiters[state.random_below(waiters.len() as u64) as usize],
        None => first,
    };
    taken(Step::waiter(chosen));
    arm(state);
    Some(chosen)
}

fn random(state: &State) -> bool {
    host::has(Flags::RANDOM) && !state.plan.is_active()
}

/// Who goes on: the running thread, if it can and should, or another one.
pub fn choose(state: &State, me: &'static Thread) -> &'static Thread {
    if state.explore.is_on() {
        let next = state.explore.choose(state, me);
        me.gives_way.set(false);
        return next;
    }
    let next = match state.plan.turn(state) {
        Some(planned) => by_plan(state, planned),
        None => by_policy(state, me),
    };
    me.gives_way.set(false);
    next
}

fn by_plan(state: &State, planned: u32) -> &'static Thread {
    let Some(next) = state.thread(planned) else {
        diverged(state, format_args!("there is no thread {planned} yet"));
    };
    let want = next.want.get();
    if matches!(want.guard, Guard::External(_)) && want.deadline == 0 {
        external::wait_for(state, next);
    }
    let times_out = want.deadline != 0 && want.guard.lets_time_out(state);
    if next.is_done.get() || !(want.guard.holds(state, next) || times_out) {
        diverged(state, format_args!("thread {planned} cannot continue"));
    }
    next
}

fn diverged(state: &State, why: core::fmt::Arguments<'_>) -> ! {
    host::control().diverged_at.set(state.plan.at.get());
    let pc = state.current().want.get().pc;
    let end = End { kind: OutcomeKind::Diverged, pc, address: 0 };
    outcome::finish(state, end, why)
}

fn by_policy(state: &State, me: &'static Thread) -> &'static Thread {
    let can = |thread: &&'static Thread| {
        !thread.is_done.get() && thread.want.get().guard.holds(state, thread)
    };
    let spins = |thread: &&'static Thread| thread.sights.spins(state.n_changes.get());
    let now = state.clock.get();
    let is_due = |thread: &&'static Thread| {
        let want = thread.want.get();
        !thread.is_done.get()
            && want.deadline != 0
            && want.guard.lets_time_out(state)
            && !want.guard.holds(state, thread)
    };
    loop {
        if random(state) {
            let open = || state.all_threads().filter(can).filter(|thread| !spins(thread));
            let n = open().count() as u64;
            if n > 0 {
                let chosen = open().nth(state.random_below(n) as usize);
                return chosen.unwrap_or(me);
            }
        } else {
            if can(&me) && !me.gives_way.get() && !spins(&me) {
                return me;
            }
            let mut others = in_turn(state, me).filter(can);
            if let Some(next) = others.find(|thread| !spins(thread)) {
                return next;
            }
        }
        let timed = state.all_threads().filter(is_due);
        let first = timed.min_by_key(|thread| (thread.want.get().deadline.max(now), thread.number));
        if let Some(first) = first {
            // What is outside goes by real time.
            let left = first.want.get().deadline.saturating_sub(now);
            let spins = |thread: &Thread| thread.sights.spins(state.n_changes.get());
            if external::any_but(state, spins) && external::wait(state, Some(left)) {
                continue;
            }
            return first;
        }
        if let Some(next) = in_turn(state, me).find(can) {
            count_idle_round(state, me);
            return next;
        }
        if !external::any(state) || guard::has_circle(state) {
            outcome::deadlock(state);
        }
        external::wait(state, None);
    }
}

/// Another round in which only threads that spin can go on; too many of them are a livelock.
pub fn count_idle_round(state: &State, me: &Thread) {
    state.idle_rounds.set(state.idle_rounds.get() + 1);
    if state.idle_rounds.get() > IDLE_ROUNDS_MAX {
        let pc = me.want.get().pc;
        let end = End { kind: OutcomeKind::Livelock, pc, address: me.want.get().object };
        outcome::finish(state, end, format_args!("every thread spins"));
    }
}

/// All threads, beginning behind one and ending with it.
pub fn in_turn(state: &State, me: &'static Thread) -> impl Iterator<Item = &'static Thread> {
    let n = state.n_threads();
    let number = me.number;
    (1..=n).filter_map(move |step| state.thread((number + step) % n))
}

/// Lets another thread go on; returns when it is the running thread's turn again.
fn hand_over(state: &State, next: &'static Thread) {
    let me = state.current();
    if core::ptr::eq(me, next) {
        return;
    }
    announce(state, next);
    me.entry.set(context::entry());
    thread::switch(state, me, next);
    context::set_entry(me.entry.get());
}

/// Says that another thread goes on from here.
pub fn announce(state: &State, next: &'static Thread) {
    host::control().n_switches.update(|n| n + 1);
    state.recorder.write(Record::new(Code::Switch, next.number.into(), 0, 0, 0));
    state.same.set(state.same.get().by(next.number));
    state.current.set(next);
}

/// What is still to be followed of a plan.
pub struct Plan {
    /// The step that is followed.
    pub at: Cell<u64>,
    /// How many events are left of it.
    pub left: Cell<i64>,
    /// Who is to be woken next, plus one.
    pub waiter: Cell<u32>,
    n_steps: Cell<u64>,
    turn: Cell<u32>,
}

impl Plan {
    /// No plan.
    pub const fn new() -> Plan {
        Plan {
            at: Cell::new(0),
            left: Cell::new(0),
            waiter: Cell::new(0),
            n_steps: Cell::new(0),
            turn: Cell::new(0),
        }
    }

    /// Begins with the first of so many steps.
    pub fn begin(&self, state: &State, n_steps: u64) {
        self.n_steps.set(n_steps);
        self.load(state);
    }

    /// Whether there is anything left to follow.
    pub fn is_active(&self) -> bool {
        self.at.get() < self.n_steps.get()
    }

    /// Whose turn it is; none when the plan is used up.
    fn turn(&self, state: &State) -> Option<u32> {
        while self.is_active() {
            if self.left.get() > 0 {
                return Some(self.turn.get());
            }
            self.at.set(self.at.get() + 1);
            self.load(state);
        }
        None
    }

    /// Takes up the step at `at`.
    fn load(&self, state: &State) {
        if !self.is_active() {
            return;
        }
        let plan = host::at::<Step>(host::control().plan_offset as usize);
        // SAFETY: the host has put `n_steps` steps there, and does not change them any more.
        let step = unsafe { plan.add(self.at.get() as usize).read() };
        self.left.set(0);
        match step.kind() {
            Some(StepKind::Waiter) => self.waiter.set(step.value + 1),
            Some(StepKind::Thread) => {
                // Some events cannot be told apart in time (giving a lock back while beginning to
                // wait): who was ahead has done them already.
                let ahead = state.thread(step.value).map_or(0, |thread| thread.ahead.replace(0));
                let left = step.times as i64 - ahead;
                if let (true, Some(thread)) = (left < 0, state.thread(step.value)) {
                    thread.ahead.set(-left);
                }
                self.left.set(left.max(0));
                self.turn.set(step.value);
            }
            None => outcome::internal(format_args!("a step of kind {}", step.kind)),
        }
    }

    /// The running thread did so many events.
    fn did(&self, me: &Thread, done: i64) {
        if self.is_active() {
            let left = self.left.get() - done;
            if left < 0 {
                me.ahead.set(me.ahead.get() - left);
            }
            self.left.set(left.max(0));
        }
    }
}
