/* check_then_act: a buyer wants the last ticket, and the office closes.
 *
 * threads:  2
 * bug:      whether a ticket is left is looked at before it is taken, by two atomic operations
 * kinds:    atomicity, panic
 * atomic:   buy
 * predict:  atomicity
 * shows:    panic
 * bound:    1
 * native:   yes
 * verdict:  fails
 */

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

#[inline(never)]
fn buy(n_left: &AtomicUsize) {
    if n_left.load(Ordering::SeqCst) > 0 {
        let before = n_left.swap(0, Ordering::SeqCst);
        assert!(before > 0, "there was no ticket");
    }
}

fn main() {
    let n_left = Arc::new(AtomicUsize::new(1));
    let office = Arc::clone(&n_left);
    let closing = thread::spawn(move || office.store(0, Ordering::SeqCst));
    buy(&n_left);
    closing.join().unwrap();
}
