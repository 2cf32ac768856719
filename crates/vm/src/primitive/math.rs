//! Floating-point functions.

use raddle_cfront::ir::Math;

/// The value of a function; the second argument is used by those of two.
pub(super) fn call(math: Math, x: u64, y: u64) -> u64 {
    let (x, y) = (f64::from_bits(x), f64::from_bits(y));
    let value = match math {
        Math::Sin => x.sin(),
        Math::Cos => x.cos(),
        Math::Tan => x.tan(),
        Math::Asin => x.asin(),
        Math::Acos => x.acos(),
        Math::Atan => x.atan(),
        Math::Sinh => x.sinh(),
        Math::Cosh => x.cosh(),
        Math::Tanh => x.tanh(),
        Math::Asinh => x.asinh(),
        Math::Acosh => x.acosh(),
        Math::Atanh => x.atanh(),
        Math::Exp => x.exp(),
        Math::Exp2 => x.exp2(),
        Math::Expm1 => x.exp_m1(),
        Math::Log => x.ln(),
        Math::Log2 => x.log2(),
        Math::Log10 => x.log10(),
        Math::Log1p => x.ln_1p(),
        Math::Sqrt => x.sqrt(),
        Math::Cbrt => x.cbrt(),
        Math::Floor => x.floor(),
        Math::Ceil => x.ceil(),
        Math::Trunc => x.trunc(),
        Math::Round => x.round(),
        Math::Rint => x.round_ties_even(),
        Math::Pow => x.powf(y),
        Math::Atan2 => x.atan2(y),
        Math::Fmod => x % y,
        Math::Remainder => remainder(x, y),
        Math::Hypot => x.hypot(y),
    };
    value.to_bits()
}

/// The IEEE remainder: what is left after the nearest multiple, the even one of two.
fn remainder(x: f64, y: f64) -> f64 {
    if y.is_infinite() && x.is_finite() {
        return x;
    }
    // The remainder of twice the divisor is exact and says whether the quotient is odd.
    let (size, y) = (x.abs(), y.abs());
    let mut rest = if y < f64::MAX / 2.0 { size % (2.0 * y) } else { size };
    if rest > y - rest {
        rest -= y;
        if rest >= y - rest {
            rest -= y;
        }
    }
    if x.is_sign_negative() { -rest } else { rest }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remainders_go_to_the_nearest_multiple_and_the_even_one_of_two() {
        for (x, y, expected) in
            [(5.0, 3.0, -1.0), (4.0, 3.0, 1.0), (1.5, 1.0, -0.5), (2.5, 1.0, 0.5), (-5.0, 3.0, 1.0)]
        {
            assert_eq!(remainder(x, y), expected, "{x} {y}");
        }
        assert_eq!(remainder(0.5, 1.0), 0.5);
        assert!(remainder(1.0, 0.0).is_nan());
    }
}
