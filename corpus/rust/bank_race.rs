/* bank_race: two threads change one balance, a deposit and a withdrawal.
 *
 * threads:  3
 * bug:      the balance is read and written by two atomic operations, one of the changes is lost
 * kinds:    atomicity, panic
 * shows:    panic
 * bound:    1
 * verdict:  fails
 */

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::thread;

fn change(balance: &AtomicI32, amount: i32) {
    let seen = balance.load(Ordering::SeqCst);
    balance.store(seen + amount, Ordering::SeqCst);
}

fn main() {
    let balance = Arc::new(AtomicI32::new(100));
    let account = Arc::clone(&balance);
    let depositor = thread::spawn(move || change(&account, 50));
    let account = Arc::clone(&balance);
    let withdrawer = thread::spawn(move || change(&account, -30));
    depositor.join().unwrap();
    withdrawer.join().unwrap();
    assert_eq!(balance.load(Ordering::SeqCst), 120);
}
