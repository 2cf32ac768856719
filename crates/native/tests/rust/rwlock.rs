//! Readers and writers that begin at once.

use std::sync::{Barrier, RwLock};
use std::thread;

static START: Barrier = Barrier::new(3);
static TOTAL: RwLock<u64> = RwLock::new(0);

fn main() {
    let threads = [0, 1, 2].map(|number| {
        thread::spawn(move || {
            START.wait();
            let more = if number == 0 { 1 } else { *TOTAL.read().unwrap() };
            *TOTAL.write().unwrap() += more;
        })
    });
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert!(*TOTAL.read().unwrap() >= 1);
}
