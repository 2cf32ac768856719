/* ab_ba: two threads take two mutexes.
 *
 * threads:  2
 * bug:      they take them in opposite orders
 * kinds:    deadlock
 * predict:  none
 * shows:    deadlock
 * bound:    1
 * native:   yes
 * verdict:  fails
 */

use std::sync::Mutex;
use std::thread;

static LEFT: Mutex<i32> = Mutex::new(0);
static RIGHT: Mutex<i32> = Mutex::new(0);

fn add(first: &Mutex<i32>, second: &Mutex<i32>) {
    let mut one = first.lock().unwrap();
    let mut other = second.lock().unwrap();
    *one += 1;
    *other += 1;
}

fn main() {
    let ann = thread::spawn(|| add(&LEFT, &RIGHT));
    add(&RIGHT, &LEFT);
    ann.join().unwrap();
    assert_eq!((*LEFT.lock().unwrap(), *RIGHT.lock().unwrap()), (2, 2));
}
