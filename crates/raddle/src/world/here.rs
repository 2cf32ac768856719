//! Where a thread of the system is: in which world, if in any.

use std::cell::Cell;
use std::ptr;

use super::World;

thread_local! {
    static WORLD: Cell<*mut World> = const { Cell::new(ptr::null_mut()) };
}

/// The world of the thread of the system that asks.
#[derive(Clone, Copy)]
pub(crate) struct Here(*mut World);

impl Here {
    /// The world; panics outside of an execution.
    #[inline]
    #[track_caller]
    pub(crate) fn get() -> Here {
        let world = WORLD.get();
        if world.is_null() {
            nowhere();
        }
        Here(world)
    }

    /// The world, if there is one.
    #[inline]
    pub(crate) fn find() -> Option<Here> {
        let world = WORLD.get();
        (!world.is_null()).then_some(Here(world))
    }

    /// Does something with the world, with no other thread in between (W1).
    #[inline]
    pub(crate) fn with<R>(self, act: impl FnOnce(&mut World) -> R) -> R {
        // SAFETY: the pointer was set by `enter`, whose caller keeps the world until it has left.
        // Only one coroutine runs at a time, on this thread (W2), and `act` cannot switch (W1).
        act(unsafe { &mut *self.0 })
    }

    /// Does something as if there were no world: what it does is no part of the execution.
    pub(crate) fn outside<R>(self, act: impl FnOnce() -> R) -> R {
        // SAFETY: no world is entered, and the one of before is entered again behind it.
        let _left = unsafe { Entered::new(ptr::null_mut()) };
        act()
    }

    /// The thread that runs.
    #[inline]
    pub(crate) fn current(self) -> u32 {
        self.with(|world| world.current)
    }
}

/// Makes a world the one of this thread of the system, until it is dropped.
pub(crate) struct Entered(*mut World);

impl Entered {
    /// Enters a world.
    ///
    /// # Safety
    ///
    /// The world must stay where it is until the result is dropped, and there must be no
    /// reference to it while threads of the program run.
    pub(crate) unsafe fn new(world: *mut World) -> Entered {
        Entered(WORLD.replace(world))
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        WORLD.set(self.0);
    }
}

#[cold]
#[track_caller]
fn nowhere() -> ! {
    panic!("this can only be done inside raddle::check");
}
