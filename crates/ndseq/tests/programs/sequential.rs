//! What was taken for a specification, executed: the same results, or an assertion that fails.

use raddle_ndseq::check::check;
use raddle_ndseq::depend::Dependence;
use raddle_ndseq::infer::{Inference, Inferred, Options};
use raddle_ndseq::sequential::{Functional, Sequential, same_values};
use raddle_ndseq::statement::Candidate;

use crate::programs::support::{Subject, corpus};

const HEAD: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n\
                    atomic_int x, y;\n";
const MAIN: &str = "int main(void) { pthread_t t[2]; x = 0; y = 0; \
    pthread_create(&t[0], 0, f, 0); pthread_create(&t[1], 0, g, 0); \
    pthread_join(t[0], 0); pthread_join(t[1], 0); return 0; }\n";

/// Infers, and executes every trace as the sequential program; answers what was inferred.
fn replayed(subject: &Subject, n_runs: usize) -> Option<Vec<Candidate>> {
    let lessons = subject.learn(n_runs).unwrap().lessons;
    let (traces, machines): (Vec<_>, Vec<_>) =
        lessons.into_iter().map(|lesson| (lesson.recorded.trace, lesson.machine)).unzip();
    let options = Options { group: false, ..Options::default() };
    let found = Inference::new(&traces, &subject.outline.lists, options).solve();
    let Inferred::Specification(found) = found else { return None };
    let sequential = Sequential::new(&subject.program, &subject.outline, &subject.settings, &found);
    for (trace, machine) in traces.iter().zip(&machines) {
        let witness = check(&Dependence::new(trace), &found).verdict.unwrap();
        let again = sequential.replay(trace, &witness).expect("the witness can be executed");
        assert!(same_values(machine, &again, &subject.focus), "{}", subject.text);
    }
    Some(found)
}

#[test]
fn witnesses_of_the_corpus_end_with_the_same_result() {
    let programs = [
        ("cas.c", "x"),
        ("stack.c", "top, taken"),
        ("queue.c", "head, tail, taken"),
        ("search.c", "best"),
        ("worklist.c", "mesh, version"),
        ("montecarlo.c", "total"),
        ("sor.c", "grid"),
    ];
    for (name, focus) in programs {
        let subject = Subject::file(&corpus().join(name), focus);
        assert!(replayed(&subject, 12).is_some(), "{name}");
    }
}

/// A random statement on two shared variables and two locals.
fn statement(random: &mut fastrand::Rng, depth: u32) -> String {
    let shared = if random.bool() { "x" } else { "y" };
    let local = if random.bool() { "a" } else { "b" };
    match random.u32(..if depth > 0 { 7 } else { 4 }) {
        0 | 1 => format!("{local} = atomic_load(&{shared});\n"),
        2 => format!("atomic_store(&{shared}, {local} + {});\n", random.u32(1..4)),
        3 => format!("{local} = a + b + {};\n", random.u32(1..4)),
        4 => {
            format!("if ({local} & {}) {{\n{}}}\n", random.u32(1..4), statements(random, depth - 1))
        }
        5 => format!(
            "for (int i = 0; i < 2; i++) {{\n{}if (b & 2) break;\n}}\n",
            statements(random, depth - 1)
        ),
        _ => format!(
            "while (1) {{\nint o = atomic_load(&{shared});\n\
             if (atomic_compare_exchange_strong(&{shared}, &o, o + {local} + 1)) {{\nbreak;\n}}\n}}\n"
        ),
    }
}

fn statements(random: &mut fastrand::Rng, depth: u32) -> String {
    (0..random.u32(1..4)).map(|_| statement(random, depth)).collect()
}

#[test]
fn witnesses_of_random_programs_end_with_the_same_result() {
    let mut random = fastrand::Rng::with_seed(5);
    let (mut n_specified, mut n_if_star) = (0, 0);
    for _ in 0..120 {
        let mut body = |name: &str| {
            let body = statements(&mut random, 2);
            format!("static void *{name}(void *p) {{\nint a = 1, b = 2;\n{body}return p;\n}}\n")
        };
        let text = format!("{HEAD}{}{}{MAIN}", body("f"), body("g"));
        let subject = Subject::text(&text, "x, y");
        if let Some(found) = replayed(&subject, 6) {
            n_specified += 1;
            n_if_star += found.len();
        }
    }
    assert!(n_specified > 20 && n_if_star > 5, "{n_specified} programs, {n_if_star} if(*)");
}

fn functional(text: &str) -> Functional {
    let subject = Subject::text(text, "x");
    let sequential = Sequential::new(&subject.program, &subject.outline, &subject.settings, &[]);
    sequential.try_all(100)
}

#[test]
fn an_assertion_that_one_order_fails_is_refuted() {
    let f = "static void *f(void *p) { atomic_store(&x, 1); return p; }\n";
    let g = "static void *g(void *p) { assert(atomic_load(&x) == 0); return p; }\n";
    assert!(matches!(functional(&format!("{HEAD}{f}{g}{MAIN}")), Functional::Fails(_)));
}

#[test]
fn one_that_no_order_fails_holds_in_all_of_them() {
    let f =
        "static void *f(void *p) { int a = atomic_load(&x); atomic_store(&x, a + 1); return p; }\n";
    let g = f.replace("*f(", "*g(");
    let main = MAIN.replace("return 0;", "assert(x == 2); return 0;");
    let found = functional(&format!("{HEAD}{f}{g}{main}"));
    assert_eq!(found, Functional::Holds { n_orders: 2, all: true });
}
