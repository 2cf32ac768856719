//! Execution: threads run a program, one line at a time, in bursts.
//!
//! In: a program. Out: the events of one run of it. The parts that concern locks, condition
//! variables, barriers and the lives of threads are in files of their own.

use fastrand::Rng;
use raddle_trace::{EventId, Events, LocationId, LockId, Op, ThreadId};

use super::config::Config;
use super::layout::Layout;
use super::lifetime::NextFork;
use super::lock::{Hold, Lock, Want};
use super::program::{Act, Line, Program};
use super::rendezvous::Meeting;
use super::thread::{NONE, State, Thread};

/// Steps without an event after which any access that keeps the rules will do.
const PATIENCE: u32 = 256;

/// A run of a program.
pub(super) struct Execution<'a> {
    pub(super) config: &'a Config,
    pub(super) layout: &'a Layout,
    pub(super) program: &'a Program,
    pub(super) rng: Rng,
    pub(super) events: Events,
    /// Events to come that nothing needs yet.
    pub(super) room: usize,
    pub(super) threads: Vec<Thread>,
    pub(super) n_forked: u32,
    pub(super) next_fork: NextFork,
    /// Threads that can act.
    pub(super) running: Vec<ThreadId>,
    current: ThreadId,
    n_left: u32,
    /// Steps since the last event.
    n_idle: u32,
    /// Per thread and slot.
    pub(super) holds: Vec<Hold>,
    pub(super) locks: Vec<Lock>,
    /// Per condition, who waits.
    pub(super) waiters: Vec<Vec<ThreadId>>,
    pub(super) n_waiting: usize,
    /// Who waits and can time out.
    pub(super) sleepers: Vec<ThreadId>,
    pub(super) meeting: Option<Meeting>,
    pub(super) counts: Vec<u32>,
    pub(super) live_regions: Vec<u32>,
    pub(super) dead_regions: Vec<u32>,
    /// Per variable, if there are values.
    pub(super) values: Vec<u64>,
}

