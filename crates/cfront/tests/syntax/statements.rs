//! Statements.

use super::{check, check_body};

#[test]
fn simple_statements() {
    check_body(";", "()");
    check_body("{ a; { } }", "{a {}}");
    check_body("return; return a + 1;", "(return) (return (+ a 1))");
    check_body("break; continue; goto a;", "(break) (continue) (goto a)");
    check_body("goto *p[1];", "(goto* (index p 1))");
    check_body("__label__ a, b;", "(labels a b)");
}

#[test]
fn choices() {
    check_body("if (a) b; else c;", "(if a b c)");
    check_body("if (a) if (b) c; else d;", "(if a (if b c d))");
    check_body("if (a) { } else if (b) c; else d;", "(if a {} (if b c d))");
    check_body("if (a) b; c;", "(if a b) c");
}

#[test]
fn loops() {
    check_body("while (a) b;", "(while a b)");
    check_body("do a; while (b); c;", "(do-while a b) c");
    check_body("for (;;) ;", "(for () _ _ ())");
    check_body("for (a = 1; b; c++) d;", "(for (= a 1) b (post++ c) d)");
    check_body(
        "for (int i = 0, *p; i < 3; i++) { }",
        "(for (decl i:int = 0 p:*int) (< i 3) (post++ i) {})",
    );
}

#[test]
fn switches_and_labels() {
    check_body(
        "switch (a) { case 1: case 2: b; break; case 3 ... 5: c; default: ; }",
        "(switch a {(case 1 (case 2 b)) (break) (case 3..5 c) (default ())})",
    );
    check_body("switch (a) case 'x': b;", "(switch a (case c120 b))");
    check_body("case 1 ? 2 : 3: a;", "(case (? 1 2 3) a)");
    check_body("a: b: c;", "(label a (label b c))");
    check_body("a: __attribute__((unused)) b;", "(label a b)");
    check_body("{ a: }", "{(label a ())}");
    check_body("a: int b; c;", "(label a ()) (decl b:int) c");
}

#[test]
fn attributes_before_statements() {
    check_body("__attribute__((fallthrough)); a;", "() a");
    check_body("[[fallthrough]]; a;", "() a");
    check_body("__attribute__((unused)) int a; b;", "(decl @unused a:int) b");
    check_body("[[maybe_unused]] int a;", "(decl @maybe_unused a:int)");
}

#[test]
fn assembly() {
    check_body("asm(\"\");", "(asm \"\")");
    check_body("__asm__ __volatile__(\"mfence\" ::: \"memory\");", "(asm \"mfence\")");
    check_body(
        "asm volatile(\"mov\" \" x\" : \"=r\"(a), [b] \"=m\"(*c) : \"r\"(d) : \"cc\", \"memory\");",
        "(asm \"mov x\" outputs)",
    );
    check_body("asm goto(\"\" : : : : l); l: ;", "(asm \"\") (label l ())");
    check("asm(\".text\"); int a;", "(asm \".text\")\n(decl a:int)");
}

#[test]
fn declarations_stand_among_statements() {
    check_body(
        "a; int b; __extension__ int c; __extension__ d; _Static_assert(1, \"x\");",
        "a (decl b:int) (decl c:int) d (static_assert 1 \"x\")",
    );
    check_body("static a; register b = 1;", "(decl static a:int) (decl register b:int = 1)");
}
