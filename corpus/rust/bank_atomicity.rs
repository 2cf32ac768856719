/* bank_atomicity: alice withdraws money while the bank freezes the account, both under its lock.
 *
 * threads:  3
 * bug:      the check of the balance and the withdrawal are two critical sections
 * kinds:    atomicity, panic
 * shows:    panic
 * bound:    1
 * verdict:  fails
 */

use std::sync::{Arc, Mutex};
use std::thread;

const AMOUNT: i32 = 80;

fn has_funds(balance: &Mutex<i32>, amount: i32) -> bool {
    *balance.lock().unwrap() >= amount
}

#[inline(never)]
fn withdraw(balance: &Mutex<i32>) {
    if has_funds(balance, AMOUNT) {
        *balance.lock().unwrap() -= AMOUNT;
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
