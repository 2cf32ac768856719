//! `raddle explore`: what changes which executions there are.

use serde_json::Value;

use crate::explore::{claim, conditions, found, report};
use crate::harness::Dir;

fn executions(report: &Value) -> u64 {
    report["stats"]["exploration"]["executions"].as_u64().unwrap()
}

#[test]
fn races_are_reported_only_used_as_points_or_ignored() {
    let dir = Dir::corpus("bank_race.c");
    let properties = |report: &Value| {
        let found = found(report).into_iter().map(|(property, _)| property);
        let mut properties: Vec<_> = found.collect();
        properties.dedup();
        properties.join(" ")
    };
    let reported = report(&dir, "explore bank_race.c --all", 1);
    assert_eq!(properties(&reported), "\"assertion\" \"race\"");
    assert_eq!(reported["stats"]["exploration"]["restarts"], 1);
    let points = report(&dir, "explore bank_race.c --all --races points", 1);
    assert_eq!(properties(&points), "\"assertion\"");
    assert_eq!(points["stats"]["exploration"]["restarts"], 1);
    assert!(conditions(&points).contains("used as scheduling points, but not reported"));
    let ignored = report(&dir, "explore bank_race.c --races off", 0);
    assert!(claim(&ignored).contains("if there are no data races: they were not checked for"));
}

/// A relaxed store behind a release of the same thread: a race by C++20, not by C11.
const STORES_TWICE: &str = "#include <pthread.h>\n#include <stdatomic.h>\nint data; atomic_int flag;\n\
    void *writer(void *a) { data = 1; atomic_store_explicit(&flag, 1, memory_order_release);\n\
    atomic_store_explicit(&flag, 2, memory_order_relaxed); return a; }\n\
    int main(void) { pthread_t t; int seen = 0; pthread_create(&t, 0, writer, 0);\n\
    if (atomic_load_explicit(&flag, memory_order_acquire) == 2) seen = data;\n\
    pthread_join(t, 0); return seen > 1; }\n";

#[test]
fn release_sequences_are_those_of_cpp20_or_of_c11() {
    let dir = Dir::with("p.c", STORES_TWICE);
    let newer = report(&dir, "explore p.c", 1);
    let [finding] = &newer["findings"].as_array().unwrap()[..] else { panic!("{newer}") };
    assert_eq!(finding["details"]["release_sequence"], "c++20");
    let message = finding["message"].as_str().unwrap();
    let end = "nothing orders them by C++20: by C11 and C++17, a release sequence does";
    assert!(message.ends_with(end), "{message}");
    let older = report(&dir, "explore p.c --release-sequence c11", 0);
    assert_eq!(older["findings"].as_array().unwrap().len(), 0);
    assert!(conditions(&older).contains("as in C11 and C++17"));
    dir.file("p.c", STORES_TWICE.replace("relaxed", "release"));
    assert!(report(&dir, "explore p.c", 0)["findings"].as_array().unwrap().is_empty());
    dir.file("p.c", STORES_TWICE.replace("memory_order_release", "memory_order_relaxed"));
    let both = report(&dir, "explore p.c --release-sequence c11", 1);
    assert!(both["findings"][0]["details"]["release_sequence"].is_null());
}

#[test]
fn every_access_can_be_a_point() {
    let dir = Dir::corpus("bank_race.c");
    let all = report(&dir, "explore bank_race.c --points all", 1);
    assert_eq!(found(&all), found(&report(&dir, "explore bank_race.c", 1)));
    assert_eq!(all["stats"]["exploration"]["restarts"], 0);
    assert!(conditions(&all).contains("before every access to shared memory"));
}

#[test]
fn a_cache_saves_executions_and_loses_no_finding() {
    for name in ["bank_race.c", "two_stage.c"] {
        let dir = Dir::corpus(name);
        let cached = report(&dir, &format!("explore {name}"), 1);
        let plain = report(&dir, &format!("explore {name} --cache off"), 1);
        assert_eq!(found(&cached), found(&plain), "{name}");
        assert!(executions(&cached) < executions(&plain), "{name}");
        assert!(conditions(&cached).contains("hashes count as one"));
        assert!(!conditions(&plain).contains("hashes count as one"));
        assert!(plain["stats"]["bounds"][0]["states"].is_null());
    }
}

/// Three threads that do the same; `CHECK` is what main does at the end.
const ALIKE: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n\
    static atomic_int x;\n\
    static void *add(void *p) { int seen = x; x = seen + 1; return p; }\n\
    int main(void) { pthread_t t[3]; for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, add, 0);\n\
    for (int i = 0; i < 3; i++) pthread_join(t[i], 0); CHECK; return 0; }\n";

