/* shutdown_fixed: main stops a worker and closes the inbox when the worker has ended.
 *
 * threads:  2
 * bug:      none
 * kinds:    none
 * shows:    none
 * verdict:  clean
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
}

fn work(channel: &Channel) {
    while channel.receive() != STOP {}
    channel.alert();
}

fn main() {
    let channel =
        Arc::new(Channel { inbox: Mutex::new(Some(Inbox::default())), filled: Condvar::new() });
    let shared = Arc::clone(&channel);
    let worker = thread::spawn(move || work(&shared));
    channel.send(1);
    channel.send(STOP);
    worker.join().unwrap();
    let inbox = channel.close();
    assert!(inbox.sum == 1 && inbox.is_alerted);
}
