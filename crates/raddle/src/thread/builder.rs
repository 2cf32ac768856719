//! Threads that are started and joined.

use std::cell::UnsafeCell;
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::sync::Arc;
use std::{fmt, io};

use super::{Result, Thread};
use crate::world::{Guard, Here, Job, Pending, Site, Status, Torn, What};

/// Configures a new thread, like [`std::thread::Builder`].
#[derive(Debug, Default)]
pub struct Builder {
    name: Option<String>,
}

/// What a thread leaves for whoever joins it.
pub(crate) struct Packet<T>(UnsafeCell<Option<Result<T>>>);

// SAFETY: the thread writes before it ends, and who joins reads after that; all threads of an
// execution run on one thread of the system.
unsafe impl<T: Send> Send for Packet<T> {}
// SAFETY: see above.
unsafe impl<T: Send> Sync for Packet<T> {}

impl<T> Packet<T> {
    pub(crate) fn new() -> Arc<Packet<T>> {
        Arc::new(Packet(UnsafeCell::new(None)))
    }

    fn put(&self, result: Result<T>) {
        // SAFETY: only the thread itself puts, once, and nobody takes before it has ended.
        unsafe { *self.0.get() = Some(result) };
    }

    /// Takes what the thread left; it must have ended.
    pub(crate) fn take(&self) -> Option<Result<T>> {
        // SAFETY: the thread has ended, and the handle that takes is the only one.
        unsafe { (*self.0.get()).take() }
    }
}

/// A thread that can be joined, as [`std::thread::JoinHandle`].
pub struct JoinHandle<T> {
    thread: Thread,
    packet: Arc<Packet<T>>,
}

// SAFETY: as in `std`: a handle gives out the result only, to who has the handle.
unsafe impl<T> Send for JoinHandle<T> {}
// SAFETY: see above; nothing can be taken from a shared handle.
unsafe impl<T> Sync for JoinHandle<T> {}

impl Builder {
    /// The default configuration.
    pub fn new() -> Builder {
        Builder::default()
    }

    /// Sets the name of the thread.
    pub fn name(self, name: String) -> Builder {
        Builder { name: Some(name) }
    }

    /// Ignored: the stack size is the same for all threads of a check.
    pub fn stack_size(self, _: usize) -> Builder {
        self
    }

    /// Starts the thread.
    #[track_caller]
    pub fn spawn<F, T>(self, f: F) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        let packet = Packet::new();
        let job = Box::new(job(f, packet.clone()));
        let thread = self.start(job, Location::caller());
        Ok(JoinHandle { thread, packet })
    }

    /// Starts a thread with a job.
    pub(super) fn start(self, job: Job, site: Site) -> Thread {
        let here = Here::get();
        let name: Option<Arc<str>> = self.name.map(Into::into);
        let number = here.with(|world| world.n_threads);
        here.reach(Pending::open(What::Spawn, number, site));
        let number = here.with(|world| {
            let number = world.add_thread(name.clone(), job, site);
            world.changed();
            world.tell_thread(number);
            number
        });
        Thread::new(number, name)
    }
}

/// What a thread does that leaves the result of a function.
pub(crate) fn job<F: FnOnce() -> T, T>(f: F, packet: Arc<Packet<T>>) -> impl FnOnce() -> Status {
    move || match catch_unwind(AssertUnwindSafe(f)) {
        Ok(value) => {
            packet.put(Ok(value));
            Status::Returned
        }
        Err(payload) if payload.is::<Torn>() => Status::Torn,
        Err(payload) => {
            packet.put(Err(payload));
            Status::Panicked
        }
    }
}

/// Starts a thread.
#[track_caller]
pub fn spawn<F, T>(f: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    Builder::new().spawn(f).expect("threads here need nothing of the system")
}

impl<T> JoinHandle<T> {
    /// The thread.
    pub fn thread(&self) -> &Thread {
        &self.thread
    }

    /// Waits for the end of the thread; returns its result or the value it panicked with.
    // Inlined for the reason that `wait` is: who calls drops the handle together with what else it has.
    #[inline(always)]
    #[track_caller]
    pub fn join(self) -> Result<T> {
        join(&self.thread, &self.packet, What::Join, Location::caller())
    }

    /// Whether the thread has ended.
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        is_finished(&self.thread, Location::caller())
    }
}

#[inline(always)]
pub(super) fn join<T>(thread: &Thread, packet: &Packet<T>, what: What, site: Site) -> Result<T> {
    wait(thread.number, what, site);
    packet.take().expect("a thread that has ended leaves something")
}

/// Waits for the end of a thread. Inlined, since most threads that are left in a failing execution are
/// unwound from here (`world::teardown`).
#[inline(always)]
pub(super) fn wait(thread: u32, what: What, site: Site) {
    let here = Here::get();
    here.reach(Pending::guarded(what, Guard::Ended, thread, site));
    here.with(|world| {
        if world.follows_clocks {
            world.orders.join(world.current, thread);
        }
        world.see(world.threads[thread as usize].identity);
        world.see(world.threads[thread as usize].seen);
        world.tell_thread(thread);
    });
}

pub(super) fn is_finished(thread: &Thread, site: Site) -> bool {
    let here = Here::get();
    here.reach(Pending::open(What::IsFinished, thread.number, site));
    here.with(|world| {
        let is_finished = !world.threads[thread.number as usize].is_live();
        world.see(is_finished.into());
        is_finished
    })
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle").field("thread", &self.thread).finish_non_exhaustive()
    }
}
