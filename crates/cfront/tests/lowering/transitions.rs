//! The transitions of small functions.

use raddle_cfront::compile::compile_texts;
use raddle_cfront::ir::{
    AccessKind, DataModel, Function, Op, Order, Place, Primitive, Program, Reg, StatementKind,
    verify,
};

fn compiled(text: &str) -> Program {
    match compile_texts(&[("a.c", text)], DataModel::Lp64) {
        Ok(compiled) => compiled.program,
        Err(error) => panic!("{error}"),
    }
}

/// The function `f` of a program whose `main` calls it.
fn lowered(text: &str) -> Function {
    let program = compiled(&format!("{text}\nint main(void) {{ return ((int (*)())f)(); }}"));
    verify(&program).unwrap();
    program.functions.iter().find(|function| &*function.name == "f").unwrap().clone()
}

/// The transitions of `f`, without their numbers.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let shown = lowered(text).to_string();
    let lines: Vec<_> = shown.lines().skip(1).map(|line| line[6..].to_owned()).collect();
    assert_eq!(lines, expected, "{shown}");
}

fn count(function: &Function, is_wanted: impl Fn(&Op) -> bool) -> usize {
    function.code.iter().filter(|op| is_wanted(op)).count()
}

#[test]
fn locals_without_address_are_registers() {
    let function = lowered("int f(void) { int a = 1, b = 2; return a + b; }");
    assert!(function.slots.is_empty());
    assert_eq!(function.code.iter().filter_map(Op::access).count(), 0);
}

#[test]
fn locals_with_address_are_exposed_slots() {
    let function =
        lowered("int g(int *p); int f(void) { int a; return g(&a); } int g(int *p) { return *p; }");
    assert_eq!(function.slots.len(), 1);
    assert!(!function.slots[0].private);
}

#[test]
fn arrays_used_by_name_are_private() {
    let function = lowered("int f(void) { int a[4]; a[1] = 2; return a[1]; }");
    assert!(function.slots[0].private);
}

#[test]
fn a_step_as_a_statement_copies_nothing() {
    check(
        "int f(int i) { i++; return i; }",
        &["r0 = Add I32 r0, #1", "Return { value: Some(Reg(0)) }", "Return { value: None }"],
    );
}

#[test]
fn a_global_step_is_a_read_and_a_write() {
    let function = lowered("int g; int f(void) { g++; return 0; }");
    let kinds: Vec<_> = function.code.iter().filter_map(Op::access).map(|one| one.kind).collect();
    assert_eq!(kinds, [AccessKind::Read, AccessKind::Write]);
}

#[test]
fn an_atomic_step_is_one_transition() {
    let function = lowered("_Atomic int g; int f(void) { g += 2; return 0; }");
    let accesses: Vec<_> = function.code.iter().filter_map(Op::access).collect();
    assert_eq!(accesses.len(), 1);
    assert_eq!((accesses[0].kind, accesses[0].order), (AccessKind::ReadModifyWrite, Order::SeqCst));
}

#[test]
fn a_record_is_copied_as_a_block() {
    let function = lowered("struct s { int a[4]; } g, h; int f(void) { g = h; return 0; }");
    assert_eq!(count(&function, |op| matches!(op, Op::ReadBlock { .. })), 1);
    assert_eq!(count(&function, |op| matches!(op, Op::WriteBlock { .. })), 1);
}

#[test]
fn a_bit_field_is_read_changed_and_written() {
    let function = lowered("struct s { int a : 3, b : 5; } g; int f(void) { g.b = 2; return 0; }");
    let wanted = |op: &Op| matches!(op, Op::Load { .. } | Op::Insert { .. } | Op::Store { .. });
    assert_eq!(count(&function, wanted), 3);
}

#[test]
fn volatile_reads_are_not_merged() {
    let function = lowered("volatile int g; int f(void) { g; return g; }");
    assert_eq!(count(&function, |op| matches!(op, Op::Load { .. })), 2);
}

#[test]
fn static_locals_are_globals() {
    let program =
        compiled("int f(void) { static int n = 7; return n++; } int main(void) { return f(); }");
    let global = program.globals.iter().find(|global| &*global.name == "f.n").unwrap();
    assert_eq!(global.bytes, [7, 0, 0, 0]);
}

#[test]
fn arrays_of_variable_length_end_with_their_scope() {
    let function = lowered("int f(int n) { { char a[n]; a[0] = 1; } return n; }");
    assert_eq!(count(&function, |op| matches!(op, Op::Allocate { .. })), 1);
    assert_eq!(count(&function, |op| matches!(op, Op::Release { .. })), 1);
}

#[test]
fn a_goto_out_of_a_scope_verifies() {
    let function =
        lowered("int f(int n) { { char a[n]; if (n) goto out; a[0] = 1; } out: return n; }");
    assert_eq!(count(&function, |op| matches!(op, Op::Allocate { .. })), 1);
}

#[test]
fn cases_are_sorted() {
    let function = lowered(
        "int f(int n) { switch (n) { case 5: return 1; case -2 ... 3: return 2; } return 0; }",
    );
    let cases: Vec<_> =
        function.switches[0].cases.iter().map(|case| (case.first, case.last)).collect();
    assert_eq!(cases, [(-2, 3), (5, 5)]);
}

#[test]
fn long_double_has_the_size_of_the_compiler() {
    let program = compiled("long double g; int main(void) { return g > 1.0L; }");
    assert_eq!(program.globals.iter().find(|global| &*global.name == "g").unwrap().size, 16);
}

#[test]
fn registers_flow() {
    let function = lowered(
        "int g(int, int); int f(int a, int b) { return g(a, a + b); } int g(int a, int b) { return a; }",
    );
    let call = function.code.iter().find(|op| matches!(op, Op::Call { .. })).unwrap();
    let (mut read, mut written) = (Vec::new(), Vec::new());
    call.reads(&function, |reg| read.push(reg));
    call.writes(|reg| written.push(reg));
    assert_eq!(read.len(), 2);
    assert_eq!(read[0], Reg(0));
    assert_eq!(written.len(), 1);
}

#[test]
fn statements_cover_their_transitions() {
    let function = lowered("int g; int f(int n) { while (n) { if (g) n--; else g++; } return g; }");
    let kinds: Vec<_> = function.statements.iter().map(|one| one.kind).collect();
    for kind in
        [StatementKind::Body, StatementKind::While, StatementKind::If, StatementKind::Return]
    {
        assert!(kinds.contains(&kind), "{kind:?}");
    }
    for (at, span) in function.spans.iter().enumerate() {
        assert!(span.start >= function.span.start && span.start <= span.end, "{at}");
    }
}

#[test]
fn memory_is_named_by_places() {
    let function = lowered("int g; int f(void) { return g; }");
    let access = function.code.iter().find_map(Op::access).unwrap();
    assert!(matches!(access.place, Place::Global(_, 0)));
}

#[test]
fn library_calls_end_in_primitives() {
    let program =
        compiled("void *malloc(unsigned long); int main(void) { return malloc(4) != 0; }");
    let calls = |op: &Op| matches!(op, Op::Primitive { call: Primitive::Malloc, .. });
    assert!(program.functions.iter().any(|function| function.code.iter().any(calls)));
}
