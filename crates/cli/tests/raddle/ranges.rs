//! `raddle ranges`.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::harness::Dir;

fn corpus(name: &str) -> Dir {
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/ranges");
    Dir::with(name, fs::read(programs.join(name)).unwrap())
}

#[track_caller]
fn report(dir: &Dir, args: &[&str], code: i32) -> Value {
    let words = ["ranges", "--format", "json"].iter().chain(args);
    let run = dir.run(words).exits(code);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    let (mut schemas, mut compiler) = (boon::Schemas::new(), boon::Compiler::new());
    let schema = include_str!("../../../ranges/schema/raddle.ranges-1.json");
    compiler.add_resource("ranges.json", serde_json::from_str(schema).unwrap()).unwrap();
    let index = compiler.compile("ranges.json", &mut schemas).unwrap();
    if let Err(error) = schemas.validate(&report, index) {
        panic!("{error}\n{report:#}");
    }
    report
}

#[test]
fn the_running_example_has_the_published_figures() {
    let dir = corpus("running.c");
    let found = report(&dir, &["running.c", "--assert", "Y <= 5", "--stats"], 0);
    assert_eq!(found["assertions"][0]["verdict"], "proved");
    assert_eq!(found["assertions"][0]["by"], "intervals");
    let sizes = |graph: &str| {
        let stats = &found["stats"][graph];
        ["mats", "switch_edges", "transaction_edges", "nodes", "rb_local", "rb_global"]
            .map(|name| stats[name].as_u64().unwrap())
    };
    assert_eq!(sizes("ccfg"), [0, 30, 11, 13, 8, 95]);
    assert_eq!(sizes("tsg"), [7, 10, 7, 9, 6, 57]);
    assert_eq!(sizes("tsg_reduced"), [5, 8, 5, 7, 6, 43]);
    let y =
        found["ranges"].as_array().unwrap().iter().find(|row| row["location"] == "running.c:13");
    assert_eq!((&y.unwrap()["lo"], &y.unwrap()["hi"]), (&json!(0), &json!(5)));
}

#[test]
fn what_intervals_cannot_show_the_solver_does() {
    let dir = corpus("running.c");
    let found = report(&dir, &["running.c", "--graph", "ccfg", "--assert", "Y <= 5"], 0);
    assert_eq!(found["assertions"][0]["verdict"], "proved");
    assert_eq!(found["assertions"][0]["by"], "solver");
}

#[test]
fn a_refuted_assertion_replays() {
    let dir = corpus("atom1.c");
    let found = report(&dir, &["atom1.c"], 1);
    let assertion = &found["assertions"][0];
    assert_eq!(
        (&assertion["text"], &assertion["verdict"]),
        (&json!("assert at atom1.c:27"), &json!("refuted"))
    );
    let schedule = assertion["schedule"].as_str().unwrap();
    let again = dir.run(["replay", "atom1.c", schedule]).exits(1);
    assert!(again.stderr.contains("assert") || again.stdout.contains("assert"), "{again:?}");
}

#[test]
fn a_broken_bound_is_refuted_and_the_near_miss_is_proved() {
    let dir = corpus("running.c");
    let found = report(&dir, &["running.c", "--assert", "Y <= 4", "--assert", "Z >= 1"], 1);
    assert_eq!(found["assertions"][0]["verdict"], "refuted");
    assert_eq!(found["assertions"][1]["verdict"], "proved");
}

#[test]
fn a_branch_that_was_not_taken_can_be_asked_for() {
    let text = "#include <pthread.h>\nint x;\nstatic void *f(void *p) {\n  if (x > 8)\n    x = 9;\n\
                  if (x == 0)\n    x = 7;\n  return p;\n}\nint main(void) {\n  pthread_t t;\n\
                  pthread_create(&t, 0, f, 0);\n  x = 3;\n  pthread_join(t, 0);\n  return 0;\n}\n";
    let dir = Dir::with("b.c", text);
    let found = report(&dir, &["b.c", "--reach", "b.c:5"], 0);
    assert_eq!(found["reach"][0]["verdict"], "unreachable");
    let found = report(&dir, &["b.c", "--reach", "b.c:7"], 1);
    assert_eq!(found["reach"][0]["verdict"], "reached");
    // With runs that take the branch, what it writes is seen.
    let found = report(&dir, &["b.c", "--schedules", "30"], 0);
    let sevens = found["ranges"].as_array().unwrap().iter().filter(|row| row["hi"] == 7);
    assert_eq!(sevens.count(), 1, "{found:#}");
}

