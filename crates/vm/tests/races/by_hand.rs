//! One program for each rule, with its near miss; the lines that race are what is expected.

use std::sync::atomic::AtomicBool;

use raddle_explore::{Bounded, Budget, Ending, Races, Report, search};
use raddle_vm::{Points, Settings, VmEngine};

use crate::races::support::{machine, racing, told};

/// Two threads beside main with these bodies, and what main does at the end.
fn program(one: &str, two: &str, end: &str) -> String {
    format!(
        "{GLOBALS}\n#line 1\nvoid *one(void *a) {{ int i = 0; {one} return (void *)(long)i; }}\n\
         void *two(void *a) {{ int i = 0; {two} return (void *)(long)i; }}\n\
         int main(void) {{ pthread_t t, u; h = calloc(4, 1); sem_init(&s, 0, 0); \
         pthread_barrier_init(&b, 0, 2); pthread_create(&t, 0, one, 0); \
         pthread_create(&u, 0, two, 0); pthread_join(t, 0); pthread_join(u, 0); {end} return 0; }}"
    )
}

const GLOBALS: &str = "int x, y; char *h; atomic_int p, q; sem_t s, g; pthread_barrier_t b;\
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;\
    pthread_rwlock_t r = PTHREAD_RWLOCK_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER;\
    pthread_once_t o = PTHREAD_ONCE_INIT; void f(void) { x = 1; }\
    void __VERIFIER_atomic_begin(void); void __VERIFIER_atomic_end(void);";

/// How many pairs of sites of the two bodies race, up to two preemptions; with the cache as many.
#[track_caller]
fn check(one: &str, two: &str, expected: usize) {
    let machine = machine(&program(one, two, ""), &Settings::default());
    let (found, _) = racing(&machine, Bounded::icb(Some(2)));
    assert_eq!(found.len(), expected, "{found:?}");
    let (cached, _) = racing(&machine, Bounded::icb(Some(2)).cached());
    assert_eq!(cached, found);
}

#[test]
fn plain_accesses_race_unless_both_read() {
    check("x = 1;", "x = 2;", 1);
    check("x = 1;", "i = x;", 1);
    check("i = x;", "i = x;", 0);
    check("x = 1;", "y = 1;", 0);
}

#[test]
fn every_pair_of_sites_is_found() {
    check("x = 1; x = 2; i = x;", "x = 3; i = x;", 5);
}

#[test]
fn bytes_must_overlap() {
    check("((char *)&x)[1] = 1;", "i = ((short *)&x)[0];", 1);
    check("((char *)&x)[1] = 1;", "i = ((short *)&x)[1];", 0);
    check("memset(&x, 0, 4);", "i = ((char *)&x)[3];", 1);
}

#[test]
fn atomic_accesses_race_with_plain_ones_only() {
    check("p = 1;", "p = 2;", 0);
    check("p = 1;", "i = *(int *)&p;", 1);
    check("i = p;", "i = *(int *)&p;", 0);
}

#[test]
fn an_exchange_that_fails_has_its_own_order() {
    let publish = "x = 1; atomic_store_explicit(&p, 1, memory_order_release);";
    let exchange = |[success, failure]: [&str; 2]| {
        format!(
            "int e = 7; if (!atomic_compare_exchange_strong_explicit(&p, &e, 8, \
             memory_order_{success}, memory_order_{failure}) && e == 1) i = x;"
        )
    };
    check(publish, &exchange(["acq_rel", "relaxed"]), 1);
    check(publish, &exchange(["relaxed", "relaxed"]), 1);
    check(publish, &exchange(["acq_rel", "acquire"]), 0);
    check(publish, &exchange(["relaxed", "acquire"]), 0);
}

#[test]
fn a_common_lock_orders() {
    let locked = "pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);";
    check(locked, locked, 0);
    check(locked, "pthread_mutex_lock(&n); i = x; pthread_mutex_unlock(&n);", 1);
}

#[test]
fn readers_are_ordered_with_writers_only() {
    let under = |kind: &str, body: &str| {
        format!("pthread_rwlock_{kind}lock(&r); {body} pthread_rwlock_unlock(&r);")
    };
    check(&under("wr", "x = 1;"), &under("rd", "i = x;"), 0);
    check(&under("rd", "x = 1;"), &under("rd", "i = x;"), 1);
}

#[test]
fn release_and_acquire_order_and_relaxed_does_not() {
    let waits = |order: &str| format!("if (atomic_load_explicit(&p, {order})) i = x;");
    let says = |order: &str| format!("x = 1; atomic_store_explicit(&p, 1, {order});");
    check(&says("memory_order_release"), &waits("memory_order_acquire"), 0);
    check(&says("memory_order_release"), &waits("memory_order_relaxed"), 1);
    check(&says("memory_order_relaxed"), &waits("memory_order_acquire"), 1);
    check("x = 1; p = 1;", "if (p) i = x;", 0);
}

