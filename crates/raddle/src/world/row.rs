//! How threads give way to each other (F1 of `engine::fiber`).
//!
//! In: who was chosen. Out: what the thread that runs has to do so that the chosen one goes on.

use std::ptr::NonNull;

use corosensei::Yielder;

use super::World;
use crate::engine::fiber::Fiber;

/// What a thread does so that the chosen one goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Move {
    /// It is the chosen one.
    Stay,
    /// It goes back to who resumed it.
    Back(*const Yielder<(), ()>),
    /// It resumes the chosen one.
    Resume(NonNull<Fiber>),
}

impl Move {
    /// Does it. Inlined, so that the switch is in the function that goes on behind it: the processor
    /// predicts where a function returns to, and is wrong once for each that a switch lies inside of.
    ///
    /// # Safety
    ///
    /// It must be the move of the thread that runs, decided just now.
    #[inline(always)]
    pub(super) unsafe fn make(self) {
        match self {
            Move::Stay => {}
            // SAFETY: the yielder is on the stack of the thread that runs, says the caller, and was
            // noted there when the thread began.
            Move::Back(yielder) => unsafe { (*yielder).suspend(()) },
            // SAFETY: the world keeps it, and only threads in the row run on it.
            Move::Resume(mut fiber) => unsafe { fiber.as_mut().resume() },
        }
    }
}

impl World {
    /// What a thread has to do that runs, or that was gone back to.
    #[inline]
    pub(super) fn next_move(&mut self, me: u32) -> Move {
        let current = self.current;
        if self.is_over {
            // When it unwinds, it goes on whichever is the chosen one.
            return if self.is_torn { Move::Stay } else { self.go_back(me) };
        }
        if current == me {
            return Move::Stay;
        }
        let chosen = &mut self.threads[current as usize];
        match self.fibers.get(current) {
            Some(fiber) if !chosen.is_in_row => {
                chosen.is_in_row = true;
                Move::Resume(fiber)
            }
            _ => self.go_back(me),
        }
    }

    /// A thread goes back to who resumed it.
    #[inline]
    pub(super) fn go_back(&mut self, me: u32) -> Move {
        let at = &mut self.threads[me as usize];
        at.is_in_row = false;
        Move::Back(at.yielder)
    }
}
