//! Casts, operators before and after an operand, and operands themselves.

use super::{Parsed, Parser, operator};
use crate::ast::{Expr, ExprKind, TypeName};
use crate::lex::TokenKind;
use crate::source::Span;

impl Parser<'_> {
    /// `(type) operand`, or an operand with its operators.
    pub(super) fn cast(&mut self) -> Parsed<Expr> {
        if !self.at_type_in_parentheses() {
            return self.unary();
        }
        let start = self.here();
        let name = self.type_in_parentheses()?;
        if self.is_at(TokenKind::LeftBrace) {
            return self.compound(start, name);
        }
        let operand = self.nested(Self::cast)?;
        Ok(self.expr(start, ExprKind::Cast(name, Box::new(operand))))
    }

    fn at_type_in_parentheses(&self) -> bool {
        self.is_at(TokenKind::LeftParen) && self.starts_type(self.ahead(1))
    }

    /// `(type) { … }`, from the brace on, and what follows it.
    fn compound(&mut self, start: Span, name: Box<TypeName>) -> Parsed<Expr> {
        let values = Box::new(self.initializer()?);
        let literal = self.expr(start, ExprKind::Compound(name, values));
        self.postfix(literal)
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let token = self.token();
        if let Some(op) = operator::prefix(token.kind) {
            self.bump();
            let operand = self.nested(Self::cast)?;
            return Ok(self.expr(token.span, ExprKind::Unary(op, Box::new(operand))));
        }
        match token.kind {
            TokenKind::PlusPlus | TokenKind::MinusMinus => {
                self.bump();
                let place = Box::new(self.nested(Self::cast)?);
                let up = token.kind == TokenKind::PlusPlus;
                Ok(self.expr(token.span, ExprKind::Step { place, up, postfix: false }))
            }
            TokenKind::AndAnd => {
                self.bump();
                let label = self.identifier("the name of a label after '&&'")?;
                Ok(self.expr(token.span, ExprKind::LabelAddress(label)))
            }
            TokenKind::Sizeof | TokenKind::Alignof => self.size(),
            TokenKind::Extension => {
                self.bump();
                self.nested(Self::cast)
            }
            _ => {
                let operand = self.primary()?;
                self.postfix(operand)
            }
        }
    }

    /// `sizeof` and `_Alignof`, of a type or an expression.
    fn size(&mut self) -> Parsed<Expr> {
        let keyword = self.bump();
        let is_size = keyword.kind == TokenKind::Sizeof;
        if !self.at_type_in_parentheses() {
            let operand = Box::new(self.nested(Self::unary)?);
            return Ok(self.expr(keyword.span, size_of_expr(is_size, operand)));
        }
        let start = self.here();
        let name = self.type_in_parentheses()?;
        if self.is_at(TokenKind::LeftBrace) {
            let operand = Box::new(self.nested(|parser| parser.compound(start, name))?);
            return Ok(self.expr(keyword.span, size_of_expr(is_size, operand)));
        }
        let kind = match is_size {
            true => ExprKind::SizeofType(name),
            false => ExprKind::AlignofType(name),
        };
        Ok(self.expr(keyword.span, kind))
    }

    /// Takes what follows an operand: indices, arguments, members, steps.
    pub(super) fn postfix(&mut self, operand: Expr) -> Parsed<Expr> {
        let start = operand.span;
        let mut operand = operand;
        loop {
            let kind = match self.kind() {
                TokenKind::LeftBracket => {
                    let open = self.bump();
                    let index = self.expression()?;
                    self.close(open, TokenKind::RightBracket)?;
                    ExprKind::Index(Box::new(operand), Box::new(index))
                }
                TokenKind::LeftParen => {
                    let arguments = self.arguments()?;
                    ExprKind::Call(Box::new(operand), arguments)
                }
                TokenKind::Dot | TokenKind::Arrow => {
                    let arrow = self.bump().kind == TokenKind::Arrow;
                    let field = self.identifier("the name of a member")?;
                    ExprKind::Member { base: Box::new(operand), field, arrow }
                }
                TokenKind::PlusPlus | TokenKind::MinusMinus => {
                    let up = self.bump().kind == TokenKind::PlusPlus;
                    ExprKind::Step { place: Box::new(operand), up, postfix: true }
                }
                _ => return Ok(operand),
            };
            self.grow(1)?;
            operand = self.expr(start, kind);
        }
    }

    fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        let open = self.bump();
        let mut arguments = Vec::new();
        if !self.is_at(TokenKind::RightParen) {
            arguments.push(self.assignment()?);
            while self.eat(TokenKind::Comma) {
                arguments.push(self.assignment()?);
            }
        }
        self.close(open, TokenKind::RightParen)?;
        Ok(arguments)
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let token = self.token();
        match token.kind {
            TokenKind::Identifier if !self.scopes.is_type(token.symbol) => {
                self.bump();
                Ok(Expr { kind: ExprKind::Identifier(self.name(token)), span: token.span })
            }
            TokenKind::Number => self.number(),
            TokenKind::Character => self.character(),
            TokenKind::String => self.string(),
            TokenKind::LeftParen if self.ahead(1).kind == TokenKind::LeftBrace => {
                self.nested(Self::statement_expression)
            }
            TokenKind::LeftParen => {
                self.bump();
                let mut inside = self.expression()?;
                self.close(token, TokenKind::RightParen)?;
                inside.span = self.since(token.span);
                Ok(inside)
            }
            _ => self.builtin(),
        }
    }

    /// `({ … })`
    fn statement_expression(&mut self) -> Parsed<Expr> {
        let open = self.bump();
        let block = self.block()?;
        self.close(open, TokenKind::RightParen)?;
        Ok(self.expr(open.span, ExprKind::Statement(block)))
    }
}

fn size_of_expr(is_size: bool, operand: Box<Expr>) -> ExprKind {
    if is_size { ExprKind::SizeofExpr(operand) } else { ExprKind::AlignofExpr(operand) }
}
