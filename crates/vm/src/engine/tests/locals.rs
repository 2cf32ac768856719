//! Locals that others access, and that end: no access to what has ended is missed, by any search.

use super::*;

/// Thread a publishes a local of its own, takes it back and lets it end; thread b writes what it finds.
fn source(a: &str, b: &str) -> String {
    format!(
        "#include <alloca.h>\nstatic _Atomic(int *) shown; static atomic_int done;\n\
        static _Thread_local int own;\nstatic void show(int *it) {{ shown = it; shown = 0; }}\n\
        static void inner(void) {{ int it = 1; show(&it); }}\n\
        static void rented(int n) {{ int it[n]; it[0] = 1; show(it); }}\n\
        static void waits(void) {{ int it = 1; show(&it); while (!done) ; }}\n\
        static void *a(void *p) {{ {a} return p; }}\n\
        static void *b(void *p) {{ int *it = shown; if (it) *it = 3; {b} return p; }}\n\
        int main(void) {{ pthread_t s, t; pthread_create(&s, 0, a, 0);\n\
        pthread_create(&t, 0, b, 0); pthread_join(s, 0); pthread_join(t, 0); return 0; }}"
    )
}

#[track_caller]
fn check(a: &str, b: &str, is_found: bool) {
    let source = source(a, b);
    let strategies: [fn() -> Box<dyn Strategy>; 5] = [
        || Box::new(Bounded::icb(Some(2)).cached()),
        || Box::new(Bounded::icb(Some(2))),
        || Box::new(Bounded::dfs().cached()),
        || Box::new(Reduced::bounded(Some(2))),
        || Box::new(Reduced::all()),
    ];
    for (index, strategy) in strategies.into_iter().enumerate() {
        for points in [Points::Sync, Points::All] {
            let mut engines = [engine(&source, &Settings { points, ..Settings::default() })];
            let budget = Budget { races: Races::Promoted, runs: Some(20_000), ..Budget::default() };
            let stop = AtomicBool::new(false);
            let report = search(&mut engines, &mut *strategy(), &budget, &stop).unwrap();
            let kinds: Vec<_> = report.findings.iter().map(|it| it.failure.kind.name()).collect();
            let expected: &[&str] = if is_found { &["use-after-free"] } else { &[] };
            assert_eq!(kinds, expected, "{index}, {points:?}: {:?}", report.findings);
            assert!(report.ending == Ending::Done && report.doubts.is_empty(), "{index}");
        }
    }
}

#[test]
fn a_local_that_ends_too_early_is_found() {
    check("inner();", "", true);
    check("rented(2);", "", true);
    check("int it = 1; show(&it);", "", true);
    check("own = 1; show(&own);", "", true);
}

#[test]
fn a_local_that_outlives_its_use_is_none() {
    check("waits();", "done = 1;", false);
    check("static int it; show(&it);", "", false);
}
