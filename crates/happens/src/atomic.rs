//! Atomic operations and fences (rules H5 and H6).
//!
//! What a write *says* is what its thread knows if it releases, and else what its thread knew at its last release
//! fence. By C++20 a store says that and nothing else, a read-modify-write adds it to what was said before, and a plain
//! write says nothing. By C11 a store also goes on with what its own thread has said in the release sequences that are
//! there, and ends those of other threads. So it has to be known who said what:
//!
//! - L1: as long as one thread alone has said something, that is all that was said (`Location::by`).
//! - L2: once a second one has, each has a head of its own (`Head`), until the next store.
//! - L3: a store that releases says more than anything that its thread has said before; so does one behind a
//!   release fence that came later than that. Then the rules do not differ.

use core::mem;

use crate::table::{Table, Times};
use crate::{Happens, Known, Order, Thread};

/// An atomic location: what its newest write publishes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Location {
    /// What a read learns that acquires.
    said: Known,
    by: By,
}

/// Who said what a location has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u32)]
enum By {
    /// Nobody; all zero, for engines whose tables are.
    #[default]
    Nobody = 0,
    /// One thread (L1).
    One(u32),
    /// Several; the first of their heads (L2).
    Several(u32),
}

/// What one thread has said at a location, in the release sequences that it heads there. The first one in the table
/// is none: its `next` begins those that are not used.
#[derive(Clone, Copy, Debug, Default)]
pub struct Head {
    thread: u32,
    /// The next one there; 0: none.
    next: u32,
    said: Known,
}

impl Location {
    /// Whether whoever reads it learns nothing.
    pub fn is_silent(&self) -> bool {
        self.by == By::Nobody
    }
}

impl<W: Times, T: Table<Thread>, H: Table<Head>> Happens<W, T, H> {
    /// A thread reads atomically: a load, the reading half of a read-modify-write, a compare-exchange that fails.
    #[inline]
    pub fn load(&mut self, thread: u32, location: &Location, order: Order) {
        if location.by == By::Nobody || !self.has(thread) {
            return;
        }
        if order.acquires() {
            return self.learn(thread, location.said);
        }
        let about = self.threads.change(thread);
        self.is_full |= !self.clocks.learn(&mut about.overheard, location.said);
    }

    /// A thread stores atomically.
    #[inline]
    pub fn store(&mut self, thread: u32, location: &mut Location, order: Order) {
        if !self.has(thread) {
            return;
        }
        let said = self.said(thread, order);
        match location.by {
            By::One(head) if head == thread && !order.releases() => {
                self.go_on(thread, location, location.said, said);
            }
            By::Several(_) => {
                let old = if order.releases() { None } else { self.head(location, thread) };
                let old = old.map(|index| mem::take(&mut self.heads.change(index).said));
                let mut kept = old.unwrap_or_default();
                self.overwrite(location);
                self.go_on(thread, location, kept, said);
                self.discard(&mut kept);
            }
            _ => self.is_full |= !self.clocks.replace(&mut location.said, said),
        }
        let is_silent = !order.releases() && self.clocks.knows_nobody(location.said);
        location.by = if is_silent { By::Nobody } else { By::One(thread) };
        if order.releases() {
            self.tick(thread);
        }
    }

    /// A thread changes a location atomically, having read it ([`Happens::load`]).
    #[inline]
    pub fn modify(&mut self, thread: u32, location: &mut Location, order: Order) {
        if !self.has(thread) {
            return;
        }
        let said = self.said(thread, order);
        if !order.releases() && self.clocks.knows_nobody(said) {
            return;
        }
        match location.by {
            By::Nobody => location.by = By::One(thread),
            By::One(head) if head == thread => {}
            By::One(head) => {
                location.by = By::Several(0);
                self.add_head(location, head, location.said);
                self.add_head(location, thread, said);
            }
            By::Several(_) => self.add_head(location, thread, said),
        }
        self.is_full |= !self.clocks.learn(&mut location.said, said);
        if order.releases() {
            self.tick(thread);
        }
    }

