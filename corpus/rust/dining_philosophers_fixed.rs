/* dining_philosophers_fixed: four philosophers take the fork with the smaller number first.
 *
 * threads:  5
 * bug:      none
 * kinds:    none
 * shows:    none
 * verdict:  clean
 */

use std::sync::{Arc, Mutex};
use std::thread;

const N: usize = 4;

type Fork = Mutex<()>;

/// How many meals there were.
fn dine(forks: &[Fork; N], left: usize) -> usize {
    let right = (left + 1) % N;
    let _first = forks[left.min(right)].lock().unwrap();
    let _second = forks[left.max(right)].lock().unwrap();
    1
}

fn main() {
    let forks: Arc<[Fork; N]> = Arc::new(core::array::from_fn(|_| Mutex::new(())));
    let start = |seat: usize| {
        let forks = Arc::clone(&forks);
        thread::spawn(move || dine(&forks, seat))
    };
    let philosophers: Vec<_> = (0..N).map(start).collect();
    let meals = philosophers.into_iter().map(|philosopher| philosopher.join().unwrap());
    assert_eq!(meals.sum::<usize>(), N);
}