#[test]
fn bad_input_is_refused() {
    let dir = corpus("running.c");
    let run = dir.run(["ranges", "running.c", "--assert", "Y"]).exits(2);
    assert!(run.stderr.contains("write it like"), "{run:?}");
    dir.file("t.rdl", "");
    let run = dir.run(["ranges", "t.rdl"]).exits(2);
    assert!(run.stderr.contains("without data flow"), "{run:?}");
    let found = report(&dir, &["running.c", "--assert", "W == 1"], 3);
    assert_eq!(found["assertions"][0]["verdict"], "unknown");
}

#[test]
fn floating_point_is_any_value_and_said() {
    let text = "#include <pthread.h>\ndouble d; int x;\nstatic void *f(void *p) { d = 2; x = d > 1; return p; }\n\
                int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); d = 0; x = 0;\n\
                pthread_join(t, 0); return 0; }\n";
    let dir = Dir::with("d.c", text);
    let found = report(&dir, &["d.c"], 0);
    assert!(found["notices"].to_string().contains("floating"), "{found:#}");
}

#[test]
fn the_same_input_gives_the_same_report() {
    let dir = corpus("atom2.c");
    let one = dir.raddle("ranges --format json --schedules 10 atom2.c").stdout;
    assert_eq!(one, dir.raddle("ranges --format json --schedules 10 atom2.c").stdout);
}

#[test]
fn predicted_races_of_a_c_program_are_replayed() {
    let text = "#include <pthread.h>\nint x, y;\n\
                static void *f(void *p) { x = 1; if (y == 0) x = 2; return p; }\n\
                int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); x = 3; y = 1;\n\
                pthread_join(t, 0); return 0; }\n";
    let dir = Dir::with("r.c", text);
    let run = dir.raddle("predict r.c --property race --format json").exits(1);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    let findings = report["findings"].as_array().unwrap();
    assert!(!findings.is_empty());
    let replayed = findings.iter().filter(|finding| finding["verdict"] == "replayed");
    assert_eq!(replayed.count(), findings.len(), "{report:#}");
    let schedule = findings[0]["schedule"].as_str().unwrap();
    assert_eq!(dir.run(["replay", "r.c", schedule]).code, 0);
}

#[test]
fn predicted_deadlocks_reads_and_violations_of_a_c_program_are_replayed() {
    let text = "#include <pthread.h>\nint x;\n\
                pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;\n\
                static void *f(void *p) {\n  pthread_mutex_lock(&a); pthread_mutex_lock(&b);\n\
                x = 1; int r = x; x = r + 1;\n  pthread_mutex_unlock(&b); pthread_mutex_unlock(&a);\n\
                return p;\n}\nint main(void) {\n  pthread_t t; pthread_create(&t, 0, f, 0);\n\
                pthread_mutex_lock(&b); pthread_mutex_lock(&a); x = 5;\n\
                pthread_mutex_unlock(&a); pthread_mutex_unlock(&b);\n  x = 7;\n\
                pthread_join(t, 0); return 0;\n}\n";
    let dir = Dir::with("p.c", text);
    for (property, n_least) in [("deadlock", 1), ("determinism", 2), ("atomicity", 1)] {
        let words =
            format!("predict p.c --property {property} --transactions scopes --all --format json");
        let run = dir.raddle(&words).exits(1);
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        let findings = report["findings"].as_array().unwrap();
        assert!(findings.len() >= n_least, "{property} {report:#}");
        let replayed = findings.iter().filter(|finding| finding["verdict"] == "replayed");
        assert_eq!(replayed.count(), findings.len(), "{property} {report:#}");
    }
}

#[test]
fn assertions_may_be_about_several_variables() {
    let text = "#include <pthread.h>\nint x, y;\n\
                static void *f(void *p) { x = 2; x = 0 * y; return p; }\n\
                int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); y = 3; y = 1 + 0 * x;\n\
                pthread_join(t, 0); return 0; }\n";
    let dir = Dir::with("s.c", text);
    let all = ["s.c", "--assert", "x + y <= 4", "--assert", "x + y <= 5", "--assert", "x * y != 2"];
    let found = report(&dir, &all, 1);
    let verdict = |n: usize| found["assertions"][n]["verdict"].as_str().unwrap();
    assert_eq!([verdict(0), verdict(1), verdict(2)], ["refuted", "proved", "refuted"]);
    // Neither variable is ever 4, and y is 3 only before it is 1.
    let found = report(&dir, &["s.c", "--assert", "x + 2 * y != 4 || y == 1"], 0);
    assert_eq!(found["assertions"][0]["by"], "solver");
}

