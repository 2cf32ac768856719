//! Operators: which tokens they are and how they bind.

use crate::ast::{BinaryOp, UnaryOp};
use crate::lex::TokenKind;

/// What stands between two operands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Binary(BinaryOp),
    And,
    Or,
}

/// The operator between two operands that a token is, and how tightly it binds.
pub(super) fn infix(kind: TokenKind) -> Option<(Operator, u8)> {
    let (op, precedence) = match kind {
        TokenKind::OrOr => return Some((Operator::Or, 1)),
        TokenKind::AndAnd => return Some((Operator::And, 2)),
        TokenKind::Or => (BinaryOp::Or, 3),
        TokenKind::Xor => (BinaryOp::Xor, 4),
        TokenKind::And => (BinaryOp::And, 5),
        TokenKind::EqualEqual => (BinaryOp::Equal, 6),
        TokenKind::NotEqual => (BinaryOp::NotEqual, 6),
        TokenKind::Less => (BinaryOp::Less, 7),
        TokenKind::Greater => (BinaryOp::Greater, 7),
        TokenKind::LessEqual => (BinaryOp::LessEqual, 7),
        TokenKind::GreaterEqual => (BinaryOp::GreaterEqual, 7),
        TokenKind::ShiftLeft => (BinaryOp::ShiftLeft, 8),
        TokenKind::ShiftRight => (BinaryOp::ShiftRight, 8),
        TokenKind::Plus => (BinaryOp::Add, 9),
        TokenKind::Minus => (BinaryOp::Subtract, 9),
        TokenKind::Star => (BinaryOp::Multiply, 10),
        TokenKind::Slash => (BinaryOp::Divide, 10),
        TokenKind::Percent => (BinaryOp::Remainder, 10),
        _ => return None,
    };
    Some((Operator::Binary(op), precedence))
}

/// The assignment that a token is, with its operator.
pub(super) fn assignment(kind: TokenKind) -> Option<Option<BinaryOp>> {
    let op = match kind {
        TokenKind::Assign => return Some(None),
        TokenKind::PlusAssign => BinaryOp::Add,
        TokenKind::MinusAssign => BinaryOp::Subtract,
        TokenKind::StarAssign => BinaryOp::Multiply,
        TokenKind::SlashAssign => BinaryOp::Divide,
        TokenKind::PercentAssign => BinaryOp::Remainder,
        TokenKind::AndAssign => BinaryOp::And,
        TokenKind::OrAssign => BinaryOp::Or,
        TokenKind::XorAssign => BinaryOp::Xor,
        TokenKind::ShiftLeftAssign => BinaryOp::ShiftLeft,
        TokenKind::ShiftRightAssign => BinaryOp::ShiftRight,
        _ => return None,
    };
    Some(Some(op))
}

/// The operator before an operand that a token is.
pub(super) fn prefix(kind: TokenKind) -> Option<UnaryOp> {
    match kind {
        TokenKind::And => Some(UnaryOp::AddressOf),
        TokenKind::Star => Some(UnaryOp::Dereference),
        TokenKind::Plus => Some(UnaryOp::Plus),
        TokenKind::Minus => Some(UnaryOp::Negate),
        TokenKind::Tilde => Some(UnaryOp::Complement),
        TokenKind::Not => Some(UnaryOp::Not),
        _ => None,
    }
}
