/* barrier_reuse: two threads work in two phases, with a barrier of their own after each.
 *
 * threads:  3
 * bug:      who wakes late sees that another thread arrived at the next barrier and waits on
 * kinds:    deadlock
 * predict:  none
 * shows:    deadlock
 * bound:    0
 * native:   yes
 * verdict:  fails
 */

use std::sync::{Arc, Condvar, Mutex};
use std::thread;

const N_THREADS: u32 = 2;
const N_PHASES: u32 = 2;

struct Meeting {
    n_arrived: Mutex<u32>,
    all_here: Condvar,
}

impl Meeting {
    fn meet(&self) {
        let mut n_arrived = self.n_arrived.lock().unwrap();
        *n_arrived += 1;
        if *n_arrived == N_THREADS {
            *n_arrived = 0;
            self.all_here.notify_all();
        } else {
            while *n_arrived != 0 {
                n_arrived = self.all_here.wait(n_arrived).unwrap();
            }
        }
    }
}

fn work(meeting: &Meeting) -> u32 {
    let mut phase = 0;
    while phase < N_PHASES {
        phase += 1;
        meeting.meet();
    }
    phase
}

fn main() {
    let meeting = Arc::new(Meeting { n_arrived: Mutex::new(0), all_here: Condvar::new() });
    let start = |_| {
        let meeting = Arc::clone(&meeting);
        thread::spawn(move || work(&meeting))
    };
    let threads: Vec<_> = (0..N_THREADS).map(start).collect();
    for thread in threads {
        assert_eq!(thread.join().unwrap(), N_PHASES);
    }
}