#[test]
fn release_sequences_go_on_with_modifications_and_by_c11_with_their_thread() {
    let reads = "if (atomic_load_explicit(&p, memory_order_acquire) == 2) i = x;";
    let relaxed = "atomic_store_explicit(&p, 2, memory_order_relaxed);";
    check(&format!("x = 1; p = 1; {relaxed}"), reads, 1);
    check("x = 1; p = 1; p = 2;", reads, 0);
    let told = told(&program(&format!("x = 1; p = 1; {relaxed}"), reads, ""), 2);
    assert!(
        told[0].1.ends_with(
            ", and nothing orders them by C++20: by C11 and C++17, a release sequence does"
        ),
        "{told:?}"
    );
    check("x = 1; p = 1; *(int *)&p = 2;", reads, 2);
    let adds = "atomic_fetch_add_explicit(&p, 1, memory_order_relaxed);";
    check("x = 1; p = 1;", &format!("{adds} {reads}"), 0);
    check(
        "x = 1; p = 1;",
        &format!("if (atomic_load_explicit(&p, memory_order_relaxed)) {{ {relaxed} {reads} }}"),
        1,
    );
}

#[test]
fn fences_make_relaxed_accesses_order() {
    let (before, after) = (
        "atomic_thread_fence(memory_order_release);",
        "atomic_thread_fence(memory_order_acquire);",
    );
    let store = "atomic_store_explicit(&p, 1, memory_order_relaxed);";
    let load = |then: &str| {
        format!("if (atomic_load_explicit(&p, memory_order_relaxed)) {{ {then} i = x; }}")
    };
    check(&format!("x = 1; {before} {store}"), &load(after), 0);
    check(&format!("x = 1; {before} {store}"), &load(""), 1);
    check(&format!("{before} x = 1; {store}"), &load(after), 1);
}

#[test]
fn a_signal_orders_what_it_ends() {
    let waits =
        "pthread_mutex_lock(&m); pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); i = x;";
    check("x = 1; pthread_cond_signal(&c);", waits, 0);
    check("pthread_cond_signal(&c); x = 1;", waits, 1);
    check("x = 1; pthread_cond_broadcast(&c);", waits, 0);
    let timed = "struct timespec t = {1, 0}; pthread_mutex_lock(&m); \
        pthread_cond_timedwait(&c, &m, &t); pthread_mutex_unlock(&m); i = x;";
    check("x = 1; pthread_cond_signal(&c);", timed, 1);
}

#[test]
fn posts_arrivals_once_and_sections_order() {
    check("x = 1; sem_post(&s);", "sem_wait(&s); i = x;", 0);
    check("sem_post(&s); x = 1;", "sem_wait(&s); i = x;", 1);
    let meet = "pthread_barrier_wait(&b);";
    check(&format!("x = 1; {meet}"), &format!("{meet} i = x;"), 0);
    check(&format!("{meet} x = 1; {meet}"), &format!("{meet} {meet} i = x;"), 0);
    check(&format!("{meet} x = 1;"), &format!("{meet} i = x;"), 1);
    check("pthread_once(&o, f);", "pthread_once(&o, f); i = x;", 0);
    check("pthread_once(&o, f);", "i = x;", 1);
    let section = "__VERIFIER_atomic_begin(); x++; __VERIFIER_atomic_end();";
    check(section, section, 0);
    check(section, "i = x;", 1);
}

#[test]
fn freeing_writes_all_of_an_object() {
    check("h[2] = 1;", "free(h);", 1);
    check("h[2] = 1; sem_post(&s);", "sem_wait(&s); free(h);", 0);
}

