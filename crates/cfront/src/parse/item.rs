//! File scope: one item after the other, and how to go on after an error.

use super::{MAX_ERRORS, Parsed, Parser};
use crate::ast::{Item, Unit};
use crate::diagnostic::Diagnostic;
use crate::lex::TokenKind;

impl Parser<'_> {
    /// All items, or all errors.
    pub(super) fn unit(mut self) -> Result<Unit, Vec<Diagnostic>> {
        let mut unit = Unit::default();
        let mut errors = Vec::new();
        while !self.is_at(TokenKind::End) && errors.len() < MAX_ERRORS {
            if self.eat(TokenKind::Semicolon) {
                continue;
            }
            let first = self.at;
            match self.item() {
                Ok(item) => unit.items.push(item),
                Err(error) => {
                    errors.push(*error);
                    self.recover(first);
                }
            }
        }
        if errors.is_empty() { Ok(unit) } else { Err(errors) }
    }

    fn item(&mut self) -> Parsed<Item> {
        self.height = 0;
        let start = self.at;
        while self.eat(TokenKind::Extension) {}
        if self.is_at(TokenKind::Asm) {
            return Ok(Item::Asm(self.asm()?));
        }
        self.at = start;
        self.declaration_or_function()
    }

    /// Skips the rest of the item that started with token `first`: to the semicolon or the
    /// closing brace that ends it.
    fn recover(&mut self, first: usize) {
        self.scopes.leave_to(0);
        let error = self.at;
        let mut open = 0_i64;
        self.at = first;
        loop {
            let token = self.bump();
            let after_error = self.at > error;
            match token.kind {
                TokenKind::End => return,
                TokenKind::LeftBrace => open += 1,
                TokenKind::RightBrace => {
                    open -= 1;
                    if after_error && open <= 0 && !self.is_at(TokenKind::Semicolon) {
                        return;
                    }
                }
                TokenKind::Semicolon if after_error && open <= 0 => break,
                _ => {}
            }
        }
        self.declare_failed_typedef(first);
    }

    /// One wrong typedef should not make an error of every use of its name: the name before the
    /// semicolon is most likely the one.
    fn declare_failed_typedef(&mut self, first: usize) {
        let is_typedef = self.tokens.list[first].kind == TokenKind::Typedef;
        let Some(name) = self.at.checked_sub(2).map(|at| self.tokens.list[at]) else { return };
        if is_typedef && name.kind == TokenKind::Identifier {
            self.scopes.declare(name.symbol, true);
        }
    }
}
