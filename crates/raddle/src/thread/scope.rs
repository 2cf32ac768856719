//! Threads that may borrow, since they end before what they borrow from does.

use std::cell::RefCell;
use std::fmt;
use std::marker::PhantomData;
use std::mem;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};
use std::sync::Arc;

use super::builder::{Builder, Packet, is_finished, job, join, wait};
use super::{Result, Thread};
use crate::world::{Here, Job, Site, Status, What};

/// A scope for threads that may borrow, like [`std::thread::Scope`].
pub struct Scope<'scope, 'env: 'scope> {
    /// The threads that were started.
    threads: RefCell<Vec<u32>>,
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

// SAFETY: all threads of an execution run on one thread of the system, and the list is not
// borrowed across points.
unsafe impl Sync for Scope<'_, '_> {}

/// A thread of a scope that can be joined, as [`std::thread::ScopedJoinHandle`].
pub struct ScopedJoinHandle<'scope, T> {
    thread: Thread,
    packet: Arc<Packet<T>>,
    scope: PhantomData<&'scope ()>,
}

// SAFETY: as that of `JoinHandle`.
unsafe impl<T> Send for ScopedJoinHandle<'_, T> {}
// SAFETY: see above.
unsafe impl<T> Sync for ScopedJoinHandle<'_, T> {}

/// Calls a function with a scope, and waits for the threads that it starts there.
#[track_caller]
pub fn scope<'env, F, T>(f: F) -> T
where
    F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T,
{
    let site = Location::caller();
    let scope = Scope { threads: RefCell::new(Vec::new()), scope: PhantomData, env: PhantomData };
    let result = catch_unwind(AssertUnwindSafe(|| f(&scope)));
    // They may borrow from what ends with the caller: whatever happened, they end first.
    let somebody_panicked = scope.wait_for_all(site);
    match result {
        Err(payload) => resume_unwind(payload),
        Ok(_) if somebody_panicked => panic!("a scoped thread panicked"),
        Ok(value) => value,
    }
}

impl<'scope, 'env> Scope<'scope, 'env> {
    /// Starts a thread.
    #[track_caller]
    pub fn spawn<F, T>(&'scope self, f: F) -> ScopedJoinHandle<'scope, T>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        self.start(Builder::new(), f, Location::caller())
    }

    fn start<F, T>(&'scope self, builder: Builder, f: F, site: Site) -> ScopedJoinHandle<'scope, T>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        let packet = Packet::new();
        let job: Box<dyn FnOnce() -> Status + 'scope> = Box::new(job(f, packet.clone()));
        // SAFETY: the job is done or dropped before `scope` returns or unwinds, which waits for all
        // threads; a stack that cannot be unwound is never run again, and neither is the caller's.
        let job = unsafe { mem::transmute::<Box<dyn FnOnce() -> Status + 'scope>, Job>(job) };
        let thread = builder.start(job, site);
        self.threads.borrow_mut().push(thread.number);
        ScopedJoinHandle { thread, packet, scope: PhantomData }
    }

    /// Waits for all threads; whether one panicked that was not joined.
    fn wait_for_all(&self, site: Site) -> bool {
        let mut index = 0;
        let mut somebody_panicked = false;
        loop {
            let next = self.threads.borrow().get(index).copied();
            let Some(thread) = next else { return somebody_panicked };
            wait(thread, What::ScopeEnd, site);
            let status = Here::get().with(|world| world.threads[thread as usize].status);
            let was_joined = Here::get().with(|world| world.threads[thread as usize].is_joined);
            somebody_panicked |= status == Status::Panicked && !was_joined;
            index += 1;
        }
    }
}

impl Builder {
    /// Starts a thread in a scope.
    #[track_caller]
    pub fn spawn_scoped<'scope, 'env, F, T>(
        self,
        scope: &'scope Scope<'scope, 'env>,
        f: F,
    ) -> std::io::Result<ScopedJoinHandle<'scope, T>>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        Ok(scope.start(self, f, Location::caller()))
    }
}

impl<T> ScopedJoinHandle<'_, T> {
    /// The thread.
    pub fn thread(&self) -> &Thread {
        &self.thread
    }

    /// Waits for the end of the thread; returns its result or the value it panicked with.
    #[track_caller]
    pub fn join(self) -> Result<T> {
        let result = join(&self.thread, &self.packet, What::Join, Location::caller());
        let number = self.thread.number as usize;
        Here::get().with(|world| world.threads[number].is_joined = true);
        result
    }

    /// Whether the thread has ended.
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        is_finished(&self.thread, Location::caller())
    }
}

impl fmt::Debug for Scope<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope").finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for ScopedJoinHandle<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScopedJoinHandle").field("thread", &self.thread).finish_non_exhaustive()
    }
}
