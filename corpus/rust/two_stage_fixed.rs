/* two_stage_fixed: a seller changes a price and its tax, with locks that overlap.
 *
 * threads:  3
 * bug:      none
 * kinds:    none
 * shows:    none
 * verdict:  clean
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
    let mut price = goods.price.lock().unwrap();
    *price = new_price;
    let mut tax = goods.tax.lock().unwrap();
    drop(price);
    *tax = new_price / 10;
}

fn buy(goods: &Goods) {
    let price = goods.price.lock().unwrap();
    let seen_price = *price;
    let tax = goods.tax.lock().unwrap();
    drop(price);
    let seen_tax = *tax;
    drop(tax);
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
