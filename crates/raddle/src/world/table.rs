//! What is known of loops: a table that belongs to a check, for all of its engines.
//!
//! In: loops that were tried (`trial`). Out: whether a thread in a local state is in an endless loop. It holds
//! properties of states only, so it makes no difference in which order executions ask for them.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use raddle_explore::Outcome;
use raddle_finding::Choice;
use rustc_hash::{FxHashMap, FxHashSet};

use super::local::{mix, number};
use super::trial::{N_ALONE, N_TRIED, Planned};
use super::{Here, Site, place};

/// What is known of the loops of a closure.
#[derive(Debug)]
pub(crate) struct Table {
    /// After how many operations alone a loop is taken for endless.
    pub(super) n_alone: u64,
    is_used: AtomicBool,
    known: Mutex<Known>,
    /// What executions have to watch that few need (`watch`): reference counts, and accesses to atomics.
    counts: AtomicBool,
    pointers: AtomicBool,
    /// How many operations were done in trials.
    n_tried: AtomicU64,
    /// Whether anybody waits in a way that may end for no reason.
    waits: AtomicBool,
    /// Where pointers were given out to what is shared.
    given: Mutex<BTreeSet<String>>,
}

impl Default for Table {
    fn default() -> Table {
        Table::new(N_ALONE)
    }
}

/// What executions have to watch that few need.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Watched {
    /// Reference counts.
    Counts,
    /// Accesses to atomics that are not atomic.
    Pointers,
}

/// What an execution watches.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Watches {
    pub(crate) counts: bool,
    pub(crate) pointers: bool,
}

/// The same, for who has it.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// The identities within one round of loops that are taken for endless, and the one behind it.
    pub(super) endless: FxHashMap<u64, Loop>,
    /// The trials that are to be made, by the identities of threads where they begin.
    pub(super) planned: FxHashMap<u64, Planned>,
    /// The identities that were tried and left the loop, with how many operations that took.
    pub(super) leaves: FxHashMap<u64, u64>,
    /// Points at which leaving the thread is free since it spins, by the choices before them.
    pub(super) free: FxHashSet<u64>,
}

/// The identity of a thread behind a place.
#[inline]
pub(super) fn beyond(identity: u64, site: Site) -> u64 {
    identity ^ number(site).rotate_left(17)
}

/// A state of a loop that is taken for endless.
#[derive(Clone, Copy, Debug)]
pub(super) struct Loop {
    /// The first identity in the same state.
    pub(super) identity: u64,
    /// Whether the loop is endless whatever the answers to questions of the thread.
    pub(super) is_certain: bool,
}

impl Table {
    /// Nothing is known; a loop is taken for endless after so many operations alone.
    pub(crate) fn new(n_alone: u64) -> Table {
        Table {
            n_alone,
            is_used: AtomicBool::default(),
            known: Mutex::default(),
            counts: AtomicBool::default(),
            pointers: AtomicBool::default(),
            n_tried: AtomicU64::default(),
            waits: AtomicBool::default(),
            given: Mutex::default(),
        }
    }

    /// What executions have to watch.
    pub(crate) fn watches(&self) -> Watches {
        let is_set = |flag: &AtomicBool| flag.load(Ordering::Acquire);
        Watches { counts: is_set(&self.counts), pointers: is_set(&self.pointers) }
    }

    /// Executions have to watch something from now on.
    pub(super) fn watch(&self, what: Watched) {
        let flag = match what {
            Watched::Counts => &self.counts,
            Watched::Pointers => &self.pointers,
        };
        flag.store(true, Ordering::Release);
    }

    /// Whether another loop may be tried (A4 of `trial`).
    pub(super) fn may_try(&self) -> bool {
        self.n_tried() < N_TRIED
    }

    /// How many operations were done in trials.
    pub(super) fn n_tried(&self) -> u64 {
        self.n_tried.load(Ordering::Relaxed)
    }

    /// So many operations were done in a trial.
    pub(super) fn add_trial(&self, n: u64) {
        self.n_tried.fetch_add(n, Ordering::Relaxed);
    }

    /// A thread waits in a way that may end for no reason.
    pub(crate) fn add_wait(&self) {
        if !self.waits.load(Ordering::Relaxed) {
            self.waits.store(true, Ordering::Relaxed);
        }
    }

    /// Whether any thread did.
    pub(crate) fn has_waits(&self) -> bool {
        self.waits.load(Ordering::Relaxed)
    }

    /// A pointer was given out here.
    pub(super) fn add_pointer(&self, site: Site) {
        let place = place(site);
        self.given.lock().unwrap_or_else(PoisonError::into_inner).insert(place);
    }

    /// Where pointers were given out.
    pub(crate) fn pointers(&self) -> Vec<String> {
        let given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        given.iter().cloned().collect()
    }

    /// Whether anything is known.
    #[inline]
    pub(super) fn is_used(&self) -> bool {
        self.is_used.load(Ordering::Acquire)
    }

    /// What is known.
    pub(super) fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same, to add to it.
    pub(super) fn learn(&self) -> MutexGuard<'_, Known> {
        self.is_used.store(true, Ordering::Release);
        self.known()
    }
}

impl Here {
    /// Executions have to watch something: if this one does not, the search begins again.
    #[inline]
    pub(crate) fn watch(self, what: Watched) {
        let is_watched = self.with(|world| match what {
            Watched::Counts => world.watches.counts,
            Watched::Pointers => world.watches.pointers,
        });
        if !is_watched {
            self.watch_from_now_on(what);
        }
    }

    #[cold]
    fn watch_from_now_on(self, what: Watched) {
        if self.with(|world| world.is_torn() || world.is_over()) {
            return;
        }
        self.with(|world| world.table.watch(what));
        if std::thread::panicking() {
            // No destructor may panic then; it waits at its next point, and is unwound from there.
            return self.with(|world| {
                world.refusal = Some(AGAIN.to_owned());
                world.end(Outcome::Stopped);
            });
        }
        self.refuse(AGAIN.to_owned());
    }
}

/// Why an execution ends that has to be executed again with more points.
pub(crate) const AGAIN: &str = "the search has to begin again";

/// The hash of some choices and one more.
#[inline]
pub(super) fn path(before: u64, choice: Choice) -> u64 {
    let (kind, number) = match choice {
        Choice::Thread(thread) => (0, u64::from(thread)),
        Choice::Waiter(waiter) => (1, u64::from(waiter)),
        Choice::Timeout(yes) => (2, yes.into()),
        Choice::Spurious(yes) => (3, yes.into()),
        Choice::Branch(yes) => (4, yes.into()),
        Choice::Value(value) => (5, value.cast_unsigned()),
    };
    mix(mix(before, kind), number)
}