#[test]
fn a_run_without_a_violation_proves_nothing_if_others_have_one() {
    let dir = corpus("atom2.c");
    let found = report(&dir, &["atom2.c"], 1);
    assert_eq!(found["assertions"][0]["verdict"], "refuted");
    let found = report(&dir, &["atom2.c", "--schedules", "20"], 1);
    assert_eq!(found["assertions"][0]["verdict"], "refuted");
}

#[test]
fn a_counter_is_proved_and_a_lost_update_is_found() {
    let dir = corpus("cp.c");
    let found = report(&dir, &["-DN=5", "cp.c"], 1);
    let verdicts = found["assertions"].as_array().unwrap().iter().map(|a| &a["verdict"]);
    assert_eq!(verdicts.collect::<Vec<_>>(), ["proved", "refuted"]);
}

#[test]
fn semaphores_order_what_they_order() {
    let text = "#include <pthread.h>\n#include <semaphore.h>\nint x = 5; sem_t s;\n\
                static void *f(void *p) {\n  x = 1;\n  sem_post(&s);\n  return p;\n}\n\
                int main(void) {\n  pthread_t t; sem_init(&s, 0, 0);\n\
                pthread_create(&t, 0, f, 0);\n  sem_wait(&s);\n  x = x - 3;\n\
                pthread_join(t, 0); return 0;\n}\n";
    let dir = Dir::with("q.c", text);
    let found = report(&dir, &["q.c", "--assert", "x != 2"], 0);
    assert_eq!(found["assertions"][0]["verdict"], "proved");
    assert_eq!(found["notices"], json!([]));
    dir.file("r.c", text.replace("s, 0, 0", "s, 0, 1"));
    let found = report(&dir, &["r.c", "--assert", "x != 2"], 1);
    assert_eq!(found["assertions"][0]["verdict"], "refuted");
}

#[test]
fn what_is_taken_from_the_run_is_said_with_its_place() {
    let text = "#include <pthread.h>\n#include <semaphore.h>\nint x; sem_t s;\n\
                static void *f(void *p) {\n  sem_post(&s);\n  x = 1;\n  return p;\n}\n\
                int main(void) {\n  pthread_t t; sem_init(&s, 0, 0);\n  int n;\n\
                pthread_create(&t, 0, f, 0);\n  sem_getvalue(&s, &n);\n  x = n;\n\
                pthread_join(t, 0); return 0;\n}\n";
    let dir = Dir::with("q.c", text);
    let run = dir.raddle("ranges q.c").exits(0);
    assert!(run.stderr.contains("sem_getvalue and attempts to join return"), "{run:?}");
    assert!(run.stderr.contains("q.c:"), "{run:?}");
}

#[test]
fn assertions_hold_of_private_variables_and_before_other_threads() {
    let text = "#include <pthread.h>\nint own, x;\n\
                static void *f(void *p) { x = x + 1; return p; }\n\
                int main(void) { pthread_t t; x = 7; x = 2; pthread_create(&t, 0, f, 0);\n\
                own = 5 * x; x = 3; pthread_join(t, 0); return 0; }\n";
    let dir = Dir::with("o.c", text);
    let all = ["o.c", "--assert", "own <= 15", "--assert", "own <= 14", "--assert", "x <= 7"];
    let found = report(&dir, &all, 1);
    let verdict = |n: usize| found["assertions"][n]["verdict"].as_str().unwrap();
    assert_eq!([verdict(0), verdict(1), verdict(2)], ["proved", "refuted", "proved"]);
    // Seven is written before there are other threads; zero is never written.
    let found = report(&dir, &["o.c", "--assert", "x <= 6", "--assert", "x > 0"], 1);
    let verdict = |n: usize| found["assertions"][n]["verdict"].as_str().unwrap();
    assert_eq!([verdict(0), verdict(1)], ["refuted", "proved"]);
}

/// A thread that reads something else than 2 keeps the lock, so 1 is not read between the writes of 1 and
/// 2, though locks would allow it. With `fixed` it is given back in any case.
fn between(fixed: bool) -> Dir {
    let test = if fixed { "if (v >= 0)" } else { "if (v == 2)" };
    let text = format!(
        "#include <pthread.h>\nint x, y;\n\
         pthread_mutex_t o = PTHREAD_MUTEX_INITIALIZER, m = PTHREAD_MUTEX_INITIALIZER;\n\
         static void *f(void *p) {{\n  pthread_mutex_lock(&m);\n  int v = x;\n  {test}\n\
         pthread_mutex_unlock(&m);\n  return p;\n}}\n\
         int main(void) {{\n  pthread_t t;\n  pthread_create(&t, 0, f, 0);\n\
         pthread_mutex_lock(&o);\n  pthread_mutex_lock(&m);\n  x = 1;\n\
         pthread_mutex_unlock(&m);\n  pthread_mutex_lock(&m);\n  x = 2;\n\
         pthread_mutex_unlock(&m);\n  pthread_mutex_unlock(&o);\n  y = 1;\n\
         pthread_join(t, 0);\n  return 0;\n}}\n"
    );
    Dir::with("v.c", text)
}

