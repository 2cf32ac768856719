//! Futures under control: tasks are threads of the execution, woken by their wakers.
//!
//! - F1: a task that is not ready waits until its waker is called; that is a point, as is calling it.
//!   A wake-up that comes before the wait is not lost.
//! - F2: the end of a task is told through a mutex, so it is seen by reduction like any other doing.

use std::future::Future;
use std::panic::Location;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use crate::sync::Mutex;
use crate::thread;
use crate::world::{Guard, Here, Pending, Site, What};

/// Runs a future to completion on this thread.
#[track_caller]
pub fn block_on<F: Future>(future: F) -> F::Output {
    let (here, site) = (Here::get(), Location::caller());
    let (me, epoch) = here.with(|world| (world.current, world.epoch));
    let waker = Waker::from(Arc::new(Alarm { thread: me, epoch, site }));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
        here.reach(Pending::guarded(What::Poll, Guard::Woken, me, site));
        here.with(|world| {
            world.me().is_task_woken = false;
            if world.follows_clocks {
                world.orders.take_left(me);
            }
        });
    }
}

/// Runs a future as a separate task.
#[track_caller]
pub fn spawn<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    let end = Arc::new(Mutex::new(End { is_over: false, waker: None }));
    let told = end.clone();
    let thread = thread::spawn(move || {
        let value = block_on(future);
        let waker = {
            let mut end = lock(&told);
            end.is_over = true;
            end.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
        value
    });
    JoinHandle { thread: Some(thread), end }
}

/// Lets other tasks run.
#[track_caller]
pub fn yield_now() -> impl Future<Output = ()> + Send {
    let site = Location::caller();
    std::future::poll_fn(move |_| {
        Here::get().reach(Pending::open(What::Yield, crate::world::NONE, site));
        Poll::Ready(())
    })
}

/// A handle to a task that can be awaited.
#[derive(Debug)]
pub struct JoinHandle<T> {
    thread: Option<thread::JoinHandle<T>>,
    end: Arc<Mutex<End>>,
}

/// A task panicked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JoinError(String);

impl std::fmt::Display for JoinError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the task panicked: {}", self.0)
    }
}

impl std::error::Error for JoinError {}

/// What is known of the end of a task.
#[derive(Debug)]
struct End {
    is_over: bool,
    waker: Option<Waker>,
}

impl<T> JoinHandle<T> {
    /// Whether the task is over.
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        lock(&self.end).is_over
    }
}

impl<T> Future for JoinHandle<T> {
    type Output = Result<T, JoinError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let is_over = {
            let mut end = lock(&self.end);
            if !end.is_over {
                end.waker = Some(context.waker().clone());
            }
            end.is_over
        };
        if !is_over {
            return Poll::Pending;
        }
        let thread = self.thread.take().expect("a task that is over is not polled again");
        let text = |payload: thread::Payload| crate::engine::panics::text(&*payload).to_owned();
        Poll::Ready(thread.join().map_err(|payload| JoinError(text(payload))))
    }
}

/// Wakes the task of a thread.
struct Alarm {
    thread: u32,
    epoch: u64,
    site: Site,
}

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let Some(here) = Here::find() else { return };
        if here.with(|world| world.epoch) != self.epoch {
            return;
        }
        here.reach(Pending::open(What::WakeTask, self.thread, self.site));
        here.with(|world| {
            if world.follows_clocks {
                world.orders.leave_for(world.current, self.thread);
            }
            let at = &mut world.threads[self.thread as usize];
            if !std::mem::replace(&mut at.is_task_woken, true) {
                world.changed();
            }
        });
    }
}

#[track_caller]
fn lock(end: &Mutex<End>) -> crate::sync::MutexGuard<'_, End> {
    end.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
