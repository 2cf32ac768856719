//! Happens-before: which accesses of an execution are ordered, by C11, C++20 and Rust.
//!
//! In: what threads do, in the order in which they do it. Out: for an access and an earlier one of another thread,
//! whether the earlier one happens before it ([`View::order`]). After FastTrack (Flanagan and Freund, PLDI 2009): an
//! access is the time of its thread, and is before everything that knows this time.
//!
//! What orders:
//! - H1 (`lock`): giving a lock back is before taking it; of a lock for reading and writing, readers are ordered with
//!   writers only. What a `pthread_once` or an atomic section does is before those who come later.
//! - H2 (`thread`): making a thread is before all it does; all it did is before its join.
//! - H3 (`lock`, `wait`): a post, a message, an unpark is before every later take; all arrivals at a barrier are before
//!   all departures.
//! - H4 (`wait`): a signal or broadcast is before the wake-up that it causes, if it is what ends the wait.
//! - H5 (`atomic`): an atomic read that acquires, or an acquire fence behind an atomic read, is after the atomic write
//!   that releases, or the release fence before an atomic write, if it reads from the *release sequence* of that write.
//!   A failed compare-exchange is a read with its failure order. An order that is sequentially consistent is acquire
//!   and release; that executions are sequentially consistent adds nothing.
//! - H6 (`atomic`): the release sequence of a write is the write and the chain of read-modify-writes that read from it,
//!   each from the one before (C++20). C11 and C++17 also let later atomic writes of the same thread continue it.
//!   Both are computed at once: what only the older rule orders is told apart ([`Ordered::ByC11`]).
//! - H7 (`race`): two accesses of two threads to the same bytes, at least one of them a write and not both atomic,
//!   race if neither happens before the other.
//!
//! How: what somebody knows is a vector clock by the newer rule, and beside it a second one, with what only the older
//! rule adds ([`Known`]). The older relation contains the newer one, so the clock by the older rule is the maximum
//! of the two; and wherever the rules do not differ the second one does not exist, and costs nothing.
//!
//! Engines keep what is here in tables of their own ([`Table`], [`Times`]): one can go back to what it was, one is a
//! mapping that outlives executions, one is a list. Nothing here allocates. They find the locks and atomic locations
//! by their own names, and remember accesses in their own ways.
//!
//! A memory model with several answers to a load fits in here: what a [`Location`] has is what its newest write
//! publishes, and a load joins what the write has that it reads. To read from other writes, a location keeps the
//! histories of its writes, each with what it publishes, and clocks have entries for locations beside those for threads.

#![no_std]

mod atomic;
mod clock;
mod known;
mod lock;
mod order;
mod race;
mod table;
mod thread;
mod wait;

pub use atomic::{Head, Location};
pub use clock::Clock;
pub use known::{Known, Ordered, View};
pub use lock::Lock;
pub use order::Order;
pub use race::{Touch, conflict};
pub use table::{Table, Times, raise};
pub use thread::Thread;

use clock::Clocks;

/// What orders the threads of one execution. Types are tables: of times, threads, and heads of release sequences.
#[derive(Clone, Debug, Default)]
pub struct Happens<W, T, H> {
    clocks: Clocks<W>,
    threads: T,
    heads: H,
    /// Whether something found no room: what looks unordered may be ordered from then on.
    is_full: bool,
}

impl<W: Times, T: Table<Thread>, H: Table<Head>> Happens<W, T, H> {
    /// An execution begins, with tables that are empty, and have room for 17 times and a head.
    pub fn begin(&mut self) {
        self.clocks.begin();
        self.is_full = !self.heads.push(Head::default());
    }

    /// Whether something found no room: what looks unordered may be ordered from then on.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// The tables, for engines that put them back to what they were.
    pub fn tables(&self) -> (&W, &T, &H) {
        (&self.clocks.times, &self.threads, &self.heads)
    }

    /// The same, to be changed together.
    pub fn tables_mut(&mut self) -> (&mut W, &mut T, &mut H) {
        (&mut self.clocks.times, &mut self.threads, &mut self.heads)
    }
}
