/* seqlock_fixed: a reader copies a pair without a lock and tries again if a writer came in between.
 *
 * threads:  3
 * bug:      none
 * kinds:    none
 * shows:    none
 * verdict:  clean
 */

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};
use std::thread;

struct Pair {
    /// Odd while somebody writes.
    sequence: AtomicU32,
    /// The sum of both is 0 while nobody writes.
    left: AtomicI32,
    right: AtomicI32,
}

impl Pair {
    fn write(&self, value: i32) {
        self.sequence.fetch_add(1, Ordering::SeqCst);
        self.left.store(value, Ordering::SeqCst);
        self.right.store(-value, Ordering::SeqCst);
        self.sequence.fetch_add(1, Ordering::SeqCst);
    }

    fn sum(&self) -> i32 {
        loop {
            let sequence = self.sequence.load(Ordering::SeqCst);
            if sequence.is_multiple_of(2) {
                let left = self.left.load(Ordering::SeqCst);
                let right = self.right.load(Ordering::SeqCst);
                if self.sequence.load(Ordering::SeqCst) == sequence {
                    return left + right;
                }
            }
            thread::yield_now();
        }
    }
}

fn main() {
    let pair = Arc::new(Pair {
        sequence: AtomicU32::new(0),
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
