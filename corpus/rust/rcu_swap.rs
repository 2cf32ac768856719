/* rcu_swap: a reader uses the configuration without a lock while a writer replaces it.
 *
 * threads:  3
 * bug:      the old configuration is given up at once, although a reader may have got it before
 * kinds:    panic
 * shows:    panic
 * bound:    1
 * verdict:  fails
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
}

fn read(shared: &Shared) {
    let config = &shared.configs[shared.current.load(Ordering::SeqCst)];
    assert_eq!(config.get(config.high) - config.get(config.low), 10);
}

fn replace(shared: &Shared) {
    let old = &shared.configs[shared.current.swap(1, Ordering::SeqCst)];
    old.is_gone.store(true, Ordering::SeqCst);
}

fn main() {
    let configs = [Config::new(0, 10), Config::new(20, 30)];
    let shared = Arc::new(Shared { configs, current: AtomicUsize::new(0) });
    let here = Arc::clone(&shared);
    let reader = thread::spawn(move || read(&here));
    let here = Arc::clone(&shared);
    let writer = thread::spawn(move || replace(&here));
    reader.join().unwrap();
    writer.join().unwrap();
}
