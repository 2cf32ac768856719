//! Happens-before: what threads learn from each other (rules H1 to H5).

use raddle_cfront::ir::Order;
use raddle_trace::WakeReason;

use super::clock::Clock;
use super::shadow::{NONE, Place, Role};
use super::{Actor, Detector};
use crate::observe::{Event, What};

impl Detector {
    /// What is remembered of a thread.
    pub(super) fn actor(&mut self, thread: u32) -> Actor {
        while thread >= self.actors.len() {
            let new = self.actors.push(Actor::default());
            self.tick(new);
        }
        *self.actors.get(thread)
    }

    /// Everything but accesses and frees.
    pub(super) fn synchronise(&mut self, event: &Event<'_>) {
        let thread = event.thread;
        match event.what {
            What::Begin { function } => {
                let actor = self.actor(thread);
                self.actors.set(thread, Actor { start: function.0, ..actor });
            }
            What::Fork { child } => self.fork(thread, child),
            What::Join { child } => {
                let ended = self.actor(child);
                self.learn(thread, ended.clock);
            }
            What::Acquire { address, shared } => {
                self.acquire(event, address, Role::Lock);
                if !shared {
                    self.acquire(event, address, Role::Readers);
                }
            }
            What::Release { address, shared: true } => self.release(event, address, Role::Readers),
            What::Release { address, shared: false } => {
                // A writer knows what the readers before it knew.
                self.forget(event, address, Role::Readers);
                self.release(event, address, Role::Lock);
            }
            What::OnceBegin { address } | What::OncePassed { address } | What::Take { address } => {
                self.acquire(event, address, Role::Lock);
            }
            What::OnceEnd { address } | What::Post { address } => {
                self.release(event, address, Role::Lock);
            }
            What::SemaphoreInit { address, .. } | What::BarrierInit { address, .. } => {
                self.forget(event, address, Role::Lock);
            }
            What::Arrive { address } => {
                self.release(event, address, Role::Lock);
                let actor = self.actor(thread);
                self.actors.set(thread, Actor { barrier: address, ..actor });
            }
            What::Leave { address } => self.leave(event, address),
            What::AtomicBegin | What::AtomicEnd => self.section(event),
            What::Fence { order } => self.fence(thread, order),
            _ => self.wait_event(event),
        }
    }

    /// H5: an atomic read, or the reading half of a read-modify-write.
    pub(super) fn load(&mut self, event: &Event<'_>, object: u32, offset: u32, order: Order) {
        let shadow = self.shadows.of(event.view.memory, object);
        let mut next = self.shadows.shadows.get(shadow).places;
        while next != NONE {
            let place = *self.shadows.places.get(next);
            next = place.next;
            if place.offset != offset || !matches!(place.role, Role::Head(_)) {
                continue;
            }
            if acquires(order) {
                self.learn(event.thread, place.clock);
            } else {
                let actor = self.actor(event.thread);
                let overheard = self.clocks.join(actor.overheard, place.clock);
                self.actors.set(event.thread, Actor { overheard, ..actor });
            }
        }
    }

    /// H5: an atomic store: the release sequences of other threads end.
    pub(super) fn store(&mut self, event: &Event<'_>, object: u32, offset: u32, order: Order) {
        let own = Role::Head(event.thread);
        self.end_sequences(event, object, (offset, 1), Some(own));
        self.modify(event, object, offset, order);
    }

    /// H5: a plain write: whoever reads it learns nothing.
    pub(super) fn overwrite(&mut self, event: &Event<'_>, object: u32, offset: u32, size: u32) {
        self.end_sequences(event, object, (offset, size), None);
    }

    /// H5: the writing half of a read-modify-write: all release sequences go on.
    pub(super) fn modify(&mut self, event: &Event<'_>, object: u32, offset: u32, order: Order) {
        let actor = self.actor(event.thread);
        let clock = if releases(order) { actor.clock } else { actor.fenced };
        if self.clocks.is_empty(clock) {
            return;
        }
        let shadow = self.shadows.of(event.view.memory, object);
        let place = self.shadows.place(shadow, offset, Role::Head(event.thread));
        self.teach(place, clock);
        if releases(order) {
            self.tick(event.thread);
        }
    }

    fn end_sequences(
        &mut self,
        event: &Event<'_>,
        object: u32,
        (offset, size): (u32, u32),
        but: Option<Role>,
    ) {
        let shadow = self.shadows.of(event.view.memory, object);
        let mut next = self.shadows.shadows.get(shadow).places;
        while next != NONE {
            let place = *self.shadows.places.get(next);
            next = place.next;
            let there = (offset..offset + size).contains(&place.offset);
            if there && matches!(place.role, Role::Head(_)) && Some(place.role) != but {
                self.clocks.clear(place.clock);
            }
        }
    }

