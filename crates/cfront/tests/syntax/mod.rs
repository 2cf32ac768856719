//! The parser from the outside: small texts to trees, written as s-expressions, and to errors.

mod declarations;
mod depth;
mod errors;
mod expressions;
mod headers;
mod names;
mod random;
mod sexp;
mod statements;

use raddle_cfront::parse;

/// The tree of a text, or its errors, one per line.
fn tree(text: &str) -> String {
    match parse::unit(text.as_bytes(), 0) {
        Ok(unit) => sexp::unit(&unit),
        Err(errors) => {
            let shown = errors.iter().map(|error| {
                let (start, end) = (error.span.start as usize, error.span.end as usize);
                format!("error at '{}': {}", &text[start..end], error.message)
            });
            shown.collect::<Vec<_>>().join("\n")
        }
    }
}

/// A text at file scope and its tree.
#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(tree(text), expected);
}

/// Statements in a function and their trees.
#[track_caller]
fn check_body(text: &str, expected: &str) {
    let whole = tree(&format!("void f(void) {{ {text} }}"));
    assert_eq!(whole, format!("(func f:()void {expected})"));
}

/// An expression and its tree.
#[track_caller]
fn check_expr(text: &str, expected: &str) {
    check_body(&format!("{text};"), expected);
}
