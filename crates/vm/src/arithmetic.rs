//! Arithmetic: C's operators on registers, by the kind of their operands.
//!
//! Integers come extended as their kind says and leave so; signed arithmetic wraps around, shift
//! counts are taken modulo the width, conversions of floats that do not fit give the smallest
//! number, all as x86 does it.

use raddle_cfront::ir::{Binary, Kind, Rmw, Unary};

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

/// A unary operator.
#[inline]
pub(crate) fn unary(op: Unary, kind: Kind, value: u64) -> u64 {
    match (op, kind) {
        (Unary::Negate, Kind::F64) => value ^ 1 << 63,
        (Unary::Negate, Kind::F32) => value ^ 1 << 31,
        (Unary::Negate, _) => extend(kind, value.wrapping_neg()),
        (Unary::Complement, _) => extend(kind, !value),
        (Unary::IsZero, _) => u64::from(is_zero(kind, value)),
        (Unary::IsNonZero, _) => u64::from(!is_zero(kind, value)),
    }
}

fn is_zero(kind: Kind, value: u64) -> bool {
    match kind {
        Kind::F64 => f64::from_bits(value) == 0.0,
        Kind::F32 => f32::from_bits(value as u32) == 0.0,
        _ => value == 0,
    }
}

/// A conversion between kinds.
pub(crate) fn convert(from: Kind, to: Kind, value: u64) -> u64 {
    match (from, to) {
        (Kind::F32, Kind::F32) | (Kind::F64, Kind::F64) => value,
        (Kind::F32, Kind::F64) => f64::from(f32::from_bits(value as u32)).to_bits(),
        (Kind::F64, Kind::F32) => u64::from((f64::from_bits(value) as f32).to_bits()),
        (Kind::F32, _) => truncate(f64::from(f32::from_bits(value as u32)), to),
        (Kind::F64, _) => truncate(f64::from_bits(value), to),
        (_, Kind::F64) if from.is_signed() => (value as i64 as f64).to_bits(),
        (_, Kind::F64) => (value as f64).to_bits(),
        (_, Kind::F32) if from.is_signed() => u64::from((value as i64 as f32).to_bits()),
        (_, Kind::F32) => u64::from((value as f32).to_bits()),
        _ => extend(to, value),
    }
}

/// A float to an integer: 32-bit signed and narrower ones through `cvttsd2si` of 32 bits, wider
/// ones through 64 bits, unsigned 64-bit ones in two halves as compilers do.
fn truncate(value: f64, to: Kind) -> u64 {
    const TOP: f64 = 9_223_372_036_854_775_808.0;
    let wide = |value: f64| {
        if (-TOP..TOP).contains(&value) { value as i64 } else { i64::MIN }
    };
    let narrow = |value: f64| {
        if value > -2_147_483_649.0 && value < 2_147_483_648.0 { value as i32 } else { i32::MIN }
    };
    match to {
        Kind::U64 | Kind::P64 if value >= TOP => (wide(value - TOP) as u64) ^ 1 << 63,
        Kind::U64 | Kind::P64 | Kind::I64 => wide(value) as u64,
        Kind::U32 | Kind::P32 => u64::from(wide(value) as u32),
        _ => extend(to, narrow(value) as u64),
    }
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

    #[test]
    fn floats_that_do_not_fit_give_the_smallest_number() {
        let of = |value: f64, to| convert(Kind::F64, to, value.to_bits());
        assert_eq!(of(1e10, Kind::I32), i32::MIN as i64 as u64);
        assert_eq!(of(f64::NAN, Kind::I64), i64::MIN as u64);
        assert_eq!(of(-1.9, Kind::I32), -1_i64 as u64);
        assert_eq!(of(3e9, Kind::U32), 3_000_000_000);
        assert_eq!(of(1.8e19, Kind::U64), 18_000_000_000_000_000_000);
    }

    #[test]
    fn bit_fields_go_in_and_out() {
        assert_eq!(extract(0b1011_0000, 4, 3, false), 0b011);
        assert_eq!(extract(0b0111_0000, 4, 3, true), u64::MAX);
        assert_eq!(insert(0xFF, 0, 4, 2), 0xCF);
        assert_eq!(insert(0, u64::MAX, 0, 64), u64::MAX);
    }
}
