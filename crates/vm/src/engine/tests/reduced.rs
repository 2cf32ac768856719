//! Partial-order reduction on the machine: what programs can come to, with it and without.

use std::collections::BTreeSet;

use raddle_finding::Location;

use super::*;

/// Notes how runs end: what was found, or what main returned.
struct Ends<'a> {
    engine: &'a mut VmEngine,
    ends: BTreeSet<String>,
}

impl Engine for Ends<'_> {
    fn run(&mut self, plan: &Plan, watch: &dyn Watch, run: &mut Run) -> Result<(), EngineError> {
        self.engine.run(plan, watch, run)?;
        let end = match (self.engine.machine.outcome(), run.outcome.failure()) {
            (_, Some(failure)) => format!("{} {:?}", failure.kind, failure.places),
            (Some(outcome), _) => format!("{outcome:?}"),
            (None, None) => format!("{:?}", run.outcome),
        };
        if run.outcome != End::Known {
            self.ends.insert(end);
        }
        Ok(())
    }

    fn program(&self) -> ProgramId {
        self.engine.program()
    }

    fn race(&self, race: &Race) -> Failure {
        self.engine.race(race)
    }

    fn promote(&mut self, races: &[Race]) -> bool {
        self.engine.promote(races)
    }
}

fn ends(engine: &mut VmEngine, strategy: &mut dyn Strategy) -> (BTreeSet<String>, u64) {
    let mut engines = [Ends { engine, ends: BTreeSet::new() }];
    let budget = Budget { runs: Some(400_000), ..Budget::default() };
    let report = search(&mut engines, strategy, &budget, &AtomicBool::new(false)).unwrap();
    assert_eq!(report.ending, Ending::Done);
    let [Ends { ends, .. }] = engines;
    (ends, report.executions)
}

/// Nothing is lost at any of the first bounds, nor without one.
#[track_caller]
fn keeps(source: &str, settings: &Settings) {
    let mut made = engine(source, settings);
    let mut most = BTreeSet::new();
    for bound in 0..=2 {
        let (reduced, n_reduced) = ends(&mut made, &mut Reduced::bounded(Some(bound)));
        let (all, n_all) = ends(&mut made, &mut Bounded::icb(Some(bound)));
        assert_eq!(reduced, all, "at bound {bound}");
        assert!(n_reduced <= n_all * (bound as u64 + 1));
        most = all;
    }
    let (reduced, _) = ends(&mut made, &mut Reduced::all());
    match settings.points {
        // There are too many executions with all points.
        Points::All => assert!(reduced.is_superset(&most)),
        Points::Sync => assert_eq!(reduced, ends(&mut made, &mut Bounded::dfs()).0),
    }
}

/// Threads a and b beside main, which returns what they saw.
fn two(shared: &str, a: &str, b: &str, main: &str) -> String {
    format!(
        "#include <semaphore.h>\nstatic int seen_a, seen_b; static atomic_int x; {shared}\n\
        static void *a(void *p) {{ {a} return 0; }}\nstatic void *b(void *p) {{ {b} return 0; }}\n\
        int main(void) {{ pthread_t s, t; {main} pthread_create(&s, 0, a, 0);\n\
        pthread_create(&t, 0, b, 0); pthread_join(s, 0); pthread_join(t, 0);\n\
        return seen_a + 10 * seen_b; }}"
    )
}

const MUTEX: &str = "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = m_init;";

#[track_caller]
fn keeps_of_two(shared: &str, a: &str, b: &str, main: &str) {
    let shared = shared.replace("m_init", "PTHREAD_MUTEX_INITIALIZER");
    for points in [Points::Sync, Points::All] {
        let settings = Settings { points, ..Settings::default() };
        keeps(&two(&shared, a, b, main), &settings);
    }
}

#[test]
fn mutexes() {
    let lock = "pthread_mutex_lock(&m);";
    let unlock = "pthread_mutex_unlock(&m);";
    let a = format!("{lock} x++; {unlock} seen_a = x;");
    keeps_of_two(MUTEX, &a, &format!("seen_b = x; {lock} x += 3; {unlock}"), "");
    let opposite = "pthread_mutex_lock(&n); pthread_mutex_lock(&m); pthread_mutex_unlock(&m);";
    keeps_of_two(MUTEX, "pthread_mutex_lock(&m); pthread_mutex_lock(&n); x = 1;", opposite, "");
}

#[test]
fn locks_that_are_tried() {
    let a = "pthread_mutex_lock(&m); x = 1; pthread_mutex_unlock(&m);";
    let b =
        "seen_b = pthread_mutex_trylock(&m) ? 1 : 2; if (seen_b == 2) pthread_mutex_unlock(&m);";
    keeps_of_two(MUTEX, a, b, "");
    let b = "struct timespec t = {1, 0}; seen_b = pthread_mutex_timedlock(&m, &t) ? 1 : 2;";
    keeps_of_two(MUTEX, a, b, "");
}

