/* rwlock_upgrade: a guest reads the number of visitors and raises it while the house is closed.
 *
 * threads:  3
 * bug:      the lock is free between reading and writing, the closing of the house is lost
 * kinds:    atomicity, panic
 * shows:    panic
 * bound:    1
 * native:   yes
 * verdict:  fails
 */

use std::sync::{Arc, RwLock};
use std::thread;

#[inline(never)]
fn enter(visitors: &RwLock<i32>) {
    let seen = *visitors.read().unwrap();
    *visitors.write().unwrap() = seen + 1;
}

fn close_house(visitors: &RwLock<i32>) {
    *visitors.write().unwrap() = 0;
}

fn main() {
    let visitors = Arc::new(RwLock::new(5));
    let gate = Arc::clone(&visitors);
    let guest = thread::spawn(move || enter(&gate));
    let gate = Arc::clone(&visitors);
    let host = thread::spawn(move || close_house(&gate));
    guest.join().unwrap();
    host.join().unwrap();
    assert!(*visitors.read().unwrap() <= 1);
}
