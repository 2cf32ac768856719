//! The programs in Rust.

use raddle::cell::Cell;
use raddle::sync::atomic::{AtomicI32, Ordering::SeqCst};
use raddle::sync::{Arc, Condvar, Mutex};
use raddle::thread::{Builder, JoinHandle};

/// A variable of C that no lock guards.
struct Global(Cell<i32>);

// SAFETY: what races here is reported, and threads run one at a time.
unsafe impl Sync for Global {}

/// A thread that is called as in C.
#[track_caller]
fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> JoinHandle<()> {
    Builder::new().name(name.to_owned()).spawn(work).unwrap()
}

/// `corpus/c/ab_ba.c`.
pub(super) fn ab_ba() {
    let (a, b) = (Arc::new(Mutex::new(())), Arc::new(Mutex::new(())));
    let (first, second) = (a.clone(), b.clone());
    let up = move || {
        let _a = first.lock().unwrap();
        let _b = second.lock().unwrap();
    };
    let down = move || {
        let _b = b.lock().unwrap();
        let _a = a.lock().unwrap();
    };
    let up = spawn("go_up#1", up);
    let down = spawn("go_down#1", down);
    up.join().unwrap();
    down.join().unwrap();
}

/// `race.c`.
pub(super) fn race() {
    let counter = Arc::new(Global(Cell::new(0)));
    let count = |counter: Arc<Global>| {
        move || {
            let seen = counter.0.get();
            counter.0.set(seen + 1);
        }
    };
    let one = spawn("count#1", count(counter.clone()));
    let other = spawn("count#2", count(counter));
    one.join().unwrap();
    other.join().unwrap();
}

/// `assertion.c`.
pub(super) fn assertion() {
    let balance = Arc::new(Global(Cell::new(100)));
    let (paid_in, paid_out) = (balance.clone(), balance.clone());
    let deposit = move || {
        let seen = paid_in.0.get();
        paid_in.0.set(seen + 50);
    };
    let withdraw = move || {
        let seen = paid_out.0.get();
        paid_out.0.set(seen - 130);
    };
    let depositor = spawn("deposit#1", deposit);
    let withdrawer = spawn("withdraw#1", withdraw);
    depositor.join().unwrap();
    withdrawer.join().unwrap();
    let left = balance.0.get();
    assert!(left == 20);
}

/// `change.c`.
pub(super) fn change() {
    let (tickets, owner) = (Arc::new(AtomicI32::new(0)), Arc::new(AtomicI32::new(0)));
    let enter = |tickets: Arc<AtomicI32>, owner: Arc<AtomicI32>| {
        move || {
            let ticket = tickets.fetch_add(1, SeqCst);
            if owner.compare_exchange(0, 7, SeqCst, SeqCst).is_ok() {
                assert!(ticket == 0);
            }
            tickets.store(5, SeqCst);
        }
    };
    owner.store(0, SeqCst);
    let one = spawn("enter#1", enter(tickets.clone(), owner.clone()));
    let other = spawn("enter#2", enter(tickets, owner));
    one.join().unwrap();
    other.join().unwrap();
}

/// `lost_wakeup.c`.
pub(super) fn lost_wakeup() {
    let post = Arc::new((Mutex::new(()), Condvar::new(), Global(Cell::new(0))));
    let office = post.clone();
    let deliver = move || {
        let (mutex, delivered, ready) = &*office;
        let _guard = mutex.lock().unwrap();
        ready.0.set(1);
        delivered.notify_one();
    };
    let postman = spawn("deliver#1", deliver);
    let (mutex, delivered, ready) = &*post;
    if ready.0.get() == 0 {
        let guard = mutex.lock().unwrap();
        drop(delivered.wait(guard).unwrap());
    }
    postman.join().unwrap();
}
