//! What is said about texts that are not C, or not C for us.

use super::{check, tree};

#[track_caller]
fn check_body(text: &str, expected: &str) {
    check(&format!("void f(void) {{ {text} }}"), expected);
}

#[test]
fn missing_semicolons() {
    check_body("a b;", "error at 'a': unknown type name 'a'");
    check_body("a = 1 b = 2;", "error at 'b': expected ';' after expression, found 'b'");
    check_body("return 1", "error at '}': expected ';' after 'return', found '}'");
    check("int a int b;", "error at 'int': expected ';' after declaration, found 'int'");
    check(
        "struct s { int a; } int b;",
        "error at 'int': expected ';' after definition, found 'int'",
    );
    check("int a", "error at '': expected ';' after declaration, found the end of the file");
}

#[test]
fn missing_brackets() {
    check_body("f(a;", "error at ';': expected ')', found ';'");
    check_body("a[1;", "error at ';': expected ']', found ';'");
    check("void f(void) { a;", "error at '': expected '}', found the end of the file");
    check("int a = {1, 2;", "error at ';': expected '}', found ';'");
    check_body("if a", "error at 'a': expected '(' after 'if', found 'a'");
    check_body("do a; b;", "error at 'b': expected 'while' after the body of 'do', found 'b'");
}

#[test]
fn unknown_types() {
    check("foo_t a;", "error at 'foo_t': unknown type name 'foo_t'");
    check("foo_t *a;", "error at 'foo_t': unknown type name 'foo_t'");
    check("int f(foo_t a);", "error at 'foo_t': unknown type name 'foo_t'");
    check("int f(int a, foo_t b);", "error at 'foo_t': unknown type name 'foo_t'");
    check("struct s { foo_t a; };", "error at 'foo_t': unknown type name 'foo_t'");
    check("static foo_t a;", "error at 'foo_t': unknown type name 'foo_t'");
}

#[test]
fn types_that_do_not_go_together() {
    check(
        "unsigned float a;",
        "error at 'float': 'float' cannot be combined with the type before it",
    );
    check(
        "long long long a;",
        "error at 'long': 'long' cannot be combined with the type before it",
    );
    check("int struct s a;", "error at 'struct': two or more data types in declaration");
    check("static extern a;", "error at 'extern': multiple storage classes in declaration");
}

#[test]
fn expressions_that_are_none() {
    check_body("a = ;", "error at ';': expected an expression, found ';'");
    check_body("a + * ;", "error at ';': expected an expression, found ';'");
    check_body("if (a) int b;", "error at 'int': expected an expression, found 'int'");
    check_body("else b;", "error at 'else': 'else' without a previous 'if'");
    check_body("a.1;", "error at '.1': expected ';' after expression, found '.1'");
    check_body("a ? b;", "error at ';': expected ':' of a conditional expression, found ';'");
    check_body("a = 08;", "error at '08': invalid digit '8' in an octal constant");
    check_body("a = '';", "error at '''': empty character constant");
    check_body(
        "u\"a\" U\"b\";",
        "error at 'U\"b\"': string literals with different prefixes cannot be joined",
    );
}

#[test]
fn what_is_no_token() {
    check_body("a = @;", "error at '@': stray '@' in program");
    check("char *s = \"abc\n;", "error at '\"abc': missing terminating '\"' character");
    check("char s = 'a\n;", "error at ''a': missing terminating ' character");
    check("int /* a;", "error at '/* a;': unterminated comment");
}

#[test]
fn what_is_not_supported_is_named() {
    check_body("int g(void) { }", "error at 'g': nested functions are not supported");
    check_body("__real__ a;", "error at '__real__': '__real__' is not supported");
    check_body(
        "1.0F64;",
        "error at '1.0F64': floating constants with the suffix 'F64' are not supported",
    );
}

#[test]
fn long_tokens_are_cut_off() {
    let text = format!("int a {};", "b".repeat(100));
    let message = format!("found '{}…'", "b".repeat(40));
    assert!(tree(&text).contains(&message), "{}", tree(&text));
}

#[test]
fn brackets_are_matched_in_notes() {
    let errors = raddle_cfront::parse::unit(b"int a[3;", 10).unwrap_err();
    let (place, note) = &errors[0].notes[0];
    assert_eq!((place.map(|place| place.start), note.as_str()), (Some(15), "to match this '['"));
}

#[test]
fn several_items_can_be_wrong() {
    check(
        "foo a; int f(void) { return } int b; void g(void) { if (x { } } bar c;",
        "error at 'foo': unknown type name 'foo'\n\
         error at '}': expected an expression, found '}'\n\
         error at '{': expected ')', found '{'\n\
         error at 'bar': unknown type name 'bar'",
    );
}

#[test]
fn a_wrong_typedef_is_one_error() {
    check("typedef foo T; T a; T f(T);", "error at 'foo': unknown type name 'foo'");
}

#[test]
fn scopes_end_with_their_item() {
    check(
        "typedef int T; void f(void) { int T; ( } T a; int b b;",
        "error at '}': expected an expression, found '}'\n\
         error at 'b': expected ';' after declaration, found 'b'",
    );
}

#[test]
fn errors_end_at_twenty() {
    assert_eq!(tree(&"foo a;".repeat(100)).lines().count(), 20);
}
