//! No text overflows the stack: neither deep nesting nor long chains.

use raddle_cfront::ast::Unit;
use raddle_cfront::parse;

/// Small, so that there is room for those who walk the tree; threads have 2 MiB by default.
const STACK: usize = 2 << 20;

/// Parses and drops on a small stack.
fn parse(text: String) -> Result<(), String> {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(move || {
        let result: Result<Unit, _> = parse::unit(text.as_bytes(), 0);
        result.map(drop).map_err(|errors| errors[0].message.clone())
    });
    thread.unwrap().join().expect("it did not overflow")
}

/// `before`, so many times `open`, `middle`, so many times `close`, `after`.
fn nest(n: usize, [before, open, middle, close, after]: [&str; 5]) -> Result<(), String> {
    parse(format!("{before}{}{middle}{}{after}", open.repeat(n), close.repeat(n)))
}

#[track_caller]
fn check_nesting(parts: [&str; 5]) {
    nest(100, parts).unwrap();
    for n in 100..600 {
        if let Err(message) = nest(n, parts) {
            assert_eq!(message, "nesting is deeper than 256 levels", "{n} levels");
            break;
        }
    }
    let message = nest(100_000, parts).unwrap_err();
    assert_eq!(message, "nesting is deeper than 256 levels");
}

#[test]
fn expressions_nest() {
    check_nesting(["int a = ", "(", "1", ")", ";"]);
    check_nesting(["int a = ", "-", "1", "", ";"]);
    check_nesting(["int a = ", "(int)", "1", "", ";"]);
    check_nesting(["int a = ", "f(", "1", ")", ";"]);
    check_nesting(["int a = ", "a[", "1", "]", ";"]);
    check_nesting(["int a = ", "sizeof ", "1", "", ";"]);
    check_nesting(["int a = ", "b = ", "1", "", ";"]);
    check_nesting(["int a = ", "b ? ", "1", ": 2", ";"]);
    check_nesting(["int a = ", "_Generic(1, int: ", "1", ")", ";"]);
}

#[test]
fn statements_nest() {
    check_nesting(["void f(void) {", "{", ";", "}", "}"]);
    check_nesting(["void f(void) {", "while (1) ", ";", "", "}"]);
    check_nesting(["void f(void) {", "for (int i = 0; i; ) ", ";", "", "}"]);
    check_nesting(["void f(void) {", "switch (1) l: ", ";", "", "}"]);
}

#[test]
fn declarators_nest() {
    check_nesting(["int ", "(", "a", ")", ";"]);
    check_nesting(["int ", "(*", "a", ")(void)", ";"]);
    check_nesting(["int f(", "int (*)(", "int", ")", ");"]);
    check_nesting(["int a[", "sizeof(int[", "1", "])", "];"]);
    check_nesting(["", "struct {", "int a;", "} a;", ""]);
    check_nesting(["", "typeof(", "int", ")", " a;"]);
    check_nesting(["int a = ", "{", "1", "}", ";"]);
}

/// The expensive ones: much stands on the stack for each level.
#[test]
fn mixtures_nest() {
    for parts in [
        ["int a = ", "a||b&&c|d^e&f==g<h<<i+j*(", "1", ")", ";"],
        ["int a = ", "({ int x = ", "1", "; })", ";"],
        ["int a = ", "({ for (;;) { struct s { int a[(int) sizeof(", "1", ")]; } b; } })", ";"],
        ["int a = ", "(typeof(int (*)(struct { int a[", "1", "]; }))) 0", ";"],
        ["int a ", "__attribute__((b(({ int c ", "", "; }))))", ";"],
        ["int a = 0; int ", "(__attribute__((b(sizeof(int ", "a", "))))) c", ";"],
        ["int a = ", "sizeof(int (__attribute__((b(", "1", ")))))", ";"],
        ["int a = ", "({ __attribute__((b(", "1", "))) int c; })", ";"],
        ["int a = ", "({ __attribute__((b(", "1", "))); })", ";"],
        ["int a = ", "__builtin_offsetof(struct { int a[", "1", "]; }, a)", ";"],
        ["int a = ", "(struct { enum { A = ", "1", "} a; }) { 1 }.a", ";"],
    ] {
        for n in [1, 10, 40, 60, 85, 128, 200, 255, 1000, 10_000] {
            let _ = nest(n, parts);
        }
    }
}

#[track_caller]
fn check_chain(before: &str, link: &str, after: &str) {
    parse(format!("{before}{}{after}", link.repeat(1000))).unwrap();
    let message = parse(format!("{before}{}{after}", link.repeat(10_000))).unwrap_err();
    assert_eq!(message, "a chain of more than 2000 operators or statements");
}

#[test]
fn long_chains_are_refused() {
    check_chain("int a = 1", " + 1", ";");
    check_chain("void f(void) { a", ", b", "; }");
    check_chain("int a = b", ".c", ";");
    check_chain("int a = ", "b ? 1 : ", "2;");
    check_chain("void f(void) {", "if (a) b; else ", "; }");
    check_chain("void f(void) {", "l: ", "; }");
    check_chain("void f(void) { switch (a) {", "case 1: ", "; } }");
}

#[test]
fn chains_in_nests_count_together() {
    let sum = " + 1".repeat(100);
    let message = nest(200, ["int a = ", "(", "1", &format!("{sum})"), ";"]).unwrap_err();
    assert_eq!(message, "a chain of more than 2000 operators or statements");
}

#[test]
fn flat_lists_may_be_long() {
    parse(format!("int a[] = {{ {} }};", "1 + 1, ".repeat(100_000))).unwrap();
    parse(format!("void f(void) {{ {} }}", "a = b + 1, c = 2;".repeat(100_000))).unwrap();
    parse(format!("int a = f({} 1);", "1 + 1, ".repeat(100_000))).unwrap();
    parse(format!(
        "enum {{ {} }};",
        (0..9999).map(|i| format!("A{i} = 1 + {i},")).collect::<String>()
    ))
    .unwrap();
    parse(format!("struct {{ {} }} a;", "int a : 1 + 1;".repeat(10_000))).unwrap();
    parse(format!("int {} a;", "*".repeat(10_000))).unwrap();
    parse("int a = 1 + 2 * 3;".repeat(10_000)).unwrap();
    parse(format!("char *s = {};", "\"x\" ".repeat(100_000))).unwrap();
}
