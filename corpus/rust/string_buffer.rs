/* string_buffer: a thread appends one string buffer to another while a third clears it.
 *
 * threads:  3
 * bug:      the length of the source is read in one critical section and its text in another one
 * kinds:    atomicity, panic
 * shows:    panic
 * bound:    1
 * verdict:  fails
 */

use std::sync::{Arc, Mutex};
use std::thread;

type Buffer = Mutex<String>;

fn length_of(buffer: &Buffer) -> usize {
    buffer.lock().unwrap().len()
}

/// Adds the first n bytes to a text.
fn get_text(buffer: &Buffer, n: usize, text: &mut String) {
    let buffer = buffer.lock().unwrap();
    assert!(n <= buffer.len());
    text.push_str(&buffer[..n]);
}

#[inline(never)]
fn append(to: &Buffer, from: &Buffer) {
    let mut to = to.lock().unwrap();
    let n = length_of(from);
    get_text(from, n, &mut to);
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