/// `three` may race with `one` although `two`, which goes on for longer, knows of what `one` did:
/// two ways lead to one state, and only the one that takes a preemption races.
#[test]
fn what_one_thread_knows_is_remembered_for_the_others() {
    let load = |p: &str| format!("atomic_load_explicit(&{p}, memory_order_relaxed)");
    let says = |p: &str| format!("atomic_store_explicit(&{p}, 1, memory_order_relaxed);");
    let locked = |body: &str| format!("pthread_mutex_lock(&m); {body} pthread_mutex_unlock(&m);");
    let bodies = [
        format!("x = 1; {}", locked(&says("p"))),
        format!("{} if (i) {} sem_wait(&s);", locked(&format!("i = {};", load("p"))), says("q")),
        format!("{} if ({}) i = x; sem_post(&s);", locked(""), load("q")),
    ];
    let mut source = GLOBALS.to_owned();
    for (number, body) in bodies.iter().enumerate() {
        source +=
            &format!("\nvoid *w{number}(void *a) {{ int i = 0; sem_wait(&g); {body} return a; }}");
    }
    // All know of what main did before they start.
    source += "\nint main(void) { pthread_t t[3]; sem_init(&s, 0, 0); sem_init(&g, 0, 0); \
        pthread_create(t, 0, w0, 0); pthread_create(t + 1, 0, w1, 0); \
        pthread_create(t + 2, 0, w2, 0); sem_post(&g); sem_post(&g); sem_post(&g); \
        for (int k = 0; k < 3; k++) pthread_join(t[k], 0); }";
    let machine = machine(&source, &Settings::default());
    for (bound, expected) in [(0, 0), (1, 1)] {
        for strategy in [Bounded::icb(Some(bound)), Bounded::icb(Some(bound)).cached()] {
            assert_eq!(racing(&machine, strategy).0.len(), expected, "bound {bound}");
        }
    }
}

#[test]
fn making_and_joining_threads_orders() {
    let source = |before: &str, between: &str, after: &str| {
        format!(
            "int x; void *one(void *a) {{ x = 1; return a; }}\n\
             int main(void) {{ pthread_t t; {before} pthread_create(&t, 0, one, 0); {between} \
             pthread_join(t, 0); {after} return 0; }}"
        )
    };
    let n_races = |source: String| {
        racing(&machine(&source, &Settings::default()), Bounded::icb(Some(2))).0.len()
    };
    assert_eq!(n_races(source("x = 2;", "", "x = 3;")), 0);
    assert_eq!(n_races(source("", "x = 2;", "")), 1);
}

/// Each thread has its own life of the same local; the objects have one number in turn.
#[test]
fn locals_with_one_number_are_different_objects() {
    let uses = "int *p = &i; for (int k = 0; k < 3; k++) { int j[2]; p = j; memset(p, k, 8); }";
    check(uses, uses, 0);
    check("x = 1; sem_post(&s); y = 1;", "int *p = &y; sem_wait(&s); i = *p;", 1);
}

#[test]
fn people_are_told_what_races_and_who_does_it() {
    let change = "static void change(int by) {\n int seen = x;\n x = seen + by;\n}\n";
    let source =
        program("change(1);", "x = 2;", "").replace("#line 1\n", &format!("#line 1\n{change}"));
    let expected = [
        (
            "p.c:2:13 p.c:6:33",
            "`x` is read by one in change (p.c:2:13) and written by two (p.c:6:33)",
        ),
        (
            "p.c:3:2 p.c:6:33",
            "`x` is written by one in change (p.c:3:2) and written by two (p.c:6:33)",
        ),
    ];
    let told = told(&source, 0);
    assert_eq!(told.len(), expected.len(), "{told:?}");
    for ((place, message), (at, text)) in told.iter().zip(expected) {
        assert_eq!(
            (place.as_str(), message.as_str()),
            (at, format!("{text}, and nothing orders them").as_str())
        );
    }
}

#[test]
fn what_a_library_function_does_is_told_of_its_caller() {
    let told = told(&program("strcpy(h, \"a\");", "i = h[1];", ""), 1);
    let [(place, message)] = &told[..] else { panic!("{told:?}") };
    assert_eq!(place, "p.c:1:33 p.c:2:37");
    let start = "`heap@p.c:3+1` is written by one (p.c:1:33) and read by two (p.c:2:37)";
    assert!(message.starts_with(start), "{message}");
}

/// Searches up to one preemption.
fn explore(source: &str, points: Points, races: Races, n_engines: usize) -> Report {
    let machine = machine(source, &Settings { points, ..Settings::default() });
    let mut engines: Vec<_> = (0..n_engines).map(|_| VmEngine::new(machine.clone())).collect();
    let budget = Budget { races, runs: Some(20_000), ..Budget::default() };
    let mut strategy = Bounded::icb(Some(1)).cached();
    search(&mut engines, &mut strategy, &budget, &AtomicBool::new(false)).unwrap()
}

/// A bug shows within one preemption if racing accesses become points, and not if they do not.
#[track_caller]
fn check_promoted(source: &str, kind: &str) {
    let shows =
        |report: &Report| report.findings.iter().any(|found| found.failure.kind.name() == kind);
    let promoted = explore(source, Points::Sync, Races::Promoted, 1);
    assert!(shows(&promoted) && promoted.restarts > 0, "{:?}", promoted.findings);
    assert!(!shows(&explore(source, Points::Sync, Races::Reported, 1)));
    let all = explore(source, Points::All, Races::Promoted, 1);
    assert!(shows(&all) && all.restarts == 0, "{:?}", all.findings);
    let mut together = explore(source, Points::Sync, Races::Promoted, 3);
    together.memory = promoted.memory;
    assert_eq!(together, promoted);
}