    /// Whether a write of a thread says anything; if not, it needs no location that nobody has written to.
    pub fn says_something(&mut self, thread: u32, order: Order) -> bool {
        order.releases() || self.has(thread) && !self.clocks.knows_nobody(self.said(thread, order))
    }

    /// Something writes to a location without being atomic: whoever reads that learns nothing.
    pub fn overwrite(&mut self, location: &mut Location) {
        if let By::Several(first) = mem::take(&mut location.by) {
            let mut next = first;
            while next != 0 {
                let head = self.heads.change(next);
                let mut said = mem::take(&mut head.said);
                let index = mem::replace(&mut next, head.next);
                self.discard(&mut said);
                let spare = mem::replace(&mut self.heads.change(0).next, index);
                self.heads.change(index).next = spare;
            }
        }
        self.forget(location.said);
    }

    /// A location is there no more, and its room can be used again.
    pub fn discard_location(&mut self, location: &mut Location) {
        self.overwrite(location);
        self.discard(&mut location.said);
    }

    /// A fence.
    pub fn fence(&mut self, thread: u32, order: Order) {
        if !self.has(thread) {
            return;
        }
        if order.acquires() {
            let overheard = self.threads.get(thread).overheard;
            self.learn(thread, overheard);
        }
        if order.releases() {
            let about = self.threads.change(thread);
            self.is_full |= !self.clocks.replace(&mut about.fenced, about.knows);
            self.tick(thread);
        }
    }

    /// What one learns at a location: all of it, and what each of several threads has said.
    pub fn sayings(&self, location: &Location) -> impl Iterator<Item = (Option<u32>, Known)> {
        let mut next = if let By::Several(first) = location.by { first } else { 0 };
        let heads = core::iter::from_fn(move || {
            let head = (next != 0).then(|| *self.heads.get(next))?;
            next = head.next;
            Some((Some(head.thread), head.said))
        });
        let by = if let By::One(thread) = location.by { Some(thread) } else { None };
        core::iter::once((by, location.said)).chain(heads)
    }

    /// What a write of a thread says.
    #[inline]
    fn said(&self, thread: u32, order: Order) -> Known {
        let about = self.threads.get(thread);
        if order.releases() { about.knows } else { about.fenced }
    }

    /// H6: a relaxed store says what its thread knew at its last fence; by C11 also what that thread had said.
    fn go_on(&mut self, thread: u32, location: &mut Location, old: Known, said: Known) {
        let times = |clock| self.clocks.time(clock, thread);
        let is_later = times(said.clock) >= times(old.clock).max(times(old.older)); // L3
        let mut older = mem::take(&mut location.said.older);
        let mut kept = Known::default();
        if !is_later {
            self.is_full |= !self.clocks.learn_by_c11(&mut kept, old);
        }
        self.clocks.discard(&mut older);
        self.clocks.clear(location.said.clock);
        location.said.older = kept.older;
        self.is_full |= !self.clocks.learn(&mut location.said, said);
    }

    /// The head of a thread at a location.
    fn head(&self, location: &Location, thread: u32) -> Option<u32> {
        let By::Several(first) = location.by else { return None };
        let mut next = first;
        while next != 0 && self.heads.get(next).thread != thread {
            next = self.heads.get(next).next;
        }
        (next != 0).then_some(next)
    }

    /// L2: a thread has said something at a location where several have.
    fn add_head(&mut self, location: &mut Location, thread: u32, said: Known) {
        let index = match self.head(location, thread) {
            Some(index) => index,
            None => {
                let By::Several(next) = location.by else { return };
                let Some(index) = self.new_head() else {
                    self.is_full = true;
                    return;
                };
                *self.heads.change(index) = Head { thread, next, said: Known::default() };
                location.by = By::Several(index);
                index
            }
        };
        let mut known = self.heads.get(index).said;
        self.is_full |= !self.clocks.learn(&mut known, said);
        self.heads.change(index).said = known;
    }

    fn new_head(&mut self) -> Option<u32> {
        let spare = self.heads.get(0).next;
        if spare != 0 {
            self.heads.change(0).next = self.heads.get(spare).next;
            return Some(spare);
        }
        let new = self.heads.len();
        self.heads.push(Head::default()).then_some(new)
    }
}
