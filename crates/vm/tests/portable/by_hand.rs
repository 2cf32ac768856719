//! What made schedules that did not repeat: one program for each.

use raddle_explore::{Bounded, Sample, Sampler};
use raddle_vm::Settings;

use crate::portable::support::{explore, program, settings_of, shows_again};

/// Two threads beside main; something of this kind is found, and all that is found shows again.
#[track_caller]
fn check(kind: &str, shared: &str, [a, b]: [&str; 2], main: &str, settings: &Settings) {
    let source = format!(
        "{shared}\nstatic void *a(void *p) {{ {a}\nreturn 0; }}\n\
         static void *b(void *p) {{ {b}\nreturn 0; }}\n\
         int main(void) {{ pthread_t s, t; pthread_create(&s, 0, a, 0);\n\
         pthread_create(&t, 0, b, 0);\n{main}\npthread_join(s, 0); pthread_join(t, 0);\n\
         return 0; }}"
    );
    let program = program(&source);
    let random = &mut Sample::new(Sampler::Random, 1);
    let reports = [
        explore(&program, settings, &mut Bounded::icb(Some(1)), 500),
        explore(&program, settings, random, 40),
    ];
    for report in &reports {
        for found in &report.findings {
            let settings = settings_of(&program, settings, report, found);
            shows_again(&program, &settings, found);
        }
    }
    let mut kinds = reports.iter().flat_map(|r| &r.findings).map(|f| f.failure.kind.name());
    assert!(kinds.any(|found| found == kind), "no {kind}: {:?}", reports[0].findings);
}

/// Whether there was progress must not depend on the points.
#[test]
fn a_race_in_a_run_that_takes_too_many_steps() {
    let settings =
        Settings { n_steps_max: 20_000, n_steps_between_points: 1_000, ..Settings::default() };
    let count = "for (int i = 0; i < 100000; i++) n++;";
    check("race", "static int n;", [count, count], "", &settings);
}

/// Locks are points, so the run goes on for a while after the race.
#[test]
fn a_race_before_threads_that_never_end() {
    let settings = Settings { n_steps_max: 20_000, ..Settings::default() };
    let shared = "static int n; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;";
    let turn = "n++; for (;;) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); }";
    check("race", shared, [turn, turn], "", &settings);
}

/// Who signals goes on after it was decided who is woken, and writes.
#[test]
fn plain_accesses_behind_the_choice_of_a_waiter() {
    let shared = "static int woken, late; static atomic_int ready;\n\
        static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
        static pthread_cond_t c = PTHREAD_COND_INITIALIZER;";
    let wait = "pthread_mutex_lock(&m); ready++; pthread_cond_wait(&c, &m);\n\
        assert(!late); pthread_mutex_unlock(&m);";
    let main = "pthread_mutex_lock(&m); if (ready == 2) { pthread_cond_signal(&c); late = 1; }\n\
        pthread_mutex_unlock(&m); pthread_mutex_lock(&m); pthread_cond_broadcast(&c);\n\
        pthread_mutex_unlock(&m);";
    check("assertion", shared, [wait, wait], main, &Settings::default());
}

/// The same behind the choice of a value.
#[test]
fn plain_accesses_behind_the_choice_of_a_value() {
    let settings = Settings { nondet: Some((0, 2)), ..Settings::default() };
    let shared = "static int x; static atomic_int told;";
    let choose = "int v = __VERIFIER_nondet_int(); x = v; told = 1;";
    let look = "if (told) assert(x != 2);";
    check("assertion", shared, [choose, look], "", &settings);
}

/// More points must not make time go faster.
#[test]
fn clocks() {
    let shared = "static long before, after; static int x;\n\
        static long now(void) { struct timespec t; clock_gettime(CLOCK_REALTIME, &t);\n\
        return t.tv_nsec; }";
    let a = "before = now(); x = 1; x = 2; x = 3; after = now(); assert(after - before > 5000);";
    check("assertion", shared, [a, "x = 4;"], "", &Settings::default());
}

/// More points make more turns in which nothing changes.
#[test]
fn a_long_look_before_a_failure() {
    let shared = "static int many[3000], sum; static atomic_int go;";
    let look = "int s = 0; for (int i = 0; i < 3000; i++) s += many[i]; sum = s; assert(go);";
    check("assertion", shared, [look, "go = 1;"], "", &Settings::default());
}

#[test]
fn threads_that_spin_in_functions() {
    let shared = "static atomic_int x; static int y;\n\
        static int is_set(void) { return x + y; } static int looks(void) { return is_set(); }";
    let spin = "while (!looks()) {}";
    check("livelock", shared, [spin, spin], "", &Settings::default());
}
