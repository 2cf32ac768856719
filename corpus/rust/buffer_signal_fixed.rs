/* buffer_signal_fixed: a one-slot buffer with one condition variable per kind of waiter.
 *
 * threads:  3
 * bug:      none
 * kinds:    none
 * shows:    none
 * verdict:  clean
 */

use std::sync::{Arc, Condvar, Mutex};
use std::thread;

struct Buffer {
    slot: Mutex<Option<i32>>,
    /// Producers wait here.
    emptied: Condvar,
    /// Consumers wait here.
    filled: Condvar,
}

impl Buffer {
    fn put(&self, item: i32) {
        let mut slot = self.slot.lock().unwrap();
        while slot.is_some() {
            slot = self.emptied.wait(slot).unwrap();
        }
        *slot = Some(item);
        self.filled.notify_one();
    }

    fn take(&self) -> i32 {
        let mut slot = self.slot.lock().unwrap();
        while slot.is_none() {
            slot = self.filled.wait(slot).unwrap();
        }
        let item = slot.take().expect("the slot is full");
        self.emptied.notify_one();
        item
    }
}

fn produce(buffer: &Buffer) {
    buffer.put(1);
    buffer.put(2);
}

fn main() {
    let (emptied, filled) = (Condvar::new(), Condvar::new());
    let buffer = Arc::new(Buffer { slot: Mutex::new(None), emptied, filled });
    let shared = Arc::clone(&buffer);
    let producer = thread::spawn(move || produce(&shared));
    let shared = Arc::clone(&buffer);
    let helper = thread::spawn(move || shared.take());
    let item = buffer.take();
    producer.join().unwrap();
    assert_eq!(item + helper.join().unwrap(), 1 + 2);
}
