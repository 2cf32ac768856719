/* barrier_reuse_fixed: two threads work in two phases, with a barrier that counts its rounds.
 *
 * threads:  3
 * bug:      none
 * kinds:    none
 * predict:  none
 * shows:    none
 * native:   yes
 * verdict:  clean
 */

use std::sync::{Arc, Condvar, Mutex};
use std::thread;

const N_THREADS: u32 = 2;
const N_PHASES: u32 = 2;

#[derive(Default)]
struct Arrivals {
    n_here: u32,
    n_rounds: u32,
}

struct Meeting {
    arrivals: Mutex<Arrivals>,
    all_here: Condvar,
}

impl Meeting {
    fn meet(&self) {
        let mut arrivals = self.arrivals.lock().unwrap();
        arrivals.n_here += 1;
        if arrivals.n_here == N_THREADS {
            arrivals.n_here = 0;
            arrivals.n_rounds += 1;
            self.all_here.notify_all();
        } else {
            let round = arrivals.n_rounds;
            while arrivals.n_rounds == round {
                arrivals = self.all_here.wait(arrivals).unwrap();
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
    let arrivals = Mutex::new(Arrivals::default());
    let meeting = Arc::new(Meeting { arrivals, all_here: Condvar::new() });
    let start = |_| {
        let meeting = Arc::clone(&meeting);
        thread::spawn(move || work(&meeting))
    };
    let threads: Vec<_> = (0..N_THREADS).map(start).collect();
    for thread in threads {
        assert_eq!(thread.join().unwrap(), N_PHASES);
    }
}
