//! Fibers: the stacks that threads of an execution run on, used again from run to run.
//!
//! A fiber is a coroutine that never ends: it does the job of a thread, gives way, and does the job
//! of another thread of a later execution. So a thread costs neither a stack nor a coroutine. Stacks
//! outlive their engine: the next one in this process takes them.
//!
//! Who gives way resumes the next thread itself, so that a switch is one switch, not one to the
//! engine and one from there. Those who did so wait in a row, each for the one it resumed, and can
//! only be gone back to:
//!
//! - F1: a thread in the row gives way to one that is not by resuming it, and to one that is by
//!   going back; who is gone back to and is not the one goes back further (`World::next_move`).
//! - F2: when an execution is over, all go back to the engine, which then resumes one at a time.
//! - F3: only the engine makes fibers.

use std::io;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::sync::{Mutex, PoisonError};

use corosensei::stack::{DefaultStack, Stack};
use corosensei::{Coroutine, Yielder};

use crate::world::{Here, NONE, Pending, Status, What};

/// A stack with the coroutine that runs on it.
pub(crate) struct Fiber {
    /// Always there until it is dropped or kept.
    coroutine: Option<Coroutine<(), (), ()>>,
    size: usize,
    /// Where the stack ends, and the page begins that must not be touched.
    limit: usize,
    /// Where it begins: the address behind it.
    base: usize,
}

/// The fibers of an engine, by thread. They stay where they are while others are added.
#[derive(Default)]
pub(crate) struct Fibers(Vec<NonNull<Fiber>>);

impl Fibers {
    /// The fiber of a thread, if there is one.
    #[inline]
    pub(crate) fn get(&self, thread: u32) -> Option<NonNull<Fiber>> {
        self.0.get(thread as usize).copied()
    }

    /// How many there are.
    pub(super) fn len(&self) -> u32 {
        self.0.len() as u32
    }

    /// One more.
    pub(super) fn push(&mut self, fiber: Fiber) {
        self.0.push(NonNull::from(Box::leak(Box::new(fiber))));
    }

    /// Another one in the place of one, which is dropped.
    pub(super) fn replace(&mut self, thread: u32, fiber: Fiber) {
        // SAFETY: it was made by `push`, and no thread runs on it.
        unsafe { *self.0[thread as usize].as_mut() = fiber };
    }

    /// Drops all.
    pub(super) fn clear(&mut self) {
        self.take().for_each(drop);
    }

    /// Takes all out.
    pub(super) fn take(&mut self) -> impl Iterator<Item = Fiber> {
        // SAFETY: each was made by `push` from a box, and is taken once.
        self.0.drain(..).map(|fiber| *unsafe { Box::from_raw(fiber.as_ptr()) })
    }

    /// Where the stack of a thread ends and begins.
    pub(crate) fn stack(&self, thread: u32) -> Option<Range<usize>> {
        let fiber = self.get(thread)?;
        // SAFETY: it is there, and these numbers never change.
        Some(unsafe { (*fiber.as_ptr()).limit..(*fiber.as_ptr()).base })
    }

    /// Where the stacks end, and how large they are.
    pub(crate) fn stacks(&self) -> impl Iterator<Item = (usize, usize)> {
        // SAFETY: they are there, and these numbers do not change.
        self.0.iter().map(|fiber| unsafe { ((*fiber.as_ptr()).limit, (*fiber.as_ptr()).size) })
    }
}

impl Drop for Fibers {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Stacks that are not used, with their sizes.
static SPARE: Mutex<Vec<(usize, DefaultStack)>> = Mutex::new(Vec::new());

/// The most stacks that are kept.
const N_SPARE_MAX: usize = 64;

impl Fiber {
    pub(super) fn new(size: usize) -> io::Result<Fiber> {
        let spare = spare(|stacks| {
            let index = stacks.iter().rposition(|stack| stack.0 == size)?;
            Some(stacks.swap_remove(index).1)
        });
        let stack = spare.map_or_else(|| DefaultStack::new(size), Ok)?;
        let (limit, base) = (stack.limit().get(), stack.base().get());
        let coroutine = Coroutine::with_stack(stack, |yielder: &Yielder<(), ()>, ()| {
            loop {
                work(yielder);
                yielder.suspend(());
            }
        });
        Ok(Fiber { coroutine: Some(coroutine), size, limit, base })
    }

