//! C's operators on words.

use raddle_cfront::ir::{Binary, Kind};
use raddle_solve::word::{self, Shift};
use raddle_solve::{Clauses, Lit, Word};

/// A value as a register of a kind holds it.
pub(super) fn held(word: &Word, kind: Kind) -> Word {
    word.extend(8 * kind.size() as usize, kind.is_signed())
}

/// Whether a word is zero.
pub(super) fn is_zero(clauses: &mut Clauses, word: &Word) -> Lit {
    word::equal(clauses, word, &Word::constant(0))
}

/// A comparison of values of a kind.
fn compare(clauses: &mut Clauses, op: Binary, kind: Kind, a: &Word, b: &Word) -> Lit {
    let signed = kind.is_signed();
    match op {
        Binary::Equal => word::equal(clauses, a, b),
        Binary::NotEqual => !word::equal(clauses, a, b),
        Binary::Less => word::less(clauses, a, b, signed),
        Binary::Greater => word::less(clauses, b, a, signed),
        Binary::LessEqual => !word::less(clauses, b, a, signed),
        _ => !word::less(clauses, a, b, signed),
    }
}

/// An operator on values of a kind, of which so many bits are wanted.
pub(super) fn binary(
    clauses: &mut Clauses,
    op: Binary,
    kind: Kind,
    a: &Word,
    b: &Word,
    n_bits: usize,
) -> Word {
    let signed = kind.is_signed();
    let counted = if kind.size() == 8 { 6 } else { 5 };
    let low = match op {
        Binary::Add => word::add(clauses, a, b, Lit::FALSE, n_bits),
        Binary::Subtract => word::subtract(clauses, a, b, n_bits),
        Binary::Multiply => word::multiply(clauses, a, b, n_bits),
        Binary::And => word::bitwise(clauses, a, b, Clauses::and),
        Binary::Or => word::bitwise(clauses, a, b, Clauses::or),
        Binary::Xor => word::bitwise(clauses, a, b, Clauses::xor),
        Binary::ShiftLeft => word::shift(clauses, Shift::Left, a, b, counted),
        Binary::ShiftRight => {
            let how = if signed { Shift::Arithmetic } else { Shift::Logical };
            word::shift(clauses, how, a, b, counted)
        }
        Binary::Divide | Binary::Remainder => divide(clauses, op, signed, a, b),
        _ => return Word::truth(compare(clauses, op, kind, a, b)),
    };
    match op {
        Binary::Add | Binary::Subtract | Binary::Multiply => low.extend(n_bits, signed),
        _ => held(&low, kind),
    }
}

fn divide(clauses: &mut Clauses, op: Binary, signed: bool, a: &Word, b: &Word) -> Word {
    if !signed {
        let (quotient, rest) = word::divide(clauses, a, b);
        return if op == Binary::Divide { quotient } else { rest };
    }
    let (x, minus) = word::magnitude(clauses, a);
    let (y, too) = word::magnitude(clauses, b);
    let (quotient, rest) = word::divide(clauses, &x, &y);
    if op == Binary::Divide {
        let sign = clauses.xor(minus, too);
        return word::signed(clauses, &quotient, sign);
    }
    word::signed(clauses, &rest, minus)
}