const VIOLATIONS: &str = "predict v.c --property atomicity --transactions scopes";

#[test]
fn what_values_rule_out_is_said() {
    let dir = between(false);
    let run = dir.raddle(VIOLATIONS).exits(1);
    assert!(run.stdout.contains("ruled out: with its values, no interleaving"), "{run:?}");
    assert!(
        run.stdout.contains("0 of 1 replayed on the program, 1 ruled out by values"),
        "{run:?}"
    );
    let run = dir.raddle(&format!("{VIOLATIONS} --format json")).exits(1);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["findings"].as_array().unwrap().len(), 1, "{report:#}");
    let finding = &report["findings"][0];
    assert_eq!(
        (&finding["verdict"], &finding["outcome"]),
        (&json!("witnessed"), &json!("ruled-out"))
    );
}

#[test]
fn what_values_allow_is_replayed() {
    let dir = between(true);
    let run = dir.raddle(VIOLATIONS).exits(1);
    assert!(run.stdout.contains("replay: raddle replay v.c"), "{run:?}");
    assert!(run.stdout.contains("1 of 1 replayed on the program\n"), "{run:?}");
    let run = dir.raddle(&format!("{VIOLATIONS} --format json")).exits(1);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["findings"][0]["verdict"], "replayed", "{report:#}");
}

#[test]
fn loops_and_pointers_are_those_of_the_run() {
    let text = "#include <pthread.h>\nint x[2], *p = &x[1];\n\
                static void *f(void *q) { for (int i = 0; i < 3; i++) *p = *p + 1; return q; }\n\
                int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); *p = 5;\n\
                pthread_join(t, 0); return 0; }\n";
    let dir = Dir::with("l.c", text);
    let found = report(&dir, &["l.c", "--assert", "x[1] <= 8", "--assert", "x[1] <= 7"], 1);
    let verdict = |n: usize| found["assertions"][n]["verdict"].as_str().unwrap();
    assert_eq!([verdict(0), verdict(1)], ["proved", "refuted"]);
    assert!(!found["notices"].to_string().contains("loop"), "its number of rounds is fixed");
    let text = "#include <pthread.h>\nint stop, n;\n\
                static void *f(void *p) { n = 1; stop = 1; return p; }\n\
                int main(void) { pthread_t t; pthread_create(&t, 0, f, 0);\n\
                for (int i = 0; i < 3 && !stop; i++) n = 2;\n\
                pthread_join(t, 0); return 0; }\n";
    dir.file("w.c", text);
    let found = report(&dir, &["w.c"], 0);
    assert!(found["notices"].to_string().contains("as often as in the run"), "{found:#}");
}

#[test]
fn pointers_that_may_point_elsewhere_are_said() {
    let text = "#include <assert.h>\n#include <pthread.h>\nint x, y, *p = &x;\n\
                static void *f(void *q) {\n  *p = 1;\n  return q;\n}\n\
                int main(void) {\n  pthread_t t;\n  pthread_create(&t, 0, f, 0);\n  p = &y;\n\
                pthread_join(t, 0);\n  assert(y == 0);\n  return 0;\n}\n";
    let dir = Dir::with("p.c", text);
    let note = "addresses and sizes that depend on shared values are those of the run";
    let run = dir.raddle("ranges p.c");
    assert!(run.stderr.contains(&format!("{note} (p.c:5)")), "{run:?}");
    // Without another value there is nothing to say.
    dir.file("q.c", text.replace("p = &y", "y = x"));
    let run = dir.raddle("ranges q.c");
    assert!(!run.stderr.contains(note), "{run:?}");
}

/// A loop whose assertion fails the third time, whatever the order.
fn failing() -> Dir {
    let program = "#include <assert.h>
#include <pthread.h>
static int x;
static void *count(void *unused) {
    for (int i = 0; i < 3; i++) {
        x = x + 1;
        assert(x < 3);
    }
    return unused;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, count, 0);
    x = x + 0;
    pthread_join(t, 0);
    return 0;
}
";
    Dir::with("failing.c", program)
}

