//! Arithmetic: C's operators on registers, by the kind of their operands.
//!
//! Integers come extended as their kind says and leave so. The results are those of the front
//! end's `ir::arithmetic`, which is used for what is seldom done; binary operators are written
//! again without jumps over kinds, because most transitions of the inner loop are such operators.
//! A property test holds the two together.

use raddle_cfront::ir::{Binary, Kind, Rmw, Unary, arithmetic};

/// Bits that a kind leaves unused in a register.
const fn unused(kind: Kind) -> u32 {
    64 - 8 * kind.size()
}

/// As [`Kind::extend`], without a jump.
#[inline(always)]
fn extend(kind: Kind, bits: u64) -> u64 {
    let shift = unused(kind);
    let high = bits << shift;
    if kind.is_signed() { (high as i64 >> shift) as u64 } else { high >> shift }
}

/// A constant operand of this kind.
#[inline(always)]
pub(crate) fn constant(kind: Kind, value: i32) -> u64 {
    extend(kind, value as i64 as u64)
}

/// A binary operator; none for a division by zero.
#[inline(always)]
pub(crate) fn binary(op: Binary, kind: Kind, left: u64, right: u64) -> Option<u64> {
    if kind.is_float() {
        return Some(float(op, kind, left, right));
    }
    // Flipping the sign bit turns the signed order into the unsigned one.
    let flip = u64::from(kind.is_signed()) << 63;
    let (x, y) = (left ^ flip, right ^ flip);
    Some(match op {
        Binary::Add => extend(kind, left.wrapping_add(right)),
        Binary::Subtract => extend(kind, left.wrapping_sub(right)),
        Binary::Multiply => extend(kind, left.wrapping_mul(right)),
        Binary::Divide => return divide(kind, left, right),
        Binary::Remainder => return remainder(kind, left, right),
        Binary::And => left & right,
        Binary::Or => extend(kind, left | right),
        Binary::Xor => extend(kind, left ^ right),
        Binary::ShiftLeft => extend(kind, left << (right & shift_mask(kind))),
        Binary::ShiftRight => shift_right(kind, left, (right & shift_mask(kind)) as u32),
        Binary::Equal => u64::from(left == right),
        Binary::NotEqual => u64::from(left != right),
        Binary::Less => u64::from(x < y),
        Binary::LessEqual => u64::from(x <= y),
        Binary::Greater => u64::from(x > y),
        Binary::GreaterEqual => u64::from(x >= y),
    })
}

fn shift_mask(kind: Kind) -> u64 {
    if kind.size() == 8 { 63 } else { 31 }
}

fn shift_right(kind: Kind, value: u64, count: u32) -> u64 {
    if kind.is_signed() { (value as i64 >> count) as u64 } else { value >> count }
}

fn divide(kind: Kind, left: u64, right: u64) -> Option<u64> {
    match (right, kind.is_signed()) {
        (0, _) => None,
        (_, true) => Some(extend(kind, (left as i64).wrapping_div(right as i64) as u64)),
        (_, false) => Some(left / right),
    }
}

fn remainder(kind: Kind, left: u64, right: u64) -> Option<u64> {
    match (right, kind.is_signed()) {
        (0, _) => None,
        (_, true) => Some((left as i64).wrapping_rem(right as i64) as u64),
        (_, false) => Some(left % right),
    }
}

#[inline(never)]
fn float(op: Binary, kind: Kind, left: u64, right: u64) -> u64 {
    if kind == Kind::F32 {
        let (x, y) = (f32::from_bits(left as u32), f32::from_bits(right as u32));
        let number = |value: f32| u64::from(value.to_bits());
        return match op {
            Binary::Add => number(x + y),
            Binary::Subtract => number(x - y),
            Binary::Multiply => number(x * y),
            Binary::Divide => number(x / y),
            Binary::Remainder => number(x % y),
            _ => compare(op, x.partial_cmp(&y)),
        };
    }
    let (x, y) = (f64::from_bits(left), f64::from_bits(right));
    match op {
        Binary::Add => (x + y).to_bits(),
        Binary::Subtract => (x - y).to_bits(),
        Binary::Multiply => (x * y).to_bits(),
        Binary::Divide => (x / y).to_bits(),
        Binary::Remainder => (x % y).to_bits(),
        _ => compare(op, x.partial_cmp(&y)),
    }
}

/// A comparison of floats; of operators that floats do not have, zero.
fn compare(op: Binary, order: Option<std::cmp::Ordering>) -> u64 {
    u64::from(match op {
        Binary::Equal => order.is_some_and(|o| o.is_eq()),
        Binary::NotEqual => order.is_none_or(|o| o.is_ne()),
        Binary::Less => order.is_some_and(|o| o.is_lt()),
        Binary::LessEqual => order.is_some_and(|o| o.is_le()),
        Binary::Greater => order.is_some_and(|o| o.is_gt()),
        Binary::GreaterEqual => order.is_some_and(|o| o.is_ge()),
        _ => false,
    })
}

/// A unary operator. Kept out of the inner loop, as what is seldom done would be in its way.
#[inline(never)]
pub(crate) fn unary(op: Unary, kind: Kind, value: u64) -> u64 {
    arithmetic::unary(op, kind, value)
}

