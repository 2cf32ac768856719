//! Fibers: the stacks that threads of an execution run on, used again from run to run.
//!
//! A fiber is a coroutine that never ends: it does the job of a thread, gives way, and does the job
//! of another thread of a later execution. So a thread costs neither a stack nor a coroutine.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, Yielder};

use crate::world::{Here, NONE, Pending, Status, What};

/// A stack with whoever runs on it.
pub(super) struct Fiber(Coroutine<(), (), ()>);

impl Fiber {
    pub(super) fn new(stack_size: usize) -> io::Result<Fiber> {
        let stack = DefaultStack::new(stack_size)?;
        Ok(Fiber(Coroutine::with_stack(stack, |yielder: &Yielder<(), ()>, ()| {
            loop {
                work(yielder);
                yielder.suspend(());
            }
        })))
    }

    /// Lets the thread go on until it gives way.
    #[inline]
    pub(super) fn resume(&mut self) {
        self.0.resume(());
    }
}

impl Drop for Fiber {
    fn drop(&mut self) {
        // SAFETY: either no thread is on the stack, and then there is nothing to drop, or one that
        // cannot be unwound (rule T2 of teardown): what is on its stack is leaked, and nobody uses
        // it any more.
        unsafe { self.0.force_reset() };
    }
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
    // A panic of a destructor here has nobody to go to; in the program it would abort.
    let _ = catch_unwind(AssertUnwindSafe(|| drop(value)));
}

/// The thread has done its job.
fn end(here: Here, me: u32, status: Status) {
    here.with(|world| {
        let at = world.me();
        at.unwinds = false;
        let panic = at.panic.take().filter(|_| status == Status::Panicked);
        if status == Status::Panicked && (me == 0 || !world.rules.panics_are_results) {
            let (place, message) = panic.map_or_else(
                || ("nowhere".to_owned(), "a panic without a message".to_owned()),
                |note| (note.place, note.message),
            );
            world.fail("panic", place, message);
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
    here.with(|world| world.threads[me as usize].status = status_of_torn(status));
}

fn status_of_torn(status: Status) -> Status {
    if status == Status::Live { Status::Torn } else { status }
}

impl crate::world::World {
    /// The current thread ends; somebody else goes on.
    fn exit(&mut self, status: Status) {
        self.me().status = status;
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
