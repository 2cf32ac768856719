//! Threads: where each one is.

use raddle_trace::{BarrierId, ThreadId, TransactionId};

use super::lock::Want;
use super::program::Function;

/// Marks "none" where an id is optional.
pub(super) const NONE: u32 = u32::MAX;

/// What a thread does next.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// Nothing: it was not forked.
    Unborn,
    /// Begins.
    Fresh,
    /// Runs its code.
    Ready,
    /// Takes the lock it wants.
    Wants,
    /// Wakes up, if another thread wakes it.
    Waiting,
    /// Waits for the others at a barrier.
    Arrived,
    /// Leaves a barrier.
    Leaving(BarrierId),
    /// Nothing any more.
    Ended,
}

/// A thread of the program.
pub(super) struct Thread {
    pub(super) state: State,
    /// Its place among those who can act, or `NONE`.
    pub(super) place: u32,
    pub(super) function: Function,
    /// The next line.
    pub(super) pc: u32,
    /// Which elements of arrays this call is about.
    pub(super) instance: u32,
    /// How often the same function is called again.
    pub(super) n_repeats: u32,
    pub(super) n_held: u32,
    pub(super) want: Want,
    pub(super) transactions: Vec<TransactionId>,
    pub(super) parent: ThreadId,
    pub(super) joined: bool,
    /// The number of events after which it ends.
    pub(super) retires_at: usize,
    /// It is expected at the barrier.
    pub(super) due: bool,
    /// Children that have ended and are to be joined.
    pub(super) zombies: Vec<ThreadId>,
}

impl Thread {
    /// A thread that was not forked.
    pub(super) fn unborn() -> Thread {
        Thread {
            state: State::Unborn,
            place: NONE,
            function: Function::default(),
            pc: 0,
            instance: 0,
            n_repeats: 0,
            n_held: 0,
            want: Want::default(),
            transactions: Vec::new(),
            parent: ThreadId(0),
            joined: false,
            retires_at: usize::MAX,
            due: false,
            zombies: Vec::new(),
        }
    }
}
