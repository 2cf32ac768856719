//! Locks, conditions, barriers and initialisation do what the documentation of `std` says.

use std::sync::TryLockError;
use std::time::Duration;

use crate::shared::{check, finding, outcomes};
use raddle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use raddle::sync::{Arc, Barrier, Condvar, LazyLock, Mutex, Once, OnceLock, RwLock};
use raddle::{Config, thread};

#[test]
fn a_mutex_excludes() {
    check(
        || {
            let n = Arc::new(Mutex::new(0));
            let other = n.clone();
            let thread = thread::spawn(move || {
                let mut n = other.lock().unwrap();
                let old = *n;
                thread::yield_now();
                *n = old + 1;
            });
            *n.lock().unwrap() += 1;
            thread.join().unwrap();
            let n = Arc::into_inner(n).unwrap().into_inner().unwrap();
            n.to_string()
        },
        &["2"],
    );
}

#[test]
fn trying_fails_only_while_the_mutex_is_taken() {
    check(
        || {
            let mutex = Arc::new(Mutex::new(()));
            let other = mutex.clone();
            let thread = thread::spawn(move || drop(other.lock().unwrap()));
            let word = match mutex.try_lock() {
                Ok(_) => "taken",
                Err(TryLockError::WouldBlock) => "would block",
                Err(TryLockError::Poisoned(_)) => "poisoned",
            };
            thread.join().unwrap();
            assert!(mutex.try_lock().is_ok());
            word.to_owned()
        },
        &["taken", "would block"],
    );
}

#[test]
fn a_panic_poisons_what_it_holds() {
    let config = Config::new().panics_are_results();
    let all = outcomes(config, || {
        let mutex = Arc::new(Mutex::new(1));
        let lock = Arc::new(RwLock::new(1));
        let (mutex_2, lock_2) = (mutex.clone(), lock.clone());
        let thread = thread::spawn(move || {
            let _reads = lock_2.read().unwrap();
            let _has = mutex_2.lock().unwrap();
            panic!("on purpose");
        });
        assert_eq!(*thread.join().unwrap_err().downcast::<&str>().unwrap(), "on purpose");
        assert!(!lock.is_poisoned(), "readers do not poison");
        let value = *mutex.lock().unwrap_err().into_inner();
        mutex.clear_poison();
        format!("{value} {}", mutex.lock().is_ok())
    });
    assert_eq!(all, ["1 true"]);
}

#[test]
fn a_mutex_is_not_reentrant() {
    let report = Config::new().allow_sequential().explore(|| {
        let mutex = Mutex::new(());
        let _one = mutex.lock();
        let _other = mutex.lock();
    });
    let (kind, message) = finding(&report);
    assert_eq!(kind, "deadlock");
    assert!(message.contains("which it holds itself, taken at"), "{message}");
}

#[test]
fn readers_share_and_writers_do_not() {
    check(
        || {
            let lock = Arc::new(RwLock::new(0));
            let inside = Arc::new(AtomicUsize::new(0));
            let (lock_2, inside_2) = (lock.clone(), inside.clone());
            let reader = thread::spawn(move || {
                let _guard = lock_2.read().unwrap();
                inside_2.fetch_add(1, SeqCst);
                inside_2.fetch_sub(1, SeqCst);
            });
            let guard = lock.read().unwrap();
            let saw = inside.load(SeqCst);
            drop(guard);
            let guard = lock.write().unwrap();
            assert_eq!(inside.load(SeqCst), 0, "a reader is in with a writer");
            drop(guard);
            reader.join().unwrap();
            saw.to_string()
        },
        &["0", "1"],
    );
}

#[test]
fn tries_on_a_reader_writer_lock() {
    let report = Config::new().allow_sequential().explore(|| {
        let lock = RwLock::new(0);
        let reads = lock.read().unwrap();
        assert!(lock.try_read().is_ok() && lock.try_write().is_err());
        drop(reads);
        let writes = lock.write().unwrap();
        assert!(lock.try_read().is_err() && lock.try_write().is_err());
        drop(writes);
        assert!(lock.try_write().is_ok());
    });
    assert!(report.findings.is_empty(), "{}", report.findings[0]);
}

#[test]
fn notify_one_wakes_any_one() {
    check(
        || {
            let pair = Arc::new((Mutex::new((0, None)), Condvar::new()));
            let wait = |number: u32| {
                let pair = pair.clone();
                thread::spawn(move || {
                    let mut guard = pair.0.lock().unwrap();
                    guard.0 += 1;
                    guard = pair.1.wait(guard).unwrap();
                    guard.1.get_or_insert(number);
                    pair.1.notify_one();
                })
            };
            let threads = [wait(1), wait(2)];
            loop {
                let guard = pair.0.lock().unwrap();
                if guard.0 == 2 {
                    break pair.1.notify_one();
                }
                drop(guard);
                thread::yield_now();
            }
            threads.into_iter().for_each(|thread| thread.join().unwrap());
            let first = pair.0.lock().unwrap().1;
            format!("{first:?}")
        },
        &["Some(1)", "Some(2)"],
    );
}

