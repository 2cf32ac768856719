/* bank_atomicity_fixed: as bank_atomicity, check and withdrawal are one critical section.
 *
 * threads:  3
 * bug:      none
 * kinds:    none
 * shows:    none
 * verdict:  clean
 */

use std::sync::{Arc, Mutex};
use std::thread;

const AMOUNT: i32 = 80;

#[inline(never)]
fn withdraw(balance: &Mutex<i32>) {
    let mut balance = balance.lock().unwrap();
    if *balance >= AMOUNT {
        *balance -= AMOUNT;
    }
}

fn freeze(balance: &Mutex<i32>) {
    *balance.lock().unwrap() = 0;
}

fn main() {
    let balance = Arc::new(Mutex::new(100));
    let account = Arc::clone(&balance);
    let alice = thread::spawn(move || withdraw(&account));
    let account = Arc::clone(&balance);
    let bank = thread::spawn(move || freeze(&account));
    alice.join().unwrap();
    bank.join().unwrap();
    assert!(*balance.lock().unwrap() >= 0);
}
