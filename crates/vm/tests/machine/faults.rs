//! Each kind of fault, and what must not be one.

use raddle_vm::{Machine, Outcome, Settings};

use crate::machine::c::{machine, run};
use crate::machine::support::describe;

#[track_caller]
fn faults(body: &str, expected: &str) {
    let source = format!("int f(void) {{ return 1; }} int main(void) {{ {body} return 0; }}");
    assert_eq!(run(&source), expected);
}

#[test]
fn out_of_bounds() {
    faults(
        "int *p = malloc(8); p[2] = 1;",
        "access of 4 bytes at offset 8 of heap@program.c:1, which has 8 bytes",
    );
    faults(
        "int a[3]; volatile int i = -1; return a[i];",
        "access of 4 bytes at offset -4 of main:a, which has 12 bytes",
    );
    faults("int *p = malloc(8); p[1] = 1; free(p);", "exit 0");
}

#[test]
fn use_after_free() {
    faults("int *p = malloc(8); free(p); *p = 1;", "use of heap@program.c:1 after it was freed");
    faults(
        "int *p = malloc(8); free(p); malloc(8); return *p;",
        "use of heap@program.c:1 after it was freed",
    );
}

#[test]
fn use_after_return() {
    let source = "int *g(void) { int x = 1; int *volatile p = &x; return p; }
        int main(void) { return *g(); }";
    assert_eq!(run(source), "use of g:x after its function has returned");
}

#[test]
fn bad_frees() {
    faults("char *p = malloc(8); free(p); free(p);", "heap@program.c:1 is freed twice");
    faults(
        "char *p = malloc(8), *q = malloc(8); free(p); free(q); free(q);",
        "heap@program.c:1#2 is freed twice",
    );
    faults(
        "char *p = malloc(8); free(p + 4);",
        "free of heap@program.c:1+4, which malloc did not return",
    );
    let mut found = fault("char *p = malloc(8); free(p + 1);");
    assert!(found.contains("which malloc did not return"), "{found}");
    found = fault("int x; free(&x);");
    assert!(found.contains("main:x"), "{found}");
    faults("free(0);", "exit 0");
}

#[track_caller]
fn fault(body: &str) -> String {
    run(&format!("int main(void) {{ {body} return 0; }}"))
}

#[test]
fn bad_pointers() {
    faults("int *volatile p = 0; *p = 1;", "null pointer dereference (address 0x0)");
    let found = fault("int **p = malloc(8); **p = 1;");
    assert!(found.starts_with("use of an uninitialised pointer"), "{found}");
    let found = fault("int *volatile p = (int *)0x7fff12345678; *p = 1;");
    assert!(found.starts_with("invalid pointer dereference"), "{found}");
    let found = fault("char *volatile p = (char *)\"abc\"; *p = 1;");
    assert!(found.ends_with("which is constant"), "{found}");
    faults("return *(char *)f;", "access to the code of f");
}

#[test]
fn bad_arithmetic_and_calls() {
    faults("volatile int z = 0; return 1 / z;", "division by zero");
    let found = fault("int x; int (*p)(void) = (int (*)(void))&x; return p();");
    assert!(found.ends_with("which is not a function"), "{found}");
    let source = "#include <stdarg.h>\nint g(int n, ...) { va_list l; va_start(l, n); int sum = 0;
        while (n--) sum += va_arg(l, int); va_end(l); return sum; }
        int main(void) { return g(2, 3, 4) + g(2, 1); }";
    assert_eq!(run(source), "more variadic arguments are read than were passed");
    let source = "int g(int n) { return g(n + 1) + 1; } int main(void) { return g(0); }";
    assert_eq!(run(source), "stack overflow");
}

#[test]
fn assertions_and_aborts() {
    faults("assert(1 + 1 == 3);", "assertion failed: 1 + 1 == 3");
    faults("abort();", "the program aborts");
}

#[test]
fn memory_has_a_limit() {
    let source = "int main(void) { char *p = malloc(900u << 20); if (!p) return 1; p[5] = 1;
        return malloc(900u << 20) ? 2 : 3; }";
    assert_eq!(run(source), "exit 3");
}

#[test]
fn a_run_without_end_says_whether_it_made_progress() {
    let settings = Settings { n_steps_max: 10_000, ..Settings::default() };
    let outcome = |source: &str| {
        let mut machine: Machine = machine(source, &settings);
        machine.run_default(&mut ());
        machine.outcome().unwrap().clone()
    };
    let silent = outcome("int main(void) { for (;;) ; }");
    assert_eq!(silent, Outcome::Steps { progress: false });
    let busy = outcome("_Atomic int x; int main(void) { for (;;) x++; }");
    assert_eq!(busy, Outcome::Steps { progress: true });
}

#[test]
fn misuse_of_locks() {
    let m = "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;";
    let cases = [
        ("pthread_mutex_unlock(&m);", "unlock of main:m, which no thread holds"),
        (
            "pthread_mutex_lock(&m); pthread_mutex_destroy(&m);",
            "main:m is destroyed while it is held",
        ),
        (
            "pthread_mutex_destroy(&m); pthread_mutex_lock(&m);",
            "use of main:m, which was destroyed",
        ),
        (
            "pthread_cond_t c = PTHREAD_COND_INITIALIZER; pthread_cond_wait(&c, &m);",
            "wait on a condition without holding main:m",
        ),
        ("pthread_mutex_lock(&m);", "exit 0"),
    ];
    for (body, expected) in cases {
        let source =
            format!("int f(void) {{ {m} {body} return 0; }} int main(void) {{ return f(); }}");
        assert_eq!(run(&source).replace("f:m", "main:m"), expected, "{body}");
    }
    let heap = "pthread_mutex_t *m = malloc(sizeof *m); pthread_mutex_lock(m);";
    let found = fault(heap);
    assert!(found.ends_with("which was never initialised"), "{found}");
    let found = fault(
        "pthread_mutex_t *m = malloc(sizeof *m); pthread_mutex_init(m, 0);
        pthread_mutex_lock(m); free(m);",
    );
    assert!(found.ends_with("which is held"), "{found}");
}

#[test]
fn a_fault_knows_its_stack() {
    let mut machine = machine(
        "int g(int *p) { return *p; } int main(void) { return g(0); }",
        &Settings::default(),
    );
    machine.run_default(&mut ());
    let Some(Outcome::Fault(fault)) = machine.outcome() else { panic!("{:?}", machine.outcome()) };
    let names = fault.stack.iter().filter(|f| !f.library);
    let names: Vec<_> =
        names.map(|f| machine.program().function(f.site.function).name.to_string()).collect();
    assert_eq!(names, ["g", "main"]);
    assert!(describe(machine.outcome().unwrap()).starts_with("null"));
}
