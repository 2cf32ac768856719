//! Labels before a statement; there may be hundreds, so they are read in a loop.

use super::{Parsed, Parser};
use crate::ast::{Expr, Identifier, Stmt, StmtKind};
use crate::lex::TokenKind;
use crate::source::Span;

enum Label {
    Case(Expr, Option<Expr>),
    Default,
    Name(Identifier),
}

impl Parser<'_> {
    /// Whether a label stands here; names of types can be labels, too.
    pub(super) fn at_label(&self) -> bool {
        match self.kind() {
            TokenKind::Case | TokenKind::Default => true,
            TokenKind::Identifier => self.ahead(1).kind == TokenKind::Colon,
            _ => false,
        }
    }

    /// Labels and the statement after them. Before a declaration or `}`, which newer compilers
    /// allow, the statement is empty.
    pub(super) fn labelled(&mut self) -> Parsed<Stmt> {
        let mut labels = Vec::new();
        while self.at_label() {
            let start = self.here();
            labels.push((self.label()?, start));
            self.attributes_into(&mut Vec::new())?;
        }
        let statement = match self.is_at(TokenKind::RightBrace) || self.at_declaration() {
            true => Stmt { kind: StmtKind::Empty, span: self.since(self.here()) },
            false => self.statement()?,
        };
        self.grow(labels.len())?;
        Ok(labels
            .into_iter()
            .rev()
            .fold(statement, |inner, (label, start)| wrap(label, start, inner)))
    }

    fn label(&mut self) -> Parsed<Label> {
        let token = self.token();
        let label = match token.kind {
            TokenKind::Case => {
                self.bump();
                let first = self.constant()?;
                let last = match self.eat(TokenKind::Ellipsis) {
                    true => Some(self.constant()?),
                    false => None,
                };
                Label::Case(first, last)
            }
            TokenKind::Default => {
                self.bump();
                Label::Default
            }
            _ => Label::Name(self.identifier("a label")?),
        };
        self.expect(TokenKind::Colon, "':' after label")?;
        Ok(label)
    }
}

fn wrap(label: Label, start: Span, inner: Stmt) -> Stmt {
    let span = start.to(inner.span);
    let inner = Box::new(inner);
    let kind = match label {
        Label::Case(first, last) => StmtKind::Case(first, last, inner),
        Label::Default => StmtKind::Default(inner),
        Label::Name(name) => StmtKind::Label(name, inner),
    };
    Stmt { kind, span }
}
