//! Initialisers, with designators in the forms of C99 and of older compilers.

use super::{Parsed, Parser};
use crate::ast::{Designator, Initializer, InitializerItem};
use crate::lex::TokenKind;

impl Parser<'_> {
    /// An expression, or a list in braces.
    pub(super) fn initializer(&mut self) -> Parsed<Initializer> {
        if self.is_at(TokenKind::LeftBrace) {
            self.nested(Self::initializer_list)
        } else {
            Ok(Initializer::Expr(self.assignment()?))
        }
    }

    fn initializer_list(&mut self) -> Parsed<Initializer> {
        let open = self.bump();
        let mut items = Vec::new();
        while !self.is_at(TokenKind::RightBrace) {
            items.push(self.initializer_item()?);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.close(open, TokenKind::RightBrace)?;
        Ok(Initializer::List(items, self.since(open.span)))
    }

    fn initializer_item(&mut self) -> Parsed<InitializerItem> {
        let start = self.here();
        let designators = self.designators()?;
        let value = self.initializer()?;
        Ok(InitializerItem { designators, value, span: self.since(start) })
    }

    /// What stands before a value: `.a[1] =`, and the old `a:` and `[1]`.
    fn designators(&mut self) -> Parsed<Vec<Designator>> {
        let old = self.is_at(TokenKind::Identifier) && self.ahead(1).kind == TokenKind::Colon;
        if old {
            let field = self.identifier("a member")?;
            self.bump();
            return Ok(vec![Designator::Field(field)]);
        }
        let mut designators = Vec::new();
        while let Some(designator) = self.designator()? {
            designators.push(designator);
        }
        let may_lack_sign =
            matches!(designators[..], [] | [Designator::Index(_) | Designator::Range(..)]);
        if !self.eat(TokenKind::Assign) && !may_lack_sign {
            return Err(self.unexpected("'=' after designator"));
        }
        Ok(designators)
    }

    /// `.field`, `[index]` or `[first ... last]`, if there is one.
    pub(super) fn designator(&mut self) -> Parsed<Option<Designator>> {
        match self.kind() {
            TokenKind::Dot => {
                self.bump();
                Ok(Some(Designator::Field(self.identifier("the name of a member after '.'")?)))
            }
            TokenKind::LeftBracket => {
                let open = self.bump();
                let first = self.constant()?;
                let designator = match self.eat(TokenKind::Ellipsis) {
                    true => Designator::Range(first, self.constant()?),
                    false => Designator::Index(first),
                };
                self.close(open, TokenKind::RightBracket)?;
                Ok(Some(designator))
            }
            _ => Ok(None),
        }
    }
}
