/* dining_philosophers: four philosophers take their left fork, then their right fork, and eat once.
 *
 * threads:  5
 * bug:      if each philosopher holds the left fork, all wait for the right one forever
 * kinds:    deadlock
 * shows:    deadlock
 * bound:    1
 * verdict:  fails
 */

use std::sync::{Arc, Mutex};
use std::thread;

const N: usize = 4;

type Fork = Mutex<()>;

/// How many meals there were.
fn dine(forks: &[Fork; N], left: usize) -> usize {
    let right = (left + 1) % N;
    let _left = forks[left].lock().unwrap();
    let _right = forks[right].lock().unwrap();
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
