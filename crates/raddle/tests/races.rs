//! Data races: found by the memory orders as written, and silent where something orders.

use raddle::cell::{Cell, UnsafeCell};
use raddle::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};
use raddle::sync::mpsc::channel;
use raddle::sync::{Arc, Mutex, RwLock};
use raddle::{Config, Report, Search, thread};

use Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};

/// A cell that threads share.
struct Shared(UnsafeCell<u32>);

// SAFETY: that is what the tests are about; all threads are on one thread of the system.
unsafe impl Sync for Shared {}
// SAFETY: see above.
unsafe impl Send for Shared {}

impl Shared {
    fn new() -> Arc<Shared> {
        Arc::new(Shared(UnsafeCell::new(0)))
    }

    fn write(&self) {
        // SAFETY: nobody keeps a reference.
        self.0.with_mut(|value| unsafe { *value += 1 });
    }

    fn read(&self) -> u32 {
        // SAFETY: see above.
        self.0.with(|value| unsafe { *value })
    }
}

fn explore(f: impl Fn() + Send + Sync + 'static) -> Report {
    Config::new().search(Search::Reduced).unlimited().explore(f)
}

#[track_caller]
fn races(f: impl Fn() + Send + Sync + 'static) {
    let report = explore(f);
    assert_eq!(report.findings.first().map(|finding| finding.kind.as_str()), Some("race"));
    assert!(report.findings[0].places.iter().all(|place| place.contains("tests/races.rs")));
}

#[track_caller]
fn silent(f: impl Fn() + Send + Sync + 'static) {
    let report = explore(f);
    assert!(report.findings.is_empty(), "{}", report.findings[0]);
    assert!(report.exhausted);
}

#[test]
fn unordered_writes_race() {
    races(|| {
        let cell = Shared::new();
        let other = cell.clone();
        let thread = thread::spawn(move || other.write());
        cell.write();
        thread.join().unwrap();
    });
}

#[test]
fn reads_do_not_race() {
    silent(|| {
        let cell = Shared::new();
        let other = cell.clone();
        let thread = thread::spawn(move || other.read());
        cell.read();
        thread.join().unwrap();
    });
}

#[test]
fn starts_and_joins_order() {
    silent(|| {
        let cell = Shared::new();
        cell.write();
        let other = cell.clone();
        let thread = thread::spawn(move || other.write());
        thread.join().unwrap();
        cell.write();
    });
}

#[test]
fn a_mutex_orders() {
    silent(|| {
        let pair = Arc::new((Mutex::new(()), Shared::new()));
        let other = pair.clone();
        let thread = thread::spawn(move || {
            let _guard = other.0.lock().unwrap();
            other.1.write();
        });
        let guard = pair.0.lock().unwrap();
        pair.1.write();
        drop(guard);
        thread.join().unwrap();
    });
}

#[test]
fn readers_of_a_lock_do_not_order_each_other() {
    let program = |writes: bool| {
        move || {
            let pair = Arc::new((RwLock::new(()), Shared::new()));
            let other = pair.clone();
            let thread = thread::spawn(move || {
                let _guard = other.0.read().unwrap();
                if writes { other.1.write() } else { drop(other.1.read().to_string()) }
            });
            let guard = pair.0.read().unwrap();
            pair.1.read();
            drop(guard);
            let guard = pair.0.write().unwrap();
            pair.1.write();
            drop(guard);
            thread.join().unwrap();
        }
    };
    races(program(true));
    silent(program(false));
}

#[test]
fn a_message_orders() {
    silent(|| {
        let cell = Shared::new();
        let (sender, receiver) = channel();
        let other = cell.clone();
        let thread = thread::spawn(move || {
            other.write();
            sender.send(()).unwrap();
        });
        receiver.recv().unwrap();
        cell.write();
        thread.join().unwrap();
    });
}

#[test]
fn only_what_was_sent_before_is_ordered() {
    races(|| {
        let cell = Shared::new();
        let (sender, receiver) = channel();
        let other = cell.clone();
        let thread = thread::spawn(move || {
            sender.send(()).unwrap();
            other.write();
        });
        receiver.recv().unwrap();
        cell.write();
        thread.join().unwrap();
    });
}

/// A flag that is stored and loaded with these orders.
fn handed_over(store: Ordering, load: Ordering) -> impl Fn() + Send + Sync + 'static {
    move || {
        let pair = Arc::new((AtomicBool::new(false), Shared::new()));
        let other = pair.clone();
        let thread = thread::spawn(move || {
            other.1.write();
            other.0.store(true, store);
        });
        if pair.0.load(load) {
            pair.1.read();
        }
        thread.join().unwrap();
    }
}

#[test]
fn release_and_acquire_order() {
    silent(handed_over(Release, Acquire));
    silent(handed_over(SeqCst, SeqCst));
}

