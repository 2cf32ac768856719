//! A data race beside locks that order nothing about it.

use std::cell::UnsafeCell;
use std::sync::Mutex;
use std::thread;

struct Plain(UnsafeCell<u64>);

unsafe impl Sync for Plain {}

static PLAIN: Plain = Plain(UnsafeCell::new(0));
static LOCK: Mutex<u64> = Mutex::new(0);

fn main() {
    let other = thread::spawn(|| {
        *LOCK.lock().unwrap() += 1;
        unsafe { *PLAIN.0.get() += 1 };
    });
    *LOCK.lock().unwrap() += 1;
    unsafe { *PLAIN.0.get() = 5 };
    other.join().unwrap();
}
