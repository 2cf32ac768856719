//! Small programs, each with its near miss: the kinds of what is found in them, with and without optimisation.

use std::collections::BTreeSet;
use std::fs;

use crate::explored::assert_no_faults;
use crate::harness::search::USUAL;
use crate::harness::{GCC, Workshop, for_each};

const HEAD: &str = "
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
static pthread_rwlock_t w;
static atomic_int p;
int x, got;
static struct timespec soon = {1, 0};
";

const MAIN: &str = "
static void *first(void *unused) { one(); return unused; }
static void *second(void *unused) { two(); return unused; }
int main(void)
{
    pthread_t a, b;
    pthread_rwlockattr_t kind;
    pthread_rwlockattr_init(&kind);
    pthread_rwlockattr_setkind_np(&kind, KIND);
    pthread_rwlock_init(&w, &kind);
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
";

/// A program: what two threads do, which kind the lock is of, and what is found.
type Case = (&'static str, &'static str, u32, &'static [&'static str]);

const WRITE: &str = "pthread_rwlock_wrlock(&w); pthread_rwlock_unlock(&w);";
const READ_TWICE: &str = "pthread_rwlock_rdlock(&w); pthread_rwlock_rdlock(&w); \
                          pthread_rwlock_unlock(&w); pthread_rwlock_unlock(&w);";
const TRY_TWICE: &str = "pthread_rwlock_rdlock(&w); assert(!pthread_rwlock_tryrdlock(&w)); \
                         pthread_rwlock_unlock(&w); pthread_rwlock_unlock(&w);";
const PUBLISH: &str = "x = 1; atomic_store_explicit(&p, 1, memory_order_release);";
const MISS_RELAXED: &str = "int e = 7; if (!atomic_compare_exchange_strong_explicit(&p, &e, 8, \
                            memory_order_acq_rel, memory_order_relaxed) && e == 1) got = x;";
const MISS_ACQUIRE: &str = "int e = 7; if (!atomic_compare_exchange_strong_explicit(&p, &e, 8, \
                            memory_order_acq_rel, memory_order_acquire) && e == 1) got = x;";

const CASES: [Case; 8] = [
    (READ_TWICE, WRITE, 0, &[]),
    (READ_TWICE, WRITE, 1, &[]),
    (READ_TWICE, WRITE, 2, &["deadlock"]),
    (TRY_TWICE, WRITE, 0, &[]),
    (TRY_TWICE, WRITE, 2, &["assertion"]),
    (READ_TWICE, "if (!pthread_rwlock_timedwrlock(&w, &soon)) pthread_rwlock_unlock(&w);", 2, &[]),
    (PUBLISH, MISS_RELAXED, 0, &["race"]),
    (PUBLISH, MISS_ACQUIRE, 0, &[]),
];

fn check(workshop: &Workshop, case: &Case, level: &str) -> Result<(), String> {
    let (one, two, kind, expected) = *case;
    let bodies = format!("static void one(void) {{ {one} }}\nstatic void two(void) {{ {two} }}\n");
    let source = workshop.file().with_extension("c");
    fs::write(&source, format!("{HEAD}{bodies}{MAIN}")).unwrap();
    let target = workshop.build(GCC, &source, &[level, &format!("-DKIND={kind}")])?;
    let report = workshop.explore_to(&target, USUAL, 2, 3_000)?.report;
    let kinds = report.findings.iter().map(|it| it.failure.kind.name());
    let is_right = kinds.collect::<BTreeSet<_>>() == expected.iter().copied().collect();
    match is_right && report.n_lost == 0 {
        true => Ok(()),
        false => Err(format!("{one} | {two} ({kind}, {level}): {:?}", report.findings)),
    }
}

#[test]
fn small_programs_fail_as_they_must() {
    let workshop = Workshop::new();
    let all: Vec<_> =
        CASES.iter().flat_map(|case| ["-O0", "-O2"].map(|level| (case, level))).collect();
    let results = for_each(&all, |(case, level)| check(&workshop, case, level));
    assert_no_faults(results);
}
