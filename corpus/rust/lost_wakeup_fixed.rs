/* lost_wakeup_fixed: a consumer waits until there is an item, which it then gets through a channel.
 *
 * threads:  2
 * bug:      none
 * kinds:    none
 * predict:  none
 * shows:    none
 * native:   yes
 * verdict:  clean
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
    let is_ready = READY.wait_while(IS_READY.lock().unwrap(), |is_ready| !*is_ready).unwrap();
    assert!(*is_ready);
    assert_eq!(inbox.recv(), Ok(7));
    producer.join().unwrap();
}