#[test]
fn racing_accesses_become_points() {
    check_promoted(&program("x++;", "x++;", "assert(x == 2);"), "assertion");
    let copies = program("strcpy(h, \"aa\");", "strcpy(h, \"bb\");", "assert(h[0] == h[1]);");
    check_promoted(&copies, "assertion");
    check_promoted(&program("if (!y) h[0] = 1;", "y = 1; free(h);", ""), "use-after-free");
}

#[test]
fn a_thread_that_waits_for_a_racing_variable_lets_others_go_on() {
    let report =
        explore(&program("y = 1;", "while (!y) i++;", ""), Points::Sync, Races::Promoted, 1);
    assert_eq!((report.ending, report.restarts), (Ending::Done, 1));
    assert!(report.spins > 0);
}

#[test]
fn hidden_state_of_the_library_is_shared() {
    // The write of each call, and the read of the second kind of strtok with the write of the other.
    check("strtok(h, \"a\");", "strtok(h + 2, \"a\");", 1);
    check("char *s; strtok_r(h, \"a\", &s);", "char *s; strtok_r(h + 2, \"a\", &s);", 0);
    check("time_t n = 1; gmtime(&n);", "time_t n = 2; localtime(&n);", 1);
    check("time_t n = 1; i = localtime(&n)->tm_sec;", "time_t n = 2; localtime(&n);", 2);
    check("time_t n = 1; struct tm s; localtime_r(&n, &s);", "time_t n = 2; localtime(&n);", 0);
    check("struct tm s = {0}; asctime(&s);", "struct tm s = {0}; asctime(&s);", 1);
    check("time_t n = 1; ctime(&n);", "time_t n = 2; ctime(&n);", 2);
    check("strerror(1000);", "strerror(2000);", 1);
    check("strerror(EINVAL);", "strerror(2000);", 0);
    check("drand48();", "srand48(2);", 2);
    check("localeconv();", "localeconv();", 1);
}

#[test]
fn input_and_output_access_memory_of_the_program() {
    check("fwrite(h, 1, 2, stdout);", "h[1] = 'x';", 1);
    check("fwrite(h, 1, 2, stdout);", "h[2] = 'x';", 0);
    check("write(1, h, 2);", "h[1] = 'x';", 1);
    check("write(1, h, 2);", "char c = h[1];", 0);
    check("strtod(h, 0);", "h[0] = 'x';", 1);
    let settings = Settings { stdin: vec![b'1'; 100], ..Settings::default() };
    let read = |one: &str, two: &str| {
        let machine = machine(&program(one, two, ""), &settings);
        racing(&machine, Bounded::icb(Some(1))).0.len()
    };
    assert_eq!(read("read(0, h, 2);", "char c = h[1];"), 1);
    assert_eq!(read("read(0, h, 2);", "char c = h[2];"), 0);
    assert_eq!(read("char to[80]; i = read(0, to, 80);", "y = 1;"), 0);
}

#[test]
fn random_numbers_are_shared_and_do_not_race() {
    check("i = rand();", "i = rand();", 0);
    check("i = random();", "srand(2);", 0);
    check("unsigned s = 1; i = rand_r(&s);", "unsigned s = 1; i = rand_r(&s);", 0);
    // Nothing says that such a call orders what is around it.
    check("x = 1; rand();", "rand(); i = x;", 1);
}

/// Two threads that assign a record of this type, and main, which reads it at the end.
#[track_caller]
fn check_record(qualifier: &str, fields: &str, expected: usize) {
    let source = format!(
        "struct s {{ {fields} }}; {qualifier} struct s v, w;\n\
         void *one(void *a) {{ struct s n = {{1}}; v = n; return 0; }}\n\
         void *two(void *a) {{ struct s n = {{2}}; v = n; w = v; struct s r = v; return 0; }}\n\
         int main(void) {{ pthread_t t, u; pthread_create(&t, 0, one, 0); \
         pthread_create(&u, 0, two, 0); pthread_join(t, 0); pthread_join(u, 0); return 0; }}"
    );
    let machine = machine(&source, &Settings::default());
    let (found, _) = racing(&machine, Bounded::icb(Some(2)));
    assert_eq!(found.len(), expected, "{found:?}");
}

#[test]
fn records_that_are_atomic_do_not_race() {
    check_record("_Atomic", "int a, b;", 0);
    check_record("_Atomic", "long a[9];", 0);
    check_record("", "int a, b;", 3);
    check_record("volatile", "long a[9];", 3);
}
