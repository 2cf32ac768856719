//! What must be found, and what must stay silent: loops that look and give up, wake-ups for no reason, waiting
//! writers, long accesses, pointers, and counts of references.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::time::Duration;

use raddle::cell::UnsafeCell;
use raddle::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use raddle::sync::{Arc, Condvar, Mutex, RwLock};
use raddle::{Config, Report, Search, hint, thread};

const ENUMERATIONS: [Search; 4] =
    [Search::Portfolio, Search::Reduced, Search::DepthFirst, Search::Bounded];

/// The kind of what is found by each search that covers everything, or nothing.
#[track_caller]
fn finds(kind: &str, f: impl Fn() + Send + Sync + Clone + 'static) {
    for search in ENUMERATIONS {
        let report = Config::new().quiet().search(search).runs(50_000).explore(f.clone());
        let found = report.findings.first().map_or("", |finding| finding.kind.as_str());
        assert_eq!(found, kind, "{search:?}: {}", report.summary());
        assert!(!kind.is_empty() || report.exhausted, "{search:?}: {}", report.summary());
    }
}

fn explore(f: impl Fn() + Send + Sync + 'static) -> Report {
    Config::new().quiet().explore(f)
}

/// A thread looks so many times, and then stores; the other must not see that, but can.
fn looks_and_stores(n: usize, look: fn(&AtomicUsize)) -> impl Fn() + Send + Sync + Clone {
    move || {
        let shared = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0)));
        let other = shared.clone();
        let thread = thread::spawn(move || {
            (0..n).for_each(|_| look(&other.1));
            other.0.store(1, SeqCst);
        });
        assert_eq!(shared.0.load(SeqCst), 0);
        thread.join().unwrap();
    }
}

#[test]
fn threads_that_look_and_go_on_are_not_left_alone() {
    for n in [1, 2, 3, 7, 8, 9, 20] {
        finds("panic", looks_and_stores(n, |it| assert_eq!(it.load(SeqCst), 0)));
        finds("panic", looks_and_stores(n, |_| thread::yield_now()));
        finds("panic", looks_and_stores(n, |_| hint::spin_loop()));
        finds("panic", looks_and_stores(n, |_| thread::sleep(Duration::from_millis(1))));
    }
}

#[test]
fn a_bounded_spin_before_a_careless_wait_deadlocks() {
    let event = |looks_again: bool| {
        move || {
            let event = Arc::new((AtomicBool::new(false), Mutex::new(()), Condvar::new()));
            let other = event.clone();
            let thread = thread::spawn(move || {
                for _ in 0..4 {
                    if other.0.load(SeqCst) {
                        return;
                    }
                    hint::spin_loop();
                }
                let mut guard = other.1.lock().unwrap();
                while !looks_again || !other.0.load(SeqCst) {
                    guard = other.2.wait(guard).unwrap();
                    if !looks_again {
                        break;
                    }
                }
            });
            event.0.store(true, SeqCst);
            drop(event.1.lock().unwrap());
            event.2.notify_all();
            thread.join().unwrap();
        }
    };
    finds("deadlock", event(false));
    finds("", event(true));
}

#[test]
fn trying_a_lock_ten_times_may_be_in_vain() {
    finds("panic", || {
        let shared = Arc::new((Mutex::new(()), AtomicUsize::new(0)));
        let other = shared.clone();
        let thread = thread::spawn(move || {
            let _guard = other.0.lock().unwrap();
            other.1.load(SeqCst);
        });
        let has_it = (0..10).any(|_| shared.0.try_lock().is_ok());
        thread.join().unwrap();
        assert!(has_it, "gave up");
    });
}

/// A thread looks very often before it sets the flag that the other one waits for.
#[test]
fn a_thread_that_looks_very_often_is_in_no_livelock() {
    for n in [600, 20_000] {
        let config = Config::new().quiet().search(Search::Bounded).bound(0).runs(50);
        let report = config.explore(move || {
            let shared = Arc::new((AtomicBool::new(false), AtomicUsize::new(0)));
            let other = shared.clone();
            let thread = thread::spawn(move || {
                (0..n).for_each(|_| assert_eq!(other.1.load(SeqCst), 0));
                other.0.store(true, SeqCst);
            });
            while !shared.0.load(SeqCst) {}
            thread.join().unwrap();
        });
        assert!(report.findings.is_empty(), "{}", report.findings[0]);
    }
}

