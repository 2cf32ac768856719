/* refcount_fixed: two threads share a message and let go of it, the last one frees it.
 *
 * threads:  3
 * bug:      none
 * kinds:    none
 * shows:    none
 * verdict:  clean
 */

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::thread;

/// The count of a message that nobody may look at any more.
const FREED: i32 = -100;

struct Message {
    n_owners: AtomicI32,
    text: &'static str,
}

fn free(message: &Message) {
    let n_owners = message.n_owners.swap(FREED, Ordering::SeqCst);
    assert!(n_owners >= 0, "the message is freed twice");
}

fn let_go(message: &Message) {
    let n_owners = message.n_owners.fetch_sub(1, Ordering::SeqCst);
    assert!(n_owners >= 0, "the message is freed");
    if n_owners == 1 {
        free(message);
    }
}

fn read(message: &Message) {
    assert!(message.text.starts_with('h'));
    let_go(message);
}

fn main() {
    let message = Arc::new(Message { n_owners: AtomicI32::new(2), text: "hello" });
    let start = || {
        let message = Arc::clone(&message);
        thread::spawn(move || read(&message))
    };
    let (ann, ben) = (start(), start());
    ann.join().unwrap();
    ben.join().unwrap();
}
