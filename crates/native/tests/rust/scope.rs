//! Threads of a scope borrow; its end waits for them without joining.

use std::sync::Mutex;
use std::thread;

fn main() {
    let (mut parts, total) = (vec![0u64; 4], Mutex::new(0));
    thread::scope(|scope| {
        for part in &mut parts {
            scope.spawn(|| {
                *part += 1;
                *total.lock().unwrap() += *part;
            });
        }
    });
    assert_eq!((parts.iter().sum(), total.into_inner().unwrap()), (4u64, 4u64));
}
