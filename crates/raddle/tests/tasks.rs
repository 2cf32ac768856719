//! Futures under control, and reference counts that are watched.

use std::future::poll_fn;
use std::task::{Poll, Waker};

use crate::shared::{check, finding};
use raddle::future::{block_on, spawn, yield_now};
use raddle::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use raddle::sync::{Arc, Mutex, tracked};
use raddle::{Config, thread};

#[test]
fn tasks_are_interleaved_and_joined() {
    check(
        || {
            let n = Arc::new(AtomicUsize::new(0));
            let other = n.clone();
            let task = spawn(async move {
                let old = other.load(SeqCst);
                yield_now().await;
                other.store(old + 1, SeqCst);
                old
            });
            n.fetch_add(5, SeqCst);
            let seen = block_on(task).unwrap();
            format!("{} {seen}", n.load(SeqCst))
        },
        &["1 0", "6 0", "6 5"],
    );
}

/// A future that is ready when a flag is set; who sets it has to wake.
fn is_set(flag: Arc<(AtomicBool, Mutex<Option<Waker>>)>) -> impl Future<Output = ()> {
    poll_fn(move |context| {
        *flag.1.lock().unwrap() = Some(context.waker().clone());
        if flag.0.load(SeqCst) { Poll::Ready(()) } else { Poll::Pending }
    })
}

fn flagged(wakes: bool) {
    let flag = Arc::new((AtomicBool::new(false), Mutex::new(None::<Waker>)));
    let other = flag.clone();
    let thread = thread::spawn(move || {
        other.0.store(true, SeqCst);
        let waker = other.1.lock().unwrap().take();
        if let Some(waker) = waker.filter(|_| wakes) {
            waker.wake();
        }
    });
    block_on(is_set(flag));
    thread.join().unwrap();
}

#[test]
fn a_wake_up_is_not_lost() {
    let report = Config::new().explore(|| flagged(true));
    assert!(report.findings.is_empty() && report.exhausted, "{}", report.summary());
}

#[test]
fn a_task_that_nobody_wakes_is_a_deadlock() {
    let report = Config::new().explore(|| flagged(false));
    let (kind, message) = finding(&report);
    assert_eq!(kind, "deadlock");
    assert!(message.contains("main waits to be woken"), "{message}");
}

#[test]
fn a_counted_value_is_dropped_once_by_the_last() {
    struct Tell(Arc<AtomicUsize>);
    impl Drop for Tell {
        fn drop(&mut self) {
            self.0.fetch_add(1, SeqCst);
        }
    }
    check(
        || {
            let n = Arc::new(AtomicUsize::new(0));
            let one = tracked::Arc::new(Tell(n.clone()));
            let other = one.clone();
            let thread = thread::spawn(move || drop(other));
            drop(one);
            thread.join().unwrap();
            n.load(SeqCst).to_string()
        },
        &["1"],
    );
}

#[test]
fn a_reference_that_is_never_dropped_is_a_leak() {
    let report = Config::new().allow_sequential().explore(|| {
        std::mem::forget(tracked::Arc::new(5));
    });
    let (kind, message) = finding(&report);
    assert_eq!(kind, "leak");
    assert!(message.contains("1 references to the Arc made at"), "{message}");
}

#[test]
fn a_use_after_the_last_reference_is_found() {
    let report = Config::new().explore(|| {
        let pointer = tracked::Arc::into_raw(tracked::Arc::new(5)) as usize;
        // SAFETY: it is not, in some executions, which the test is about.
        let drops = move || unsafe { tracked::Arc::decrement_strong_count(pointer as *const i32) };
        let thread = thread::spawn(drops);
        // SAFETY: see above.
        unsafe { tracked::Arc::increment_strong_count(pointer as *const i32) };
        thread.join().unwrap();
        drops();
    });
    let (kind, message) = finding(&report);
    assert_eq!(kind, "panic");
    assert!(message.contains("is used after its last reference is gone"), "{message}");
}