    /// Keeps the stack for another engine.
    ///
    /// # Safety
    ///
    /// No thread may be on it.
    pub(super) unsafe fn keep(mut self) {
        let Some(mut coroutine) = self.coroutine.take() else { return };
        // SAFETY: nothing is on the stack that would have to be dropped, says the caller.
        unsafe { coroutine.force_reset() };
        let stack = (self.size, coroutine.into_stack());
        spare(|stacks| {
            if stacks.len() < N_SPARE_MAX {
                stacks.push(stack);
            }
        });
    }

    /// Lets the thread go on until it goes back.
    #[inline(always)]
    pub(crate) fn resume(&mut self) {
        if let Some(coroutine) = &mut self.coroutine {
            coroutine.resume(());
        }
    }
}

impl Drop for Fiber {
    fn drop(&mut self) {
        if let Some(coroutine) = &mut self.coroutine {
            // SAFETY: either no thread is on the stack, and then there is nothing to drop, or one
            // that cannot be unwound (rule T2 of teardown): what is on its stack is leaked, and
            // it is not used any more.
            unsafe { coroutine.force_reset() };
        }
    }
}

fn spare<R>(act: impl FnOnce(&mut Vec<(usize, DefaultStack)>) -> R) -> R {
    act(&mut SPARE.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Does the job of the thread that was chosen. Not inlined, as a fiber may go on on another thread
/// of the system after it.
#[inline(never)]
fn work(yielder: &Yielder<(), ()>) {
    let here = Here::get();
    let (me, job, is_torn) = here.with(|world| {
        let (me, is_torn) = (world.current, world.is_torn());
        let at = world.me();
        at.yielder = yielder;
        (me, at.job.take(), is_torn)
    });
    let Some(job) = job else { return };
    let mut status = Status::Torn;
    if is_torn {
        drop_quietly(job);
    } else {
        here.with(|world| world.tell_begin());
        status = job();
    }
    here.with(|world| world.threads[me as usize].is_ending = true);
    while let Some(local) = here.with(|world| world.threads[me as usize].locals.pop()) {
        drop_quietly(local);
    }
    end(here, me, status);
}

fn drop_quietly<T>(value: T) {
    // There is no code that could handle a panic of a destructor here; in the program it would abort.
    let _ = catch_unwind(AssertUnwindSafe(|| drop(value)));
}

/// The thread has done its job.
fn end(here: Here, me: u32, status: Status) {
    here.with(|world| {
        let at = world.me();
        at.unwinds = false;
        let panic = at.panic.take().filter(|_| status == Status::Panicked);
        if status == Status::Panicked && (me == 0 || !world.rules.panics_are_results) {
            let (place, message, n_told) = panic.map_or_else(
                || {
                    let message = "a panic without a message".to_owned();
                    (raddle_finding::Location::named("nowhere"), message, world.n_told())
                },
                |note| (note.place, note.message, note.n_told),
            );
            world.fail(raddle_explore::FailureKind::Panic, place, message, n_told);
        }
    });
    if !here.with(|world| world.is_torn() || world.is_over()) {
        let site = here.with(|world| world.me().started);
        let exit = catch_unwind(AssertUnwindSafe(|| {
            here.reach(Pending::open(What::Exit, me, site));
        }));
        if exit.is_ok() {
            return here.with(|world| world.exit(status));
        }
    }
    here.with(|world| {
        let at = &mut world.threads[me as usize];
        (at.status, at.is_in_row) = (status_of_torn(status), false);
    });
}

fn status_of_torn(status: Status) -> Status {
    if status == Status::Live { Status::Torn } else { status }
}

impl crate::world::World {
    /// The current thread ends; another one goes on.
    fn exit(&mut self, status: Status) {
        self.me().is_in_row = false;
        self.end_thread(status);
        self.changed();
        self.decide();
    }

    /// The current thread begins.
    fn tell_begin(&mut self) {
        let started = self.me().started;
        self.me().pending = Pending::open(What::Begin, NONE, started);
        self.tell();
    }
}
