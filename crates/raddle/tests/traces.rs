//! Executions that are written as traces pass the strict check, and say what happened.

use raddle::cell::UnsafeCell;
use raddle::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use raddle::sync::mpsc::channel;
use raddle::sync::{Arc, Barrier, Condvar, Mutex, RwLock};
use raddle::{Config, thread};
use raddle_predict::{Causes, Job, deadlocks, races};
use raddle_trace::format::{Options, open};
use raddle_trace::{EventId, Kind, Op, Order, Trace};

fn trace_of(f: impl Fn() + Send + Sync + 'static) -> Trace {
    trace_with(Config::new(), f)
}

fn trace_with(config: Config, f: impl Fn() + Send + Sync + 'static) -> Trace {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("execution.rdl");
    config.trace(&path).explore(f);
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
fn who_only_tries_a_lock_says_so() {
    let trace = trace_of(|| {
        let n = Mutex::new(0);
        drop(n.lock().unwrap());
        drop(n.try_lock().unwrap());
    });
    let codes = (0..trace.len() as u32).map(|index| trace.code(EventId(index)));
    let acquires = codes.filter(|code| code.kind() == Kind::Acquire);
    assert_eq!(acquires.map(|code| code.is_tried()).collect::<Vec<_>>(), [false, true]);
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

/// Two locks in opposite orders or, below a third one, harmless.
fn locks(is_guarded: bool) -> impl Fn() + Send + Sync + 'static {
    move || {
        let all = Arc::new([(); 3].map(Mutex::new));
        let shared = all.clone();
        let both = move |all: &[Mutex<()>; 3], first: usize, second: usize| {
            let _gate = is_guarded.then(|| all[2].lock().unwrap());
            let _first = all[first].lock().unwrap();
            let _second = all[second].lock().unwrap();
        };
        let thread = thread::spawn(move || both(&shared, 0, 1));
        both(&all, 1, 0);
        thread.join().unwrap();
    }
}

/// An unordered write to a cell, or one behind a mutex.
fn writes(is_guarded: bool) -> impl Fn() + Send + Sync + 'static {
    struct Shared(UnsafeCell<u8>, Mutex<()>);
    // SAFETY: all threads are on one thread of the system.
    unsafe impl Sync for Shared {}
    move || {
        let shared = Arc::new(Shared(UnsafeCell::new(0), Mutex::new(())));
        let other = shared.clone();
        let write = move |shared: &Shared| {
            let _guard = is_guarded.then(|| shared.1.lock().unwrap());
            // SAFETY: see above.
            shared.0.with_mut(|value| unsafe { *value += 1 });
        };
        let thread = thread::spawn(move || write(&other));
        write(&shared);
        thread.join().unwrap();
    }
}

/// How many races and deadlocks are predicted from an execution that shows neither.
fn predicted(f: impl Fn() + Send + Sync + 'static) -> (usize, usize) {
    let trace = trace_with(Config::new().bound(0).races(false), f);
    assert!(kinds(&trace).iter().filter(|&&kind| kind == Kind::End).count() == 2);
    let causes = Causes::new(&trace);
    let mut goes_on = |_, _| true;
    let races = races(&causes, false, Job { n_workers: 1, progress: &mut goes_on }).unwrap();
    let deadlocks =
        deadlocks(&causes, false, Job { n_workers: 1, progress: &mut goes_on }).unwrap();
    (races.races.len(), deadlocks.deadlocks.len())
}

#[test]
fn what_an_execution_does_not_show_is_predicted_from_its_trace() {
    assert_eq!(predicted(locks(false)), (0, 1));
    assert_eq!(predicted(locks(true)), (0, 0));
    assert_eq!(predicted(writes(false)), (1, 0));
    assert_eq!(predicted(writes(true)), (0, 0));
}

#[test]
fn a_deadlock_ends_in_the_middle() {
    let trace = trace_of(locks(false));
    let n = |kind: Kind| kinds(&trace).iter().filter(|&&it| it == kind).count();
    assert_eq!((n(Kind::Acquire), n(Kind::Release), n(Kind::End)), (2, 0, 0));
}
