//! Executions that are written as traces pass the strict check, and say what happened.

#![allow(clippy::unwrap_used, reason = "tests")]

use raddle::cell::UnsafeCell;
use raddle::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use raddle::sync::mpsc::channel;
use raddle::sync::{Arc, Barrier, Condvar, Mutex, RwLock};
use raddle::{Config, thread};
use raddle_trace::format::{Options, open};
use raddle_trace::{EventId, Kind, Op, Order, Trace};

fn trace_of(f: impl Fn() + Send + Sync + 'static) -> Trace {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("execution.rdl");
    Config::new().trace(&path).explore(f);
    open(&path, Options::default(), &mut ()).unwrap().trace
}

fn kinds(trace: &Trace) -> Vec<Kind> {
    (0..trace.len() as u32).map(|index| trace.code(EventId(index)).kind()).collect()
}

#[test]
fn threads_and_locks() {
    let trace = trace_of(|| {
        let n = Arc::new(Mutex::new(0));
        let other = n.clone();
        thread::spawn(move || *other.lock().unwrap() += 1).join().unwrap();
    });
    use Kind::{Acquire, Begin, End, Fork, Join, Release};
    assert_eq!(kinds(&trace), [Begin, Fork, Begin, Acquire, Release, End, Join, End]);
}

#[test]
fn waits_know_who_notified_them() {
    let trace = trace_of(|| {
        let pair = Arc::new((Mutex::new(false), Condvar::new()));
        let other = pair.clone();
        let thread = thread::spawn(move || {
            *other.0.lock().unwrap() = true;
            other.1.notify_one();
        });
        let guard = pair.0.lock().unwrap();
        drop(pair.1.wait_while(guard, |is_set| !*is_set).unwrap());
        thread.join().unwrap();
    });
    let events = &*trace;
    let wake = kinds(&trace).iter().position(|&kind| kind == Kind::Wake).unwrap();
    let waker = events.waker(EventId(wake as u32)).unwrap();
    assert_eq!(events.code(waker).kind(), Kind::Notify);
}

#[test]
fn orders_and_plain_accesses() {
    struct Shared(UnsafeCell<u8>, AtomicUsize);
    // SAFETY: all threads are on one thread of the system.
    unsafe impl Sync for Shared {}
    // SAFETY: see above.
    unsafe impl Send for Shared {}
    let trace = trace_of(|| {
        let it = Arc::new(Shared(UnsafeCell::new(0), AtomicUsize::new(0)));
        let other = it.clone();
        let thread = thread::spawn(move || other.0.with(|_| ()));
        it.1.store(1, Relaxed);
        it.0.with_mut(|_| ());
        thread.join().unwrap();
    });
    let order = |op: Op| match op {
        Op::Write { order, .. } | Op::Read { order, .. } => Some(order),
        _ => None,
    };
    let orders: Vec<_> = trace.iter().filter_map(|event| order(event.op)).collect();
    assert!(orders.contains(&Order::Relaxed) && orders.contains(&Order::Plain));
}

#[test]
fn all_the_rest_passes_the_check() {
    let trace = trace_of(|| {
        let barrier = Arc::new(Barrier::new(2));
        let lock = Arc::new(RwLock::new(()));
        let (sender, receiver) = channel();
        let (barrier_2, lock_2) = (barrier.clone(), lock.clone());
        let thread = thread::spawn(move || {
            barrier_2.wait();
            let guard = lock_2.read().unwrap();
            sender.send(()).unwrap();
            drop(guard);
            thread::park();
        });
        barrier.wait();
        drop(lock.try_write());
        receiver.recv().unwrap();
        thread.thread().unpark();
        thread.join().unwrap();
    });
    assert!(trace.len() > 15);
}

#[test]
fn a_deadlock_ends_in_the_middle() {
    let trace = trace_of(|| {
        let (one, other) = (Arc::new(Mutex::new(())), Arc::new(Mutex::new(())));
        let (one_2, other_2) = (one.clone(), other.clone());
        let thread = thread::spawn(move || {
            let _one = one_2.lock().unwrap();
            let _other = other_2.lock().unwrap();
        });
        let guard = other.lock().unwrap();
        drop(one.lock().unwrap());
        drop(guard);
        thread.join().unwrap();
    });
    let n = |kind: Kind| kinds(&trace).iter().filter(|&&it| it == kind).count();
    assert_eq!((n(Kind::Acquire), n(Kind::Release), n(Kind::End)), (2, 0, 0));
}
