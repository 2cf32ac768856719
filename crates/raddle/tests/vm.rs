//! Programs written twice: in Rust for this engine, in C for the machine. As long as the points are
//! the same, there are as many executions at each bound. The programs of the corpus are compared,
//! too; where their points differ, a table says why.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use raddle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use raddle::sync::{Arc, Mutex, RwLock};
use raddle::{Config, Search, Stage, thread};
use raddle_cfront::compile::compile;
use raddle_cfront::preprocess::Options;
use raddle_explore::{Bounded, Budget, Races, search};
use raddle_vm::{Machine, Settings, VmEngine};

const BOUND: u32 = 4;

/// Executions at each bound, on the machine. Accesses that race are points.
fn in_c(path: PathBuf, bound: u32) -> Vec<u64> {
    let program = std::sync::Arc::new(compile(&[path], &Options::default()).unwrap().program);
    let machine = Machine::new(program, &Settings::default()).unwrap();
    let mut strategy = Bounded::icb(Some(bound));
    let stop = AtomicBool::new(false);
    let mut engines = [VmEngine::new(machine)];
    let budget = Budget { races: Races::Promoted, ..Budget::default() };
    let report = search(&mut engines, &mut strategy, &budget, &stop).unwrap();
    report.bounds.iter().map(|row| row.executions).collect()
}

fn in_rust(f: impl Fn() + Send + Sync + 'static, bound: u32) -> Vec<u64> {
    let config = Config::new().search(Search::Bounded).bound(bound).unlimited();
    let report = config.findings(usize::MAX).shrink(false).explore(f);
    let bounds = report.bounds.iter().filter(|row| matches!(row.0, Stage::Bound(_)));
    bounds.map(|row| row.1).collect()
}

#[track_caller]
fn check(c: &str, rust: impl Fn() + Send + Sync + 'static) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("twin.c");
    std::fs::write(&path, c).unwrap();
    let (c, rust) = (in_c(path, BOUND), in_rust(rust, BOUND));
    assert_eq!(c.len(), BOUND as usize + 1);
    assert_eq!(c, rust);
}

/// The same of programs that differ from a bound on.
#[track_caller]
fn check_until(bound: usize, c: &str, rust: impl Fn() + Send + Sync + 'static) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("twin.c");
    std::fs::write(&path, c).unwrap();
    let (c, rust) = (in_c(path, BOUND), in_rust(rust, BOUND));
    assert_eq!(c[..bound], rust[..bound]);
    assert!(c[bound] < rust[bound], "{c:?} {rust:?}");
}

const HEAD: &str = "#include <pthread.h>\n#include <stdatomic.h>\n#include <assert.h>\n";

const TWO: &str = "
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, other, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}";

/// Two threads, started and joined by the first.
fn two(one: impl FnOnce() + Send + 'static, other: impl FnOnce() + Send + 'static) {
    let threads = [thread::spawn(one), thread::spawn(other)];
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

#[test]
fn atomic_steps() {
    let c = "atomic_int x;
      void *one(void *p) { x = 1; x = 2; return p; }
      void *other(void *p) { x = 3; atomic_load(&x); return p; }";
    check(&format!("{HEAD}{c}{TWO}"), || {
        let x = Arc::new(AtomicUsize::new(0));
        let y = x.clone();
        let one = move || {
            x.store(1, SeqCst);
            x.store(2, SeqCst);
        };
        two(one, move || {
            y.store(3, SeqCst);
            y.load(SeqCst);
        });
    });
}

#[test]
fn a_mutex() {
    let c = "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int n;
      void *one(void *p) {
        pthread_mutex_lock(&m); n++; pthread_mutex_unlock(&m);
        pthread_mutex_lock(&m); n++; pthread_mutex_unlock(&m);
        return p;
      }
      void *other(void *p) { pthread_mutex_lock(&m); n++; pthread_mutex_unlock(&m); return p; }";
    check(&format!("{HEAD}{c}{TWO}"), || {
        let m = Arc::new(Mutex::new(0));
        let n = m.clone();
        let one = move || {
            *m.lock().unwrap() += 1;
            *m.lock().unwrap() += 1;
        };
        two(one, move || *n.lock().unwrap() += 1);
    });
}

#[test]
fn a_deadlock() {
    let c = "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
      void *one(void *p) {
        pthread_mutex_lock(&m); pthread_mutex_lock(&n);
        pthread_mutex_unlock(&n); pthread_mutex_unlock(&m);
        return p;
      }
      void *other(void *p) {
        pthread_mutex_lock(&n); pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m); pthread_mutex_unlock(&n);
        return p;
      }";
    check(&format!("{HEAD}{c}{TWO}"), || {
        let (m, n) = (Arc::new(Mutex::new(())), Arc::new(Mutex::new(())));
        let (m_2, n_2) = (m.clone(), n.clone());
        let one = move || {
            let _m = m.lock().unwrap();
            let _n = n.lock().unwrap();
        };
        two(one, move || {
            let _n = n_2.lock().unwrap();
            let _m = m_2.lock().unwrap();
        });
    });
}

