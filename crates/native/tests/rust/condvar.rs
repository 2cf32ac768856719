//! A queue under a lock and a condition variable: two producers, and a consumer that waits for some time.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex};
use std::thread;
use std::time::Duration;

static QUEUE: Mutex<VecDeque<u64>> = Mutex::new(VecDeque::new());
static CHANGED: Condvar = Condvar::new();

fn produce(first: u64) {
    for item in first..first + 2 {
        let mut queue = QUEUE.lock().unwrap();
        queue.push_back(item);
        CHANGED.notify_all();
        queue.push_back(100); // Behind the notification, and still under the lock.
    }
}

fn main() {
    let producers = [0, 10].map(|first| thread::spawn(move || produce(first)));
    let (mut sum, mut n) = (0, 0);
    let mut queue = QUEUE.lock().unwrap();
    while n < 8 {
        match queue.pop_front() {
            Some(item) => (sum, n) = (sum + item, n + 1),
            None => queue = CHANGED.wait_timeout(queue, Duration::from_millis(10)).unwrap().0,
        }
    }
    drop(queue);
    producers.into_iter().for_each(|producer| producer.join().unwrap());
    assert_eq!(sum, 422);
}
