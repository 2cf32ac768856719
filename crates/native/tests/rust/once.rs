//! What is done once: only the standard library sees which thread did it.

use std::sync::{LazyLock, Once, OnceLock};
use std::thread;

static CELL: OnceLock<Vec<u32>> = OnceLock::new();
static LAZY: LazyLock<String> = LazyLock::new(|| "x".repeat(10));
static ONCE: Once = Once::new();

fn main() {
    let threads = [1, 2, 3].map(|number| {
        thread::spawn(move || {
            ONCE.call_once(|| {});
            CELL.get_or_init(|| vec![number; 3]).len() + LAZY.len()
        })
    });
    assert!(threads.into_iter().all(|thread| thread.join().unwrap() == 13));
}