#[test]
fn what_is_taken_for_endless_stands_in_the_first_sentence() {
    let report = explore(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let other = flag.clone();
        let thread = thread::spawn(move || other.store(true, SeqCst));
        while !flag.load(SeqCst) {}
        thread.join().unwrap();
    });
    let [(place, 1_000_000)] = &report.endless[..] else { panic!("{}", report.summary()) };
    let said = format!("no execution fails, if the loop at {place} is endless");
    assert!(report.summary().contains(&said), "{}", report.summary());
    assert!(!report.summary().contains("proved"), "{}", report.summary());
}

#[test]
fn a_round_may_be_left_anywhere() {
    for first in 0..3 {
        let config = Config::new().quiet().search(Search::Bounded).bound(0);
        let report = config.explore(move || {
            let all = Arc::new([const { AtomicUsize::new(0) }; 3]);
            let other = all.clone();
            let thread = thread::spawn(move || {
                for number in [first, (first + 2) % 3] {
                    other[number].store(1, SeqCst);
                }
            });
            let mut seen = [0; 3];
            while seen == [0; 3] {
                seen = [0, 1, 2].map(|number| all[number].load(SeqCst));
            }
            thread.join().unwrap();
            assert!(seen[first] != 0, "only what was written later was seen");
        });
        let found = report.findings.first().map(|finding| finding.preemptions);
        // What is written first is read first only in one of these orders.
        assert_eq!(found, (first == 0).then_some(0), "{first}: {}", report.summary());
    }
}

/// One function waits for a while, then for ever: both loops do the same.
fn wait_for(flag: &AtomicBool, n_most: usize) -> bool {
    (0..n_most).any(|_| flag.load(SeqCst))
}

#[test]
fn a_loop_is_left_for_another_that_does_the_same() {
    for n_most in [1, 2, 3, 4, 7, 40] {
        let gives_up = |must_see: bool| {
            explore(move || {
                let flag = Arc::new(AtomicBool::new(false));
                let other = flag.clone();
                let thread = thread::spawn(move || other.store(true, SeqCst));
                let is_seen = wait_for(&flag, n_most);
                assert!(wait_for(&flag, usize::MAX));
                assert!(is_seen || !must_see, "it was not seen in {n_most} looks");
                thread.join().unwrap();
            })
        };
        assert_eq!(gives_up(true).findings.len(), 1, "{n_most}: {}", gives_up(true).summary());
        let all = gives_up(false);
        assert!(all.findings.is_empty() && all.exhausted, "{n_most}: {}", all.summary());
    }
}

#[test]
fn a_wake_up_for_no_reason_keeps_nothing_alive() {
    for is_spurious in [false, true] {
        let config = || Config::new().quiet().spurious(is_spurious);
        let waits = |notifies: bool| {
            move || {
                let pair = Arc::new((Mutex::new(false), Condvar::new()));
                let other = pair.clone();
                let thread = thread::spawn(move || {
                    let mut guard = other.0.lock().unwrap();
                    while !*guard {
                        guard = other.1.wait(guard).unwrap();
                    }
                });
                *pair.0.lock().unwrap() = true;
                if notifies {
                    pair.1.notify_one();
                }
                thread.join().unwrap();
            }
        };
        assert_eq!(config().explore(waits(false)).findings[0].kind, "deadlock");
        assert!(config().explore(waits(true)).findings.is_empty());
        let parks = || {
            let flag = Arc::new(AtomicBool::new(false));
            let other = flag.clone();
            let thread = thread::spawn(move || {
                while !other.load(SeqCst) {
                    thread::park();
                }
            });
            flag.store(true, SeqCst);
            thread.join().unwrap();
        };
        assert_eq!(config().explore(parks).findings[0].kind, "deadlock");
    }
}

#[test]
fn a_writer_that_waits_keeps_readers_out() {
    let reads = |twice: bool| {
        move || {
            let lock = Arc::new(RwLock::new(0));
            let other = lock.clone();
            let thread = thread::spawn(move || *other.write().unwrap() += 1);
            let first = lock.read().unwrap();
            if twice {
                drop(lock.read().unwrap());
            } else {
                let _ = lock.try_read().is_ok();
            }
            drop(first);
            thread.join().unwrap();
        }
    };
    finds("deadlock", reads(true));
    finds("", reads(false));
}

struct Shared<T>(T);

// SAFETY: tests say by other means who may access what, and that is what is tested.
unsafe impl<T> Sync for Shared<T> {}
// SAFETY: see above.
unsafe impl<T> Send for Shared<T> {}

