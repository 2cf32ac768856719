//! What `std::thread` has, under control.

mod builder;
mod local;
mod park;
mod scope;

use std::num::NonZero;
use std::panic::Location;
use std::sync::Arc;
use std::time::Duration;
use std::{fmt, io};

pub use std::thread::Result;

use crate::world::{Here, NONE, Pending, What};
pub use builder::{Builder, JoinHandle, spawn};
pub use local::{AccessError, LocalKey};
pub use park::{park, park_timeout};
pub use scope::{Scope, ScopedJoinHandle, scope};

pub use crate::thread_local;

/// A thread, as [`std::thread::Thread`].
#[derive(Clone, Debug)]
pub struct Thread {
    number: u32,
    name: Option<Arc<str>>,
}

/// The identity of a thread in its execution, as [`std::thread::ThreadId`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ThreadId(u32);

impl Thread {
    pub(crate) fn new(number: u32, name: Option<Arc<str>>) -> Thread {
        Thread { number, name }
    }

    /// Its identity.
    pub fn id(&self) -> ThreadId {
        ThreadId(self.number)
    }

    /// Its name.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref().or((self.number == 0).then_some("main"))
    }

    /// Unparks it: it continues if it is parked, or the next time it parks.
    #[track_caller]
    pub fn unpark(&self) {
        park::unpark(self.number);
    }
}

/// What a panic was about.
pub(crate) type Payload = Box<dyn std::any::Any + Send>;

/// The thread that asks.
#[track_caller]
pub fn current() -> Thread {
    Here::get().with(|world| Thread::new(world.current, world.me().name.clone()))
}

/// Lets others go on.
#[track_caller]
pub fn yield_now() {
    Here::get().reach(Pending::open(What::Yield, NONE, Location::caller()));
}

/// Lets others go on for some time. Time is virtual: it takes none.
#[track_caller]
pub fn sleep(time: Duration) {
    let here = Here::get();
    let until = here.with(|world| world.after(time));
    here.reach(Pending::open(What::Sleep, NONE, Location::caller()));
    here.with(|world| world.now = world.now.max(until));
}

/// Whether the thread unwinds.
pub fn panicking() -> bool {
    Here::find().map_or_else(std::thread::panicking, Here::unwinds)
}

/// How many threads make sense: always two, so that nothing depends on the machine.
pub fn available_parallelism() -> io::Result<NonZero<usize>> {
    NonZero::new(2).ok_or_else(|| io::Error::other("two is not zero"))
}

impl fmt::Display for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
