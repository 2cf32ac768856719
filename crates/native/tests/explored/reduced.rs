//! What partial-order reduction shows of small programs is what all executions show.
//!
//! Each is two bodies of threads. Whether a call succeeds is what the program ends with, so an order that is left out
//! is an exit status that is missing.

use std::collections::BTreeSet;
use std::fs;

use raddle_explore::{Bounded, Engine, Next, Reduced, Run, Strategy};

use raddle_native::explore::NativeEngine;

use crate::explored::assert_no_faults;
use crate::harness::search::USUAL;
use crate::harness::{GCC, Workshop, for_each};

const HEAD: &str = "
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t w = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_once_t o = PTHREAD_ONCE_INIT;
static pthread_spinlock_t p;
static pthread_t other;
static mtx_t x;
static sem_t s;
static atomic_int ran;
static int got[2];
static _Alignas(16) struct { long a, b; } pair;
static struct timespec soon = {1, 0};
static void once(void) { ran = 1; }
";

const MAIN: &str = "
static void *first(void *unused) { one(); return unused; }
static void *second(void *unused) { two(); return unused; }
int main(void)
{
    pthread_t thread;
    pthread_spin_init(&p, 0);
    mtx_init(&x, mtx_timed);
    sem_init(&s, 0, 0);
    pthread_create(&thread, 0, first, 0);
    pthread_create(&other, 0, second, 0);
    pthread_join(thread, 0);
    pthread_join(other, 0);
    _Exit(10 * got[0] + got[1]);
}
";

/// What two threads do.
const CASES: &[[&str; 2]] = &[
    ["got[0] = !pthread_rwlock_tryrdlock(&w); if (got[0]) pthread_rwlock_unlock(&w);", WRITE],
    ["got[0] = !pthread_rwlock_trywrlock(&w); if (got[0]) pthread_rwlock_unlock(&w);", READ],
    ["got[0] = !pthread_rwlock_trywrlock(&w); if (got[0]) pthread_rwlock_unlock(&w);", WRITE],
    [
        "got[0] = !pthread_rwlock_timedrdlock(&w, &soon); if (got[0]) pthread_rwlock_unlock(&w);",
        WRITE,
    ],
    [
        "got[0] = !pthread_rwlock_timedwrlock(&w, &soon); if (got[0]) pthread_rwlock_unlock(&w);",
        READ,
    ],
    ["got[0] = !pthread_mutex_trylock(&m); if (got[0]) pthread_mutex_unlock(&m);", LOCK],
    ["got[0] = !pthread_mutex_timedlock(&m, &soon); if (got[0]) pthread_mutex_unlock(&m);", LOCK],
    ["got[0] = !pthread_spin_trylock(&p); if (got[0]) pthread_spin_unlock(&p);", SPIN],
    [
        "got[0] = mtx_trylock(&x) == thrd_success; if (got[0]) mtx_unlock(&x);",
        "mtx_lock(&x); mtx_unlock(&x);",
    ],
    ["got[0] = !sem_trywait(&s);", "sem_post(&s);"],
    ["got[0] = !sem_timedwait(&s, &soon);", "sem_post(&s);"],
    ["sem_getvalue(&s, &got[0]);", "sem_post(&s);"],
    ["got[0] = !pthread_tryjoin_np(other, 0);", "sem_post(&s);"],
    [TIMED_WAIT, "pthread_cond_signal(&c);"],
    [TIMED_WAIT, "pthread_cond_broadcast(&c);"],
    // An order in which no thread can go on.
    [
        "pthread_mutex_lock(&m); pthread_mutex_lock(&n); pthread_mutex_unlock(&n); pthread_mutex_unlock(&m);",
        "pthread_mutex_lock(&n); pthread_mutex_lock(&m); pthread_mutex_unlock(&m); pthread_mutex_unlock(&n);",
    ],
    [
        "pthread_mutex_lock(&m); pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m);",
        "pthread_cond_signal(&c);",
    ],
    ["pthread_rwlock_rdlock(&w); pthread_rwlock_wrlock(&w);", WRITE],
    [
        "pthread_rwlock_rdlock(&w); sem_wait(&s); pthread_rwlock_unlock(&w);",
        "pthread_rwlock_wrlock(&w); sem_post(&s); pthread_rwlock_unlock(&w);",
    ],
    // What is destroyed while others use it.
    ["sem_post(&s); pthread_mutex_destroy(&m);", LOCK],
    ["sem_post(&s); pthread_rwlock_destroy(&w);", READ],
    ["got[0] = ran; pthread_once(&o, once);", "pthread_once(&o, once); got[1] = ran;"],
    // Accesses that have one word in common.
    [
        "__atomic_store_n(&pair.b, 1, 5);",
        "__int128 v = __atomic_load_n((__int128 *)&pair, 5); got[1] = v >> 64;",
    ],
];

