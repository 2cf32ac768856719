//! What operators do with values as registers hold them; the VM and constant folding share this.

use super::{Binary, Kind, Unary};

/// The result of a unary operator on a value of this kind.
#[inline(always)]
pub fn unary(op: Unary, kind: Kind, value: u64) -> u64 {
    match op {
        Unary::Negate => match kind {
            Kind::F64 => (-f64::from_bits(value)).to_bits(),
            Kind::F32 => u64::from((-f32::from_bits(value as u32)).to_bits()),
            _ => kind.extend(value.wrapping_neg()),
        },
        Unary::Complement => kind.extend(!value),
        Unary::IsZero => u64::from(is_zero(kind, value)),
        Unary::IsNonZero => u64::from(!is_zero(kind, value)),
    }
}

#[inline(always)]
fn is_zero(kind: Kind, value: u64) -> bool {
    match kind {
        Kind::F64 => f64::from_bits(value) == 0.0,
        Kind::F32 => f32::from_bits(value as u32) == 0.0,
        _ => value == 0,
    }
}

/// The result of a binary operator on values of this kind; none for an integer division by zero.
#[inline(always)]
pub fn binary(op: Binary, kind: Kind, left: u64, right: u64) -> Option<u64> {
    match kind {
        Kind::F64 => Some(float64(op, f64::from_bits(left), f64::from_bits(right))),
        Kind::F32 => {
            let (left, right) = (f32::from_bits(left as u32), f32::from_bits(right as u32));
            Some(float32(op, left, right))
        }
        _ if kind.is_signed() => signed(op, kind, left as i64, right as i64),
        _ => unsigned(op, kind, left, right),
    }
}

#[inline(always)]
fn signed(op: Binary, kind: Kind, left: i64, right: i64) -> Option<u64> {
    let bits = kind.size() * 8;
    let result = match op {
        Binary::Divide if right == 0 => return None,
        Binary::Remainder if right == 0 => return None,
        Binary::Divide => left.wrapping_div(right),
        Binary::Remainder => left.wrapping_rem(right),
        Binary::ShiftRight => left >> (right as u32 & (bits.max(32) - 1)),
        Binary::Less => return Some(u64::from(left < right)),
        Binary::LessEqual => return Some(u64::from(left <= right)),
        Binary::Greater => return Some(u64::from(left > right)),
        Binary::GreaterEqual => return Some(u64::from(left >= right)),
        _ => return unsigned(op, kind, left as u64, right as u64),
    };
    Some(kind.extend(result as u64))
}

#[inline(always)]
fn unsigned(op: Binary, kind: Kind, left: u64, right: u64) -> Option<u64> {
    let shift = right as u32 & ((kind.size() * 8).max(32) - 1);
    let result = match op {
        Binary::Add => left.wrapping_add(right),
        Binary::Subtract => left.wrapping_sub(right),
        Binary::Multiply => left.wrapping_mul(right),
        Binary::Divide => left.checked_div(right)?,
        Binary::Remainder => left.checked_rem(right)?,
        Binary::And => left & right,
        Binary::Or => left | right,
        Binary::Xor => left ^ right,
        Binary::ShiftLeft => left.wrapping_shl(shift),
        Binary::ShiftRight => left.wrapping_shr(shift),
        Binary::Equal => return Some(u64::from(left == right)),
        Binary::NotEqual => return Some(u64::from(left != right)),
        Binary::Less => return Some(u64::from(left < right)),
        Binary::LessEqual => return Some(u64::from(left <= right)),
        Binary::Greater => return Some(u64::from(left > right)),
        Binary::GreaterEqual => return Some(u64::from(left >= right)),
    };
    Some(kind.extend(result))
}

macro_rules! float {
    ($name:ident, $float:ty) => {
        #[inline(always)]
        fn $name(op: Binary, left: $float, right: $float) -> u64 {
            let result = match op {
                Binary::Add => left + right,
                Binary::Subtract => left - right,
                Binary::Multiply => left * right,
                Binary::Divide => left / right,
                Binary::Equal => return u64::from(left == right),
                Binary::NotEqual => return u64::from(left != right),
                Binary::Less => return u64::from(left < right),
                Binary::LessEqual => return u64::from(left <= right),
                Binary::Greater => return u64::from(left > right),
                Binary::GreaterEqual => return u64::from(left >= right),
                // The front end refuses the others.
                _ => left % right,
            };
            u64::from(result.to_bits())
        }
    };
}
float!(float64, f64);
float!(float32, f32);

/// A value converted to another kind, as C says; floats that do not fit become what x86 gives.
#[inline(always)]
pub fn convert(from: Kind, to: Kind, value: u64) -> u64 {
    match (from, to) {
        (Kind::F32, Kind::F32) | (Kind::F64, Kind::F64) => value,
        (Kind::F32, Kind::F64) => f64::from(f32::from_bits(value as u32)).to_bits(),
        (Kind::F64, Kind::F32) => u64::from((f64::from_bits(value) as f32).to_bits()),
        (Kind::F32, _) => float_to_int(f64::from(f32::from_bits(value as u32)), to),
        (Kind::F64, _) => float_to_int(f64::from_bits(value), to),
        (_, Kind::F64) if from.is_signed() => (value as i64 as f64).to_bits(),
        (_, Kind::F64) => (value as f64).to_bits(),
        (_, Kind::F32) if from.is_signed() => u64::from((value as i64 as f32).to_bits()),
        (_, Kind::F32) => u64::from((value as f32).to_bits()),
        _ => to.extend(value),
    }
}

/// cvttsd2si gives the smallest number for all that do not fit.
fn float_to_int(value: f64, to: Kind) -> u64 {
    let wide = |value: f64| {
        let fits = value > -9_223_372_036_854_777_856.0 && value < 9_223_372_036_854_775_808.0;
        if fits { value as i64 } else { i64::MIN }
    };
    match to {
        Kind::U64 | Kind::P64 if value >= 9_223_372_036_854_775_808.0 => {
            (wide(value - 9_223_372_036_854_775_808.0) as u64) ^ (1 << 63)
        }
        Kind::I32 | Kind::I16 | Kind::I8 | Kind::U16 | Kind::U8 => {
            let fits = value > -2_147_483_649.0 && value < 2_147_483_648.0;
            to.extend(if fits { value as i32 } else { i32::MIN } as u64)
        }
        _ => to.extend(wide(value) as u64),
    }
}
