/* semaphore_peek_fixed: two guests take the last place in a car park if they can, or go away.
 *
 * threads:  3
 * bug:      none
 * kinds:    none
 * shows:    none
 * verdict:  clean
 */

use std::sync::{Arc, Mutex};
use std::thread;

const N_GUESTS: usize = 2;

struct Semaphore {
    count: Mutex<usize>,
}

impl Semaphore {
    fn try_wait(&self) -> bool {
        let mut count = self.count.lock().unwrap();
        let is_raised = *count > 0;
        *count -= usize::from(is_raised);
        is_raised
    }
}

fn park(places: &Semaphore) -> bool {
    places.try_wait()
}

fn main() {
    let places = Arc::new(Semaphore { count: Mutex::new(1) });
    let start = |_| {
        let places = Arc::clone(&places);
        thread::spawn(move || park(&places))
    };
    let guests: Vec<_> = (0..N_GUESTS).map(start).collect();
    let parked = guests.into_iter().map(|guest| usize::from(guest.join().unwrap()));
    assert_eq!(parked.sum::<usize>(), 1);
}
