/* check_then_act_fixed: a buyer wants the last ticket, and the office closes.
 *
 * threads:  2
 * bug:      none
 * kinds:    none
 * atomic:   buy
 * predict:  none
 * shows:    none
 * native:   yes
 * verdict:  clean
 */

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

#[inline(never)]
fn buy(n_left: &AtomicUsize) {
    let before = n_left.swap(0, Ordering::SeqCst);
    assert!(before <= 1, "there is one ticket");
}

fn main() {
    let n_left = Arc::new(AtomicUsize::new(1));
    let office = Arc::clone(&n_left);
    let closing = thread::spawn(move || office.store(0, Ordering::SeqCst));
    buy(&n_left);
    closing.join().unwrap();
}
