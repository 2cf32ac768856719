//! `__attribute__((…))`, `[[…]]`, and `asm("name")` after a declarator.

use super::{Parsed, Parser};
use crate::ast::{Attribute, Expr, Name};
use crate::lex::{Symbol, Token, TokenKind};

impl Parser<'_> {
    /// Takes all attributes that stand here.
    pub(super) fn attributes_into(&mut self, list: &mut Vec<Attribute>) -> Parsed<()> {
        loop {
            if self.is_at(TokenKind::Attribute) {
                self.bump();
                let outer = self.expect(TokenKind::LeftParen, "'((' after '__attribute__'")?;
                let inner = self.expect(TokenKind::LeftParen, "'((' after '__attribute__'")?;
                self.attribute_list(TokenKind::RightParen, list)?;
                self.close(inner, TokenKind::RightParen)?;
                self.close(outer, TokenKind::RightParen)?;
            } else if self.at_bracket_attribute() {
                let (outer, inner) = (self.bump(), self.bump());
                self.attribute_list(TokenKind::RightBracket, list)?;
                self.close(inner, TokenKind::RightBracket)?;
                self.close(outer, TokenKind::RightBracket)?;
            } else {
                return Ok(());
            }
        }
    }

    /// Whether `[[` stands here, with which nothing but attributes can start.
    pub(super) fn at_bracket_attribute(&self) -> bool {
        self.is_at(TokenKind::LeftBracket) && self.ahead(1).kind == TokenKind::LeftBracket
    }

    /// The token after the attributes that start so many tokens ahead. They are not parsed: doing
    /// so twice for each level of a nest would take forever.
    pub(super) fn after_attributes(&self, mut ahead: usize) -> Token {
        loop {
            let next = self.ahead(ahead);
            let brackets = [next.kind, self.ahead(ahead + 1).kind] == [TokenKind::LeftBracket; 2];
            if !brackets && next.kind != TokenKind::Attribute {
                return next;
            }
            ahead = self.after_group(ahead + usize::from(!brackets));
        }
    }

    /// How far ahead the token after a bracketed group is.
    fn after_group(&self, mut ahead: usize) -> usize {
        let mut open = 0_usize;
        loop {
            match self.ahead(ahead).kind {
                TokenKind::End => return ahead,
                TokenKind::LeftParen | TokenKind::LeftBracket => open += 1,
                TokenKind::RightParen | TokenKind::RightBracket => open = open.saturating_sub(1),
                _ => {}
            }
            ahead += 1;
            if open == 0 {
                return ahead;
            }
        }
    }

    /// Takes `asm("name")`, as it may stand after a declarator, and attributes around it.
    pub(super) fn asm_and_attributes(&mut self, list: &mut Vec<Attribute>) -> Parsed<()> {
        self.attributes_into(list)?;
        if self.is_at(TokenKind::Asm) {
            let keyword = self.bump();
            let open = self.expect(TokenKind::LeftParen, "'(' after 'asm'")?;
            let arguments = vec![self.string()?];
            self.close(open, TokenKind::RightParen)?;
            let span = self.since(keyword.span);
            list.push(Attribute { name: Name::from("asm"), arguments, span });
            self.attributes_into(list)?;
        }
        Ok(())
    }

    /// Attributes with commas between them, some of which may be empty.
    fn attribute_list(&mut self, close: TokenKind, list: &mut Vec<Attribute>) -> Parsed<()> {
        loop {
            if self.eat(TokenKind::Comma) {
                continue;
            }
            if self.is_at(close) || self.is_at(TokenKind::End) {
                return Ok(());
            }
            list.push(self.attribute()?);
            if !self.is_at(close) && !self.is_at(TokenKind::Comma) {
                return Ok(());
            }
        }
    }

    fn attribute(&mut self) -> Parsed<Attribute> {
        let start = self.here();
        let mut name = self.attribute_name()?;
        while self.is_at(TokenKind::Colon) && self.ahead(1).kind == TokenKind::Colon {
            self.bump();
            self.bump();
            name = self.attribute_name()?;
        }
        let mut arguments = Vec::new();
        if self.is_at(TokenKind::LeftParen) {
            let open = self.bump();
            arguments.extend(self.attribute_argument()?);
            while self.eat(TokenKind::Comma) {
                arguments.extend(self.attribute_argument()?);
            }
            self.close(open, TokenKind::RightParen)?;
        }
        Ok(Attribute { name, arguments, span: self.since(start) })
    }

    /// The name, which may be a keyword, without the underscores around it.
    fn attribute_name(&mut self) -> Parsed<Name> {
        let token = self.token();
        if token.symbol == Symbol::NONE {
            return Err(self.unexpected("the name of an attribute"));
        }
        self.bump();
        let name = self.name(token);
        let bare = name.strip_prefix("__").and_then(|name| name.strip_suffix("__"));
        Ok(bare.filter(|bare| !bare.is_empty()).map_or_else(|| name.clone(), Name::from))
    }

    /// One argument, if it is an expression; anything else does not matter here.
    fn attribute_argument(&mut self) -> Parsed<Option<Expr>> {
        let (start, scope) = (self.at, self.scopes.depth());
        if !self.starts_type(self.token()) {
            let argument = self.assignment();
            let is_whole = matches!(self.kind(), TokenKind::Comma | TokenKind::RightParen);
            if let (Ok(argument), true) = (argument, is_whole) {
                return Ok(Some(argument));
            }
        }
        self.at = start;
        self.scopes.leave_to(scope);
        self.skip_argument();
        Ok(None)
    }

    /// Skips to the comma or parenthesis that ends an argument.
    pub(super) fn skip_argument(&mut self) {
        let mut open = 0;
        loop {
            match self.kind() {
                TokenKind::End => return,
                TokenKind::Comma if open == 0 => return,
                TokenKind::RightParen | TokenKind::RightBracket | TokenKind::RightBrace => {
                    if open == 0 {
                        return;
                    }
                    open -= 1;
                }
                TokenKind::LeftParen | TokenKind::LeftBracket | TokenKind::LeftBrace => open += 1,
                _ => {}
            }
            self.bump();
        }
    }
}
