/* string_buffer_fixed: a thread appends one string buffer to another, with the locks of both.
 *
 * threads:  3
 * bug:      none
 * kinds:    none
 * shows:    none
 * verdict:  clean
 */

use std::sync::{Arc, Mutex};
use std::thread;

type Buffer = Mutex<String>;

#[inline(never)]
fn append(to: &Buffer, from: &Buffer) {
    let mut to = to.lock().unwrap();
    let from = from.lock().unwrap();
    to.push_str(&from);
}

fn main() {
    let source: Arc<Buffer> = Arc::new(Mutex::new("abc".to_owned()));
    let target: Arc<Buffer> = Arc::new(Mutex::new(String::new()));
    let (to, from) = (Arc::clone(&target), Arc::clone(&source));
    let appender = thread::spawn(move || append(&to, &from));
    let cleaner = thread::spawn(move || source.lock().unwrap().clear());
    appender.join().unwrap();
    cleaner.join().unwrap();
    let target = target.lock().unwrap();
    assert!(target.is_empty() || *target == "abc");
}
