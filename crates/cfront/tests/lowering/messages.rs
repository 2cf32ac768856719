//! What is said about programs that are not valid, or not supported.

use raddle_cfront::compile::compile_texts;
use raddle_cfront::diagnostic::Error;
use raddle_cfront::ir::DataModel;

/// What the compiler says first, with its notes.
fn said(text: &str) -> String {
    match compile_texts(&[("a.c", text)], DataModel::Lp64) {
        Ok(compiled) => compiled.warnings.iter().map(show).collect::<Vec<_>>().join(" "),
        Err(Error::Diagnostics(reports)) => show(&reports[0]),
        Err(other) => other.to_string(),
    }
}

fn show(report: &raddle_cfront::diagnostic::Report) -> String {
    let text = report.to_string();
    let wanted = |line: &&str| line.starts_with("a.c:") || line.starts_with("note:");
    let lines = text.lines().filter(wanted).map(|line| line.strip_prefix("a.c:").unwrap_or(line));
    lines.collect::<Vec<_>>().join(" / ")
}

/// Each program and what is said about it.
const CASES: &[(&str, &str)] = &[
    (
        "int count; int main(void) { return cuont; }",
        "1:36: error: `cuont` is not declared; did you mean `count`?",
    ),
    (
        "struct node { int value; }; int main(void) { struct node n; return n.valeu; }",
        "1:70: error: `struct node` has no member `valeu`; did you mean `value`?",
    ),
    (
        "struct node { int value; }; int f(struct node *n) { return n.value; } int main(void) { return 0; }",
        "1:62: error: `struct node *` has no members; did you mean `->`?",
    ),
    (
        "_Atomic struct s { int a; } v; int main(void) { struct s n = v; return n.a + v.a; }",
        "1:80: error: accessing a member of an atomic structure or union is undefined; copy it to a plain one first",
    ),
    (
        "int f(int a, int b) { return a; } int main(void) { return f(1); }",
        "1:59: error: too few arguments: 1 instead of 2 / 1:5: note: `f` is declared here",
    ),
    (
        "int f(void) { return 0; } int main(void) { return f(1); }",
        "1:51: error: too many arguments: 1 instead of 0 / 1:5: note: `f` is declared here",
    ),
    (
        "int main(void) { const int a = 1; a = 2; return a; }",
        "1:35: error: `a` is `const` and cannot be assigned to",
    ),
    (
        "int f(const char *s) { *s = 0; return 0; } int main(void) { return 0; }",
        "1:24: error: this is `const` and cannot be assigned to",
    ),
    (
        "struct s { const int a; }; int f(struct s *s) { s->a = 1; return 0; } int main(void) { return 0; }",
        "1:49: error: `a` is `const` and cannot be assigned to",
    ),
    (
        "struct s { int a; } g; int main(void) { int i = g; return i; }",
        "1:49: error: `struct s` cannot be assigned to `int`",
    ),
    (
        "struct s { int a; } g; int main(void) { g = 1; return 0; }",
        "1:41: error: `int` cannot be assigned to `struct s`",
    ),
    (
        "struct s { int a; } g; struct t { int a; } h; int main(void) { g = h; return 0; }",
        "1:64: error: `struct t` cannot be assigned to `struct s`",
    ),
    (
        "int main(void) { char *p = 1.5; return 0; }",
        "1:28: error: `double` cannot be assigned to `char *`",
    ),
    (
        "int main(void) { const char *p = 0; double d = p; return 0; }",
        "1:48: error: `const char *` cannot be assigned to `double`",
    ),
    (
        "struct s { int a; } g; void f(struct s *p); int main(void) { f(g); return 0; }",
        "1:64: error: `struct s` cannot be assigned to `struct s *`",
    ),
    (
        "int main(void) { char *p = 0; return p + p; }",
        "1:38: error: this operator does not work on pointers",
    ),
    (
        "int main(void) { int (*p)(int) = 0; return p * 2; }",
        "1:44: error: this operator does not work on pointers",
    ),
    (
        "struct s { int a; } g; int main(void) { return g + 1; }",
        "1:48: error: this operator does not work on `struct s` and `int`",
    ),
    (
        "int main(void) { char *p = 0; return -p; }",
        "1:38: error: this operator does not work on `char *`",
    ),
    ("int main(void) { int a = 1; return a(); }", "1:36: error: `int` cannot be called"),
    ("int main(void) { int a = 1; return *a; }", "1:37: error: `int` cannot be dereferenced"),
    (
        "int main(void) { int a = 1; return a[0]; }",
        "1:36: error: only arrays and pointers have elements",
    ),
    (
        "void f(void) {} int main(void) { int a = f(); return a; }",
        "1:42: error: `void` cannot be assigned to `int`",
    ),
    (
        "void f(void) {} int g(int a) { return a; } int main(void) { return g(f()); }",
        "1:70: error: `void` cannot be assigned to `int`",
    ),
    ("int main(void) { void a; return 0; }", "1:23: error: the variable `a` has the type `void`"),
    (
        "struct s; int main(void) { struct s a; return 0; }",
        "1:37: error: `a` has an incomplete type",
    ),
    (
        "struct s { struct t a; }; int main(void) { return 0; }",
        "1:1: error: a member has an incomplete type, the type is larger than 2 GiB, or a packed bit-field does not fit into any unit",
    ),
    (
        "struct s; int f(struct s *s) { return s->a; } int main(void) { return 0; }",
        "1:42: error: `struct s` is incomplete",
    ),
    (
        "struct s; int main(void) { return sizeof(struct s); }",
        "1:35: error: the size of an incomplete type",
    ),
    (
        "int main(void) { switch (1) { case 1: case 1: return 0; } return 0; }",
        "1:44: error: this value already has a case / 1:36: note: the other case",
    ),
    (
        "int main(void) { switch (1) { default: default: return 0; } return 0; }",
        "1:40: error: this switch already has a `default`",
    ),
    ("int main(void) { a: a: return 0; }", "1:21: error: the label `a` is defined twice"),
    ("int main(void) { goto a; }", "1:23: error: the label `a` is used but not defined"),
    (
        "int main(void) { int a; int a; return 0; }",
        "1:29: error: `a` is declared twice in this block / 1:22: note: the first declaration",
    ),
    (
        "int f(void) { return 0; } int f(void) { return 1; } int main(void) { return 0; }",
        "1:31: error: `f` is defined twice / 1:5: note: the first definition",
    ),
    (
        "int f(void); char *f(void); int main(void) { return 0; }",
        "1:20: error: `f` is declared with a different type / 1:5: note: the first declaration",
    ),
    ("int main(void) { break; }", "1:18: error: `break` outside a loop"),
    (
        "int main(void) { switch (1) { case 1: continue; } }",
        "1:39: error: `continue` outside a loop",
    ),
    ("int main(void) { case 1: return 0; }", "1:23: error: `case` outside a switch"),
    (
        "int main(void) { char *p = 0; switch (p) { } return 0; }",
        "1:31: error: only integers can be switched on",
    ),
    (
        "int main(void) { int a = 1; switch (a) { case a: return 0; } return 0; }",
        "1:47: error: the value of a case must be an integer constant",
    ),
    (
        "int f(void) { return 1; } int a = f(); int main(void) { return a; }",
        "1:35: error: the initialiser of a static object must be a constant",
    ),
    ("int a[-1]; int main(void) { return 0; }", "1:7: error: the size of an array is negative"),
    ("int a[1 << 30]; int main(void) { return 0; }", "1:7: error: an array larger than 2 GiB"),
    (
        "int n; int a[n]; int main(void) { return 0; }",
        "1:14: error: the size of an array at file scope must be a constant",
    ),
    (
        "_Static_assert(sizeof(int) == 8, \"int is small\"); int main(void) { return 0; }",
        "1:1: error: static assertion failed: int is small",
    ),
    (
        "int main(void) { 1 = 2; return 0; }",
        "1:18: error: this expression is a value and has no place",
    ),
    (
        "int main(void) { int a[2], b[2]; a = b; return 0; }",
        "1:34: error: `int [2]` cannot be assigned to",
    ),
    (
        "int main(void) { int *p = &1; return 0; }",
        "1:28: error: this expression is a value and has no place",
    ),
    (
        "struct s { int a : 3; } g; int main(void) { int *p = &g.a; return 0; }",
        "1:55: error: a bit-field has no address",
    ),
    (
        "struct s { int a : 40; }; int main(void) { return 0; }",
        "1:20: error: the width of this bit-field must be between 0 and 32",
    ),
    (
        "int f(void)[2]; int main(void) { return 0; }",
        "1:5: error: a function cannot return a function or an array",
    ),
    (
        "int main(void) { int a[2] = 1; return 0; }",
        "1:29: error: an array must be initialised by a list or a string",
    ),
    (
        "struct s { int first; }; int main(void) { struct s a = { .frist = 1 }; return 0; }",
        "1:59: error: `struct s` has no member `frist`; did you mean `first`?",
    ),
    (
        "int a[2] = { [2] = 1 }; int main(void) { return a[0]; }",
        "1:5: error: an index outside the array",
    ),
    ("int f(void) { return 0; }", "1:1: error: the program has no function `main`"),
    (
        "int main(void) { return _Generic(1.5, int: 1); }",
        "1:25: error: no association of this `_Generic` matches",
    ),
    (
        "int main(void) { __asm__(\"cli\"); return 0; }",
        "1:18: error: inline assembly is not supported",
    ),
    (
        "int main(void) { __int128 a = 0; return 0; }",
        "1:18: error: the type `__int128` is not supported",
    ),
    (
        "int main(void) { _Complex double a = 0; return 0; }",
        "1:18: error: the type `_Complex` is not supported",
    ),
    (
        "typedef int v __attribute__((vector_size(16))); int main(void) { v a; return 0; }",
        "1:66: error: `v` is not a type",
    ),
    (
        "int main(void) { int f(void) { return 1; } return f(); }",
        "1:22: error: nested functions are not supported",
    ),
    (
        "int f(int n) { struct s { int a[n]; } s; return 0; } int main(void) { return f(1); }",
        "1:31: error: a field of variable length is not supported",
    ),
    (
        "int f(int); int main(void) { return f(1); }",
        "1:37: error: the function `f` has no definition and is not part of the supported library",
    ),
    ("foo_t a; int main(void) { return 0; }", "1:1: error: unknown type name 'foo_t'"),
    (
        "typedef int t; int main(void) { return t; }",
        "1:40: error: expected an expression, found 't'",
    ),
    (
        "struct s { int a; } g; int main(void) { return 1 ? g : 1; }",
        "1:48: error: the branches are `struct s` and `int`",
    ),
    (
        "int f(void) { return 0; } int main(void) { extern int f; return f; }",
        "1:55: error: `f` is a function here and a variable elsewhere / 1:5: note: the other declaration",
    ),
];

