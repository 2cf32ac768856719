/* two_stage: a seller changes a price and then its tax, each with its own lock; a buyer reads both.
 *
 * threads:  3
 * bug:      between the two stages no lock is held, a buyer sees the new price with the old tax
 * kinds:    atomicity, panic
 * shows:    panic
 * bound:    1
 * verdict:  fails
 */

use std::sync::{Arc, Mutex};
use std::thread;

struct Goods {
    price: Mutex<i32>,
    /// A tenth of the price.
    tax: Mutex<i32>,
}

#[inline(never)]
fn change_price(goods: &Goods, new_price: i32) {
    *goods.price.lock().unwrap() = new_price;
    *goods.tax.lock().unwrap() = new_price / 10;
}

fn buy(goods: &Goods) {
    let seen_price = *goods.price.lock().unwrap();
    let seen_tax = *goods.tax.lock().unwrap();
    assert_eq!(seen_tax, seen_price / 10);
}

fn main() {
    let goods = Arc::new(Goods { price: Mutex::new(100), tax: Mutex::new(10) });
    let shared = Arc::clone(&goods);
    let seller = thread::spawn(move || change_price(&shared, 200));
    let shared = Arc::clone(&goods);
    let buyer = thread::spawn(move || buy(&shared));
    seller.join().unwrap();
    buyer.join().unwrap();
    assert_eq!(*goods.price.lock().unwrap(), 200);
    assert_eq!(*goods.tax.lock().unwrap(), 20);
}
