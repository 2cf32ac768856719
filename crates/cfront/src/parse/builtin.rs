//! Operators that look like calls but take types: `_Generic`, `__builtin_va_arg`, ….

use super::{Parsed, Parser};
use crate::ast::{Designator, Expr, ExprKind, TypeName};
use crate::lex::{Token, TokenKind};

impl Parser<'_> {
    /// An operand that starts with a keyword.
    pub(super) fn builtin(&mut self) -> Parsed<Expr> {
        let keyword = self.token();
        let parse = match keyword.kind {
            TokenKind::Generic => Self::generic,
            TokenKind::VaArg => Self::va_arg,
            TokenKind::Offsetof => Self::offset_of,
            TokenKind::TypesCompatible => Self::types_compatible,
            TokenKind::ChooseExpr => Self::choose,
            TokenKind::UnsupportedOperator => {
                let name = keyword.symbol.keyword();
                return Err(self.unsupported(keyword.span, format!("'{name}' is not supported")));
            }
            _ => return Err(self.unexpected("an expression")),
        };
        self.bump();
        let open = self.expect(TokenKind::LeftParen, "'('")?;
        let kind = parse(self)?;
        self.close(open, TokenKind::RightParen)?;
        Ok(self.expr(keyword.span, kind))
    }

    fn comma(&mut self) -> Parsed<Token> {
        self.expect(TokenKind::Comma, "','")
    }

    fn generic(&mut self) -> Parsed<ExprKind> {
        let control = Box::new(self.assignment()?);
        let mut choices = Vec::new();
        while self.eat(TokenKind::Comma) {
            let name = match self.eat(TokenKind::Default) {
                true => None,
                false => Some(self.type_name()?),
            };
            self.expect(TokenKind::Colon, "':' after a type in '_Generic'")?;
            choices.push((name, self.assignment()?));
        }
        Ok(ExprKind::Generic(control, choices))
    }

    fn va_arg(&mut self) -> Parsed<ExprKind> {
        let list = Box::new(self.assignment()?);
        self.comma()?;
        Ok(ExprKind::VaArg(list, self.boxed_type()?))
    }

    fn offset_of(&mut self) -> Parsed<ExprKind> {
        let base = self.boxed_type()?;
        self.comma()?;
        let mut path = vec![Designator::Field(self.identifier("the name of a member")?)];
        while let Some(step) = self.designator()? {
            path.push(step);
        }
        Ok(ExprKind::Offsetof(base, path))
    }

    fn types_compatible(&mut self) -> Parsed<ExprKind> {
        let one = self.boxed_type()?;
        self.comma()?;
        Ok(ExprKind::TypesCompatible(one, self.boxed_type()?))
    }

    fn choose(&mut self) -> Parsed<ExprKind> {
        let condition = Box::new(self.assignment()?);
        self.comma()?;
        let then = Box::new(self.assignment()?);
        self.comma()?;
        Ok(ExprKind::Choose(condition, then, Box::new(self.assignment()?)))
    }

    fn boxed_type(&mut self) -> Parsed<Box<TypeName>> {
        Ok(Box::new(self.type_name()?))
    }
}
