/* bank_race_fixed: two threads change one balance, a deposit and a withdrawal.
 *
 * threads:  3
 * bug:      none
 * kinds:    none
 * shows:    none
 * verdict:  clean
 */

use std::sync::{Arc, Mutex};
use std::thread;

fn change(balance: &Mutex<i32>, amount: i32) {
    *balance.lock().unwrap() += amount;
}

fn main() {
    let balance = Arc::new(Mutex::new(100));
    let account = Arc::clone(&balance);
    let depositor = thread::spawn(move || change(&account, 50));
    let account = Arc::clone(&balance);
    let withdrawer = thread::spawn(move || change(&account, -30));
    depositor.join().unwrap();
    withdrawer.join().unwrap();
    assert_eq!(*balance.lock().unwrap(), 120);
}