#[test]
fn an_access_lasts_as_long_as_its_closure() {
    let reads = |gives_back_early: bool| {
        move || {
            let shared = Arc::new(Shared((Mutex::new(()), UnsafeCell::new(0_u32))));
            let other = shared.clone();
            let thread = thread::spawn(move || {
                let it = &other.0;
                let mut guard = Some(it.0.lock().unwrap());
                it.1.with(|value| {
                    if gives_back_early {
                        guard = None;
                    }
                    thread::yield_now();
                    // SAFETY: it is there.
                    assert!(unsafe { *value } < 9);
                });
                drop(guard);
            });
            {
                let _guard = shared.0.0.lock().unwrap();
                // SAFETY: it is there.
                shared.0.1.with_mut(|value| unsafe { *value += 1 });
            }
            thread.join().unwrap();
        }
    };
    assert_eq!(explore(reads(true)).findings[0].kind, "race");
    assert!(explore(reads(false)).findings.is_empty());
}

#[test]
fn what_is_done_with_pointers_counts_as_written_and_is_said() {
    let cell = explore(|| {
        let shared = Arc::new(Shared(UnsafeCell::new(0_u32)));
        let other = shared.clone();
        let thread = thread::spawn(move || assert!(!other.0.get().is_null()));
        assert!(!shared.0.get().is_null());
        thread.join().unwrap();
    });
    assert_eq!(cell.findings[0].kind, "race");
    let atomic = |joins_first: bool| {
        explore(move || {
            let shared = Arc::new(AtomicUsize::new(0));
            let other = shared.clone();
            let thread = thread::spawn(move || assert!(!other.as_ptr().is_null()));
            if joins_first {
                thread.join().unwrap();
                shared.fetch_add(1, SeqCst);
            } else {
                shared.fetch_add(1, SeqCst);
                thread.join().unwrap();
            }
        })
    };
    assert_eq!(atomic(false).findings[0].kind, "race");
    let ordered = atomic(true);
    assert!(ordered.findings.is_empty());
    assert!(ordered.summary().contains("if accesses through the pointers from"));
}

#[test]
fn counts_of_references_are_seen_in_any_order() {
    finds("panic", || {
        let one = Arc::new(1);
        let other = one.clone();
        let thread = thread::spawn(move || drop(other));
        let result = Arc::try_unwrap(one);
        thread.join().unwrap();
        assert!(result.is_err(), "it was the last one");
    });
    finds("panic", || {
        let one = Arc::new(1);
        let weak = Arc::downgrade(&one);
        let thread = thread::spawn(move || drop(one));
        assert!(weak.upgrade().is_some(), "it is gone");
        thread.join().unwrap();
    });
    // Without preemptions it is gone.
    finds("panic", || {
        let one = Arc::new(1);
        let weak = Arc::downgrade(&one);
        let thread = thread::spawn(move || weak.upgrade().is_some());
        drop(one);
        assert!(!thread.join().unwrap(), "it is still there");
    });
    finds("", || {
        let one = Arc::new(1);
        let weak = Arc::downgrade(&one);
        let thread = thread::spawn(move || weak.upgrade().is_some());
        assert!(thread.join().unwrap());
        drop(one);
    });
    finds("", || {
        let one = Arc::new(1);
        let other = one.clone();
        let thread = thread::spawn(move || drop(other));
        assert!((1..=2).contains(&Arc::strong_count(&one)));
        thread.join().unwrap();
        assert_eq!(Arc::strong_count(&one), 1);
    });
}

#[test]
fn who_drops_the_last_reference_matters_if_the_value_does_something() {
    struct Tells(std::sync::Arc<AtomicUsize>, std::sync::Arc<AtomicUsize>);
    impl Drop for Tells {
        fn drop(&mut self) {
            self.0.store(1 + self.1.load(SeqCst), SeqCst);
        }
    }
    finds("panic", || {
        let (result, phase) = (std::sync::Arc::default(), std::sync::Arc::default());
        let one = Arc::new(Tells(std::sync::Arc::clone(&result), std::sync::Arc::clone(&phase)));
        let other = one.clone();
        let thread = thread::spawn(move || drop(other));
        drop(one);
        phase.store(1, SeqCst);
        thread.join().unwrap();
        assert_eq!(result.load(SeqCst), 1, "the thread was the last one, and late");
    });
}

#[test]
fn references_to_traits_come_from_those_of_std() {
    let report = explore(|| {
        let all: Arc<dyn Fn() -> u32 + Send + Sync> = Arc::from_std(std::sync::Arc::new(|| 7));
        let other = all.clone();
        let thread = thread::spawn(move || 1 + other());
        assert_eq!(all() + 1, thread.join().unwrap());
    });
    assert!(report.summary().contains("proved: no execution fails"));
}
