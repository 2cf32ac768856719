//! Flows that were derived by hand.

use raddle_vm::flow::{Flow, FlowError};
use raddle_vm::record::Options;
use raddle_vm::{Machine, Settings};

use crate::flow::support::{flow_of, names, program, run};

/// Expects the data, address and control sources of the last event on `sink`.
#[track_caller]
fn check(code: &str, sink: &str, expected: &str) {
    let trace = run(program(code));
    let flow = flow_of(&trace, sink);
    let [data, address, control] =
        [&flow.data, &flow.address, &flow.control].map(|sources| names(&trace, sources));
    assert_eq!(format!("{data} | {address} | {control}"), expected, "{code}");
}

/// The same for the body of `test`.
#[track_caller]
fn check_body(body: &str, sink: &str, expected: &str) {
    check(&format!("void test(void) {{ {body} }}"), sink, expected);
}

#[test]
fn values_are_followed_through_registers() {
    check_body("o = x;", "o", "x |  | ");
    check_body("o = 5;", "o", " |  | ");
    check_body("o = x * y - 1;", "o", "x y |  | ");
    check_body("int l = x; int m = l + 1; l = 0; o = m;", "o", "x |  | ");
    check_body("int l = x; l = y; o = l;", "o", "y |  | ");
}

#[test]
fn a_read_takes_the_place_of_what_was_written() {
    check_body("o = x; p = o;", "p", "o |  | ");
}

#[test]
fn values_are_followed_through_private_memory() {
    let record = "struct r { int a, b; } r; r.a = x; r.b = y; struct r *q = &r; o = q->b;";
    check_body(record, "o", "y |  | ");
    check_body("int l[3]; l[0] = x; l[2] = y; o = l[2]; p = l[0];", "p", "x |  | ");
    check_body("int l[3] = {0}; l[1] = x; o = l[i];", "o", "i x |  | ");
}

#[test]
fn values_are_followed_through_calls() {
    check(
        "static int f(int l, int m) { return l; } void test(void) { o = f(x, y); }",
        "o",
        "x |  | ",
    );
    check(
        "static void f(int *l) { *l = y; } void test(void) { int l = x; f(&l); o = l; }",
        "o",
        "y |  | ",
    );
    let through =
        "static int f(int l) { return l; } void test(void) { int (*g)(int) = f; o = g(x); }";
    check(through, "o", "x |  | ");
    let variadic = "#include <stdarg.h>\n
        static int f(int n, ...) { va_list l; va_start(l, n); va_arg(l, int); return va_arg(l, int); }
        void test(void) { o = f(2, x, y); }";
    check(variadic, "o", "y |  | ");
}

#[test]
fn values_are_followed_through_block_copies() {
    check_body("int l = x, m; memcpy(&m, &l, sizeof m); o = m;", "o", "x |  | ");
    let records = "struct r { int a, b; } r = {0, 0}, s; r.a = x; r.b = y; s = r; o = s.a;";
    check_body(records, "o", "x |  | ");
}

#[test]
fn values_are_followed_through_memory_of_one_thread() {
    check_body("int *l = malloc(sizeof *l); *l = x; o = *l; free(l);", "o", "x |  | ");
    check("int g; void test(void) { g = x; g = g + y; o = g; }", "o", "x y |  | ");
    check("int g; void test(void) { if (x) g = y; o = g; }", "o", "y |  | x");
}

#[test]
fn values_are_followed_to_threads_and_back() {
    let code = "static void *f(void *l) { return l; } void test(void) { pthread_t t; void *l;
        pthread_create(&t, 0, f, (void *)(long)x); pthread_join(t, &l); o = (int)(long)l; }";
    check(code, "o", "x |  | ");
}

#[test]
fn branches_control_what_is_in_their_statement() {
    check_body("if (x) o = y;", "o", "y |  | x");
    check_body("if (x) p = 1; o = y;", "o", "y |  | ");
    check_body("if (x && y) o = 1;", "o", " |  | x y");
    check_body("int k = 0; while (k < x) { k++; o = k; }", "o", " |  | x");
    check_body("if (x) if (y) o = z;", "o", "z |  | x y");
    check_body("switch (x) { case 1: o = y; break; default: o = z; }", "o", "y |  | x");
    check_body("if (x == 7) return; o = 1;", "o", " |  | x");
    check_body("if (x) p = y;", "branch", "x |  | ");
    check("static void f(void) { o = y; } void test(void) { if (x) f(); }", "o", "y |  | x");
}

#[test]
fn branches_control_values_whichever_way_they_went() {
    check_body("int l = 0; if (x) l = 1; o = l;", "o", " |  | x");
    check_body("int l = 0; if (!x) l = 1; o = l;", "o", " |  | x");
    check_body("o = x ? y : z;", "o", "y |  | x");
}

#[test]
fn addresses_have_their_own_sources() {
    check_body("a[i] = x;", "a[1]", "x | i | ");
    check_body("int *l = &a[2]; *l = x;", "a[2]", "x |  | ");
}

#[test]
fn read_modify_writes_are_sources_and_sinks() {
    check_body("atomic_fetch_add(&n, x);", "n", "x |  | ");
    check_body("o = atomic_fetch_add(&n, x);", "o", "n |  | ");
    // The exchange writes `l` only if it fails: a branch of its own, before that of the `if`.
    let exchange = "int l = y; if (atomic_compare_exchange_strong(&n, &l, x)) p = 1; o = l;";
    check_body(exchange, "branch", "n y |  | n y");
}

#[test]
fn nondeterministic_values_are_sources() {
    check_body("int l = __VERIFIER_nondet_int(); o = l + x;", "o", "? x |  | ");
}

#[test]
fn assertions_depend_on_their_condition() {
    check_body("assert(x == 7);", "assert", " |  | x");
}

#[test]
fn locks_depend_on_where_they_are() {
    let code = "pthread_mutex_t l[2]; void test(void) { pthread_mutex_lock(&l[i]); }";
    check(code, "lock", " | i | ");
}

#[test]
fn limits_are_errors() {
    let run = |n_sets, n_sources| {
        let mut flow = Flow::limited(Options::default(), n_sets, n_sources);
        let code = program("void test(void) { o = x; o = x + y; }");
        Machine::new(code, &Settings::default()).unwrap().run_default(&mut flow);
        flow.finish().map(|_| ())
    };
    assert_eq!(run(1000, 1000), Ok(()));
    assert_eq!(run(2, 1000), Err(FlowError::Sets { limit: 2 }));
    assert_eq!(run(1000, 2), Err(FlowError::Sources { limit: 2 }));
}
