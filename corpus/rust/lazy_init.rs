/* lazy_init: each thread keeps its own reference to a registry, which the first one to ask makes.
 *
 * threads:  3
 * bug:      that there is no registry is seen in one critical section, and one is made in another
 * kinds:    atomicity, panic
 * shows:    panic
 * bound:    1
 * verdict:  fails
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

fn is_missing(place: &Place) -> bool {
    place.lock().unwrap().is_none()
}

fn registry(place: &Place) -> Arc<Registry> {
    if is_missing(place) {
        *place.lock().unwrap() = Some(make_registry());
    }
    let place = place.lock().unwrap();
    Arc::clone(place.as_ref().expect("somebody has made one"))
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
