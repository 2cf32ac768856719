//! Objects: what locks, channels and the like are in an execution.
//!
//! A lock of the program has a [`Slot`], which says which object it is. It becomes one when it is
//! used for the first time in an execution, so that it can be made by a `const fn`, and so that one
//! that outlives an execution (a static) is a new one in the next.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use raddle_happens::{Location, Lock};

use super::{Here, NONE, Site, World};
use crate::engine::epochs;

/// What kind of thing an object is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Mutex,
    RwLock,
    Condvar,
    Barrier,
    Once,
    Channel,
    Atomic,
    Cell,
    Arc,
}

impl Kind {
    /// In words.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Kind::Mutex => "mutex",
            Kind::RwLock => "lock",
            Kind::Condvar => "condition",
            Kind::Barrier => "barrier",
            Kind::Once => "once",
            Kind::Channel => "channel",
            Kind::Atomic => "atomic",
            Kind::Cell => "cell",
            Kind::Arc => "arc",
        }
    }
}

/// A lock or the like.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) kind: Kind,
    /// Its number for reduction: who used it first, and how many objects that thread had then.
    pub(crate) id: u64,
    /// Where it was made.
    pub(crate) made: Site,
    /// Who has it for writing, or initialises it.
    pub(crate) owner: u32,
    /// Where the owner took it.
    pub(crate) taken: Option<Site>,
    /// Readers that have it, messages that are in it, threads that have arrived.
    pub(crate) count: u32,
    /// How many wait to have it for writing and for reading, and were not woken (`sync::rwlock`).
    pub(crate) n_writers_waiting: u32,
    pub(crate) n_readers_waiting: u32,
    /// How many messages fit.
    pub(crate) limit: u32,
    pub(crate) n_senders: u32,
    /// How many messages were taken out of it.
    pub(crate) n_taken: u32,
    pub(crate) is_closed: bool,
    pub(crate) generation: u32,
    /// Whether somebody saw that it was taken, and did not wait.
    pub(crate) was_seen: bool,
    /// What one learns who takes it, and who reads it if it is an atomic.
    pub(crate) lock: Lock,
    pub(crate) location: Location,
    /// What is in it, as the identity of who wrote it (`local`); 0 before anybody has.
    pub(crate) data: u64,
    /// Whether somebody took it only because it was free.
    pub(crate) was_tried: bool,
    /// The shadow of a cell.
    pub(crate) cell: u32,
}

/// Says which object something is.
#[derive(Debug)]
pub(crate) struct Slot {
    epoch: AtomicU64,
    index: AtomicU32,
    made: Site,
}

impl Slot {
    /// For something that is made here.
    #[track_caller]
    pub(crate) const fn new() -> Slot {
        Slot {
            epoch: AtomicU64::new(0),
            index: AtomicU32::new(0),
            made: std::panic::Location::caller(),
        }
    }

    /// Its object in this execution; `reset` is called if it was one in an earlier execution.
    #[inline]
    pub(crate) fn object(&self, here: Here, kind: Kind, reset: impl FnOnce()) -> u32 {
        if self.epoch.load(Ordering::Relaxed) == here.with(|world| world.epoch) {
            return self.index.load(Ordering::Relaxed);
        }
        self.enter(here, kind, reset, || {})
    }

    /// The same; `keep` is called if it was never one before.
    #[inline]
    pub(crate) fn object_kept(
        &self,
        here: Here,
        kind: Kind,
        reset: impl FnOnce(),
        keep: impl FnOnce(),
    ) -> u32 {
        if self.epoch.load(Ordering::Relaxed) == here.with(|world| world.epoch) {
            return self.index.load(Ordering::Relaxed);
        }
        self.enter(here, kind, reset, keep)
    }

    /// Where it was made.
    pub(crate) fn made(&self) -> Site {
        self.made
    }

    #[cold]
    fn enter(&self, here: Here, kind: Kind, reset: impl FnOnce(), keep: impl FnOnce()) -> u32 {
        let epoch = here.with(|world| world.epoch);
        // If another execution does this at the same time, one of the two finds the other's number
        // when it comes here again, which it does at its next use.
        let before = self.epoch.load(Ordering::Relaxed);
        self.epoch.store(epoch, Ordering::Relaxed);
        if before == 0 {
            keep();
        } else {
            if epochs::is_elsewhere(before, epoch) {
                here.refuse(shared(kind, self.made));
            }
            reset();
        }
        let index = here.with(|world| world.add_object(kind, self.made));
        self.index.store(index, Ordering::Relaxed);
        index
    }
}

impl World {
    pub(crate) fn add_object(&mut self, kind: Kind, made: Site) -> u32 {
        let index = self.objects.len() as u32;
        let thread = self.current;
        let at = self.me();
        let id = u64::from(thread) << 32 | u64::from(at.n_objects);
        at.n_objects += 1;
        self.objects.push(Object {
            kind,
            id,
            made,
            owner: NONE,
            taken: None,
            count: 0,
            n_writers_waiting: 0,
            n_readers_waiting: 0,
            limit: u32::MAX,
            n_senders: 0,
            n_taken: 0,
            is_closed: false,
            generation: 0,
            was_seen: false,
            lock: Lock::default(),
            location: Location::default(),
            data: 0,
            was_tried: false,
            cell: NONE,
        });
        index
    }
}

#[cold]
fn shared(kind: Kind, made: Site) -> String {
    format!(
        "the {} made at {made} is used by two executions at a time: something static is shared by \
         tests or jobs. Create it inside the closure, run the tests one at a time \
         (--test-threads=1 or nextest), and use one job",
        kind.word()
    )
}

impl Default for Slot {
    #[track_caller]
    fn default() -> Slot {
        Slot::new()
    }
}
