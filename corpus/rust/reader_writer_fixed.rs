/* reader_writer_fixed: a reader and a writer of a pair, the writer writes while it has the mutex.
 *
 * threads:  3
 * bug:      none
 * kinds:    none
 * shows:    none
 * verdict:  clean
 */

use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

struct Pair {
    n_readers: Mutex<u32>,
    no_readers: Condvar,
    /// Equal whenever nobody writes.
    first: AtomicI32,
    second: AtomicI32,
}

impl Pair {
    fn begin_read(&self) {
        *self.n_readers.lock().unwrap() += 1;
    }

    fn end_read(&self) {
        let mut n_readers = self.n_readers.lock().unwrap();
        *n_readers -= 1;
        if *n_readers == 0 {
            self.no_readers.notify_one();
        }
    }

    fn read(&self) {
        self.begin_read();
        let first = self.first.load(Ordering::SeqCst);
        let second = self.second.load(Ordering::SeqCst);
        self.end_read();
        assert_eq!(first, second);
    }

    /// The writer keeps the mutex, so that no reader can begin before it is done.
    fn write(&self) {
        let mut n_readers = self.n_readers.lock().unwrap();
        while *n_readers > 0 {
            n_readers = self.no_readers.wait(n_readers).unwrap();
        }
        self.first.store(1, Ordering::SeqCst);
        self.second.store(1, Ordering::SeqCst);
        drop(n_readers);
    }
}

fn main() {
    let pair = Arc::new(Pair {
        n_readers: Mutex::new(0),
        no_readers: Condvar::new(),
        first: AtomicI32::new(0),
        second: AtomicI32::new(0),
    });
    let shared = Arc::clone(&pair);
    let reader = thread::spawn(move || shared.read());
    let shared = Arc::clone(&pair);
    let writer = thread::spawn(move || shared.write());
    reader.join().unwrap();
    writer.join().unwrap();
    assert_eq!(pair.first.load(Ordering::SeqCst), 1);
    assert_eq!(pair.second.load(Ordering::SeqCst), 1);
}