#[test]
fn a_failure() {
    let c = "atomic_int x;
      void *one(void *p) { int old = x; x = old + 1; return p; }
      void *other(void *p) { int old = x; x = old + 1; assert(old == 0 || x == 2); return p; }";
    check(&format!("{HEAD}{c}{TWO}"), || {
        let x = Arc::new(AtomicUsize::new(0));
        let y = x.clone();
        let one = move || {
            let old = x.load(SeqCst);
            x.store(old + 1, SeqCst);
        };
        two(one, move || {
            let old = y.load(SeqCst);
            y.store(old + 1, SeqCst);
            assert!(old == 0 || y.load(SeqCst) == 2);
        });
    });
}

#[test]
fn readers_and_a_writer() {
    let c = "pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
      void *one(void *p) { pthread_rwlock_rdlock(&l); pthread_rwlock_unlock(&l); return p; }
      void *other(void *p) {
        pthread_rwlock_wrlock(&l); pthread_rwlock_unlock(&l);
        pthread_rwlock_rdlock(&l); pthread_rwlock_unlock(&l);
        return p;
      }";
    // In Rust, who cannot take the lock waits for it from a step of its own on, as that keeps readers out.
    check_until(2, &format!("{HEAD}{c}{TWO}"), || {
        let l = Arc::new(RwLock::new(()));
        let k = l.clone();
        let one = move || drop(l.read().unwrap());
        two(one, move || {
            drop(k.write().unwrap());
            drop(k.read().unwrap());
        });
    });
}

#[test]
fn trying() {
    let c = "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; atomic_int x;
      void *one(void *p) {
        if (pthread_mutex_trylock(&m) == 0) { x = 1; pthread_mutex_unlock(&m); }
        return p;
      }
      void *other(void *p) { pthread_mutex_lock(&m); x = 2; pthread_mutex_unlock(&m); return p; }";
    check(&format!("{HEAD}{c}{TWO}"), || {
        let m = Arc::new((Mutex::new(()), AtomicUsize::new(0)));
        let n = m.clone();
        let one = move || {
            if let Ok(_guard) = m.0.try_lock() {
                m.1.store(1, SeqCst);
            }
        };
        two(one, move || {
            let _guard = n.0.lock().unwrap();
            n.1.store(2, SeqCst);
        });
    });
}

/// The program is another one in Rust: the first thread takes part, or locks replace plain accesses.
const WRITTEN_ANEW: &str = "written anew";
/// A semaphore is one object in C, a mutex and a condition in Rust.
const SEMAPHORE: &str = "semaphore";
/// To wake up and to take the mutex again are two points on the machine, and one in Rust.
const CONDITION: &str = "condition";
/// The machine compares states to see that a thread which yields gets nowhere; in Rust, it has to do the same
/// twice, and once more where another thread changed something in between, or where the points of that round were
/// decided about before it was known.
const YIELDS: &str = "yields";
/// What does not race is no point in C; in Rust it is an atomic, and one.
const ORDERED: &str = "ordered";
/// A thread that panics gives its locks back, step by step; a failed assertion ends a C program.
const UNWINDS: &str = "unwinds";

