/* seqlock: a reader copies a pair without a lock and tries again if a writer came in between.
 *
 * threads:  3
 * bug:      the sequence is a flag, not a count: a whole update between two looks goes unseen
 * kinds:    atomicity, panic
 * shows:    panic
 * bound:    1
 * verdict:  fails
 */

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::thread;

struct Pair {
    is_written: AtomicBool,
    /// The sum of both is 0 while nobody writes.
    left: AtomicI32,
    right: AtomicI32,
}

impl Pair {
    fn write(&self, value: i32) {
        self.is_written.store(true, Ordering::SeqCst);
        self.left.store(value, Ordering::SeqCst);
        self.right.store(-value, Ordering::SeqCst);
        self.is_written.store(false, Ordering::SeqCst);
    }

    fn sum(&self) -> i32 {
        loop {
            if !self.is_written.load(Ordering::SeqCst) {
                let left = self.left.load(Ordering::SeqCst);
                let right = self.right.load(Ordering::SeqCst);
                if !self.is_written.load(Ordering::SeqCst) {
                    return left + right;
                }
            }
            thread::yield_now();
        }
    }
}

fn main() {
    let pair = Arc::new(Pair {
        is_written: AtomicBool::new(false),
        left: AtomicI32::new(0),
        right: AtomicI32::new(0),
    });
    let shared = Arc::clone(&pair);
    let reader = thread::spawn(move || assert_eq!(shared.sum(), 0));
    let shared = Arc::clone(&pair);
    let writer = thread::spawn(move || shared.write(1));
    reader.join().unwrap();
    writer.join().unwrap();
}
