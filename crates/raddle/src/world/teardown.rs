//! The end of an execution in which threads are left: their stacks are unwound, so that what is on
//! them is dropped.
//!
//! - T1: a thread that is left unwinds from where it is, with a panic of its own kind that no hook
//!   sees. What it does while it unwinds is done at once, if it can be done.
//! - T2: where it would block, the others are unwound first. Those who wait for each other even then
//!   are left as they are: their stacks are used again, what is on them is never dropped.
//! - T3: a thread that catches the panic and goes on is unwound again, up to a limit.

use std::panic::resume_unwind;
use std::thread;

use raddle_explore::Outcome;

use super::{Here, World};

/// What a thread unwinds with when its execution is over.
pub(crate) struct Torn;

/// How often a thread may catch that (T3).
const N_TORN_MAX: u32 = 1_000;

enum Next {
    Unwind,
    Go,
    Wait,
}

impl Here {
    /// The execution is over: goes back, and unwinds when this one is resumed.
    pub(crate) fn switch(self, me: u32) {
        if !self.with(|world| world.is_torn) {
            self.suspend(me);
        }
        if self.must_unwind(me) {
            unwind();
        }
    }

    /// Whether a thread unwinds, since its execution is over; otherwise it does what it announced (T1).
    pub(super) fn must_unwind(self, me: u32) -> bool {
        while self.with(|world| world.is_torn) {
            match self.with(|world| world.torn(me)) {
                Next::Unwind => return true,
                Next::Go => return false,
                Next::Wait => self.suspend(me),
            }
        }
        false
    }

    fn suspend(self, me: u32) {
        let back = self.with(|world| world.go_back(me));
        // SAFETY: it is the move of this thread, and was decided just now.
        unsafe { back.make() };
    }

    /// Ends the execution: the closure is not one that can be executed again and again.
    pub(crate) fn refuse(self, why: String) -> ! {
        self.with(|world| {
            world.refusal = Some(why);
            world.me().unwinds = true;
            world.end(Outcome::Stopped);
        });
        unwind();
    }

    /// Whether the current thread unwinds.
    pub(crate) fn unwinds(self) -> bool {
        self.with(|world| {
            let is_anybody = thread::panicking();
            let me = world.me();
            me.unwinds &= is_anybody;
            me.unwinds
        })
    }
}

/// Unwinds the current thread. Inlined: the unwinder takes each function that lies between twice.
#[inline(always)]
pub(super) fn unwind() -> ! {
    resume_unwind(Box::new(Torn))
}

impl World {
    /// From now on threads that are resumed unwind.
    pub(crate) fn tear_down(&mut self) {
        self.is_torn = true;
        self.is_followed = true;
    }

    /// Whether threads that are resumed unwind.
    pub(crate) fn is_torn(&self) -> bool {
        self.is_torn
    }

    /// Whether a thread is still to be unwound.
    pub(crate) fn is_left(&self, thread: u32) -> bool {
        let at = &self.threads[thread as usize];
        at.is_live() && !at.is_stuck
    }

    /// Whether a thread was not unwound, and never will be.
    pub(crate) fn is_stuck(&self, thread: u32) -> bool {
        self.is_torn && self.threads[thread as usize].is_live()
    }

    /// Changes when a thread gets further.
    pub(crate) fn torn_progress(&self) -> (u64, usize) {
        (self.n_torn, self.all_threads().iter().filter(|thread| thread.is_live()).count())
    }

    fn torn(&mut self, me: u32) -> Next {
        let is_ready = self.is_enabled(me);
        let at = &mut self.threads[me as usize];
        // What destructors do is done without another panic, which would abort (T1).
        let must_not_panic = at.unwinds && thread::panicking() || at.pending.what.gives_back();
        if must_not_panic && !is_ready {
            return Next::Wait; // T2
        }
        at.n_torn += 1;
        self.n_torn += 1;
        if at.n_torn > N_TORN_MAX {
            at.is_stuck = true;
            return Next::Wait;
        }
        if must_not_panic {
            return Next::Go;
        }
        at.unwinds = true;
        Next::Unwind
    }
}
