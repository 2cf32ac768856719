/* double_checked: two threads use a value that the first one sets up, with a flag.
 *
 * threads:  3
 * bug:      `ready` is set before `limit` and tested without the lock, a half-made value is used
 * kinds:    atomicity, panic
 * shows:    panic
 * bound:    1
 * verdict:  fails
 */

use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

struct Settings {
    mutex: Mutex<()>,
    ready: AtomicBool,
    limit: AtomicI32,
}

fn limit(settings: &Settings) -> i32 {
    if !settings.ready.load(Ordering::SeqCst) {
        let _guard = settings.mutex.lock().unwrap();
        if !settings.ready.load(Ordering::SeqCst) {
            settings.ready.store(true, Ordering::SeqCst);
            settings.limit.store(100, Ordering::SeqCst);
        }
    }
    settings.limit.load(Ordering::SeqCst)
}

fn main() {
    let settings = Arc::new(Settings {
        mutex: Mutex::new(()),
        ready: AtomicBool::new(false),
        limit: AtomicI32::new(0),
    });
    let start = || {
        let settings = Arc::clone(&settings);
        thread::spawn(move || assert_eq!(limit(&settings), 100))
    };
    let (ann, ben) = (start(), start());
    ann.join().unwrap();
    ben.join().unwrap();
}
