/* rwlock_upgrade_fixed: as rwlock_upgrade, the guest holds the write lock for both accesses.
 *
 * threads:  3
 * bug:      none
 * kinds:    none
 * shows:    none
 * native:   yes
 * verdict:  clean
 */

use std::sync::{Arc, RwLock};
use std::thread;

#[inline(never)]
fn enter(visitors: &RwLock<i32>) {
    *visitors.write().unwrap() += 1;
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