#[test]
fn an_assertion_that_failed_in_the_run_is_refuted() {
    let dir = failing();
    let run = dir.run(["ranges", "failing.c"]).exits(1);
    assert!(run.stdout.contains("assert at failing.c:7: refuted, replay: "), "{}", run.stdout);
    let note = "ended early: assertion failed: x < 3";
    assert!(run.stderr.contains(note), "{}", run.stderr);
    let found = report(&dir, &["failing.c"], 1);
    let schedule = found["assertions"][0]["schedule"].as_str().unwrap();
    let replayed = dir.run(["replay", "failing.c", schedule]).exits(1);
    assert!(replayed.stderr.contains("assertion failed: x < 3"), "{}", replayed.stderr);
}

#[test]
fn check_does_not_call_proved_what_failed() {
    let run = failing().run(["check", "failing.c", "--time", "5s"]).exits(1);
    let expected = "assert at failing.c:7: fails in the recorded run\n";
    assert!(run.stdout.contains(expected), "{}", run.stdout);
    assert!(!run.stdout.contains("holds in every interleaving"), "{}", run.stdout);
}

/// Two withdrawals that are checked in one section and made in another.
const BANK: &str = "#include <pthread.h>
int balance = 10;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *withdraw(void *a) {
  pthread_mutex_lock(&m);
  int b = balance;
  CHECKED
  if (b >= 7) {
    LOCK
    balance = balance - 7;
    pthread_mutex_unlock(&m);
  }
  ELSE
  return 0;
}
int main(void) {
  pthread_t p, q;
  pthread_create(&p, 0, withdraw, 0);
  pthread_create(&q, 0, withdraw, 0);
  pthread_join(p, 0);
  pthread_join(q, 0);
  return 0;
}
";

fn bank(checked: &str, lock: &str, otherwise: &str) -> Dir {
    let text = BANK.replace("CHECKED", checked).replace("LOCK", lock).replace("ELSE", otherwise);
    Dir::with("bank.c", text)
}

#[test]
fn a_branch_that_the_run_did_not_take_is_gone() {
    let dir = bank("pthread_mutex_unlock(&m);", "pthread_mutex_lock(&m);", "");
    let found = report(&dir, &["bank.c", "--assert", "balance >= 0"], 1);
    let schedule = found["assertions"][0]["schedule"].as_str().unwrap();
    dir.run(["replay", "bank.c", schedule]).exits(0);
    assert!(found["runs"].as_u64().unwrap() > 1, "{found:#}");
    // In one section there is nothing wrong, and both sides are shown.
    let dir = bank("", "", "else pthread_mutex_unlock(&m);");
    let found = report(&dir, &["bank.c", "--assert", "balance >= 0"], 0);
    assert_eq!(found["assertions"][0]["verdict"], "proved", "{found:#}");
    assert!(found["runs"].as_u64().unwrap() > 1, "{found:#}");
}

#[test]
fn what_holds_only_where_runs_went_is_not_proved() {
    let dir = bank("", "", "else pthread_mutex_unlock(&m);");
    let schedule = dir.run(["record", "bank.c", "-o", "bank.rdl", "--format", "json"]).exits(0);
    let schedule: serde_json::Value = serde_json::from_str(&schedule.stdout).unwrap();
    let schedule = schedule["schedule"].as_str().unwrap();
    // With one given run, the side that it did not take is open.
    let assertion = ["--assert", "balance >= 0"];
    let run =
        dir.run(["ranges", "bank.c", "--trace", schedule, assertion[0], assertion[1]]).exits(3);
    assert!(
        run.stdout.contains("balance >= 0: holds on the paths that runs took, by "),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.contains("Paths that no run has taken\n  bank.c:8 in withdraw"),
        "{}",
        run.stdout
    );
}

#[test]
fn inputs_and_tries_are_open() {
    let text = "#include <pthread.h>\nint x, y; int __VERIFIER_nondet_int(void);\n\
                static void *f(void *p) { x = 1 + __VERIFIER_nondet_int(); return p; }\n\
                int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); y = x;\n\
                pthread_join(t, 0); return 0; }\n";
    let dir = Dir::with("in.c", text);
    let run = dir.run(["ranges", "in.c", "--assert", "x <= 1"]).exits(3);
    assert!(run.stdout.contains("in.c:3: another nondeterministic value"), "{}", run.stdout);
    dir.file("no.c", text.replace("__VERIFIER_nondet_int();", "0;"));
    dir.run(["ranges", "no.c", "--assert", "x <= 1"]).exits(0);
}

#[test]
fn statistics_end_with_the_time() {
    let dir = bank("pthread_mutex_unlock(&m);", "pthread_mutex_lock(&m);", "");
    let run = dir.run(["ranges", "bank.c", "--stats", "--time", "1s"]).exits(0);
    assert!(run.stdout.contains("CCFG"), "{}", run.stdout);
}
