//! The parser: tokens to the syntax tree.
//!
//! In: the bytes of a preprocessed text. Out: an [`ast::Unit`], or what is wrong with the text.
//! Recursive descent, with an explicit stack for binary operators. The parser follows gcc where
//! gcc goes beyond C11, and knows which names are types, since C cannot be parsed otherwise.
//!
//! No text can overflow the stack: what nests deeper than [`MAX_DEPTH`] is refused, and so is a
//! tree higher than [`MAX_HEIGHT`], which long chains (`a + b + …`, `else if`) build without any
//! nesting, and over which dropping and lowering the tree have to recurse.

mod asm;
mod attribute;
mod builtin;
mod constant;
mod cursor;
mod declaration;
mod declarator;
mod enumeration;
mod expression;
mod initializer;
mod item;
mod label;
mod operator;
mod parameter;
mod record;
mod scope;
mod specifier;
mod statement;
mod unary;
mod words;

use crate::ast;
use crate::diagnostic::Diagnostic;
use crate::lex::{self, Tokens};
use crate::source::Span;

use scope::Scopes;

/// How deep parentheses, blocks, declarators and initialisers may nest.
pub const MAX_DEPTH: u32 = 256;

/// How many nodes may stand above each other in a tree.
pub const MAX_HEIGHT: u32 = 2000;

/// After so many errors, further ones help no one.
const MAX_ERRORS: usize = 20;

/// Parses a translation unit; `base` is the global position of the first byte of `text`.
pub fn unit(text: &[u8], base: u32) -> Result<ast::Unit, Vec<Diagnostic>> {
    if u64::from(base) + text.len() as u64 > u64::from(u32::MAX) {
        let place = Span { start: base, end: base };
        return Err(vec![Diagnostic::unsupported(place, "the text is too large")]);
    }
    Parser::new(lex::lex(text, base)).unit()
}

/// What a parsing function returns; the error is boxed to keep the stack small.
type Parsed<T> = Result<T, Box<Diagnostic>>;

struct Parser<'t> {
    tokens: Tokens<'t>,
    /// The index of the next token.
    at: usize,
    scopes: Scopes,
    /// How deep the construct nests that is being parsed.
    depth: u32,
    /// How high the highest tree is that was parsed since the current construct began.
    height: u32,
}

impl<'t> Parser<'t> {
    fn new(tokens: Tokens<'t>) -> Parser<'t> {
        let scopes = Scopes::new(tokens.names.count());
        Parser { tokens, at: 0, scopes, depth: 0, height: 0 }
    }
}
