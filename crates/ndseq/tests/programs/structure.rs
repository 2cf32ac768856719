//! Threads that are not structured, marks, and statements that jumps leave.

use raddle_ndseq::infer::{Inference, Inferred, Options};
use raddle_ndseq::learn::LearnError;
use raddle_ndseq::record::Unstructured;

use crate::programs::support::Subject;

const HEAD: &str = "#include <pthread.h>\n#include <stdatomic.h>\n#include <raddle.h>\n\
                    atomic_int x, y;\n";

fn error(text: &str) -> Option<Unstructured> {
    match Subject::text(&format!("{HEAD}{text}"), "x").learn(1) {
        Err(LearnError::Unstructured(error)) => Some(error),
        Err(error) => panic!("{error}"),
        Ok(_) => None,
    }
}

const F: &str = "static void *f(void *p) { atomic_fetch_add(&x, 1); return p; }\n";

#[test]
fn a_thread_that_nobody_joins_is_unstructured() {
    let main = "int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_detach(t); \
                pthread_exit(0); }\n";
    let found = error(&format!("{F}{main}"));
    assert!(matches!(found, Some(Unstructured::Unjoined { thread: 1, .. })), "{found:?}");
}

#[test]
fn a_creator_that_shares_with_a_running_thread_is_unstructured() {
    let main = |between: &str, behind: &str| {
        format!(
            "{F}int main(void) {{ pthread_t t; pthread_create(&t, 0, f, 0); {between} \
                 pthread_join(t, 0); {behind} return 0; }}\n"
        )
    };
    let found = error(&main("atomic_store(&x, 3);", ""));
    assert!(matches!(found, Some(Unstructured::Concurrent { .. })), "{found:?}");
    assert_eq!(error(&main("", "atomic_store(&x, 3);")), None);
    assert_eq!(error(&main("atomic_store(&y, 3);", "")), None);
}

#[test]
fn a_creator_that_shares_with_what_its_thread_has_created_is_unstructured() {
    let program = |between: &str| {
        format!(
            "{F}static void *g(void *p) {{ pthread_t t; pthread_create(&t, 0, f, 0); \
                 pthread_join(t, 0); return p; }}\n\
                 int main(void) {{ pthread_t t; pthread_create(&t, 0, g, 0); {between} \
                 pthread_join(t, 0); return 0; }}\n"
        )
    };
    let found = error(&program("atomic_store(&x, 3);"));
    assert!(matches!(found, Some(Unstructured::Concurrent { thread: 2, .. })), "{found:?}");
    assert_eq!(error(&program("")), None);
}

#[test]
fn a_barrier_needs_iterations() {
    let program = |begin: &str, end: &str| {
        format!(
            "static pthread_barrier_t b;\n\
                 static void *f(void *p) {{ {begin} atomic_fetch_add(&x, 1); {end} \
                 pthread_barrier_wait(&b); return p; }}\n\
                 int main(void) {{ pthread_t t[2]; pthread_barrier_init(&b, 0, 2); \
                 for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, f, 0); \
                 for (int i = 0; i < 2; i++) pthread_join(t[i], 0); return 0; }}\n"
        )
    };
    assert!(matches!(error(&program("", "")), Some(Unstructured::Barrier { .. })));
    let marked = program("raddle_begin_iteration(\"add\", 0);", "raddle_end_iteration();");
    assert_eq!(error(&marked), None);
}

/// How many `if(*)` are inferred; none if there is no specification.
fn cost(text: &str) -> Option<usize> {
    let subject = Subject::text(&format!("{HEAD}{text}"), "x");
    let lessons = subject.learn(10).unwrap().lessons;
    let traces: Vec<_> = lessons.into_iter().map(|lesson| lesson.recorded.trace).collect();
    match Inference::new(&traces, &subject.outline.lists, Options::default()).solve() {
        Inferred::Specification(found) => Some(found.len()),
        _ => None,
    }
}

const MAIN: &str = "int main(void) { pthread_t t[2]; \
    for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, f, 0); \
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0); return 0; }\n";

#[test]
fn a_retry_by_continue_needs_one_if_star_around_the_rest_of_the_loop() {
    let body = "static void *f(void *p) {\nwhile (1) {\nint o = atomic_load(&x);\n\
                if (!atomic_compare_exchange_strong(&x, &o, 2 * o + 1)) continue;\n\
                atomic_store(&y, 1);\nbreak;\n}\nreturn p; }\n";
    assert_eq!(cost(&format!("{body}{MAIN}")), Some(1));
}

#[test]
fn marked_iterations_of_one_thread_are_transactions_of_their_own() {
    let body = |begin: &str, end: &str| {
        format!(
            "static void *f(void *p) {{ for (int i = 0; i < 2; i++) {{ {begin} \
                 atomic_fetch_add(&x, 1); {end} }} return p; }}\n{MAIN}"
        )
    };
    assert_eq!(cost(&body("", "")), None, "threads add in turns");
    let begin = "raddle_begin_iteration(\"add\", 0);";
    assert_eq!(cost(&body(begin, "raddle_end_iteration();")), Some(0));
}