#[test]
fn mistakes_are_named_with_their_places() {
    let differ = CASES.iter().filter_map(|(text, expected)| {
        let said = said(text);
        (said != *expected).then(|| format!("{text}\n  expected {expected}\n  said {said}"))
    });
    let differ: Vec<_> = differ.collect();
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}

#[test]
fn warnings_say_what_to_do() {
    assert_eq!(
        said("int main(void) { puts(\"a\"); return 0; }"),
        "1:18: warning: the function `puts` is called without a declaration / \
         note: `#include <stdio.h>` declares it"
    );
    assert_eq!(
        said("int a[1] = { 1, 2 }; int main(void) { return a[0]; }"),
        "1:17: warning: more values than the object has room for"
    );
}

/// What gcc accepts is accepted.
#[test]
fn what_compilers_accept_is_accepted() {
    for body in [
        "int *p = 5; (void)p;",
        "int i = (char *)0;",
        "char *c = (int *)0; (void)c;",
        "return 1 ? ({ goto l; l: 1; }) : 2;",
        "int x = sizeof(({ m: 1; })); m: return x;",
        "switch (1) { case 1: (void)(1 ? ({ case 2: 1; }) : 3); }",
    ] {
        let text = format!("int main(void) {{ {body} return 0; }}");
        assert_eq!(said(&text), "", "{body}");
    }
}
