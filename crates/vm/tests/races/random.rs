//! Races of random programs: the search with and without the cache, and brute force.

use raddle_explore::Bounded;
use raddle_vm::Settings;

use crate::races::{oracle, program, support};

/// The most preemptions, and the most executions that brute force looks at.
const BOUND: u32 = 3;
const N_EXECUTIONS: usize = 4_000;

/// How many programs; `RADDLE_RACES` asks for more.
fn n_programs() -> u64 {
    std::env::var("RADDLE_RACES").ok().and_then(|n| n.parse().ok()).unwrap_or(120)
}

#[test]
fn races_are_those_of_brute_force_at_every_bound_with_and_without_the_cache() {
    let (mut n_checked, mut n_racy, mut n_newer, mut n_cut) = (0, 0, 0, 0);
    for seed in 0..n_programs() {
        let source = program::generate(seed);
        let mut machine = support::machine(&source, &Settings::default());
        let Some(expected) = oracle::races(&mut machine, BOUND as usize, N_EXECUTIONS) else {
            continue;
        };
        machine.reset();
        n_checked += 1;
        for (bound, expected) in (0..).zip(&expected) {
            let (plain, n_plain) = support::racing(&machine, Bounded::icb(Some(bound)));
            assert_eq!(plain, *expected, "seed {seed}, bound {bound}:\n{source}");
            let (cached, n_cached) = support::racing(&machine, Bounded::icb(Some(bound)).cached());
            assert_eq!(cached, plain, "seed {seed}, bound {bound}, cached:\n{source}");
            n_cut += u64::from(n_cached < n_plain);
        }
        n_newer += u64::from(expected[BOUND as usize].iter().any(|&(_, by_c11)| by_c11));
        n_racy += u64::from(!expected[BOUND as usize].is_empty());
    }
    // Programs without races, without executions or without anything to cut would show nothing.
    assert!(n_checked > n_programs() / 2 && n_cut > n_checked, "{n_checked} {n_cut}");
    assert!(n_racy > n_checked / 3 && n_racy < n_checked, "{n_racy} of {n_checked}");
    assert!(n_newer > 0, "no program has a race by C++20 only");
    println!(
        "{n_checked} programs, {n_racy} with races, {n_newer} since C++20, {n_cut} searches that the cache cut"
    );
}

/// Runs until a search with the cache ends, with races observed and without. If it does not end,
/// runs do, and there are as many as there may be.
fn n_runs(source: &str) -> [u64; 2] {
    let settings = Settings { n_steps_max: 10_000, ..Settings::default() };
    let machine = support::machine(source, &settings);
    [true, false].map(|races| support::runs(&machine, Bounded::icb(None).cached(), races).1)
}

#[test]
fn times_make_no_new_states() {
    let turns = "for (;;) { pthread_mutex_lock(&m); x = !x; pthread_mutex_unlock(&m); }";
    let [with, without] = n_runs(&format!(
        "int x; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; void *w(void *a) {{ {turns} }}\n\
         int main(void) {{ pthread_t t; pthread_create(&t, 0, w, 0); {turns} }}"
    ));
    assert!(with >= without && with < 200, "{with} {without}");
}

#[test]
fn the_order_of_allocations_makes_no_new_states() {
    let [with, without] = n_runs(
        "int *s[2]; void *w(void *a) { int **to = a; *to = malloc(4); **to = 1; return 0; }\n\
         int main(void) { pthread_t t, u; pthread_create(&t, 0, w, s); \
         pthread_create(&u, 0, w, s + 1); pthread_join(t, 0); pthread_join(u, 0); return *s[0]; }",
    );
    assert_eq!(with, without);
}