impl<'a> Execution<'a> {
    pub(super) fn new(
        config: &'a Config,
        layout: &'a Layout,
        program: &'a Program,
        rng: Rng,
        mut events: Events,
    ) -> Execution<'a> {
        events.reserve(config.events);
        let mut execution = Execution {
            config,
            layout,
            program,
            rng,
            events,
            room: config.events - config.n_reserved(),
            threads: (0..config.threads).map(|_| Thread::unborn()).collect(),
            n_forked: 1,
            next_fork: NextFork::default(),
            running: Vec::new(),
            current: ThreadId(0),
            n_left: 0,
            n_idle: 0,
            holds: vec![Hold::default(); (config.threads * config.depth) as usize],
            locks: (0..config.locks).map(|_| Lock::default()).collect(),
            waiters: (0..layout.n_conditions).map(|_| Vec::new()).collect(),
            n_waiting: 0,
            sleepers: Vec::new(),
            meeting: None,
            counts: layout.initials.clone(),
            live_regions: Vec::new(),
            dead_regions: (0..layout.n_regions).rev().collect(),
            values: vec![0; if config.values { layout.n_vars() as usize } else { 0 }],
        };
        execution.threads[0].state = State::Fresh;
        execution.resume(ThreadId(0));
        execution.plan_fork();
        execution
    }

    /// Runs until there are enough events.
    pub(super) fn run(mut self) -> Events {
        while self.room > 0 {
            let n_before = self.events.len();
            let thread = self.schedule();
            self.step(thread);
            self.n_idle = if self.events.len() > n_before { 0 } else { self.n_idle + 1 };
        }
        if !self.config.truncate {
            self.close();
        }
        assert_eq!(self.events.len(), self.config.events, "G3: everything was paid for");
        self.events
    }

    fn schedule(&mut self) -> ThreadId {
        if self.n_left == 0 || !self.can_act(self.current) {
            self.expire();
            self.current = self.running[self.rng.usize(..self.running.len())];
            self.n_left = self.rng.u32(..self.config.burst.saturating_mul(2) - 1) + 1;
        }
        self.n_left -= 1;
        self.current
    }

    fn step(&mut self, me: ThreadId) {
        let thread = &self.threads[me.index()];
        match thread.state {
            State::Fresh => self.begin(me),
            State::Wants => self.retry(me),
            State::Leaving(barrier) => self.leave(me, barrier),
            _ if self.room < self.lock_cost() || self.n_idle > PATIENCE => self.pad(me),
            _ if self.forks_now(me) => self.fork(me),
            _ if thread.pc == thread.function.end => self.between_calls(me),
            _ => self.next_line(me),
        }
    }

    fn next_line(&mut self, me: ThreadId) {
        let thread = &mut self.threads[me.index()];
        let Line { act, location } = self.program.code[thread.pc as usize];
        thread.pc += 1;
        match act {
            Act::Access { target, touch } => self.access(me, target, touch, location),
            Act::Lock { slot, group, mode, only_try } => {
                let lock = LockId(group.base + thread.instance % group.width);
                let waker = None;
                let want = Want { slot, lock, mode, location, requested: false, waker };
                self.lock(me, want, only_try);
            }
            Act::Wait { slot } => self.wait(me, slot, location),
            Act::Notify { slot, all } => self.notify(me, slot, all, location),
            Act::Post(semaphore) => self.post(me, semaphore, location),
            Act::Take(semaphore) => self.take(me, semaphore, location),
            Act::Open(transaction) => {
                thread.transactions.push(transaction);
                self.owe(1);
                self.emit(me, Op::TxBegin { transaction }, location);
            }
            Act::Branch => _ = self.emit(me, Op::Branch, location),
            Act::Alloc => self.alloc(me, location),
            Act::Free => self.free(me, location),
            Act::Unlock { .. } | Act::Close(_) => self.finish(me, act, location),
        }
    }

    /// Executes a line that ends something, if that was begun.
    pub(super) fn finish(&mut self, me: ThreadId, act: Act, location: LocationId) {
        match act {
            Act::Unlock { slot } if self.hold(me, slot).is_some() => {
                self.pay(1);
                self.release(me, slot, location);
            }
            Act::Close(transaction) => {
                let open = &mut self.threads[me.index()].transactions;
                if open.pop_if(|innermost| *innermost == transaction).is_some() {
                    self.pay(1);
                    self.emit(me, Op::TxEnd { transaction }, location);
                }
            }
            _ => {}
        }
    }

    /// Joins children, goes to the barrier, ends, or calls a function.
    fn between_calls(&mut self, me: ThreadId) {
        if let Some(child) = self.threads[me.index()].zombies.pop() {
            return self.join(me, child);
        }
        if self.comes_to_meeting(me) {
            return self.arrive(me);
        }
        if self.retires_now(me) {
            return self.retire(me);
        }
        if self.chance(self.config.barrier) {
            self.call_meeting(me);
        }
        self.call(me);
    }

    /// Calls the next function, or the same again for the next element.
    fn call(&mut self, me: ThreadId) {
        let thread = &mut self.threads[me.index()];
        if thread.n_repeats > 0 {
            thread.n_repeats -= 1;
            thread.instance = thread.instance.wrapping_add(1);
        } else {
            thread.n_repeats = self.rng.u32(..6);
            thread.instance = self.rng.u32(..);
            thread.function = self.program.call(me, &mut self.rng);
        }
        thread.pc = thread.function.start;
    }

    /// Appends an event for which there is room.
    #[inline]
    pub(super) fn emit(&mut self, thread: ThreadId, op: Op, location: LocationId) -> EventId {
        self.room -= 1;
        self.events.push(thread, op, Some(location))
    }

    /// Puts events aside that will be needed to end what is begun now.
    pub(super) fn owe(&mut self, n: usize) {
        self.room -= if self.config.truncate { 0 } else { n };
    }

    /// Gives room for events that were put aside.
    pub(super) fn pay(&mut self, n: usize) {
        self.room += if self.config.truncate { 0 } else { n };
    }

    /// Lets a thread act.
    pub(super) fn resume(&mut self, thread: ThreadId) {
        self.threads[thread.index()].place = self.running.len() as u32;
        self.running.push(thread);
    }

    /// Lets a thread act no more until it is resumed.
    pub(super) fn suspend(&mut self, thread: ThreadId) {
        let place = std::mem::replace(&mut self.threads[thread.index()].place, NONE);
        self.running.swap_remove(place as usize);
        if let Some(moved) = self.running.get(place as usize) {
            self.threads[moved.index()].place = place;
        }
    }

    fn can_act(&self, thread: ThreadId) -> bool {
        self.threads[thread.index()].place != NONE
    }

    /// True if no thread has found anything to do for a long time.
    pub(super) fn is_stuck(&self) -> bool {
        self.n_idle > 4 * PATIENCE
    }

    /// True if the trace is long enough and stops in the middle of a step.
    pub(super) fn is_over(&self) -> bool {
        self.config.truncate && self.room == 0
    }

    /// G2: this thread may leave the others alone.
    pub(super) fn others_act(&self) -> bool {
        self.running.len() > 1
    }

    pub(super) fn chance(&mut self, probability: f64) -> bool {
        self.rng.f64() < probability
    }
}
