//! Mutexes that are unlocked by who does not hold them.

use std::collections::BTreeSet;

use raddle_explore::Next;

use super::*;

/// The second thread unlocks a mutex of the first one, so that the third one comes in.
const FOREIGN: &str = "static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;\n\
    static int number;\n\
    static void *add(void *p) { pthread_mutex_lock(&mutex); int before = number;\n\
    number = before + 1; assert(number == before + 1); pthread_mutex_unlock(&mutex); return p; }\n\
    static void *unlock(void *p) { pthread_mutex_unlock(&mutex); return p; }\n\
    static void *set(void *p) { pthread_mutex_lock(&mutex); number = 7;\n\
    pthread_mutex_unlock(&mutex); return p; }\n\
    int main(void) { pthread_t a, b, c; pthread_create(&a, 0, add, 0);\n\
    pthread_create(&b, 0, unlock, 0); pthread_create(&c, 0, set, 0);\n\
    pthread_join(a, 0); pthread_join(b, 0); pthread_join(c, 0); return 0; }";

/// The same with a mutex that looks who unlocks it.
const CHECKING: &str = "static pthread_mutex_t mutex; static int number;\n\
    static void *add(void *p) { pthread_mutex_lock(&mutex); number++;\n\
    pthread_mutex_unlock(&mutex); return p; }\n\
    static void *unlock(void *p) { assert(pthread_mutex_unlock(&mutex) != 0); return p; }\n\
    int main(void) { pthread_mutexattr_t kind; pthread_mutexattr_init(&kind);\n\
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);\n\
    pthread_mutex_init(&mutex, &kind); pthread_t a, b; pthread_create(&a, 0, add, 0);\n\
    pthread_create(&b, 0, unlock, 0); pthread_join(a, 0); pthread_join(b, 0); return 0; }";

/// What is found, by all kinds of searches.
#[track_caller]
fn check(source: &str, strict_locks: bool, expected: &[&str]) {
    let settings = Settings { strict_locks, points: Points::All, ..Settings::default() };
    let strategies: [Box<dyn Strategy>; 4] = [
        Box::new(Bounded::icb(Some(2))),
        Box::new(Bounded::icb(Some(2)).cached()),
        Box::new(Reduced::bounded(Some(2))),
        Box::new(Reduced::all()),
    ];
    for mut strategy in strategies {
        let report = explore(engine(source, &settings), &mut *strategy, 100_000);
        let kinds = report.findings.iter().map(|found| found.failure.kind.name());
        let kinds: BTreeSet<_> = kinds.collect();
        assert_eq!(kinds, expected.iter().copied().collect());
        let misuse = report.findings.iter().find(|found| found.failure.kind.name() == "misuse");
        let message = misuse.map_or("", |found| &found.failure.message);
        assert!(misuse.is_none() || message.starts_with("unlock of mutex, which "), "{message}");
    }
}

#[test]
fn a_misuse_hides_nothing_unless_it_ends_the_run() {
    check(FOREIGN, false, &["assertion", "misuse"]);
    check(FOREIGN, true, &["misuse"]);
}

#[test]
fn a_mutex_that_checks_who_unlocks_it_is_not_misused() {
    check(CHECKING, false, &[]);
    check(CHECKING, true, &[]);
}

#[test]
fn a_run_knows_at_which_point_it_went_wrong_also_when_it_is_made_from_a_saved_state() {
    let settings = Settings { strict_locks: false, ..Settings::default() };
    let (mut made, mut run) = (engine(FOREIGN, &settings), Run::new());
    let mut fresh = VmEngine::new(made.machine.clone());
    let mut strategy = Bounded::icb(Some(1));
    let mut again = Run::new();
    while let Next::Ready(id, plan) = strategy.next() {
        made.run(&plan, &(), &mut run).unwrap();
        fresh.machine.reset();
        fresh.trail.clear();
        fresh.run(&plan, &(), &mut again).unwrap();
        assert_eq!(run.misuses, again.misuses);
        assert_eq!(run.misuses.len(), 1);
        strategy.learn(id, &mut run);
    }
    made.end_at_misuse();
    made.run(&Plan::default(), &(), &mut run).unwrap();
    assert_eq!((run.outcome.name(), run.misuses.len()), ("misuse", 0));
}
