//! `asm`, as a statement and at file scope: kept as far as is needed to refuse it by name.

use super::{Parsed, Parser};
use crate::ast::Asm;
use crate::lex::TokenKind;

impl Parser<'_> {
    /// `asm volatile ("template" : outputs : inputs : clobbers : labels);`
    pub(super) fn asm(&mut self) -> Parsed<Asm> {
        let keyword = self.bump();
        while matches!(
            self.kind(),
            TokenKind::Volatile | TokenKind::Const | TokenKind::Inline | TokenKind::Goto
        ) {
            self.bump();
        }
        let open = self.expect(TokenKind::LeftParen, "'(' after 'asm'")?;
        let template = self.string_bytes()?;
        let mut outputs = false;
        if self.eat(TokenKind::Colon) {
            outputs = !matches!(self.kind(), TokenKind::Colon | TokenKind::RightParen);
        }
        self.skip_argument();
        while self.eat(TokenKind::Comma) {
            self.skip_argument();
        }
        self.close(open, TokenKind::RightParen)?;
        self.expect(TokenKind::Semicolon, "';' after 'asm'")?;
        Ok(Asm { template, outputs, span: self.since(keyword.span) })
    }
}
