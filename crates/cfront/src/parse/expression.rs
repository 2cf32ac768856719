//! Expressions down to the binary operators.

use super::operator::{self, Operator};
use super::{Parsed, Parser};
use crate::ast::{Expr, ExprKind};
use crate::lex::TokenKind;
use crate::source::Span;

impl Parser<'_> {
    /// An expression, also with commas.
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        let mut left = self.assignment()?;
        while self.eat(TokenKind::Comma) {
            let right = self.assignment()?;
            self.grow(1)?;
            let span = left.span.to(right.span);
            left = Expr { kind: ExprKind::Comma(Box::new(left), Box::new(right)), span };
        }
        Ok(left)
    }

    /// An expression without commas.
    pub(super) fn assignment(&mut self) -> Parsed<Expr> {
        self.nested(|parser| {
            let left = parser.conditional()?;
            let Some(op) = operator::assignment(parser.kind()) else { return Ok(left) };
            parser.bump();
            let right = parser.assignment()?;
            let span = left.span.to(right.span);
            Ok(Expr { kind: ExprKind::Assign(op, Box::new(left), Box::new(right)), span })
        })
    }

    /// An expression without commas and assignments, as constants are.
    pub(super) fn constant(&mut self) -> Parsed<Expr> {
        self.nested(Self::conditional)
    }

    /// `a ? b : c ? d : e …`; the tree is built from the right when its end is known.
    fn conditional(&mut self) -> Parsed<Expr> {
        let mut last = self.binary()?;
        if !self.is_at(TokenKind::Question) {
            return Ok(last);
        }
        let mut choices = Vec::new();
        while self.eat(TokenKind::Question) {
            let middle = match self.kind() {
                TokenKind::Colon => None,
                _ => Some(Box::new(self.expression()?)),
            };
            self.expect(TokenKind::Colon, "':' of a conditional expression")?;
            choices.push((last, middle));
            last = self.binary()?;
        }
        self.grow(choices.len())?;
        Ok(choices.into_iter().rev().fold(last, |otherwise, (condition, middle)| {
            let span = condition.span.to(otherwise.span);
            let (condition, otherwise) = (Box::new(condition), Box::new(otherwise));
            Expr { kind: ExprKind::Conditional(condition, middle, otherwise), span }
        }))
    }

    /// Operands with operators between them. Those that wait for a right side are on a stack, on
    /// which each binds tighter than the one below.
    fn binary(&mut self) -> Parsed<Expr> {
        let mut right = self.cast()?;
        let mut waiting: Vec<(Expr, Operator, u8)> = Vec::new();
        loop {
            let next = operator::infix(self.kind());
            let binds = next.map_or(0, |(_, binds)| binds);
            while waiting.last().is_some_and(|(_, _, before)| *before >= binds) {
                let (left, operator, _) = waiting.pop().expect("there is one");
                self.grow(1)?;
                right = combine(left, operator, right);
            }
            let Some((operator, binds)) = next else { return Ok(right) };
            self.bump();
            waiting.push((right, operator, binds));
            right = self.cast()?;
        }
    }

    /// An expression around `kind` from `start` to here.
    pub(super) fn expr(&self, start: Span, kind: ExprKind) -> Expr {
        Expr { kind, span: self.since(start) }
    }
}

fn combine(left: Expr, operator: Operator, right: Expr) -> Expr {
    let span = left.span.to(right.span);
    let (left, right) = (Box::new(left), Box::new(right));
    let kind = match operator {
        Operator::Binary(op) => ExprKind::Binary(op, left, right),
        Operator::And => ExprKind::Logical { and: true, left, right },
        Operator::Or => ExprKind::Logical { and: false, left, right },
    };
    Expr { kind, span }
}
