//! Happens-before: what threads learn from each other (rules H1 to H4).

use raddle_wire::{Code, Record};

use super::Detector;
use super::clock::Clock;

/// What is remembered of a thread. Nothing unless it is of this execution.
#[derive(Clone, Copy)]
pub(super) struct Actor {
    pub(super) execution: u64,
    /// Its own time in its clock.
    pub(super) time: u32,
    noticed: bool,
    /// The condition it waits on, and the barrier it waits at: addresses, or zero.
    cond: u64,
    barrier: u64,
    /// What it knows.
    pub(super) clock: Clock,
    /// What it knew at its last release fence.
    pub(super) fenced: Clock,
    /// What an acquire fence would teach it.
    pub(super) overheard: Clock,
    /// What the signal that reached it knows.
    notice: Clock,
}

impl Detector {
    /// What is remembered of a thread, if it can be.
    #[inline]
    pub(super) fn actor(&mut self, thread: u32) -> Option<&mut Actor> {
        let execution = self.execution;
        if self.actors.get(thread as usize)?.execution != execution {
            self.first_of(thread);
        }
        Some(&mut self.actors[thread as usize])
    }

    #[cold]
    fn first_of(&mut self, thread: u32) {
        let none = Clock::default();
        self.n_actors = self.n_actors.max(thread + 1);
        self.actors[thread as usize] = Actor {
            execution: self.execution,
            time: 0,
            noticed: false,
            cond: 0,
            barrier: 0,
            clock: none,
            fenced: none,
            overheard: none,
            notice: none,
        };
        self.tick(thread);
        self.is_blind |= self.clocks.is_full;
    }

    /// The number of a thread of which something is remembered from now on.
    fn number(&mut self, thread: u64) -> Option<u32> {
        let number = u32::try_from(thread).ok()?;
        self.actor(number).map(|_| number)
    }

    /// Everything but accesses and memory that comes and goes.
    pub(super) fn synchronise(&mut self, thread: u32, code: Code, record: Record) {
        let object = record.object();
        if self.actor(thread).is_none() {
            self.is_blind = true;
            return;
        }
        match (code, record.extra()) {
            (Code::Fork, _) => self.fork(thread, object),
            (Code::Join, _) => self.join(thread, object),
            (Code::Lock, shared) => {
                self.acquire(thread, object);
                if shared == 0 {
                    self.acquire_readers(thread, object);
                }
            }
            (Code::Unlock, 0) => {
                // A writer knows what the readers before it knew.
                if let Some(slot) = self.places.find(object) {
                    self.places.at(slot).readers.clear();
                }
                self.release(thread, object);
            }
            (Code::Unlock, _) => self.release_readers(thread, object),
            (Code::OnceEnter | Code::OncePass | Code::Take, _) | (Code::Order, 1) => {
                self.acquire(thread, object);
            }
            (Code::OnceDone | Code::Post, _) | (Code::Order, _) => self.release(thread, object),
            (Code::SemaphoreInit | Code::BarrierInit, _) => self.initialise(code, record),
            (Code::Arrive, _) => self.arrive(thread, object),
            // Unless it is known how many a barrier waits for.
            (Code::Leave, _) if self.actors[thread as usize].barrier == object => {
                self.depart(object);
            }
            (Code::Fence, order) => self.fence(thread, order),
            (Code::Wait | Code::Wake | Code::Notify | Code::NotifyAll, extra) => {
                self.wait_event(thread, code, object, extra);
            }
            _ => {}
        }
        self.is_blind |= self.clocks.is_full || self.places.is_full;
    }

    fn fork(&mut self, thread: u32, child: u64) {
        let parent = self.actors[thread as usize].clock;
        let Some(child) = self.number(child) else {
            self.is_blind = true;
            return;
        };
        self.learn(child, parent);
        self.tick(thread);
    }

    /// Whoever was joined does nothing more: what is remembered of it is not needed.
    fn join(&mut self, thread: u32, child: u64) {
        let Some(child) = self.number(child).filter(|&child| child != thread) else { return };
        self.learn(thread, self.actors[child as usize].clock);
        let Actor { clock, fenced, overheard, notice, .. } = &mut self.actors[child as usize];
        for clock in [clock, fenced, overheard, notice] {
            self.clocks.discard(clock);
        }
    }