/// A conversion between kinds.
#[inline(always)]
pub(crate) fn convert(from: Kind, to: Kind, value: u64) -> u64 {
    match from.is_float() || to.is_float() {
        true => convert_float(from, to, value),
        false => extend(to, value),
    }
}

#[inline(never)]
fn convert_float(from: Kind, to: Kind, value: u64) -> u64 {
    arithmetic::convert(from, to, value)
}

/// What a read-modify-write stores; none for a division by zero.
pub(crate) fn modify(op: Rmw, kind: Kind, old: u64, operand: u64) -> Option<u64> {
    match op {
        Rmw::Exchange => Some(extend(kind, operand)),
        Rmw::Nand => Some(extend(kind, !(old & operand))),
        Rmw::Binary(op) => binary(op, kind, old, operand),
    }
}

/// Bits `shift .. shift + width` of a value, extended.
pub(crate) fn extract(value: u64, shift: u8, width: u8, signed: bool) -> u64 {
    if width == 0 {
        return 0;
    }
    let high = value << (64 - u32::from(shift) - u32::from(width));
    let down = 64 - u32::from(width);
    if signed { (high as i64 >> down) as u64 } else { high >> down }
}

/// A value whose bits `shift .. shift + width` are replaced.
pub(crate) fn insert(unit: u64, value: u64, shift: u8, width: u8) -> u64 {
    let ones = if width >= 64 { u64::MAX } else { (1 << width) - 1 };
    unit & !(ones << shift) | (value & ones) << shift
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(op: Binary, kind: Kind, left: i64, right: i64, expected: i64) {
        let result = binary(op, kind, left as u64, right as u64);
        assert_eq!(result, Some(expected as u64));
    }

    #[test]
    fn signed_arithmetic_wraps() {
        check(Binary::Add, Kind::I32, i32::MAX.into(), 1, i32::MIN.into());
        check(Binary::Divide, Kind::I32, i32::MIN.into(), -1, i32::MIN.into());
        check(Binary::Divide, Kind::I64, i64::MIN, -1, i64::MIN);
        check(Binary::Remainder, Kind::I64, i64::MIN, -1, 0);
    }

    #[test]
    fn unsigned_arithmetic_stays_in_its_width() {
        check(Binary::Subtract, Kind::U32, 0, 1, 0xFFFF_FFFF);
        check(Binary::Or, Kind::U32, 0, -1, 0xFFFF_FFFF);
        check(Binary::Multiply, Kind::U8, 16, 17, 16);
    }

    #[test]
    fn comparisons_follow_the_sign() {
        check(Binary::Less, Kind::I32, -1, 0, 1);
        check(Binary::Less, Kind::U64, -1, 0, 0);
        check(Binary::GreaterEqual, Kind::I64, -1, -1, 1);
    }

    #[test]
    fn shifts_take_their_count_modulo_the_width() {
        check(Binary::ShiftLeft, Kind::I32, 1, 33, 2);
        check(Binary::ShiftLeft, Kind::I64, 1, 65, 2);
        check(Binary::ShiftRight, Kind::I32, -8, 1, -4);
        check(Binary::ShiftRight, Kind::U32, 0xFFFF_FFF8, 1, 0x7FFF_FFFC);
    }

    #[test]
    fn division_by_zero_has_no_value() {
        assert_eq!(binary(Binary::Divide, Kind::I32, 1, 0), None);
        assert_eq!(binary(Binary::Remainder, Kind::U64, 1, 0), None);
    }

    const KINDS: [Kind; 12] = [
        Kind::I8,
        Kind::U8,
        Kind::I16,
        Kind::U16,
        Kind::I32,
        Kind::U32,
        Kind::I64,
        Kind::U64,
        Kind::P32,
        Kind::P64,
        Kind::F32,
        Kind::F64,
    ];
    const OPERATORS: [Binary; 16] = [
        Binary::Add,
        Binary::Subtract,
        Binary::Multiply,
        Binary::Divide,
        Binary::Remainder,
        Binary::And,
        Binary::Or,
        Binary::Xor,
        Binary::ShiftLeft,
        Binary::ShiftRight,
        Binary::Equal,
        Binary::NotEqual,
        Binary::Less,
        Binary::LessEqual,
        Binary::Greater,
        Binary::GreaterEqual,
    ];

    fn operand() -> impl Strategy<Value = u64> {
        prop_oneof![any::<u64>(), (-70_i64..70).prop_map(|small| small as u64)]
    }

    proptest! {
        #[test]
        fn the_front_end_computes_the_same(
            left in operand(),
            right in operand(),
            kind in prop::sample::select(&KINDS[..]),
            op in prop::sample::select(&OPERATORS[..]),
        ) {
            let bitwise = (5..10).contains(&(op as u8));
            prop_assume!(!kind.is_float() || !bitwise);
            let (left, right) = (kind.extend(left), kind.extend(right));
            let shared = raddle_cfront::ir::arithmetic::binary(op, kind, left, right);
            prop_assert_eq!(binary(op, kind, left, right), shared);
        }
    }

    #[test]
    fn bit_fields_go_in_and_out() {
        assert_eq!(extract(0b1011_0000, 4, 3, false), 0b011);
        assert_eq!(extract(0b0111_0000, 4, 3, true), u64::MAX);
        assert_eq!(insert(0xFF, 0, 4, 2), 0xCF);
        assert_eq!(insert(0, u64::MAX, 0, 64), u64::MAX);
    }
}