#[test]
fn anything_less_does_not() {
    races(handed_over(Relaxed, Acquire));
    races(handed_over(Release, Relaxed));
    races(handed_over(Relaxed, Relaxed));
}

/// The same with fences, which may be left out.
fn fenced(releases: bool, acquires: bool) -> impl Fn() + Send + Sync + 'static {
    move || {
        let pair = Arc::new((AtomicBool::new(false), Shared::new()));
        let other = pair.clone();
        let thread = thread::spawn(move || {
            other.1.write();
            if releases {
                fence(Release);
            }
            other.0.store(true, Relaxed);
        });
        if pair.0.load(Relaxed) {
            if acquires {
                fence(Acquire);
            }
            pair.1.read();
        }
        thread.join().unwrap();
    }
}

#[test]
fn fences_order_what_is_relaxed() {
    silent(fenced(true, true));
    races(fenced(false, true));
    races(fenced(true, false));
}

/// A third thread changes the flag in between, by a read-modify-write or by a store.
fn in_between(modifies: bool) -> impl Fn() + Send + Sync + 'static {
    move || {
        let pair = Arc::new((AtomicUsize::new(0), Shared::new()));
        let (one, other) = (pair.clone(), pair.clone());
        let writer = thread::spawn(move || {
            one.1.write();
            one.0.store(1, Release);
        });
        let between = thread::spawn(move || {
            if other.0.load(Relaxed) == 1 {
                if modifies { _ = other.0.fetch_add(1, Relaxed) } else { other.0.store(2, Relaxed) }
            }
        });
        if pair.0.load(Acquire) == 2 {
            pair.1.read();
        }
        writer.join().unwrap();
        between.join().unwrap();
    }
}

#[test]
fn a_release_sequence_goes_on_with_a_modification_and_ends_with_a_store() {
    silent(in_between(true));
    races(in_between(false));
}

/// Rust has the release sequences of C++20, not those of C11.
#[test]
fn a_relaxed_store_of_the_same_thread_ends_a_release_sequence() {
    let program = |second: Ordering| {
        move || {
            let pair = Arc::new((AtomicUsize::new(0), Shared::new()));
            let other = pair.clone();
            let thread = thread::spawn(move || {
                other.1.write();
                other.0.store(1, Release);
                other.0.store(2, second);
            });
            if pair.0.load(Acquire) == 2 {
                pair.1.read();
            }
            thread.join().unwrap();
        }
    };
    races(program(Relaxed));
    silent(program(Release));
    let text = explore(program(Relaxed)).findings[0].to_string();
    assert!(text.contains("nothing orders them by C++20: by C11 and C++17, a release"), "{text}");
}

#[test]
fn a_counter_by_acquire_release_orders_all_who_come_before() {
    silent(|| {
        let pair = Arc::new((AtomicUsize::new(0), Shared::new()));
        let start = || {
            let pair = pair.clone();
            thread::spawn(move || {
                if pair.0.fetch_add(1, AcqRel) == 1 {
                    pair.1.write();
                }
            })
        };
        let threads = [start(), start()];
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
}

#[test]
fn a_cell_that_is_said_to_be_shared_is_checked() {
    struct Flag(Cell<bool>);
    // SAFETY: it is not, which the test is about; all threads are on one thread of the system.
    unsafe impl Sync for Flag {}
    races(|| {
        let flag = Arc::new(Flag(Cell::new(false)));
        let other = flag.clone();
        let thread = thread::spawn(move || {
            let flag = &*other;
            flag.0.set(true);
        });
        flag.0.get();
        thread.join().unwrap();
    });
}

/// Behind a race the search goes on with its accesses as points: the lost update shows, too.
#[test]
fn what_a_race_leads_to_is_found_as_well() {
    let report = Config::new().findings(10).explore(|| {
        let cell = Shared::new();
        let other = cell.clone();
        let add = |cell: &Shared| {
            let old = cell.read();
            // SAFETY: nobody keeps a reference.
            cell.0.with_mut(|value| unsafe { *value = old + 1 });
        };
        let thread = thread::spawn(move || add(&other));
        add(&cell);
        thread.join().unwrap();
        assert_eq!(cell.read(), 2);
    });
    let kinds: Vec<_> = report.findings.iter().map(|finding| finding.kind.as_str()).collect();
    assert_eq!(kinds, ["panic"], "the races are part of it");
    assert!(report.exhausted);
    let lost = &report.findings[0];
    assert!(lost.schedule.contains(".all:"), "{}", lost.schedule);
    let text = lost.to_string();
    assert_eq!(text.matches("caused by the race on cell@races.rs").count(), 2, "{text}");
    assert!(text.contains("replay the race alone: RADDLE_REPLAY="), "{text}");
}
