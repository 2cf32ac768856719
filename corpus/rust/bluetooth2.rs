/* bluetooth2: a Bluetooth driver is stopped while two requests come in.
 *
 * threads:  4
 * bug:      an adder tests `is_stopping` before it counts itself in, the driver stops in between
 * kinds:    atomicity, panic
 * shows:    panic
 * bound:    1
 * verdict:  fails
 */

use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

const N_ADDERS: usize = 2;

struct Driver {
    /// The driver itself is one user.
    n_users: AtomicI32,
    is_stopping: AtomicBool,
    is_stopped: AtomicBool,
    may_stop: Mutex<bool>,
    changed: Condvar,
}

impl Driver {
    fn enter(&self) -> bool {
        if self.is_stopping.load(Ordering::SeqCst) {
            return false;
        }
        self.n_users.fetch_add(1, Ordering::SeqCst);
        true
    }

    /// The last user lets the stopper go on.
    fn leave(&self) {
        if self.n_users.fetch_sub(1, Ordering::SeqCst) == 1 {
            let mut may_stop = self.may_stop.lock().unwrap();
            *may_stop = true;
            self.changed.notify_one();
        }
    }
}

/// As in the model of Qadeer and Wu, a request that is turned away leaves, too.
fn add(driver: &Driver) {
    if driver.enter() {
        assert!(!driver.is_stopped.load(Ordering::SeqCst));
    }
    driver.leave();
}

fn stop(driver: &Driver) {
    driver.is_stopping.store(true, Ordering::SeqCst);
    driver.leave();
    let mut may_stop = driver.may_stop.lock().unwrap();
    while !*may_stop {
        may_stop = driver.changed.wait(may_stop).unwrap();
    }
    drop(may_stop);
    driver.is_stopped.store(true, Ordering::SeqCst);
}

fn main() {
    let driver = Arc::new(Driver {
        n_users: AtomicI32::new(1),
        is_stopping: AtomicBool::new(false),
        is_stopped: AtomicBool::new(false),
        may_stop: Mutex::new(false),
        changed: Condvar::new(),
    });
    let start = |work: fn(&Driver)| {
        let driver = Arc::clone(&driver);
        thread::spawn(move || work(&driver))
    };
    let adders: Vec<_> = (0..N_ADDERS).map(|_| start(add)).collect();
    let stopper = start(stop);
    adders.into_iter().for_each(|adder| adder.join().unwrap());
    stopper.join().unwrap();
    assert!(driver.is_stopped.load(Ordering::SeqCst));
}
