//! C programs: a helper, and what the language and the library need of the machine.

use std::collections::BTreeSet;
use std::sync::Arc;

use raddle_cfront::ir::DataModel;
use raddle_cfront::{compile, preprocess};
use raddle_vm::{Machine, Settings};

use crate::machine::support::{describe, outcomes};

/// What most programs here start with.
const HEAD: &str = "#include <pthread.h>\n#include <semaphore.h>\n#include <stdlib.h>\n\
    #include <stdio.h>\n#include <string.h>\n#include <assert.h>\n#include <errno.h>\n\
    #include <stdatomic.h>\n#include <time.h>\n#include <sched.h>\n#include <unistd.h>\n#line 1\n";

/// A machine for a C program.
#[track_caller]
pub fn machine(source: &str, settings: &Settings) -> Machine {
    machine_for(source, settings, DataModel::Lp64)
}

/// A machine for a C program with pointers of this size.
#[track_caller]
pub fn machine_for(source: &str, settings: &Settings, model: DataModel) -> Machine {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("program.c");
    std::fs::write(&path, format!("{HEAD}{source}")).unwrap();
    let options = preprocess::Options { model, ..preprocess::Options::default() };
    let compiled = compile::compile(&[path], &options);
    let compiled = compiled.unwrap_or_else(|error| panic!("{error}"));
    Machine::new(Arc::new(compiled.program), settings).unwrap()
}

/// The outcome of the default run.
#[track_caller]
pub fn run(source: &str) -> String {
    let mut machine = machine(source, &Settings::default());
    machine.run_default(&mut ());
    describe(machine.outcome().unwrap())
}

/// Every outcome that choices lead to.
#[track_caller]
pub fn all(source: &str, settings: &Settings) -> BTreeSet<String> {
    outcomes(&mut machine(source, settings))
}

/// Checks every outcome with the usual settings.
#[track_caller]
pub fn check_all(source: &str, expected: &[&str]) {
    let found = all(source, &Settings::default());
    assert_eq!(found, expected.iter().map(|s| s.to_string()).collect());
}

/// Checks that `main`, whose body this is, returns zero: it asserts what it has to.
#[track_caller]
pub fn holds(body: &str) {
    assert_eq!(run(&format!("int main(void) {{ {body} return 0; }}")), "exit 0");
}

#[test]
fn output_is_kept_with_its_descriptor() {
    let source = r#"int main(int argc, char **argv) {
        printf("%s %d %5.2f|%g|%-4s|%x\n", argv[0], argc, 3.14159, 1e10, "ab", 255u);
        fprintf(stderr, "oops\n");
        return 3;
    }"#;
    let mut machine = machine(source, &Settings::default());
    machine.run_default(&mut ());
    assert_eq!(describe(machine.outcome().unwrap()), "exit 3");
    let parts: Vec<_> = machine.output_parts().collect();
    assert_eq!(parts[0], (1, &b"program 1  3.14|1e+10|ab  |ff\n"[..]));
    assert_eq!(parts[1], (2, &b"oops\n"[..]));
}

#[test]
fn records_recursion_and_function_pointers_work() {
    holds(
        "struct p { int x; struct p *next; } a = {1, 0}, b = {2, &a}; struct p c = b;
         int sum = 0; for (struct p *q = &c; q; q = q->next) sum += q->x; assert(sum == 3);
         int v[4] = {3, 1, 2, 0}; int *w = malloc(sizeof v); memcpy(w, v, sizeof v);
         assert(w[0] + w[3] == 3); free(w);",
    );
    let source = "static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
        int main(void) { int (*f)(int) = fib; return f(10); }";
    assert_eq!(run(source), "exit 55");
}

#[test]
fn a_lost_update_is_found_with_points_everywhere_only() {
    let source = "int x; void *w(void *a) { x = x + 1; return 0; }
        int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); x = x + 1;
          pthread_join(t, 0); return x; }";
    check_all(source, &["exit 2"]);
    let settings = Settings { points: raddle_vm::Points::All, ..Settings::default() };
    let found = all(source, &settings);
    assert_eq!(found, ["exit 1", "exit 2"].map(String::from).into());
}

