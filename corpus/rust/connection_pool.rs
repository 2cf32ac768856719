/* connection_pool: clients share two connections; a semaphore counts those that are free.
 *
 * threads:  3
 * bug:      the semaphore lets two clients in, which look for a free connection without a lock
 * kinds:    atomicity, panic
 * shows:    panic
 * bound:    2
 * verdict:  fails
 */

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

const N_CONNECTIONS: usize = 2;
const N_CLIENTS: usize = 2;

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

struct Pool {
    n_free: Semaphore,
    in_use: [AtomicBool; N_CONNECTIONS],
    /// Who uses each connection.
    users: [AtomicUsize; N_CONNECTIONS],
}

impl Pool {
    fn check_out(&self) -> usize {
        self.n_free.wait();
        let mut connection = 0; // One of them is free.
        while self.in_use[connection].load(Ordering::SeqCst) {
            connection += 1;
        }
        self.in_use[connection].store(true, Ordering::SeqCst);
        connection
    }

    fn give_back(&self, connection: usize) {
        self.in_use[connection].store(false, Ordering::SeqCst);
        self.n_free.post();
    }
}

fn client(pool: &Pool, id: usize) {
    let connection = pool.check_out();
    pool.users[connection].store(id, Ordering::SeqCst);
    assert_eq!(pool.users[connection].load(Ordering::SeqCst), id);
    pool.give_back(connection);
}

fn main() {
    let pool = Arc::new(Pool {
        n_free: Semaphore { count: Mutex::new(N_CONNECTIONS), raised: Condvar::new() },
        in_use: core::array::from_fn(|_| AtomicBool::new(false)),
        users: core::array::from_fn(|_| AtomicUsize::new(0)),
    });
    let start = |id: usize| {
        let pool = Arc::clone(&pool);
        thread::spawn(move || client(&pool, id))
    };
    let clients: Vec<_> = (1..=N_CLIENTS).map(start).collect();
    clients.into_iter().for_each(|client| client.join().unwrap());
    assert!(pool.in_use.iter().all(|is_used| !is_used.load(Ordering::SeqCst)));
}
