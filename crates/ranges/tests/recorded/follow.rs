//! Values are followed through what C programs do.

use crate::recorded::support::{compiled, corpus, ctp, program, show};

#[track_caller]
fn check(code: &str, expected: &str) {
    let text = format!(
        "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdio.h>\n\
         #include <string.h>\n\
         int x = 1, y = 2, z; int a[4]; double d; _Atomic int n; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
         pthread_cond_t c = PTHREAD_COND_INITIALIZER;\n\
         {code}\nint main(void) {{ pthread_t t; pthread_create(&t, 0, other, 0);\n\
         test(); pthread_join(t, 0); return 0; }}\n"
    );
    let ctp = ctp(&program(&text));
    assert_eq!(show(&ctp).trim(), expected.trim());
}

const OTHER: &str = "static void *other(void *p) { x = 5; y = 6; return p; }\n";

#[track_caller]
fn check_test(test: &str, expected: &str) {
    let text = format!("{OTHER}{test}");
    check(&text, &format!("main:{expected}\nother: x:=5; y:=6;"));
}

#[test]
fn the_running_example_is_its_own_trace_program() {
    let ctp = ctp(&compiled(corpus("running.c")));
    let expected = "main: +L; a1=Z; X:=Add(a1,1); -L; Y:=1;\n\
                    Mb: b1=Y; +L; b2=X; Z:=b1; -L; Y:=Add(b1,b2);";
    assert_eq!(show(&ctp).trim(), expected);
}

#[test]
fn values_pass_through_calls_and_private_memory() {
    check_test(
        "static int twice(int v) { return 2 * v; }\n\
         static void test(void) { int v[3]; int *p = v; p[1] = twice(x); y = v[1] + 1; }",
        " x=x; y:=Add(Multiply(2,x),1);",
    );
}

#[test]
fn branches_are_guards() {
    check_test(
        "static void test(void) { int v = x; if (v > 3) y = 1; else y = 2; }",
        " v=x; [IsZero(Greater(v,3))] y:=2;",
    );
}

#[test]
fn addresses_are_those_of_the_run() {
    check(
        "static void *other(void *p) { a[0] = x = a[1] = 5; return p; }\n\
         static void test(void) { a[x] = 7; }",
        "main: x=x; [Equal(Multiply(x,4),4)] a[1]:=7;\nother: a[1]:=5; x:=5;",
    );
}

#[test]
fn output_constrains_nothing() {
    check_test("static void test(void) { int v = x; printf(\"%d\\n\", v); y = v; }", " v=x; y:=v;");
}

#[test]
fn floating_point_is_unknown() {
    check(
        "static void *other(void *p) { d = 1.5; return p; }\n\
         static void test(void) { d = d * 2; }",
        "main: d=d; d:=?;\nother: d:=?;",
    );
}

#[test]
fn atomics_are_updates() {
    check(
        "static void *other(void *p) { atomic_fetch_add(&n, 2); return p; }\n\
         static void test(void) { int e = 0; atomic_compare_exchange_strong(&n, &e, 9); }",
        "main: n=n:=I32((Equal(n,0)?9:n)); join other [Equal(n,0)] -;\nother: n=n:=Add(n,2);",
    );
}

#[test]
fn waits_are_matched() {
    check(
        "static void *other(void *p) { pthread_mutex_lock(&m); x = 0; pthread_cond_signal(&c);\n\
         pthread_mutex_unlock(&m); return p; }\n\
         static void test(void) { pthread_mutex_lock(&m); while (x) pthread_cond_wait(&c, &m);\n\
         pthread_mutex_unlock(&m); }",
        "main: +m; x=x; [x] -m?; +m!; x=x; [IsZero(x)] -m;\nother: +m; x:=0; notify c; -m;",
    );
}

#[test]
fn arguments_and_results_of_threads_are_followed() {
    check(
        "static void *other(void *p) { x = 4; return p; }\n\
         static void *pass(void *p) { return (char *)p + 1; }\n\
         static void test(void) { pthread_t u; void *r; long v = x;\n\
           pthread_create(&u, 0, pass, (void *)v); pthread_join(u, &r); x = (int)(long)r; }",
        "main: v=x fork pass; join pass x:=I32(Add(v,1));\nother: x:=4;\npass:",
    );
}

#[test]
fn what_happens_before_the_first_fork_is_constant() {
    let text = "#include <pthread.h>\nint x, y, z = 3;\n\
        static void *other(void *p) { int v = x; y = v + z; z = 3; return p; }\n\
        int main(void) { pthread_t t; x = 4; y = x + 1; pthread_create(&t, 0, other, 0);\n\
        y = z; x = 9; pthread_join(t, 0); return 0; }";
    let all = ctp(&program(text));
    assert_eq!(
        show(&all).trim(),
        "main: x:=4; x=x; y:=Add(x,1) fork other; z=z; y:=z; x:=9;\nother: v=x; z=z; y:=Add(v,z); z:=3;"
    );
    let small = raddle_ranges::constant::propagate(all);
    assert_eq!(show(&small).trim(), "main: y:=3; x:=9;\nother: v=x; y:=Add(v,3);");
    let initial: Vec<_> = small.globals.iter().map(|g| (&g.name[..], g.initial)).collect();
    assert_eq!(initial, [("x", Some(4)), ("y", Some(5)), ("z", Some(3))]);
}
