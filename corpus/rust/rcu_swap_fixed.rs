/* rcu_swap_fixed: a writer gives the old configuration up when no reader is left.
 *
 * threads:  3
 * bug:      none
 * kinds:    none
 * shows:    none
 * verdict:  clean
 */

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

struct Config {
    low: i32,
    high: i32,
    /// Nobody may look at it any more.
    is_gone: AtomicBool,
}

impl Config {
    fn new(low: i32, high: i32) -> Config {
        Config { low, high, is_gone: AtomicBool::new(false) }
    }

    fn get(&self, value: i32) -> i32 {
        assert!(!self.is_gone.load(Ordering::SeqCst), "the configuration is gone");
        value
    }
}

struct Shared {
    configs: [Config; 2],
    current: AtomicUsize,
    /// Those who may be about to look at a configuration.
    n_readers: AtomicUsize,
}

fn read(shared: &Shared) {
    shared.n_readers.fetch_add(1, Ordering::SeqCst);
    let config = &shared.configs[shared.current.load(Ordering::SeqCst)];
    assert_eq!(config.get(config.high) - config.get(config.low), 10);
    shared.n_readers.fetch_sub(1, Ordering::SeqCst);
}

fn replace(shared: &Shared) {
    let old = &shared.configs[shared.current.swap(1, Ordering::SeqCst)];
    while shared.n_readers.load(Ordering::SeqCst) > 0 {
        thread::yield_now(); // Readers who come now get the new one.
    }
    old.is_gone.store(true, Ordering::SeqCst);
}

fn main() {
    let configs = [Config::new(0, 10), Config::new(20, 30)];
    let (current, n_readers) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let shared = Arc::new(Shared { configs, current, n_readers });
    let here = Arc::clone(&shared);
    let reader = thread::spawn(move || read(&here));
    let here = Arc::clone(&shared);
    let writer = thread::spawn(move || replace(&here));
    reader.join().unwrap();
    writer.join().unwrap();
}
