/* semaphore_peek: two guests take the last place in a car park if there is one, or go away.
 *
 * threads:  3
 * bug:      a guest looks whether there is a place and then waits for one, which is gone by then
 * kinds:    atomicity, deadlock
 * shows:    deadlock
 * bound:    1
 * verdict:  fails
 */

use std::sync::{Arc, Condvar, Mutex};
use std::thread;

const N_GUESTS: usize = 2;

struct Semaphore {
    count: Mutex<usize>,
    raised: Condvar,
}

impl Semaphore {
    fn count(&self) -> usize {
        *self.count.lock().unwrap()
    }

    fn wait(&self) {
        let mut count = self.count.lock().unwrap();
        while *count == 0 {
            count = self.raised.wait(count).unwrap();
        }
        *count -= 1;
    }
}

fn park(places: &Semaphore) -> bool {
    if places.count() == 0 {
        return false;
    }
    places.wait();
    true
}

fn main() {
    let places = Arc::new(Semaphore { count: Mutex::new(1), raised: Condvar::new() });
    let start = |_| {
        let places = Arc::clone(&places);
        thread::spawn(move || park(&places))
    };
    let guests: Vec<_> = (0..N_GUESTS).map(start).collect();
    let parked = guests.into_iter().map(|guest| usize::from(guest.join().unwrap()));
    assert_eq!(parked.sum::<usize>(), 1);
}
