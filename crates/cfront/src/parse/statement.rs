//! Statements and blocks.

use super::{Parsed, Parser};
use crate::ast::{Block, Expr, Stmt, StmtKind};
use crate::lex::TokenKind;
use crate::source::Span;

impl Parser<'_> {
    /// `{ … }` with a scope of its own.
    pub(super) fn block(&mut self) -> Parsed<Block> {
        self.scopes.enter();
        let block = self.block_in_scope()?;
        self.scopes.leave();
        Ok(block)
    }

    /// `{ … }` in the scope that is open: the body of a function.
    pub(super) fn block_in_scope(&mut self) -> Parsed<Block> {
        let open = self.expect(TokenKind::LeftBrace, "'{'")?;
        let mut items = Vec::new();
        while !matches!(self.kind(), TokenKind::RightBrace | TokenKind::End) {
            items.push(self.block_item()?);
        }
        self.close(open, TokenKind::RightBrace)?;
        Ok(Block { items, span: self.since(open.span) })
    }

    /// Whether a declaration stands here.
    pub(super) fn at_declaration(&self) -> bool {
        let mut ahead = 0;
        while self.ahead(ahead).kind == TokenKind::Extension {
            ahead += 1;
        }
        let first = self.ahead(ahead);
        first.kind == TokenKind::StaticAssert || self.starts_specifiers(first)
    }

    fn block_item(&mut self) -> Parsed<Stmt> {
        let start = self.here();
        if self.at_label() {
            return self.statement();
        }
        if self.is_at(TokenKind::LocalLabel) {
            return self.local_labels();
        }
        if self.at_attribute_statement() {
            self.attributes_into(&mut Vec::new())?;
            return self.statement();
        }
        if self.at_bracket_attribute() || self.at_declaration() {
            let declaration = self.declaration()?;
            return Ok(self.stmt(start, StmtKind::Declaration(declaration)));
        }
        let next = self.ahead(1);
        if self.is_at(TokenKind::Identifier) && next.kind == TokenKind::Identifier {
            return Err(self.unknown_type(self.token()));
        }
        self.statement()
    }

    /// Whether attributes stand here that do not start a declaration: `[[fallthrough]];`.
    fn at_attribute_statement(&self) -> bool {
        if !self.is_at(TokenKind::Attribute) && !self.at_bracket_attribute() {
            return false;
        }
        let next = self.after_attributes(0);
        let is_declaration = next.kind == TokenKind::Extension || self.starts_specifiers(next);
        !is_declaration
    }

    /// `__label__ a, b;`
    fn local_labels(&mut self) -> Parsed<Stmt> {
        let keyword = self.bump();
        let mut labels = vec![self.identifier("a label")?];
        while self.eat(TokenKind::Comma) {
            labels.push(self.identifier("a label")?);
        }
        self.expect(TokenKind::Semicolon, "';' after labels")?;
        Ok(self.stmt(keyword.span, StmtKind::LocalLabels(labels)))
    }

    /// A statement.
    pub(super) fn statement(&mut self) -> Parsed<Stmt> {
        self.nested(|parser| {
            parser.attributes_into(&mut Vec::new())?;
            if parser.at_label() {
                return parser.labelled();
            }
            let start = parser.here();
            match parser.kind() {
                TokenKind::If => parser.choice(),
                TokenKind::For => parser.for_loop(),
                _ => {
                    let kind = parser.simple_statement()?;
                    Ok(parser.stmt(start, kind))
                }
            }
        })
    }

    fn simple_statement(&mut self) -> Parsed<StmtKind> {
        match self.kind() {
            TokenKind::LeftBrace => Ok(StmtKind::Block(self.block()?)),
            TokenKind::Semicolon => {
                self.bump();
                Ok(StmtKind::Empty)
            }
            TokenKind::While => {
                let condition = self.condition("'(' after 'while'")?;
                Ok(StmtKind::While(condition, Box::new(self.statement()?)))
            }
            TokenKind::Switch => {
                let value = self.condition("'(' after 'switch'")?;
                Ok(StmtKind::Switch(value, Box::new(self.statement()?)))
            }
            TokenKind::Do => self.do_loop(),
            TokenKind::Asm => Ok(StmtKind::Asm(self.asm()?)),
            _ => {
                let (kind, what) = self.jump_or_expression()?;
                self.expect(TokenKind::Semicolon, what)?;
                Ok(kind)
            }
        }
    }

    /// A statement that ends with a semicolon, without it, and how to ask for it.
    fn jump_or_expression(&mut self) -> Parsed<(StmtKind, &'static str)> {
        match self.kind() {
            TokenKind::Goto => {
                self.bump();
                let kind = match self.eat(TokenKind::Star) {
                    true => StmtKind::GotoComputed(self.expression()?),
                    false => StmtKind::Goto(self.identifier("a label after 'goto'")?),
                };
                Ok((kind, "';' after 'goto'"))
            }
            TokenKind::Break => {
                self.bump();
                Ok((StmtKind::Break, "';' after 'break'"))
            }
            TokenKind::Continue => {
                self.bump();
                Ok((StmtKind::Continue, "';' after 'continue'"))
            }
            TokenKind::Return => {
                self.bump();
                let value = self.optional_expression(TokenKind::Semicolon)?;
                Ok((StmtKind::Return(value), "';' after 'return'"))
            }
            TokenKind::Else => Err(self.invalid(self.here(), "'else' without a previous 'if'")),
            _ => Ok((StmtKind::Expr(self.expression()?), "';' after expression")),
        }
    }

    /// `if … else if … else …`, built from the end.
    fn choice(&mut self) -> Parsed<Stmt> {
        let mut branches = Vec::new();
        let mut last = None;
        loop {
            let start = self.here();
            let condition = self.condition("'(' after 'if'")?;
            branches.push((start, condition, self.statement()?));
            if !self.eat(TokenKind::Else) {
                break;
            }
            if !self.is_at(TokenKind::If) {
                last = Some(self.statement()?);
                break;
            }
        }
        self.grow(branches.len())?;
        let chain = branches.into_iter().rev().fold(last, |otherwise, (start, condition, then)| {
            let span = start.to(otherwise.as_ref().map_or(then.span, |stmt: &Stmt| stmt.span));
            let kind = StmtKind::If(condition, Box::new(then), otherwise.map(Box::new));
            Some(Stmt { kind, span })
        });
        Ok(chain.expect("there is one branch at least"))
    }

    /// The keyword and `(expression)`.
    fn condition(&mut self, wanted: &str) -> Parsed<Expr> {
        self.bump();
        let open = self.expect(TokenKind::LeftParen, wanted)?;
        let condition = self.expression()?;
        self.close(open, TokenKind::RightParen)?;
        Ok(condition)
    }

    fn do_loop(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let body = Box::new(self.statement()?);
        if !self.is_at(TokenKind::While) {
            return Err(self.unexpected("'while' after the body of 'do'"));
        }
        let condition = self.condition("'(' after 'while'")?;
        self.expect(TokenKind::Semicolon, "';' after 'do … while'")?;
        Ok(StmtKind::DoWhile(body, condition))
    }

    fn for_loop(&mut self) -> Parsed<Stmt> {
        let keyword = self.bump();
        let open = self.expect(TokenKind::LeftParen, "'(' after 'for'")?;
        self.scopes.enter();
        let first = Box::new(self.for_start()?);
        let condition = self.optional_expression(TokenKind::Semicolon)?;
        self.expect(TokenKind::Semicolon, "';' in 'for'")?;
        let step = self.optional_expression(TokenKind::RightParen)?;
        self.close(open, TokenKind::RightParen)?;
        let body = Box::new(self.statement()?);
        self.scopes.leave();
        Ok(self.stmt(keyword.span, StmtKind::For(first, condition, step, body)))
    }

    /// The first part of `for`, with its semicolon.
    fn for_start(&mut self) -> Parsed<Stmt> {
        let start = self.here();
        if self.at_bracket_attribute() || self.at_declaration() {
            let declaration = self.declaration()?;
            return Ok(self.stmt(start, StmtKind::Declaration(declaration)));
        }
        let first = self.optional_expression(TokenKind::Semicolon)?;
        self.expect(TokenKind::Semicolon, "';' in 'for'")?;
        Ok(self.stmt(start, first.map_or(StmtKind::Empty, StmtKind::Expr)))
    }

    /// An expression, unless its end stands here.
    fn optional_expression(&mut self, end: TokenKind) -> Parsed<Option<Expr>> {
        if self.is_at(end) { Ok(None) } else { Ok(Some(self.expression()?)) }
    }

    fn stmt(&self, start: Span, kind: StmtKind) -> Stmt {
        Stmt { kind, span: self.since(start) }
    }
}
