/* peterson: two threads count, with Peterson's algorithm for mutual exclusion.
 *
 * threads:  3
 * bug:      a thread gives way before it says that it wants to enter, both enter
 * kinds:    atomicity, panic
 * shows:    panic
 * bound:    2
 * verdict:  fails
 */

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

struct Shared {
    wants: [AtomicBool; 2],
    turn: AtomicUsize,
    /// Only who has entered uses it.
    count: AtomicUsize,
}

impl Shared {
    fn enter(&self, me: usize) {
        let other = 1 - me;
        self.turn.store(other, Ordering::SeqCst);
        self.wants[me].store(true, Ordering::SeqCst);
        while self.wants[other].load(Ordering::SeqCst) && self.turn.load(Ordering::SeqCst) == other
        {
            thread::yield_now();
        }
    }

    fn leave(&self, me: usize) {
        self.wants[me].store(false, Ordering::SeqCst);
    }
}

fn add(shared: &Shared, me: usize) {
    shared.enter(me);
    let count = shared.count.load(Ordering::SeqCst);
    shared.count.store(count + 1, Ordering::SeqCst);
    shared.leave(me);
}

fn main() {
    let shared = Arc::new(Shared {
        wants: [AtomicBool::new(false), AtomicBool::new(false)],
        turn: AtomicUsize::new(0),
        count: AtomicUsize::new(0),
    });
    let start = |me: usize| {
        let shared = Arc::clone(&shared);
        thread::spawn(move || add(&shared, me))
    };
    let (ann, ben) = (start(0), start(1));
    ann.join().unwrap();
    ben.join().unwrap();
    assert_eq!(shared.count.load(Ordering::SeqCst), 2);
}
