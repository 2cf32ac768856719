//! Initialisation that happens once, with `std`'s interface.
//!
//! Each execution begins with nothing initialised: what an earlier one did to a static is forgotten.

use std::cell::Cell;
use std::panic::Location;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::world::{Guard, Here, Kind, NONE, Pending, Site, Slot, What};

const NEW: u8 = 0;
const DONE: u8 = 1;
const POISONED: u8 = 2;

/// An initialisation that happens once, like [`std::sync::Once`].
#[derive(Debug)]
pub struct Once {
    slot: Slot,
    state: AtomicU8,
}

/// The argument of the function of [`Once::call_once_force`], like [`std::sync::OnceState`].
#[derive(Debug)]
pub struct OnceState {
    is_poisoned: bool,
    is_given_up: Cell<bool>,
}

impl OnceState {
    /// Whether an earlier call panicked.
    pub fn is_poisoned(&self) -> bool {
        self.is_poisoned
    }
}

/// Ends an initialisation, as failed by default.
struct Ending<'a> {
    once: &'a Once,
    here: Here,
    object: u32,
    site: Site,
    state: u8,
}

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.here.reach(Pending::open(What::OnceEnd, self.object, self.site));
        self.once.state.store(self.state, Ordering::Relaxed);
        self.here.with(|world| {
            world.release(self.object);
            let once = &mut world.objects[self.object as usize];
            (once.owner, once.taken) = (NONE, None);
            once.is_closed = self.state == DONE;
            world.wrote_data(self.object);
            world.changed();
        });
    }
}

impl Once {
    /// A `Once` for which no call was made.
    #[track_caller]
    pub const fn new() -> Once {
        Once { slot: Slot::new(), state: AtomicU8::new(NEW) }
    }

    /// Calls the function if no call was completed; waits for one that is under way. Panics if an
    /// earlier one did.
    #[track_caller]
    pub fn call_once<F: FnOnce()>(&self, f: F) {
        self.call(false, Location::caller(), |_| f(), || {});
    }

    /// Like [`Once::call_once`], even after a call that panicked.
    #[track_caller]
    pub fn call_once_force<F: FnOnce(&OnceState)>(&self, f: F) {
        self.call(true, Location::caller(), f, || {});
    }

    /// Whether a call was completed.
    #[track_caller]
    pub fn is_completed(&self) -> bool {
        self.looks(Location::caller(), || {})
    }

    /// As `is_completed`; `reset` sets back what an earlier execution initialised.
    pub(super) fn looks(&self, site: Site, reset: impl FnOnce()) -> bool {
        let here = Here::get();
        let object = self.object(here, reset);
        here.reach(Pending::open(What::OnceLook, object, site));
        let is_done = self.state.load(Ordering::Relaxed) == DONE;
        here.with(|world| {
            world.see(is_done.into());
            if is_done {
                world.acquire(object);
                world.see_data(object);
            }
        });
        is_done
    }

    /// Calls the function if no call was completed.
    pub(super) fn call(
        &self,
        is_forced: bool,
        site: Site,
        f: impl FnOnce(&OnceState),
        reset: impl FnOnce(),
    ) {
        let here = Here::get();
        let object = self.object(here, reset);
        here.reach(Pending::guarded(What::OnceBegin, Guard::Settled, object, site));
        let state = self.state.load(Ordering::Relaxed);
        here.with(|world| {
            world.acquire(object);
            world.see(state.into());
            world.see_data(object);
        });
        match state {
            DONE => return,
            POISONED if !is_forced => panic!("Once instance has previously been poisoned"),
            _ => {}
        }
        here.with(|world| {
            let me = world.current;
            let once = &mut world.objects[object as usize];
            (once.owner, once.taken) = (me, Some(site));
        });
        let mut ending = Ending { once: self, here, object, site, state: POISONED };
        let state = OnceState { is_poisoned: state == POISONED, is_given_up: Cell::new(false) };
        f(&state);
        ending.state = if state.is_given_up.get() { NEW } else { DONE };
    }

    fn object(&self, here: Here, reset: impl FnOnce()) -> u32 {
        self.slot.object(here, Kind::Once, || {
            self.state.store(NEW, Ordering::Relaxed);
            reset();
        })
    }

    /// Whether it was done, for who has it alone.
    pub(super) fn is_done(&self) -> bool {
        self.state.load(Ordering::Relaxed) == DONE
    }

    /// It was done outside of executions.
    pub(super) fn set_done(&self) {
        self.state.store(DONE, Ordering::Relaxed);
    }

    /// It was not done.
    pub(super) fn set_new(&self) {
        self.state.store(NEW, Ordering::Relaxed);
    }
}

impl OnceState {
    /// The call is as if it had not been made.
    pub(super) fn give_up(&self) {
        self.is_given_up.set(true);
    }
}

impl Default for Once {
    #[track_caller]
    fn default() -> Once {
        Once::new()
    }
}
