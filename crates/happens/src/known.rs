//! What somebody knows, by both rules of release sequences.

use crate::clock::{Clock, Clocks};
use crate::table::{Table, Times};
use crate::{Happens, Head, Thread};

/// What a thread knows, or what one learns at a lock, from a message, from a write.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Known {
    /// By C++20's release sequences.
    pub(crate) clock: Clock,
    /// What C11's add to that.
    pub(crate) older: Clock,
}

/// Whether something happens before something else.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ordered {
    /// By both rules.
    Always,
    /// Only if release sequences go on as in C11 and C++17.
    ByC11,
    /// Not at all.
    Never,
}

/// What somebody knows, to be asked often.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    times: &'a [u32],
    older: &'a [u32],
}

impl View<'_> {
    /// Whether what a thread did at a time happens before what is done by whoever knows this.
    #[inline]
    pub fn order(&self, thread: u32, time: u32) -> Ordered {
        match self.knows(thread, time) {
            true => Ordered::Always,
            false if self.older.get(thread as usize).is_some_and(|&known| known >= time) => {
                Ordered::ByC11
            }
            false => Ordered::Never,
        }
    }

    /// Whether it is so by both rules.
    #[inline]
    pub fn knows(&self, thread: u32, time: u32) -> bool {
        self.times.get(thread as usize).is_some_and(|&known| known >= time)
    }
}

impl<W: Times, T: Table<Thread>, H: Table<Head>> Happens<W, T, H> {
    /// What somebody knows.
    #[inline]
    pub fn view(&self, known: Known) -> View<'_> {
        let times = self.clocks.times(known.clock);
        let has_older = known.older != Clock::NONE;
        View { times, older: if has_older { self.clocks.times(known.older) } else { &[] } }
    }

    /// Nobody is known there any more, and its room can be used again.
    pub fn discard(&mut self, known: &mut Known) {
        self.clocks.discard(&mut known.clock);
        self.clocks.discard(&mut known.older);
    }

    /// Nobody is known there any more.
    pub fn forget(&mut self, known: Known) {
        self.clocks.forget(known);
    }
}

impl<W: Times> Clocks<W> {
    #[inline]
    pub(crate) fn knows_nobody(&self, known: Known) -> bool {
        self.is_empty(known.clock) && self.is_empty(known.older)
    }

    /// What is known at one place gets known at another one, too; false if there is no room.
    #[must_use]
    #[inline]
    pub(crate) fn learn(&mut self, to: &mut Known, from: Known) -> bool {
        self.join(&mut to.clock, from.clock)
            && (from.older == Clock::NONE || self.join(&mut to.older, from.older))
    }

    /// The same, and nothing else is known there any more.
    #[must_use]
    #[inline]
    pub(crate) fn replace(&mut self, to: &mut Known, from: Known) -> bool {
        if to.older != Clock::NONE || from.older != Clock::NONE {
            self.clear(to.older);
            if !self.join(&mut to.older, from.older) {
                return false;
            }
        }
        self.copy(&mut to.clock, from.clock)
    }

    /// What is known at one place gets known at another one by the older rule; false if there is no room.
    #[must_use]
    pub(crate) fn learn_by_c11(&mut self, to: &mut Known, from: Known) -> bool {
        self.join(&mut to.older, from.clock) && self.join(&mut to.older, from.older)
    }

    #[inline]
    pub(crate) fn forget(&mut self, known: Known) {
        self.clear(known.clock);
        self.clear(known.older);
    }
}
