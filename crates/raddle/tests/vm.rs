//! Programs written twice: in Rust for this engine, in C for the machine. As long as the points are
//! the same, there are as many executions at each bound.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::sync::atomic::AtomicBool;

use raddle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use raddle::sync::{Arc, Mutex, RwLock};
use raddle::{Config, Search, Stage, thread};
use raddle_cfront::compile::compile;
use raddle_cfront::preprocess::Options;
use raddle_explore::{Bounded, Budget, search};
use raddle_vm::{Machine, Settings, VmEngine};

const BOUND: u32 = 4;

/// Executions at each bound, on the machine.
fn in_c(text: &str) -> Vec<u64> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("twin.c");
    std::fs::write(&path, text).unwrap();
    let program = Arc::new(compile(&[path], &Options::default()).unwrap().program);
    let machine = Machine::new(program, &Settings::default()).unwrap();
    let mut strategy = Bounded::icb(Some(BOUND));
    let stop = AtomicBool::new(false);
    let mut engines = [VmEngine::new(machine)];
    let report = search(&mut engines, &mut strategy, &Budget::default(), &stop).unwrap();
    report.bounds.iter().map(|row| row.executions).collect()
}

fn in_rust(f: impl Fn() + Send + Sync + 'static) -> Vec<u64> {
    let config = Config::new().search(Search::Bounded).bound(BOUND).unlimited();
    let report = config.findings(usize::MAX).explore(f);
    let bounds = report.bounds.iter().filter(|row| matches!(row.0, Stage::Bound(_)));
    bounds.map(|row| row.1).collect()
}

#[track_caller]
fn check(c: &str, rust: impl Fn() + Send + Sync + 'static) {
    let (c, rust) = (in_c(c), in_rust(rust));
    assert_eq!(c.len(), BOUND as usize + 1);
    assert_eq!(c, rust);
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
    check(&format!("{HEAD}{c}{TWO}"), || {
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