/// Who cannot take a lock of readers and writers waits for it from a step of its own on.
const LOCKS: &str = "locks";

/// Programs whose points differ: the first bound that has another number of executions, and why.
const DIFFER: [(&str, usize, &str); 43] = [
    ("ab_ba", 0, WRITTEN_ANEW),
    ("ab_ba_fixed", 0, WRITTEN_ANEW),
    ("barrier_reuse", 1, CONDITION),
    ("barrier_reuse_fixed", 1, CONDITION),
    ("bluetooth2", 2, CONDITION),
    ("bluetooth2_fixed", 1, ORDERED),
    ("buffer_if", 1, CONDITION),
    ("buffer_if_fixed", 1, CONDITION),
    ("buffer_signal", 1, CONDITION),
    ("buffer_signal_fixed", 1, CONDITION),
    ("connection_pool", 1, SEMAPHORE),
    ("connection_pool_fixed", 1, SEMAPHORE),
    ("double_checked", 1, ORDERED),
    ("double_checked_fixed", 1, ORDERED),
    ("elevator", 1, CONDITION),
    ("elevator_fixed", 1, CONDITION),
    ("lazy_init", 1, WRITTEN_ANEW),
    ("lazy_init_fixed", 1, WRITTEN_ANEW),
    ("lost_wakeup", 1, WRITTEN_ANEW),
    ("lost_wakeup_fixed", 2, WRITTEN_ANEW),
    ("peterson", 2, YIELDS),
    ("peterson_fixed", 1, YIELDS),
    ("rcu_swap_fixed", 1, ORDERED),
    ("reader_writer", 2, CONDITION),
    ("reader_writer_fixed", 1, ORDERED),
    ("refcount_fixed", 1, ORDERED),
    ("rwlock_upgrade", 2, LOCKS),
    ("rwlock_upgrade_fixed", 2, LOCKS),
    ("semaphore_peek", 1, SEMAPHORE),
    ("semaphore_peek_fixed", 1, SEMAPHORE),
    ("seqlock", 1, YIELDS),
    ("seqlock_fixed", 1, YIELDS),
    ("shutdown", 1, SEMAPHORE),
    ("shutdown_fixed", 2, SEMAPHORE),
    ("spin_lock", 1, YIELDS),
    ("spin_lock_fixed", 1, ORDERED),
    ("spsc_off_by_one", 0, YIELDS),
    ("spsc_off_by_one_fixed", 0, YIELDS),
    ("spsc_queue", 0, YIELDS),
    ("spsc_queue_fixed", 0, YIELDS),
    ("string_buffer", 3, UNWINDS),
    ("token_ring", 1, SEMAPHORE),
    ("token_ring_fixed", 1, SEMAPHORE),
];

#[test]
fn programs_of_the_corpus() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/c");
    let (mut n_same, mut n_other) = (0, 0);
    for program in crate::rust_corpus::programs() {
        let (name, path) = (program.name, folder.join(program.name).with_extension("c"));
        if !path.exists() {
            continue;
        }
        let both = |bound: u32| (in_c(path.clone(), bound), in_rust(program.run, bound));
        if let Some(&(_, first, why)) = DIFFER.iter().find(|row| row.0 == name) {
            // Races that show with a preemption make points, and then there are other executions without one.
            let (c, rust) = both(first.max(1) as u32);
            assert_eq!(c[..first], rust[..first], "{name}: {why}");
            assert_ne!(c[first], rust[first], "{name}: {why}");
            n_other += 1;
            continue;
        }
        // More threads have many more executions.
        let bound = match program.fact("threads") {
            "2" | "3" => BOUND,
            "4" => 2,
            _ => 1,
        };
        let (c, rust) = both(bound);
        assert_eq!(c.len(), bound as usize + 1, "{name}");
        assert_eq!(c, rust, "{name}");
        n_same += 1;
    }
    assert_eq!((n_same, n_other), (27, DIFFER.len()));
}
