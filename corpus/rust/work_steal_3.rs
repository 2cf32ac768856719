/* work_steal_3: a worker takes tasks from its deque (as in Cilk), a thief takes from the other end.
 *
 * threads:  3
 * bug:      the worker gets a task with the mutex held, but does not lower `tail` again
 * kinds:    atomicity, panic
 * shows:    panic
 * bound:    2
 * verdict:  fails
 */

use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

const N_TASKS: i32 = 2;

/// Tasks `head` to `tail` - 1 are in it.
struct Deque {
    /// Held by thieves, and by the worker in case of doubt.
    mutex: Mutex<()>,
    /// Only whoever holds the mutex changes it.
    head: AtomicI32,
    /// Only the worker changes it.
    tail: AtomicI32,
}

impl Deque {
    fn pop(&self) -> Option<i32> {
        let tail = self.tail.load(Ordering::SeqCst) - 1;
        self.tail.store(tail, Ordering::SeqCst);
        if self.head.load(Ordering::SeqCst) > tail {
            // A thief wants the same task: whoever has the mutex decides.
            self.tail.store(tail + 1, Ordering::SeqCst);
            let _guard = self.mutex.lock().unwrap();
            if self.head.load(Ordering::SeqCst) > tail {
                return None;
            }
        }
        Some(tail)
    }
    /// A thief claims first and looks then, as it does not know what the worker is doing.
    fn steal(&self) -> Option<i32> {
        let _guard = self.mutex.lock().unwrap();
        let head = self.head.load(Ordering::SeqCst);
        self.head.store(head + 1, Ordering::SeqCst);
        if head + 1 > self.tail.load(Ordering::SeqCst) {
            self.head.store(head, Ordering::SeqCst);
            return None;
        }
        Some(head)
    }
}

/// The tasks that the worker runs.
fn work(deque: &Deque) -> Vec<i32> {
    core::iter::from_fn(|| deque.pop()).collect()
}

fn main() {
    let (head, tail) = (AtomicI32::new(0), AtomicI32::new(N_TASKS));
    let deque = Arc::new(Deque { mutex: Mutex::new(()), head, tail });
    let shared = Arc::clone(&deque);
    let worker = thread::spawn(move || work(&shared));
    let thief = thread::spawn(move || deque.steal());
    let mut ran = worker.join().unwrap();
    ran.extend(thief.join().unwrap());
    ran.sort_unstable();
    assert!(ran.into_iter().eq(0..N_TASKS));
}
