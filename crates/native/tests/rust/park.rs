//! Parking orders two threads; if the token is there first, no system call shows it.

use std::cell::UnsafeCell;
use std::thread;

struct Plain(UnsafeCell<u64>);

// SAFETY: one thread writes before it unparks the other, which writes behind its parking.
unsafe impl Sync for Plain {}

static PLAIN: Plain = Plain(UnsafeCell::new(0));

fn main() {
    let parked = thread::spawn(|| {
        thread::park();
        unsafe { *PLAIN.0.get() += 1 };
    });
    unsafe { *PLAIN.0.get() = 5 };
    parked.thread().unpark();
    parked.join().unwrap();
    assert_eq!(unsafe { *PLAIN.0.get() }, 6);
}
