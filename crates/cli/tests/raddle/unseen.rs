//! Programs with a library that is not instrumented, whose locks are not seen.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::binaries::{raddle, shell};
use crate::harness::Dir;

/// A lock, and a place to hand something over: atomic operations that are not seen.
const LIBRARY: &str = r#"
#include <sched.h>
#include <stdatomic.h>
static atomic_flag taken = ATOMIC_FLAG_INIT;
static _Atomic(int *) place;
void latch_take(void) { while (atomic_flag_test_and_set(&taken)) sched_yield(); }
void latch_give(void) { atomic_flag_clear(&taken); }
void hand_over(int *what) { atomic_store(&place, what); }
int *receive(void) {
    int *what;
    while (!(what = atomic_load(&place))) sched_yield();
    return what;
}
"#;

const HEADER: &str = "
#include <pthread.h>
void latch_take(void);
void latch_give(void);
void hand_over(int *what);
int *receive(void);
";

/// Builds a program with the library.
fn built(program: &str) -> Dir {
    let dir = Dir::with("latch.c", LIBRARY);
    dir.file("program.c", format!("{HEADER}{program}"));
    shell(&dir, "cc -O2 -shared -fPIC -o liblatch.so latch.c").succeeds();
    let link = "-L. -llatch -Wl,-rpath,'$ORIGIN' -pthread";
    shell(&dir, &format!("raddle cc -g -O1 -o program program.c {link}")).succeeds();
    dir
}

fn report(dir: &Dir, args: &str, code: i32) -> Value {
    raddle(dir, &format!("--format json {args}")).exits(code).json()
}

/// The variables that race.
fn racing(report: &Value) -> BTreeSet<&str> {
    let all = report["findings"].as_array().unwrap().iter();
    all.map(|found| {
        assert_eq!((&found["property"], &found["verdict"]), (&"race".into(), &"replayed".into()));
        found["objects"][0]["name"].as_str().unwrap()
    })
    .collect()
}

const ORDERED: &str = "
static int count;
static void *work(void *unused) {
    for (int i = 0; i < 2; i++) { latch_take(); count++; latch_give(); }
    return unused;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, work, 0);
    work(0);
    int *sum = receive();
    pthread_join(a, 0);
    return *sum != 3;
}
static int box;
__attribute__((constructor)) static void begin(void) { box = 3; hand_over(&box); }
";

#[test]
fn what_a_library_orders_is_in_doubt_and_no_finding() {
    let dir = built(ORDERED);
    let report = self::report(&dir, "check --time 60s ./program", 3);
    assert!(racing(&report).is_empty(), "{report:#}");
    let exploration = &report["stats"]["exploration"];
    let n_doubted = exploration["doubted"].as_array().unwrap().len() as u64;
    assert!((1..=exploration["doubts"].as_u64().unwrap()).contains(&n_doubted));
    let guarantee = exploration["claim"].as_str().unwrap();
    assert!(guarantee.contains("if code that is not instrumented orders"), "{guarantee}");
    let conditions = exploration["conditions"].to_string();
    assert!(conditions.contains("in doubt are the accesses at program.c:"), "{conditions}");
}

#[test]
fn what_it_does_not_order_is_a_race_that_replays() {
    let program = ORDERED.replacen("latch_take(); count++; latch_give();", "count++;", 1);
    let dir = built(&program);
    let report = self::report(&dir, "check --time 60s ./program", 1);
    assert_eq!(racing(&report), BTreeSet::from(["count"]));
}

#[test]
fn what_is_predicted_is_in_doubt_until_the_program_does_it() {
    for (program, code) in [(ORDERED.to_owned(), 3), (ORDERED.replacen("latch_take();", "", 1), 1)]
    {
        let dir = built(&program);
        raddle(&dir, "record -o run.rdl ./program").succeeds();
        let predicted = raddle(&dir, "predict run.rdl --property race").exits(3).stdout;
        let text = "in doubt: code in liblatch.so that is not instrumented may order the threads (--confirm tries it)";
        assert!(predicted.contains(text), "{predicted}");
        raddle(&dir, "predict --confirm run.rdl --property race").exits(code);
    }
}

/// Two threads meet before a read and a compare-exchange that fails: no race, unless it finds what it expects.
#[test]
fn an_exchange_that_fails_is_no_write() {
    let program = |first: i32, second: i32| {
        format!(
            "static int word, seen;
            static void *exchanges(void *unused) {{
                for (int round = 0; round < 2; round++) {{
                    int expected = round ? {second} : {first};
                    __atomic_compare_exchange_n(&word, &expected, 6, 0, 5, 5);
                    if (!round) receive();
                }}
                return unused;
            }}
            static void *reads(void *unused) {{ seen = word; hand_over(&seen); return unused; }}
            int main(void) {{
                pthread_t a, b;
                pthread_create(&a, 0, exchanges, 0);
                pthread_create(&b, 0, reads, 0);
                pthread_join(a, 0);
                pthread_join(b, 0);
                return seen == 7;
            }}"
        )
    };
    let late = self::report(&built(&program(5, 0)), "check --time 60s ./program", 3);
    assert!(racing(&late).is_empty(), "{late:#}");
    let early = self::report(&built(&program(0, 5)), "check --time 60s ./program", 1);
    assert_eq!(racing(&early), BTreeSet::from(["word"]));
}

#[test]
fn ten_races_are_found_beside_ten_variables_under_a_lock_of_the_library() {
    const N: usize = 10;
    let variables = |prefix: &str| (0..N).map(|n| format!("{prefix}{n}")).collect::<Vec<_>>();
    let (free, held) = (variables("free"), variables("held"));
    let change =
        |names: &[String]| names.iter().map(|name| format!("{name}++; ")).collect::<String>();
    let program = format!(
        "static int {}, {};
        static void *work(void *unused) {{ {} latch_take(); {} latch_give(); return unused; }}
        int main(void) {{
            pthread_t a, b;
            pthread_create(&a, 0, work, 0);
            pthread_create(&b, 0, work, 0);
            pthread_join(a, 0);
            pthread_join(b, 0);
            return held0 != 2;
        }}",
        free.join(", "),
        held.join(", "),
        change(&free),
        change(&held)
    );
    let dir = built(&program);
    let report = self::report(&dir, "check --time 60s ./program", 1);
    assert_eq!(racing(&report), free.iter().map(String::as_str).collect());
}