    fn fence(&mut self, thread: u32, order: Order) {
        let actor = self.actor(thread);
        if acquires(order) {
            self.learn(thread, actor.overheard);
        }
        if releases(order) {
            let actor = self.actor(thread);
            let fenced = self.clocks.copy(actor.fenced, actor.clock);
            self.actors.set(thread, Actor { fenced, ..actor });
            self.tick(thread);
        }
    }

    fn fork(&mut self, thread: u32, child: u32) {
        let parent = self.actor(thread).clock;
        self.actor(child);
        self.learn(child, parent);
        self.tick(thread);
    }

    /// H3: the first to leave a barrier is the last that arrived. The others do nothing until they
    /// leave, so they learn now what they will know then.
    fn leave(&mut self, event: &Event<'_>, address: u64) {
        if self.actor(event.thread).barrier != address {
            return;
        }
        let Some(clock) = self.known_at(event, address, Role::Lock) else { return };
        for thread in 0..self.actors.len() {
            let actor = *self.actors.get(thread);
            if actor.barrier == address {
                self.actors.set(thread, Actor { barrier: 0, ..actor });
                self.learn(thread, clock);
            }
        }
        self.clocks.clear(clock);
    }

    fn section(&mut self, event: &Event<'_>) {
        self.sections.extend_to(1, Clock::default());
        let all = *self.sections.get(0);
        if event.what == What::AtomicBegin {
            return self.learn(event.thread, all);
        }
        let own = self.actor(event.thread).clock;
        let all = self.clocks.join(all, own);
        self.sections.set(0, all);
        self.tick(event.thread);
    }

    /// H4.
    fn wait_event(&mut self, event: &Event<'_>) {
        let actor = self.actor(event.thread);
        match event.what {
            What::Wait { cond, .. } => {
                self.actors.set(event.thread, Actor { cond, noticed: false, ..actor });
            }
            What::Wake { reason, .. } => {
                self.actors.set(event.thread, Actor { cond: 0, noticed: false, ..actor });
                if reason == WakeReason::Notified && actor.noticed {
                    self.learn(event.thread, actor.notice);
                }
            }
            What::Signal { woken, .. } => {
                if let Some(woken) = woken {
                    self.notify(actor, woken);
                }
                self.tick(event.thread);
            }
            What::Broadcast { cond } => {
                for waiter in 0..self.actors.len() {
                    let about = self.actors.get(waiter);
                    if about.cond == cond && !about.noticed {
                        self.notify(actor, waiter);
                    }
                }
                self.tick(event.thread);
            }
            _ => {}
        }
    }

    fn notify(&mut self, from: Actor, waiter: u32) {
        let about = self.actor(waiter);
        let notice = self.clocks.copy(about.notice, from.clock);
        self.actors.set(waiter, Actor { notice, noticed: true, ..about });
    }

    fn acquire(&mut self, event: &Event<'_>, address: u64, role: Role) {
        if let Some(clock) = self.known_at(event, address, role) {
            self.learn(event.thread, clock);
        }
    }

    fn release(&mut self, event: &Event<'_>, address: u64, role: Role) {
        let Some((object, offset)) = event.view.resolve(address) else { return };
        let shadow = self.shadows.of(event.view.memory, object);
        let place = self.shadows.place(shadow, offset, role);
        let clock = self.actor(event.thread).clock;
        self.teach(place, clock);
        self.tick(event.thread);
    }

    fn forget(&mut self, event: &Event<'_>, address: u64, role: Role) {
        if let Some(clock) = self.known_at(event, address, role) {
            self.clocks.clear(clock);
        }
    }

    /// What one learns from a lock or the like, if anybody was there before.
    fn known_at(&mut self, event: &Event<'_>, address: u64, role: Role) -> Option<Clock> {
        let (object, offset) = event.view.resolve(address)?;
        let shadow = self.shadows.of(event.view.memory, object);
        let shadow = self.shadows.shadows.get(shadow);
        let mut places = self.shadows.places(shadow).map(|(_, place)| place);
        let place = places.find(|place| place.offset == offset && place.role == role)?;
        Some(place.clock)
    }

    fn teach(&mut self, place: u32, clock: Clock) {
        let about = *self.shadows.places.get(place);
        let clock = self.clocks.join(about.clock, clock);
        self.shadows.places.set(place, Place { clock, ..about });
    }

    fn learn(&mut self, thread: u32, from: Clock) {
        let actor = self.actor(thread);
        let clock = self.clocks.join(actor.clock, from);
        self.actors.set(thread, Actor { clock, ..actor });
    }

    /// What the thread does from now on is later than what others know of it.
    fn tick(&mut self, thread: u32) {
        let actor = *self.actors.get(thread);
        let clock = self.clocks.tick(actor.clock, thread);
        self.actors.set(thread, Actor { clock, ..actor });
    }
}

fn acquires(order: Order) -> bool {
    matches!(order, Order::Acquire | Order::AcqRel | Order::SeqCst)
}

fn releases(order: Order) -> bool {
    matches!(order, Order::Release | Order::AcqRel | Order::SeqCst)
}