#[test]
fn promoted_transitions_are_points() {
    let source = "int x; void *w(void *a) { x = x + 1; return 0; }
        int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); x = x + 1;
          pthread_join(t, 0); return x; }";
    let plain = machine(source, &Settings::default());
    let program = plain.program();
    let mut settings = Settings::default();
    for (index, function) in program.functions.iter().enumerate().filter(|(_, f)| !f.library) {
        let function_id = raddle_cfront::ir::FunctionId(index as u32);
        for (op, code) in function.code.iter().enumerate() {
            if code.access().is_some() {
                settings.promoted.insert(raddle_vm::Site { function: function_id, op: op as u32 });
            }
        }
    }
    let found = all(source, &settings);
    assert_eq!(found, ["exit 1", "exit 2"].map(String::from).into());
}

#[test]
fn atomic_sections_are_not_interrupted() {
    let source =
        "extern void __VERIFIER_atomic_begin(void); extern void __VERIFIER_atomic_end(void);
        int x; void *w(void *a) { __VERIFIER_atomic_begin(); x = x + 1; __VERIFIER_atomic_end();
          return 0; }
        int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); w(0);
          pthread_join(t, 0); return x; }";
    let settings = Settings { points: raddle_vm::Points::All, ..Settings::default() };
    assert_eq!(all(source, &settings), ["exit 2".to_owned()].into());
}

#[test]
fn a_thread_that_spins_without_a_point_does_not_starve_others() {
    let source = "volatile int go; void *w(void *a) { go = 1; return 0; }
        int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); while (!go) ; return 5; }";
    assert_eq!(run(source), "exit 5");
    let source = source.replace("volatile", "_Atomic");
    assert_eq!(run(&source), "exit 5");
}

#[test]
fn thread_local_variables_are_each_threads_own() {
    let source =
        "_Thread_local int x = 7; int seen; void *w(void *a) { seen = x; x = 1; return 0; }
        int main(void) { pthread_t t; x = 2; pthread_create(&t, 0, w, 0); pthread_join(t, 0);
          return 10 * seen + x; }";
    assert_eq!(run(source), "exit 72");
}

#[test]
fn programs_with_small_pointers_run_as_well() {
    let check = |body: &str, expected: &str| {
        let source = format!("int x; void *w(void *a) {{ *(int **)a = &x; return a; }} {body}");
        let mut machine = machine_for(&source, &Settings::default(), DataModel::Ilp32);
        machine.run_default(&mut ());
        assert_eq!(describe(machine.outcome().unwrap()), expected);
    };
    check(
        "int main(void) { assert(sizeof(void *) == 4); int *p; void *r; pthread_t t;
           pthread_create(&t, 0, w, &p); pthread_join(t, &r); *p = 5; assert(r == &p);
           char *big = malloc(10000); big[9999] = 1; free(big); return x; }",
        "exit 5",
    );
    check(
        "int main(void) { char *p = malloc(8); p[5000] = 1; return 0; }",
        "access of 1 bytes at offset 5000 of heap@program.c:1, which has 8 bytes",
    );
    check(
        "int main(void) { int *p = malloc(8); free(p); return *p; }",
        "use of heap@program.c:1 after it was freed",
    );
    check(
        "int main(void) { int *volatile p = 0; return p[3]; }",
        "null pointer dereference (address 0xc)",
    );
}

#[test]
fn whoever_wants_all_transitions_sees_them_and_changes_nothing() {
    #[derive(Default)]
    struct Count(u64);
    impl raddle_vm::Observer for Count {
        const FLOW: bool = true;
        fn transition(&mut self, transition: &raddle_vm::Transition<'_>) {
            assert!(!transition.registers.is_empty() || transition.site.op < 1000);
            self.0 += 1;
        }
    }
    let source = "int main(void) { int v[8]; for (int i = 0; i < 8; i++) v[i] = i * i;
        printf(\"%d\\n\", v[7]); pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
        pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return v[3]; }";
    let mut silent = machine(source, &Settings::default());
    let mut seen = silent.clone();
    let mut count = Count::default();
    assert_eq!(silent.run_default(&mut ()), seen.run_default(&mut count));
    assert_eq!(silent.outcome(), seen.outcome());
    assert_eq!((silent.n_steps(), seen.n_steps()), (count.0, count.0));
}
