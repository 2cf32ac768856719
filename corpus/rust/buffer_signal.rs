/* buffer_signal: a producer and two consumers share a one-slot buffer and a condition variable.
 *
 * threads:  3
 * bug:      `notify_one` can wake a consumer although only the producer could go on
 * kinds:    lost-wakeup, deadlock
 * shows:    deadlock
 * bound:    0
 * verdict:  fails
 */

use std::sync::{Arc, Condvar, Mutex};
use std::thread;

struct Buffer {
    slot: Mutex<Option<i32>>,
    changed: Condvar,
}

impl Buffer {
    fn put(&self, item: i32) {
        let mut slot = self.slot.lock().unwrap();
        while slot.is_some() {
            slot = self.changed.wait(slot).unwrap();
        }
        *slot = Some(item);
        self.changed.notify_one();
    }

    fn take(&self) -> i32 {
        let mut slot = self.slot.lock().unwrap();
        while slot.is_none() {
            slot = self.changed.wait(slot).unwrap();
        }
        let item = slot.take().expect("the slot is full");
        self.changed.notify_one();
        item
    }
}

fn produce(buffer: &Buffer) {
    buffer.put(1);
    buffer.put(2);
}

fn main() {
    let buffer = Arc::new(Buffer { slot: Mutex::new(None), changed: Condvar::new() });
    let shared = Arc::clone(&buffer);
    let producer = thread::spawn(move || produce(&shared));
    let shared = Arc::clone(&buffer);
    let helper = thread::spawn(move || shared.take());
    let item = buffer.take();
    producer.join().unwrap();
    assert_eq!(item + helper.join().unwrap(), 1 + 2);
}