#[test]
fn recursive_mutexes() {
    let init = "pthread_mutexattr_t r; pthread_mutexattr_init(&r);\n\
        pthread_mutexattr_settype(&r, PTHREAD_MUTEX_RECURSIVE); pthread_mutex_init(&m, &r);";
    let lock = "pthread_mutex_lock(&m);";
    let unlock = "pthread_mutex_unlock(&m);";
    let a = format!("{lock} {lock} x = x + 1; {unlock} seen_a = x; {unlock}");
    let b = format!("{lock} x = 2 * x + 2; {unlock}");
    keeps_of_two("static pthread_mutex_t m;", &a, &b, init);
}

#[test]
fn conditions() {
    let shared = format!("{MUTEX} static pthread_cond_t c = PTHREAD_COND_INITIALIZER;");
    let lock = "pthread_mutex_lock(&m);";
    let unlock = "pthread_mutex_unlock(&m);";
    let wait = format!("{lock} if (!x) pthread_cond_wait(&c, &m); seen_a = x; {unlock}");
    keeps_of_two(
        &shared,
        &wait,
        &format!("{lock} x = 1; pthread_cond_signal(&c); {unlock} x = 2;"),
        "",
    );
    keeps_of_two(&shared, &wait, "x = 1; pthread_cond_broadcast(&c);", "");
    let timed = format!(
        "struct timespec t = {{1, 0}}; {lock} seen_a = pthread_cond_timedwait(&c, &m, &t) ? 1 : 2;\n\
        {unlock}"
    );
    keeps_of_two(&shared, &timed, &format!("{lock} pthread_cond_signal(&c); {unlock}"), "");
    let settings = Settings { spurious: true, ..Settings::default() };
    let shared = shared.replace("m_init", "PTHREAD_MUTEX_INITIALIZER");
    keeps(&two(&shared, &wait, "x = 1; pthread_cond_signal(&c);", ""), &settings);
}

#[test]
fn semaphores_and_barriers() {
    let up = "x = 1; sem_post(&s); seen_b = x;";
    keeps_of_two("static sem_t s;", "sem_wait(&s); seen_a = x; x = 2;", up, "sem_init(&s, 0, 0);");
    let a = "seen_a = sem_trywait(&s) ? 1 : 2;";
    keeps_of_two("static sem_t s;", a, "sem_wait(&s); sem_post(&s);", "sem_init(&s, 0, 1);");
    let a = "x = 1; pthread_barrier_wait(&w); seen_a = x;";
    let b = "x = 2; pthread_barrier_wait(&w); seen_b = x; x = 3;";
    keeps_of_two("static pthread_barrier_t w;", a, b, "pthread_barrier_init(&w, 0, 2);");
}

#[test]
fn readers_writers_and_once() {
    let shared = "static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;";
    let unlock = "pthread_rwlock_unlock(&l);";
    let a = format!("pthread_rwlock_rdlock(&l); seen_a = x; x = 4; {unlock}");
    keeps_of_two(shared, &a, &format!("pthread_rwlock_wrlock(&l); x++; {unlock}"), "");
    keeps_of_two(shared, &a, &format!("pthread_rwlock_rdlock(&l); x++; {unlock}"), "");
    let b = format!("if (!pthread_rwlock_trywrlock(&l)) {{ seen_b = 1; {unlock} }}");
    keeps_of_two(shared, &a, &b, "");
    let shared = "static pthread_once_t o = PTHREAD_ONCE_INIT;\n\
        static void first(void) { x = x * 2 + 1; }";
    keeps_of_two(
        shared,
        "pthread_once(&o, first); seen_a = x;",
        "x = 3; pthread_once(&o, first);",
        "",
    );
}

#[test]
fn atomic_sections_and_ends() {
    let shared =
        "void __VERIFIER_atomic_begin(void); void __VERIFIER_atomic_end(void); static int y;";
    let a = "__VERIFIER_atomic_begin(); y = y + 1; x = y; __VERIFIER_atomic_end();";
    keeps_of_two(
        shared,
        a,
        "seen_b = x; __VERIFIER_atomic_begin(); y = 5; __VERIFIER_atomic_end();",
        "",
    );
    let shared = format!("{shared} {MUTEX} static pthread_cond_t c = PTHREAD_COND_INITIALIZER;");
    let a = "pthread_mutex_lock(&m); __VERIFIER_atomic_begin(); if (!x) pthread_cond_wait(&c, &m);\n\
        y = y + 1; x = y; __VERIFIER_atomic_end(); pthread_mutex_unlock(&m);";
    let b = "x = 1; pthread_cond_signal(&c); seen_b = x; pthread_mutex_lock(&m); y = 3;";
    keeps_of_two(&shared, a, &format!("{b} pthread_mutex_unlock(&m); seen_b += x;"), "");
    keeps_of_two("void exit(int);", "x = 1; exit(7);", "seen_b = x; assert(x == 0);", "");
    keeps_of_two("", "assert(x == 0); x = 2;", "x = 1; assert(x == 1);", "");
}

