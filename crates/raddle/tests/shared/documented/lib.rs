use raddle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use raddle::sync::Arc;
use raddle::thread;

#[test] #[should_panic]
fn counts() {
    raddle::check(|| {
        let n = Arc::new(AtomicUsize::new(0));
        let other = n.clone();
        let thread = thread::spawn(move || {
            let old = other.load(SeqCst);
            other.store(old + 1, SeqCst);
        });
        n.fetch_add(1, SeqCst);
        thread.join().unwrap();
        assert_eq!(n.load(SeqCst), 2);
    });
}
