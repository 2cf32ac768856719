/* reorder_3: two threads set a pair of variables, a third one checks that they belong together.
 *
 * threads:  4
 * bug:      the pair is written in two steps, the checker sees the first without the second
 * kinds:    atomicity, panic
 * shows:    panic
 * bound:    1
 * verdict:  fails
 */

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::thread;

const N_SETTERS: usize = 2;

/// 0 and 0, or 1 and -1.
struct Pair {
    credit: AtomicI32,
    debit: AtomicI32,
}

fn set(pair: &Pair) {
    pair.credit.store(1, Ordering::SeqCst);
    pair.debit.store(-1, Ordering::SeqCst);
}

fn check(pair: &Pair) {
    let credit = pair.credit.load(Ordering::SeqCst);
    let debit = pair.debit.load(Ordering::SeqCst);
    assert_eq!(credit + debit, 0);
}

fn main() {
    let pair = Arc::new(Pair { credit: AtomicI32::new(0), debit: AtomicI32::new(0) });
    let start = |work: fn(&Pair)| {
        let pair = Arc::clone(&pair);
        thread::spawn(move || work(&pair))
    };
    let setters: Vec<_> = (0..N_SETTERS).map(|_| start(set)).collect();
    let checker = start(check);
    setters.into_iter().for_each(|setter| setter.join().unwrap());
    checker.join().unwrap();
    assert_eq!(pair.credit.load(Ordering::SeqCst), 1);
    assert_eq!(pair.debit.load(Ordering::SeqCst), -1);
}