    fn initialise(&mut self, code: Code, record: Record) {
        let n_parties = if code == Code::BarrierInit { record.count() } else { 0 };
        let slot = match n_parties {
            0 => self.places.find(record.object()),
            _ => self.place(record.object()),
        };
        if let Some(slot) = slot {
            let place = self.places.at(slot);
            place.lock.clear();
            (place.n_parties, place.n_arrived) = (n_parties, 0);
        }
    }

    /// H3: with the last that arrives all may leave. The others do nothing until they do, so they
    /// learn now what they will know then.
    fn arrive(&mut self, thread: u32, barrier: u64) {
        self.release(thread, barrier);
        self.actors[thread as usize].barrier = barrier;
        let Some(slot) = self.places.find(barrier) else { return };
        let place = self.places.at(slot);
        place.n_arrived += 1;
        if place.n_arrived == place.n_parties {
            self.depart(barrier);
        }
    }

    fn depart(&mut self, barrier: u64) {
        let Some(slot) = self.places.find(barrier) else { return };
        let clock = self.places.at(slot).lock;
        for actor in &mut self.actors[..self.n_actors as usize] {
            if actor.execution == self.execution && actor.barrier == barrier {
                actor.barrier = 0;
                self.clocks.join(&mut actor.clock, clock);
            }
        }
        let place = self.places.at(slot);
        place.lock.clear();
        place.n_arrived = 0;
    }

    /// H4.
    fn wait_event(&mut self, thread: u32, code: Code, cond: u64, extra: u16) {
        let actor = &mut self.actors[thread as usize];
        let from = actor.clock;
        match code {
            Code::Wait => (actor.cond, actor.noticed) = (cond, false),
            Code::Wake => {
                if extra == 0 && actor.noticed {
                    self.clocks.join(&mut actor.clock, actor.notice);
                }
                (actor.cond, actor.noticed) = (0, false);
            }
            Code::Notify => {
                if let Some(waiter) = extra.checked_sub(1) {
                    self.notify(waiter.into(), from);
                }
                self.tick(thread);
            }
            _ => {
                for waiter in 0..self.n_actors {
                    let about = &self.actors[waiter as usize];
                    let waits = about.execution == self.execution && about.cond == cond;
                    if waits && !about.noticed {
                        self.notify(waiter, from);
                    }
                }
                self.tick(thread);
            }
        }
    }

    fn notify(&mut self, waiter: u32, from: Clock) {
        if self.actor(waiter).is_some() {
            let about = &mut self.actors[waiter as usize];
            self.clocks.copy(&mut about.notice, from);
            about.noticed = true;
        }
    }

    fn acquire(&mut self, thread: u32, address: u64) {
        if let Some(slot) = self.places.find(address) {
            let clock = self.places.at(slot).lock;
            self.learn(thread, clock);
        }
    }

    fn acquire_readers(&mut self, thread: u32, address: u64) {
        if let Some(slot) = self.places.find(address) {
            let clock = self.places.at(slot).readers;
            self.learn(thread, clock);
        }
    }

    fn release(&mut self, thread: u32, address: u64) {
        if let Some(slot) = self.place(address) {
            let clock = self.actors[thread as usize].clock;
            self.clocks.join(&mut self.places.at(slot).lock, clock);
            self.tick(thread);
        }
    }

    fn release_readers(&mut self, thread: u32, address: u64) {
        if let Some(slot) = self.place(address) {
            let clock = self.actors[thread as usize].clock;
            self.clocks.join(&mut self.places.at(slot).readers, clock);
            self.tick(thread);
        }
    }

    /// The place of synchronisation at an address, new if there was none.
    pub(super) fn place(&mut self, address: u64) -> Option<usize> {
        let slot = self.places.find(address).or_else(|| self.places.make(address))?;
        if !core::mem::replace(&mut self.places.at(slot).is_noted, true) {
            self.shadow.note_place(address);
        }
        Some(slot)
    }

    fn learn(&mut self, thread: u32, from: Clock) {
        self.clocks.join(&mut self.actors[thread as usize].clock, from);
    }

    /// What the thread does from now on is later than what others know of it.
    pub(super) fn tick(&mut self, thread: u32) {
        let actor = &mut self.actors[thread as usize];
        actor.time = actor.time.saturating_add(1);
        self.clocks.set(&mut actor.clock, thread, actor.time);
    }
}
