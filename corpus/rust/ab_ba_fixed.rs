/* ab_ba_fixed: two threads take two mutexes.
 *
 * threads:  2
 * bug:      none
 * kinds:    none
 * predict:  none
 * shows:    none
 * native:   yes
 * verdict:  clean
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
    add(&LEFT, &RIGHT);
    ann.join().unwrap();
    assert_eq!((*LEFT.lock().unwrap(), *RIGHT.lock().unwrap()), (2, 2));
}
