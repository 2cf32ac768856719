/* lazy_init_fixed: each thread keeps its own reference to a registry, which is made once.
 *
 * threads:  3
 * bug:      none
 * kinds:    none
 * shows:    none
 * verdict:  clean
 */

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

const N_THREADS: usize = 2;

type Place = Mutex<Option<Arc<Registry>>>;

struct Registry {
    n_entries: AtomicUsize,
}

fn make_registry() -> Arc<Registry> {
    Arc::new(Registry { n_entries: AtomicUsize::new(0) })
}

fn registry(place: &Place) -> Arc<Registry> {
    Arc::clone(place.lock().unwrap().get_or_insert_with(make_registry))
}

fn main() {
    let place: Arc<Place> = Arc::new(Mutex::new(None));
    let start = |_| {
        let place = Arc::clone(&place);
        thread::spawn(move || {
            let mine = registry(&place);
            mine.n_entries.fetch_add(1, Ordering::SeqCst);
        })
    };
    let threads: Vec<_> = (0..N_THREADS).map(start).collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!(registry(&place).n_entries.load(Ordering::SeqCst), N_THREADS);
}
