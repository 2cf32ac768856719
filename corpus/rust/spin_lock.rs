/* spin_lock: two threads count with a spin lock of their own.
 *
 * threads:  3
 * bug:      that the lock is free is seen in one step and the lock is taken in another one
 * kinds:    atomicity, panic
 * shows:    panic
 * bound:    2
 * verdict:  fails
 */

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

struct Counter {
    is_held: AtomicBool,
    /// Only who has the spin lock uses it.
    count: AtomicUsize,
}

impl Counter {
    fn lock(&self) {
        while self.is_held.load(Ordering::SeqCst) {
            thread::yield_now();
        }
        self.is_held.store(true, Ordering::SeqCst);
    }

    fn unlock(&self) {
        self.is_held.store(false, Ordering::SeqCst);
    }

    fn add(&self) {
        self.lock();
        let count = self.count.load(Ordering::SeqCst);
        self.count.store(count + 1, Ordering::SeqCst);
        self.unlock();
    }
}

fn main() {
    let counter = Arc::new(Counter { is_held: AtomicBool::new(false), count: AtomicUsize::new(0) });
    let start = || {
        let counter = Arc::clone(&counter);
        thread::spawn(move || counter.add())
    };
    let (ann, ben) = (start(), start());
    ann.join().unwrap();
    ben.join().unwrap();
    assert_eq!(counter.count.load(Ordering::SeqCst), 2);
}
