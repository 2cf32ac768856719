/* michael_scott_fixed: two threads use a lock-free queue; nodes are freed when both have ended.
 *
 * threads:  3
 * bug:      none
 * kinds:    none
 * shows:    none
 * verdict:  clean
 */

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The first one of a queue, and one of each thread.
const N_NODES: usize = 3;
const NONE: usize = N_NODES;
/// What stands behind a node that nobody may look at any more.
const FREED: usize = N_NODES + 1;

struct Queue {
    /// A node whose item is out already.
    head: AtomicUsize,
    tail: AtomicUsize,
    /// What stands behind each node.
    next: [AtomicUsize; N_NODES],
}

fn replace(place: &AtomicUsize, old: usize, new: usize) -> bool {
    match place.compare_exchange(old, new, Ordering::SeqCst, Ordering::SeqCst) {
        Ok(_) => true,
        Err(seen) => {
            assert_ne!(seen, FREED, "the node is freed");
            false
        }
    }
}

impl Queue {
    fn behind(&self, node: usize) -> usize {
        let next = self.next[node].load(Ordering::SeqCst);
        assert_ne!(next, FREED, "the node is freed");
        next
    }

    fn enqueue(&self, node: usize) {
        self.next[node].store(NONE, Ordering::SeqCst);
        loop {
            let last = self.tail.load(Ordering::SeqCst);
            let next = self.behind(last);
            if next != NONE {
                replace(&self.tail, last, next); // It lags behind.
            } else if replace(&self.next[last], NONE, node) {
                replace(&self.tail, last, node);
                return;
            }
        }
    }

    /// The item of the node behind `head`.
    fn dequeue(&self) -> Option<usize> {
        loop {
            let first = self.head.load(Ordering::SeqCst);
            let last = self.tail.load(Ordering::SeqCst);
            let next = self.behind(first);
            if next == NONE {
                return None;
            }
            if first == last {
                replace(&self.tail, last, next); // It must not lag behind `head`.
            } else if replace(&self.head, first, next) {
                return Some(next); // Its item is its number.
            }
        }
    }
}

fn main() {
    let queue = Arc::new(Queue {
        head: AtomicUsize::new(0),
        tail: AtomicUsize::new(0),
        next: core::array::from_fn(|_| AtomicUsize::new(NONE)),
    });
    let start = |node: usize| {
        let queue = Arc::clone(&queue);
        thread::spawn(move || {
            queue.enqueue(node);
            queue.dequeue()
        })
    };
    let threads = [start(1), start(2)];
    let [one, other] = threads.map(|thread| thread.join().unwrap());
    assert!(one.is_some() && other.is_some() && one != other);
}
