/* token_ring: threads in a ring pass a token on, a semaphore each says whose turn it is.
 *
 * threads:  4
 * bug:      the turn is passed on before the token, the next thread adds to an old value
 * kinds:    atomicity, panic
 * shows:    panic
 * bound:    1
 * verdict:  fails
 */

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

const N_STATIONS: usize = 3;

struct Semaphore {
    count: Mutex<usize>,
    raised: Condvar,
}

impl Semaphore {
    fn wait(&self) {
        let mut count = self.count.lock().unwrap();
        while *count == 0 {
            count = self.raised.wait(count).unwrap();
        }
        *count -= 1;
    }

    fn post(&self) {
        let mut count = self.count.lock().unwrap();
        *count += 1;
        self.raised.notify_one();
    }
}

struct Ring {
    turns: [Semaphore; N_STATIONS],
    /// Counts the stations that it has passed; belongs to whose turn it is.
    token: AtomicUsize,
}

impl Ring {
    fn pass(&self, here: usize) {
        self.turns[here].wait();
        let seen = self.token.load(Ordering::SeqCst);
        self.turns[(here + 1) % N_STATIONS].post();
        self.token.store(seen + 1, Ordering::SeqCst);
    }
}

fn semaphore(count: usize) -> Semaphore {
    Semaphore { count: Mutex::new(count), raised: Condvar::new() }
}

fn main() {
    let turns = [semaphore(1), semaphore(0), semaphore(0)];
    let ring = Arc::new(Ring { turns, token: AtomicUsize::new(0) });
    let start = |here: usize| {
        let ring = Arc::clone(&ring);
        thread::spawn(move || ring.pass(here))
    };
    let stations: Vec<_> = (0..N_STATIONS).map(start).collect();
    stations.into_iter().for_each(|station| station.join().unwrap());
    assert_eq!(ring.token.load(Ordering::SeqCst), N_STATIONS);
}