#[test]
fn memory_that_is_freed() {
    let shared = "void *malloc(unsigned long); void free(void *); static int *h;";
    let main = "h = malloc(sizeof *h); *h = 1;";
    let source = two(shared, "x = 1; free(h);", "seen_b = x; seen_b += *h;", main);
    keeps(&source, &Settings { points: Points::All, ..Settings::default() });
}

#[test]
fn threads_that_give_way() {
    keeps_of_two("", "x = 1; sched_yield(); x = 2; sched_yield();", "x++; seen_b = x;", "");
}

#[test]
fn threads_that_spin() {
    let a = "while (!x) {} seen_a = x;";
    let mut made = engine(&two("", a, "x = 1; x = 2;", ""), &Settings::default());
    let (all, _) = ends(&mut made, &mut Bounded::icb(Some(1)));
    let (reduced, _) = ends(&mut made, &mut Reduced::bounded(Some(1)));
    assert_eq!(reduced, all);
}

/// Three threads that take a lock so many times each.
fn sections(times: u32) -> String {
    format!(
        "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static int counter;\n\
        static void *work(void *p) {{ for (int i = 0; i < {times}; i++) {{\n\
        pthread_mutex_lock(&m); counter++; pthread_mutex_unlock(&m); }} return p; }}\n\
        int main(void) {{ pthread_t t[3];\n\
        for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, work, 0);\n\
        for (int i = 0; i < 3; i++) pthread_join(t[i], 0); return 0; }}"
    )
}

#[test]
fn lock_sections_are_explored_once_per_order() {
    for (times, orders) in [(1, 6), (2, 90), (3, 1680)] {
        let made = engine(&sections(times), &Settings::default());
        let report = explore(made, &mut Reduced::all(), 100_000);
        assert_eq!((report.executions, report.bounds[0].cut), (orders, 0));
        assert!(report.exhausted && report.findings.is_empty());
    }
}

/// What is found at which bound, races aside: which of several is seen depends on the executions.
fn found(report: &Report) -> BTreeSet<(&str, &[Location], Option<u32>)> {
    let failures = report.findings.iter().filter(|found| found.failure.kind.name() != "race");
    failures.map(|f| (f.failure.kind.name(), &f.failure.places[..], f.bound)).collect()
}

/// The same failures at the same bounds, in all programs that can be enumerated in a moment.
#[test]
fn troubles_of_the_corpus_show_at_their_bounds() {
    let mut n_compared = [0; 3];
    for (path, _) in [corpus("fails"), corpus("clean")].concat() {
        // Reduction goes by what is touched at points: accesses that race have to be points.
        for (points, races) in [(Points::Sync, Races::Promoted), (Points::All, Races::Ignored)] {
            let settings = Settings { points, ..Settings::default() };
            let made = engine_of(path.clone(), &settings);
            let run = |strategy: &mut dyn Strategy| {
                let mut engines = [VmEngine::new(made.machine.clone())];
                let budget = Budget { runs: Some(10_000), races, ..Budget::default() };
                search(&mut engines, strategy, &budget, &AtomicBool::new(false)).unwrap()
            };
            for bound in [2, 1] {
                let whole = run(&mut Bounded::icb(Some(bound)));
                if whole.ending != Ending::Done {
                    continue;
                }
                let bounded = run(&mut Reduced::bounded(Some(bound)));
                assert_eq!(bounded.ending, Ending::Done, "{}", path.display());
                assert_eq!(found(&bounded), found(&whole), "{}", path.display());
                n_compared[bound as usize] += 1;
                break; // What is found at lower bounds says so.
            }
        }
    }
    println!("compared: {n_compared:?}");
    assert!(n_compared[2] > 100 && n_compared[1] + n_compared[2] > 120, "{n_compared:?}");
}

/// The same failures without a bound, in all programs that can be enumerated in a moment.
#[test]
fn troubles_of_the_corpus_show_without_a_bound() {
    let mut n_compared = [0; 2];
    for (kind, folder) in ["fails", "clean"].into_iter().enumerate() {
        for (path, _) in corpus(folder) {
            let settings = Settings { points: Points::All, ..Settings::default() };
            let run = |strategy: &mut dyn Strategy| {
                let mut engines = [engine_of(path.clone(), &settings)];
                let budget = Budget { runs: Some(5_000), ..Budget::default() };
                search(&mut engines, strategy, &budget, &AtomicBool::new(false)).unwrap()
            };
            let places = |report: &Report| -> BTreeSet<_> {
                report.findings.iter().map(|found| found.failure.places.clone()).collect()
            };
            let whole = run(&mut Bounded::dfs().cached());
            let all = run(&mut Reduced::all());
            if !whole.exhausted || !all.exhausted {
                continue;
            }
            assert_eq!(places(&all), places(&whole), "{}", path.display());
            assert_eq!(whole.findings.is_empty(), kind == 1, "{}", path.display());
            n_compared[kind] += 1;
        }
    }
    println!("compared: {n_compared:?}");
    assert!(n_compared[0] >= 28 && n_compared[1] >= 30, "{n_compared:?}");
}
