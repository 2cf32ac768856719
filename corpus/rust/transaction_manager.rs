/* transaction_manager: a client renews and commits a transaction, a timer aborts old ones.
 *
 * threads:  3
 * bug:      the timer looks for old transactions and aborts them in two critical sections
 * kinds:    atomicity, panic
 * shows:    panic
 * bound:    2
 * verdict:  fails
 */

use std::sync::{Arc, Mutex};
use std::thread;

const N_BUCKETS: usize = 2;
const NOW: u32 = 10;

struct Transaction {
    id: usize,
    deadline: u32,
}

type Bucket = Mutex<Vec<Transaction>>;
type Table = [Bucket; N_BUCKETS];

fn begin(table: &Table, id: usize, deadline: u32) {
    table[id % N_BUCKETS].lock().unwrap().push(Transaction { id, deadline });
}

fn take_out(bucket: &mut Vec<Transaction>, id: usize) -> bool {
    let place = bucket.iter().position(|it| it.id == id);
    place.map(|place| bucket.remove(place)).is_some()
}

fn renew(table: &Table, id: usize, deadline: u32) -> bool {
    let mut bucket = table[id % N_BUCKETS].lock().unwrap();
    let found = bucket.iter_mut().find(|it| it.id == id);
    found.map(|it| it.deadline = deadline).is_some()
}

fn commit(table: &Table, id: usize) -> bool {
    take_out(&mut table[id % N_BUCKETS].lock().unwrap(), id)
}

fn old(bucket: &[Transaction]) -> Option<usize> {
    bucket.iter().find(|it| it.deadline < NOW).map(|it| it.id)
}

/// Aborts an old transaction of a bucket, if there is one.
#[inline(never)]
fn flush(bucket: &Bucket) {
    let found = old(&bucket.lock().unwrap());
    if let Some(id) = found {
        take_out(&mut bucket.lock().unwrap(), id);
    }
}

fn client(table: &Table) {
    // It may be too late for that.
    if renew(table, 2, 2 * NOW) {
        assert!(commit(table, 2));
    }
}

fn main() {
    let table: Arc<Table> = Arc::new(core::array::from_fn(|_| Mutex::new(Vec::new())));
    begin(&table, 1, NOW / 2);
    begin(&table, 2, NOW / 2);
    let shared = Arc::clone(&table);
    let clients = thread::spawn(move || client(&shared));
    let shared = Arc::clone(&table);
    let timers = thread::spawn(move || shared.iter().for_each(flush));
    clients.join().unwrap();
    timers.join().unwrap();
    assert!(table.iter().all(|bucket| bucket.lock().unwrap().is_empty()));
}
