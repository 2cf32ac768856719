//! `enum`.

use super::{Parsed, Parser};
use crate::ast::{Enum, Expr, Identifier};
use crate::lex::TokenKind;

impl Parser<'_> {
    /// `enum` with its tag, its constants, or both.
    pub(super) fn enumeration(&mut self) -> Parsed<Enum> {
        let keyword = self.bump();
        let mut attributes = Vec::new();
        self.attributes_into(&mut attributes)?;
        let tag = self.tag();
        let mut constants = None;
        if self.is_at(TokenKind::LeftBrace) {
            constants = Some(self.nested(Self::constants)?);
            self.attributes_into(&mut attributes)?;
        } else if tag.is_none() {
            return Err(self.unexpected("a tag or '{'"));
        }
        Ok(Enum { tag, constants, attributes, span: self.since(keyword.span) })
    }

    fn constants(&mut self) -> Parsed<Vec<(Identifier, Option<Expr>)>> {
        let open = self.bump();
        let mut constants = Vec::new();
        loop {
            let symbol = self.token().symbol;
            let name = self.identifier("the name of a constant")?;
            self.attributes_into(&mut Vec::new())?;
            let value = match self.eat(TokenKind::Assign) {
                true => Some(self.constant()?),
                false => None,
            };
            self.scopes.declare(symbol, false);
            constants.push((name, value));
            if !self.eat(TokenKind::Comma) || self.is_at(TokenKind::RightBrace) {
                break;
            }
        }
        self.close(open, TokenKind::RightBrace)?;
        Ok(constants)
    }
}
