//! Constants: numbers, characters, strings.

use super::{Parsed, Parser};
use crate::ast::{Expr, ExprKind, Prefix};
use crate::diagnostic::Diagnostic;
use crate::lex::number::{self, Number};
use crate::lex::{TokenKind, text};

impl Parser<'_> {
    pub(super) fn number(&mut self) -> Parsed<Expr> {
        let token = self.bump();
        let kind = match number::parse(self.tokens.bytes(token)) {
            Ok(Number::Integer(integer)) => ExprKind::Integer(integer),
            Ok(Number::Float(value, kind)) => ExprKind::Float { value, kind },
            Err((kind, message)) => {
                return Err(Box::new(Diagnostic::new(kind, token.span, message)));
            }
        };
        Ok(Expr { kind, span: token.span })
    }

    pub(super) fn character(&mut self) -> Parsed<Expr> {
        let token = self.bump();
        let (prefix, inside) = text::split(self.tokens.bytes(token));
        let value = text::character(inside, prefix);
        let value = value.map_err(|message| self.invalid(token.span, message))?;
        Ok(Expr { kind: ExprKind::Character { value, prefix }, span: token.span })
    }

    /// One string literal, or several to be joined.
    pub(super) fn string(&mut self) -> Parsed<Expr> {
        let start = self.here();
        let prefix = self.common_prefix()?;
        let mut units = Vec::new();
        while self.is_at(TokenKind::String) {
            let token = self.bump();
            let (_, inside) = text::split(self.tokens.bytes(token));
            let added = text::units(inside, prefix, &mut units);
            added.map_err(|message| self.invalid(token.span, message))?;
        }
        Ok(self.expr(start, ExprKind::String { units, prefix }))
    }

    /// The bytes of a narrow string that is not a value of the program.
    pub(super) fn string_bytes(&mut self) -> Parsed<Vec<u8>> {
        match self.string()?.kind {
            ExprKind::String { units, .. } => Ok(units.iter().map(|unit| *unit as u8).collect()),
            _ => Ok(Vec::new()),
        }
    }

    /// The prefix of adjacent strings: those that have one must agree.
    fn common_prefix(&self) -> Parsed<Prefix> {
        let mut prefix = Prefix::None;
        let mut at = 0;
        while self.ahead(at).kind == TokenKind::String {
            let (next, _) = text::split(self.tokens.bytes(self.ahead(at)));
            if prefix != Prefix::None && next != Prefix::None && next != prefix {
                let message = "string literals with different prefixes cannot be joined";
                return Err(self.invalid(self.ahead(at).span, message));
            }
            prefix = if next == Prefix::None { prefix } else { next };
            at += 1;
        }
        if at == 0 { Err(self.unexpected("a string")) } else { Ok(prefix) }
    }
}
