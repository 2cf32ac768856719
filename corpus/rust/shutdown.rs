/* shutdown: main stops a worker, waits for its word that it is done, and closes the inbox.
 *
 * threads:  2
 * bug:      the worker gives its word before its last use of the inbox
 * kinds:    panic
 * shows:    panic
 * bound:    1
 * verdict:  fails
 */

use std::sync::{Arc, Condvar, Mutex};
use std::thread;

const STOP: i32 = 0;

#[derive(Default)]
struct Inbox {
    items: Vec<i32>,
    n_received: usize,
    sum: i32,
    is_alerted: bool,
}

struct Channel {
    /// None when it is closed: nobody may use it any more.
    inbox: Mutex<Option<Inbox>>,
    filled: Condvar,
    is_done: Mutex<bool>,
    done: Condvar,
}

impl Channel {
    fn send(&self, item: i32) {
        let mut inbox = self.inbox.lock().unwrap();
        inbox.as_mut().expect("the inbox is open").items.push(item);
        self.filled.notify_one();
    }

    fn receive(&self) -> i32 {
        let mut guard = self.inbox.lock().unwrap();
        loop {
            let inbox = guard.as_mut().expect("the inbox is open");
            if let Some(&item) = inbox.items.get(inbox.n_received) {
                inbox.n_received += 1;
                inbox.sum += item;
                return item;
            }
            guard = self.filled.wait(guard).unwrap();
        }
    }

    /// Tells whoever looks at the inbox that nothing will come any more.
    fn alert(&self) {
        let mut inbox = self.inbox.lock().unwrap();
        inbox.as_mut().expect("the inbox is open").is_alerted = true;
    }

    fn close(&self) -> Inbox {
        self.inbox.lock().unwrap().take().expect("the inbox is open")
    }

    fn give_word(&self) {
        *self.is_done.lock().unwrap() = true;
        self.done.notify_one();
    }

    fn wait_for_word(&self) {
        let mut is_done = self.is_done.lock().unwrap();
        while !*is_done {
            is_done = self.done.wait(is_done).unwrap();
        }
    }
}

fn work(channel: &Channel) {
    while channel.receive() != STOP {}
    channel.give_word();
    channel.alert();
}

fn main() {
    let channel = Arc::new(Channel {
        inbox: Mutex::new(Some(Inbox::default())),
        filled: Condvar::new(),
        is_done: Mutex::new(false),
        done: Condvar::new(),
    });
    let shared = Arc::clone(&channel);
    let worker = thread::spawn(move || work(&shared));
    channel.send(1);
    channel.send(STOP);
    channel.wait_for_word();
    assert_eq!(channel.close().sum, 1);
    worker.join().unwrap();
}
