/* buffer_if_fixed: a producer and two consumers share a buffer of one slot and wait in loops.
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
    changed: Condvar,
}

impl Buffer {
    fn put(&self, item: i32) {
        let mut slot = self.slot.lock().unwrap();
        while slot.is_some() {
            slot = self.changed.wait(slot).unwrap();
        }
        assert!(slot.is_none());
        *slot = Some(item);
        self.changed.notify_all();
    }

    fn take(&self) -> i32 {
        let mut slot = self.slot.lock().unwrap();
        while slot.is_none() {
            slot = self.changed.wait(slot).unwrap();
        }
        assert!(slot.is_some());
        let item = slot.take().unwrap();
        self.changed.notify_all();
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