#[test]
fn a_wait_with_a_time_may_run_out_or_not() {
    check(
        || {
            let pair = Arc::new((Mutex::new(false), Condvar::new()));
            let other = pair.clone();
            let thread = thread::spawn(move || {
                *other.0.lock().unwrap() = true;
                other.1.notify_one();
            });
            let guard = pair.0.lock().unwrap();
            let time = Duration::from_millis(5);
            let waited = pair.1.wait_timeout_while(guard, time, |is_set| !*is_set).unwrap();
            let (is_set, timed_out) = (*waited.0, waited.1.timed_out());
            drop(waited);
            thread.join().unwrap();
            format!("set {is_set}, timed out {timed_out}")
        },
        &["set false, timed out true", "set true, timed out false"],
    );
}

#[test]
fn waits_end_for_no_reason_if_asked_for() {
    let program = || {
        let pair = Arc::new((Mutex::new(false), Condvar::new()));
        let other = pair.clone();
        let thread = thread::spawn(move || {
            *other.0.lock().unwrap() = true;
            other.1.notify_one();
        });
        let mut guard = pair.0.lock().unwrap();
        if !*guard {
            guard = pair.1.wait(guard).unwrap();
        }
        let is_set = *guard;
        drop(guard);
        thread.join().unwrap();
        is_set.to_string()
    };
    assert_eq!(outcomes(Config::new(), program), ["true"]);
    assert_eq!(outcomes(Config::new().spurious(true), program), ["false", "true"]);
}

#[test]
fn a_barrier_has_one_leader_per_round() {
    check(
        || {
            let barrier = Arc::new(Barrier::new(2));
            let leaders = Arc::new(AtomicUsize::new(0));
            let go = |barrier: &Barrier, leaders: &AtomicUsize| {
                for _ in 0..2 {
                    leaders.fetch_add(barrier.wait().is_leader().into(), SeqCst);
                }
            };
            let (barrier_2, leaders_2) = (barrier.clone(), leaders.clone());
            let thread = thread::spawn(move || go(&barrier_2, &leaders_2));
            go(&barrier, &leaders);
            thread.join().unwrap();
            leaders.load(SeqCst).to_string()
        },
        &["2"],
    );
}

#[test]
fn once_is_done_once_and_all_wait_for_it() {
    check(
        || {
            let once = Arc::new(Once::new());
            let n = Arc::new(AtomicUsize::new(0));
            let (once_2, n_2) = (once.clone(), n.clone());
            let thread = thread::spawn(move || {
                once_2.call_once(|| _ = n_2.fetch_add(1, SeqCst));
                assert_eq!(n_2.load(SeqCst), 1);
            });
            once.call_once(|| _ = n.fetch_add(1, SeqCst));
            assert_eq!(n.load(SeqCst), 1);
            thread.join().unwrap();
            once.is_completed().to_string()
        },
        &["true"],
    );
}

#[test]
fn a_once_whose_function_panics_is_poisoned() {
    let all = outcomes(Config::new().panics_are_results(), || {
        let once = Arc::new(Once::new());
        let other = once.clone();
        let thread = thread::spawn(move || other.call_once(|| panic!("on purpose")));
        assert!(thread.join().is_err());
        let mut was_poisoned = false;
        once.call_once_force(|state| was_poisoned = state.is_poisoned());
        format!("{was_poisoned} {}", once.is_completed())
    });
    assert_eq!(all, ["true true"]);
}

#[test]
fn a_once_lock_is_set_by_one() {
    check(
        || {
            let cell = Arc::new(OnceLock::new());
            let other = cell.clone();
            let thread = thread::spawn(move || other.set(1).is_ok());
            let was_mine = cell.set(2).is_ok();
            assert_ne!(thread.join().unwrap(), was_mine);
            cell.get().unwrap().to_string()
        },
        &["1", "2"],
    );
}

static LAZY: LazyLock<Mutex<u32>> = LazyLock::new(|| Mutex::new(7));
static COUNT: AtomicUsize = AtomicUsize::new(3);

#[test]
fn statics_begin_anew_in_every_execution() {
    check(
        || {
            let thread = thread::spawn(|| {
                *LAZY.lock().unwrap() += 1;
                COUNT.fetch_add(1, SeqCst);
            });
            *LAZY.lock().unwrap() += 1;
            COUNT.fetch_add(1, SeqCst);
            thread.join().unwrap();
            format!("{} {}", LAZY.lock().unwrap(), COUNT.load(SeqCst))
        },
        &["9 5"],
    );
}

static SMALL: Mutex<u32> = Mutex::new(4);
static LARGE: RwLock<(u64, [u8; 8])> = RwLock::new((1, [2; 8]));

#[test]
fn small_values_of_static_locks_begin_anew() {
    check(
        || {
            let thread = thread::spawn(|| {
                *SMALL.lock().unwrap() += 1;
                LARGE.write().unwrap().1[7] += 1;
            });
            *SMALL.lock().unwrap() += 1;
            LARGE.write().unwrap().0 += 1;
            thread.join().unwrap();
            format!("{} {:?}", SMALL.lock().unwrap(), LARGE.read().unwrap())
        },
        &["6 (2, [2, 2, 2, 2, 2, 2, 2, 3])"],
    );
}

static LASTING: Mutex<Vec<u32>> = Mutex::new(Vec::new());

#[test]
#[should_panic = "outlives an execution"]
fn a_static_mutex_with_something_to_drop_is_refused_when_it_was_written() {
    Config::new().allow_sequential().explore(|| LASTING.lock().unwrap().push(1));
}