const READ: &str = "pthread_rwlock_rdlock(&w); pthread_rwlock_unlock(&w);";
const WRITE: &str = "pthread_rwlock_wrlock(&w); pthread_rwlock_unlock(&w);";
const LOCK: &str = "pthread_mutex_lock(&m); pthread_mutex_unlock(&m);";
const SPIN: &str = "pthread_spin_lock(&p); pthread_spin_unlock(&p);";
const TIMED_WAIT: &str = "pthread_mutex_lock(&m); \
    got[0] = !pthread_cond_timedwait(&c, &m, &soon); pthread_mutex_unlock(&m);";

/// How executions end, and how many there are.
fn ends(
    engine: &mut impl Engine,
    mut strategy: impl Strategy,
) -> Result<(BTreeSet<String>, u32), String> {
    let (mut ends, mut n, mut run) = (BTreeSet::new(), 0, Run::new());
    while let Next::Ready(id, plan) = strategy.next() {
        engine.run(&plan, &(), &mut run).map_err(|error| error.to_string())?;
        let places = run.outcome.failure().map_or(&[][..], |failure| &failure.places);
        let places: Vec<_> = places.iter().map(ToString::to_string).collect();
        ends.insert(format!("{} {}", run.outcome.name(), places.join(" ")));
        n += 1;
        strategy.learn(id, &mut run);
    }
    ends.remove("known ");
    Ok((ends, n))
}

fn check(workshop: &Workshop, case: &[&str; 2]) -> Result<(), String> {
    let mut engine = engine(workshop, case)?;
    let (all, n_all) = ends(&mut engine, Bounded::dfs())?;
    let (reduced, n_reduced) = ends(&mut engine, Reduced::all())?;
    let (bounded, _) = ends(&mut engine, Reduced::bounded(Some(3)))?;
    match all == reduced && all == bounded && n_reduced <= n_all && all.len() > 1 {
        true => Ok(()),
        false => {
            Err(format!("{n_reduced} of {n_all}: {reduced:?}, {bounded:?} instead of {all:?}"))
        }
    }
}

/// Builds a program of two bodies; what explores it.
fn engine(workshop: &Workshop, [one, two]: &[&str; 2]) -> Result<NativeEngine, String> {
    let source = workshop.file().with_extension("c");
    let bodies = format!("static void one(void) {{ {one} }}\nstatic void two(void) {{ {two} }}");
    fs::write(&source, format!("{HEAD}{bodies}{MAIN}")).unwrap();
    let target = workshop.build(GCC, &source, &["-O1", "-mcx16", "-latomic"])?;
    // A status that is no failure could not be distinguished from others.
    let mut way = USUAL;
    way.exit = Some(255);
    workshop.engine(&target, way)
}

/// A thread that ran out of time is not woken by a signal that comes while it waits for the lock: it has seen what was
/// done under the lock, and was not notified.
#[test]
fn a_wait_can_run_out_while_another_thread_holds_the_lock() {
    let one = "pthread_mutex_lock(&m); ran = 1; got[0] = pthread_cond_timedwait(&c, &m, &soon) != 0; \
               got[1] = ran == 2; pthread_mutex_unlock(&m);";
    let signals = "pthread_mutex_lock(&m); if (ran == 1) { ran = 2; pthread_cond_signal(&c); } \
                   pthread_mutex_unlock(&m);";
    let workshop = Workshop::new();
    let mut engine = engine(&workshop, &[one, signals]).unwrap();
    let (all, _) = ends(&mut engine, Bounded::dfs()).unwrap();
    let statuses = ["exit-status status 1", "exit-status status 10", "exit-status status 11"];
    assert_eq!(all, statuses.map(str::to_owned).into());
}

#[test]
fn reduction_leaves_out_no_way_in_which_a_program_can_end() {
    let workshop = Workshop::new();
    assert_no_faults(for_each(CASES, |case| {
        check(&workshop, case).map_err(|error| format!("{case:?}: {error}"))
    }));
}
