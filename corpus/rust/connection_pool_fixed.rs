/* connection_pool_fixed: clients share two connections, a mutex guards which ones are in use.
 *
 * threads:  3
 * bug:      none
 * kinds:    none
 * shows:    none
 * verdict:  clean
 */

use std::sync::atomic::{AtomicUsize, Ordering};
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
    in_use: Mutex<[bool; N_CONNECTIONS]>,
    /// Who uses each connection.
    users: [AtomicUsize; N_CONNECTIONS],
}

impl Pool {
    fn check_out(&self) -> usize {
        self.n_free.wait();
        let mut in_use = self.in_use.lock().unwrap();
        let connection = in_use.iter().position(|is_used| !is_used).expect("one is free");
        in_use[connection] = true;
        connection
    }

    fn give_back(&self, connection: usize) {
        self.in_use.lock().unwrap()[connection] = false;
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
        in_use: Mutex::new([false; N_CONNECTIONS]),
        users: core::array::from_fn(|_| AtomicUsize::new(0)),
    });
    let start = |id: usize| {
        let pool = Arc::clone(&pool);
        thread::spawn(move || client(&pool, id))
    };
    let clients: Vec<_> = (1..=N_CLIENTS).map(start).collect();
    clients.into_iter().for_each(|client| client.join().unwrap());
    assert_eq!(*pool.in_use.lock().unwrap(), [false; N_CONNECTIONS]);
}
