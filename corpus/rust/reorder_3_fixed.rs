/* reorder_3_fixed: two threads set a pair of variables with a lock, a third one checks it.
 *
 * threads:  4
 * bug:      none
 * kinds:    none
 * shows:    none
 * verdict:  clean
 */

use std::sync::{Arc, Mutex};
use std::thread;

const N_SETTERS: usize = 2;

/// 0 and 0, or 1 and -1.
type Pair = Mutex<(i32, i32)>;

fn set(pair: &Pair) {
    *pair.lock().unwrap() = (1, -1);
}

fn check(pair: &Pair) {
    let (credit, debit) = *pair.lock().unwrap();
    assert_eq!(credit + debit, 0);
}

fn main() {
    let pair: Arc<Pair> = Arc::new(Mutex::new((0, 0)));
    let start = |work: fn(&Pair)| {
        let pair = Arc::clone(&pair);
        thread::spawn(move || work(&pair))
    };
    let setters: Vec<_> = (0..N_SETTERS).map(|_| start(set)).collect();
    let checker = start(check);
    setters.into_iter().for_each(|setter| setter.join().unwrap());
    checker.join().unwrap();
    assert_eq!(*pair.lock().unwrap(), (1, -1));
}
