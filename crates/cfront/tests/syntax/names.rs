//! Which names are types, and where.

use super::check;

/// `T` is a type at file scope.
#[track_caller]
fn check_body(text: &str, expected: &str) {
    check(
        &format!("typedef int T; void f(void) {{ {text} }}"),
        &format!("(decl typedef T:int)\n(func f:()void {expected})"),
    );
}

#[test]
fn typedef_names_are_types() {
    check_body(
        "T a; T *b; (T) c; sizeof(T);",
        "(decl a:'T) (decl b:*'T) (cast 'T c) (sizeof-type 'T)",
    );
    check_body("T (a); T (*b)(T);", "(decl a:'T) (decl b:*(:'T)'T)");
    check_body("a * b; a(b);", "(* a b) (call a b)");
}

#[test]
fn blocks_hide_them() {
    check_body(
        "{ int T = 1; T * 2; (T) - 3; } T a;",
        "{(decl T:int = 1) (* T 2) (- T 3)} (decl a:'T)",
    );
    check_body("T T = 1; T * 2;", "(decl T:'T = 1) (* T 2)");
    check_body("unsigned T; T = 1;", "(decl T:unsignedint) (= T 1)");
    check_body("int T = sizeof(T);", "(decl T:int = (sizeof T))");
    check_body("int a = sizeof(T), T; T++;", "(decl a:int = (sizeof-type 'T) T:int) (post++ T)");
}

#[test]
fn a_type_alone_declares_nothing() {
    check_body(
        "T; const T; static T; T a;",
        "(type 'T) (type const 'T) (type static 'T) (decl a:'T)",
    );
}

#[test]
fn loops_have_scopes() {
    check_body(
        "for (int T = 0; T < 1; T++) T * 2; T a;",
        "(for (decl T:int = 0) (< T 1) (post++ T) (* T 2)) (decl a:'T)",
    );
}

#[test]
fn constants_hide_them() {
    check_body("{ enum { T }; T * 2; } T a;", "{(type enum {T}) (* T 2)} (decl a:'T)");
    check_body("enum { X = sizeof(T), T }; T * 2;", "(type enum {X=(sizeof-type 'T) T}) (* T 2)");
}

#[test]
fn members_and_tags_and_labels_do_not() {
    check_body(
        "struct T { int T; T b; } c; c.T; T d;",
        "(decl c:struct T {T:int; b:'T}) (. c T) (decl d:'T)",
    );
    check_body("T: ; goto T; T a;", "(label T ()) (goto T) (decl a:'T)");
    check_body("struct s a = {.T = 1, T: 2}; a->T;", "(decl a:struct s = {.T=1 .T=2}) (-> a T)");
    check_body(
        "T : a; switch (a) { default: T b; }",
        "(label T a) (switch a {(default ()) (decl b:'T)})",
    );
}

#[test]
fn inner_typedefs_end_with_their_block() {
    check_body("{ typedef char U; U a; } U * b;", "{(decl typedef U:char) (decl a:'U)} (* U b)");
    check_body(
        "{ int T; { typedef int T; T a; } T * 2; }",
        "{(decl T:int) {(decl typedef T:int) (decl a:'T)} (* T 2)}",
    );
    check_body(
        "({ typedef int U; U a; a; }); U * b;",
        "(do (decl typedef U:int) (decl a:'U) a) (* U b)",
    );
}

#[test]
fn parameters_hide_them_in_the_body() {
    check(
        "typedef int T; int f(T T) { return T * 2; } T a;",
        "(decl typedef T:int)\n(func f:(T:'T)int (return (* T 2)))\n(decl a:'T)",
    );
    check(
        "typedef int T; int f(int T, int a[sizeof(T)]); T a;",
        "(decl typedef T:int)\n(decl f:(T:int a:[(sizeof T)]int)int)\n(decl a:'T)",
    );
    check(
        "typedef int T; int f(T), g(int (T)), h(int (T x));",
        "(decl typedef T:int)\n(decl f:(:'T)int g:(:(:'T)int)int h:(:(x:'T)int)int)",
    );
}

#[test]
fn typedefs_may_be_repeated() {
    check(
        "typedef int T; typedef int T; T a;",
        "(decl typedef T:int)\n(decl typedef T:int)\n(decl a:'T)",
    );
    check("typedef int T, *P; P p; T t;", "(decl typedef T:int P:*int)\n(decl p:'P)\n(decl t:'T)");
    check("int typedef T; T a;", "(decl typedef T:int)\n(decl a:'T)");
    check(
        "typedef struct s s; struct s { s *next; };",
        "(decl typedef s:struct s)\n(type struct s {next:*'s})",
    );
}
