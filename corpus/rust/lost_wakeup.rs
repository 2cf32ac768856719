/* lost_wakeup: a consumer waits until there is an item, which it then gets through a channel.
 *
 * threads:  2
 * bug:      it waits without looking whether the item is there already
 * kinds:    lost-wakeup, deadlock
 * predict:  none
 * shows:    deadlock
 * bound:    1
 * native:   yes
 * verdict:  fails
 */

use std::sync::mpsc::channel;
use std::sync::{Condvar, Mutex};
use std::thread;

static IS_READY: Mutex<bool> = Mutex::new(false);
static READY: Condvar = Condvar::new();

fn main() {
    let (items, inbox) = channel();
    let producer = thread::spawn(move || {
        items.send(7).unwrap();
        *IS_READY.lock().unwrap() = true;
        READY.notify_one();
    });
    let is_ready = READY.wait(IS_READY.lock().unwrap()).unwrap();
    assert!(*is_ready);
    assert_eq!(inbox.recv(), Ok(7));
    producer.join().unwrap();
}