#[test]
fn threads_that_are_alike_take_turns_in_one_order() {
    let options = "explore a.c --cache off --bound 1";
    let dir = Dir::with("a.c", ALIKE.replace("CHECK", "assert(x >= 1)"));
    let plain = report(&dir, options, 0);
    let alike = report(&dir, &format!("{options} --symmetry"), 0);
    assert!(executions(&alike) < executions(&plain));
    assert!(conditions(&alike).contains("interchangeable until they run"));
    let dir = Dir::with("a.c", ALIKE.replace("CHECK", "assert(x == 3)"));
    let plain = report(&dir, options, 1);
    assert_eq!(found(&report(&dir, &format!("{options} --symmetry"), 1)), found(&plain));
}

#[test]
fn a_call_of_abort_may_be_an_assumption() {
    let text = ALIKE.replace("CHECK", "if (x != 3) abort()");
    let dir = Dir::with("a.c", format!("#include <stdlib.h>\n{text}"));
    let crash = report(&dir, "check a.c", 1);
    assert_eq!(crash["findings"][0]["property"], "crash");
    let assumed = report(&dir, "check a.c --assume-abort", 0);
    assert!(conditions(&assumed).contains("an assumption of the program was false"));
    assert!(assumed["stats"]["exploration"]["assumptions"].as_u64().unwrap() > 0);
}

#[test]
fn an_assumption_behind_a_race_is_one_in_the_replay_too() {
    let text = "#include <pthread.h>\n#include <stdlib.h>\nstatic int x;\n\
        static void *add(void *p) { x++; return p; }\n\
        int main(void) { pthread_t a; pthread_create(&a, 0, add, 0); x++; pthread_join(a, 0);\n\
        abort(); }\n";
    let dir = Dir::with("a.c", text);
    let report = report(&dir, "check a.c --assume-abort", 1);
    let race = &report["findings"][0];
    assert_eq!((&race["property"], &race["outcome"]), (&"race".into(), &"assumption".into()));
    let again = dir.shell(&format!("{} --format json", race["replay"].as_str().unwrap()));
    assert_eq!(again.exits(3).json()["run"]["outcome"], "assumption");
}

#[test]
fn waits_may_end_for_no_reason() {
    let text = "#include <assert.h>\n#include <pthread.h>\n\
        static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
        static pthread_cond_t c = PTHREAD_COND_INITIALIZER;\nstatic int ready;\n\
        static void *wait(void *p) { pthread_mutex_lock(&m); if (!ready) pthread_cond_wait(&c, &m);\n\
          assert(ready); pthread_mutex_unlock(&m); return p; }\n\
        int main(void) { pthread_t a; pthread_create(&a, 0, wait, 0); pthread_mutex_lock(&m);\n\
          ready = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m); pthread_join(a, 0);\n\
          return 0; }\n";
    let dir = Dir::with("a.c", text);
    let strict = report(&dir, "check a.c", 0);
    assert!(claim(&strict).ends_with("if no wait ends spuriously"), "{}", claim(&strict));
    assert!(conditions(&strict).contains("to cover more: --spurious"));
    let loose = report(&dir, "check a.c --spurious", 1);
    assert!(conditions(&loose).contains("may end spuriously"));
    let command = loose["findings"][0]["replay"].as_str().unwrap();
    assert!(command.contains(" --spurious "), "{command}");
    assert!(dir.shell(command).exits(1).stderr.contains("assertion failed: ready"));
}

#[test]
fn every_value_is_tried() {
    let text = "#include <assert.h>\n#include <pthread.h>\nint __VERIFIER_nondet_int(void);\n\
        static int x; static void *set(void *p) { x = __VERIFIER_nondet_int(); return p; }\n\
        int main(void) { pthread_t a; pthread_create(&a, 0, set, 0); pthread_join(a, 0);\n\
        assert(x != 7); return 0; }\n";
    let dir = Dir::with("a.c", text);
    let expected = "no execution fails, for inputs among 0..6";
    assert_eq!(claim(&report(&dir, "explore a.c --nondet 0..6", 0)), expected);
    let found = report(&dir, "explore a.c --nondet 0..7", 1);
    let command = found["findings"][0]["replay"].as_str().unwrap();
    assert!(dir.shell(command).exits(1).stderr.contains("assertion failed: x != 7"));
}
