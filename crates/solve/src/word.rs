//! Integers of 64 bits as vectors of literals, the lowest bit first.
//!
//! Bits that are known, or equal to others, stay so: a value that needs few bits makes small
//! circuits, whatever its type is.

use crate::clauses::{Clauses, Lit};

/// How many bits a word has.
pub const BITS: usize = 64;

/// An integer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Word(Vec<Lit>);

impl Word {
    /// A constant.
    pub fn constant(value: u64) -> Word {
        Word((0..BITS).map(|n| Lit::known(value >> n & 1 == 1)).collect())
    }

    /// A word of new variables: so many bits, extended by its sign or by zeros.
    pub fn fresh(clauses: &mut Clauses, n_bits: usize, signed: bool) -> Word {
        let bits = (0..n_bits.min(BITS)).map(|_| clauses.fresh()).collect();
        Word::extended(bits, signed)
    }

    /// 0 or 1.
    pub fn truth(lit: Lit) -> Word {
        Word::extended(vec![lit], false)
    }

    /// A word of known bits, the lowest first, extended by the highest or by zeros.
    pub fn of(bits: Vec<Lit>, signed: bool) -> Word {
        Word::extended(bits, signed)
    }

    /// The bits, the lowest first.
    pub fn bits(&self) -> &[Lit] {
        &self.0
    }

    /// The low bits, extended by their sign or by zeros.
    pub fn extend(&self, n_bits: usize, signed: bool) -> Word {
        Word::extended(self.0[..n_bits.min(BITS)].to_vec(), signed)
    }

    fn extended(mut bits: Vec<Lit>, signed: bool) -> Word {
        let high = bits.last().copied().filter(|_| signed).unwrap_or(Lit::FALSE);
        bits.resize(BITS, high);
        Word(bits)
    }

    /// How many bits carry information: all above are equal to the highest of these.
    pub fn width(&self) -> usize {
        let high = self.0[BITS - 1];
        BITS - self.0.iter().rev().skip(1).take_while(|&&bit| bit == high).count()
    }

    /// Its value in the assignment that was found last.
    pub fn value(&self, clauses: &Clauses) -> u64 {
        let bit = |(n, &lit): (usize, &Lit)| u64::from(clauses.value(lit)) << n;
        self.0.iter().enumerate().map(bit).sum()
    }
}

/// Bit by bit.
pub fn bitwise(
    clauses: &mut Clauses,
    a: &Word,
    b: &Word,
    of: impl Fn(&mut Clauses, Lit, Lit) -> Lit,
) -> Word {
    Word(a.0.iter().zip(&b.0).map(|(&a, &b)| of(clauses, a, b)).collect())
}

/// All bits the other way round.
pub fn complement(a: &Word) -> Word {
    Word(a.0.iter().map(|&bit| !bit).collect())
}

/// The first if the condition holds, else the second.
pub fn choose(clauses: &mut Clauses, condition: Lit, yes: &Word, no: &Word) -> Word {
    bitwise(clauses, yes, no, |clauses, yes, no| clauses.choose(condition, yes, no))
}

/// The low bits of a + b + carry; those above are zero.
pub fn add(clauses: &mut Clauses, a: &Word, b: &Word, mut carry: Lit, n_bits: usize) -> Word {
    let mut sum = Vec::with_capacity(BITS);
    for (&x, &y) in a.0.iter().zip(&b.0).take(n_bits) {
        let half = clauses.xor(x, y);
        sum.push(clauses.xor(half, carry));
        let (both, passed) = (clauses.and(x, y), clauses.and(half, carry));
        carry = clauses.or(both, passed);
    }
    Word::extended(sum, false)
}

/// The low bits of a − b; those above are zero.
pub fn subtract(clauses: &mut Clauses, a: &Word, b: &Word, n_bits: usize) -> Word {
    add(clauses, a, &complement(b), Lit::TRUE, n_bits)
}

/// The low bits of a · b; those above are zero.
pub fn multiply(clauses: &mut Clauses, a: &Word, b: &Word, n_bits: usize) -> Word {
    // Fewer rows if the one with more known bits says which rows there are.
    let known = |word: &Word| word.0[..n_bits].iter().filter(|bit| bit.is_known()).count();
    let (a, b) = if known(a) > known(b) { (b, a) } else { (a, b) };
    let mut all = Word::constant(0);
    for n in 0..n_bits {
        let row = shift_left(a, n);
        let bit = b.0[n];
        if bit == Lit::FALSE {
            continue;
        }
        let row = Word(row.0.iter().map(|&x| clauses.and(x, bit)).collect());
        all = add(clauses, &all, &row, Lit::FALSE, n_bits);
    }
    all
}

fn shift_left(a: &Word, by: usize) -> Word {
    let by = by.min(BITS);
    Word(std::iter::repeat_n(Lit::FALSE, by).chain(a.0.iter().copied()).take(BITS).collect())
}

fn shift_right(a: &Word, by: usize, fill: Lit) -> Word {
    let by = by.min(BITS);
    let bits = a.0[by..].iter().copied().chain(std::iter::repeat_n(fill, by));
    Word(bits.collect())
}

/// Which way to shift.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shift {
    /// To higher bits.
    Left,
    /// To lower bits, filled with zeros.
    Logical,
    /// To lower bits, filled with the sign.
    Arithmetic,
}

/// The word shifted by the low `n_counted` bits of another one.
pub fn shift(clauses: &mut Clauses, how: Shift, a: &Word, by: &Word, n_counted: usize) -> Word {
    let fill = if how == Shift::Arithmetic { a.0[BITS - 1] } else { Lit::FALSE };
    (0..n_counted).fold(a.clone(), |word, n| {
        let moved = match how {
            Shift::Left => shift_left(&word, 1 << n),
            _ => shift_right(&word, 1 << n, fill),
        };
        choose(clauses, by.0[n], &moved, &word)
    })
}

/// Whether all bits are equal.
pub fn equal(clauses: &mut Clauses, a: &Word, b: &Word) -> Lit {
    let n_bits = a.width().max(b.width());
    let bits = a.0.iter().zip(&b.0).take(n_bits);
    let same: Vec<_> = bits.map(|(&a, &b)| clauses.equal(a, b)).collect();
    clauses.all(&same)
}

/// Whether the first is less.
pub fn less(clauses: &mut Clauses, a: &Word, b: &Word, signed: bool) -> Lit {
    let n_bits = a.width().max(b.width());
    let mut less = Lit::FALSE;
    for n in 0..n_bits {
        let (mut x, mut y) = (a.0[n], b.0[n]);
        // Above the widths both have copies of this bit: the highest bit decides.
        if n + 1 == n_bits && signed {
            (x, y) = (y, x);
        }
        let differ = clauses.xor(x, y);
        less = clauses.choose(differ, y, less);
    }
    less
}

/// Quotient and remainder of numbers without sign; anything if the divisor is zero.
pub fn divide(clauses: &mut Clauses, a: &Word, b: &Word) -> (Word, Word) {
    let n_bits = a.0.iter().rposition(|&bit| bit != Lit::FALSE).map_or(0, |n| n + 1);
    let mut quotient = vec![Lit::FALSE; BITS];
    let mut rest = Word::constant(0);
    for n in (0..n_bits).rev() {
        let top = rest.0[BITS - 1];
        rest = shift_left(&rest, 1);
        rest.0[0] = a.0[n];
        let small = less(clauses, &rest, b, false);
        let fits = clauses.or(top, !small);
        let reduced = subtract(clauses, &rest, b, BITS);
        rest = choose(clauses, fits, &reduced, &rest);
        quotient[n] = fits;
    }
    (Word(quotient), rest)
}

/// The number without its sign, and the sign.
pub fn magnitude(clauses: &mut Clauses, a: &Word) -> (Word, Lit) {
    let sign = a.0[BITS - 1];
    let negative = subtract(clauses, &Word::constant(0), a, BITS);
    (choose(clauses, sign, &negative, a), sign)
}

/// The number, negated if the sign says so.
pub fn signed(clauses: &mut Clauses, a: &Word, sign: Lit) -> Word {
    let negative = subtract(clauses, &Word::constant(0), a, BITS);
    choose(clauses, sign, &negative, a)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clauses::Answer;
    use proptest::prelude::*;

    /// A word of new variables that is forced to a value.
    fn forced(clauses: &mut Clauses, value: u64) -> Word {
        let word = Word::fresh(clauses, BITS, false);
        for (n, &bit) in word.bits().iter().enumerate() {
            clauses.clause(&[if value >> n & 1 == 1 { bit } else { !bit }]);
        }
        word
    }

    fn any_number() -> impl Strategy<Value = u64> {
        prop_oneof![(-9i64..9).prop_map(|v| v as u64), any::<u64>(), Just(u64::MAX), Just(1 << 63)]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn operators_are_those_of_numbers(a in any_number(), b in any_number(), folded in any::<bool>()) {
            let mut clauses = Clauses::new();
            let c = &mut clauses;
            let x = if folded { Word::constant(a) } else { forced(c, a) };
            let y = forced(c, b);
            let count = (b & 63) as u32;
            let (quotient, rest) = divide(c, &x, &y);
            let found = [
                add(c, &x, &y, Lit::FALSE, BITS),
                subtract(c, &x, &y, BITS),
                multiply(c, &x, &y, BITS),
                shift(c, Shift::Left, &x, &y, 6),
                shift(c, Shift::Logical, &x, &y, 6),
                shift(c, Shift::Arithmetic, &x, &y, 6),
                x.extend(16, true),
                bitwise(c, &x, &y, Clauses::xor),
            ];
            let truths = [
                less(c, &x, &y, false),
                less(c, &x, &y, true),
                equal(c, &x, &y),
            ];
            prop_assert_eq!(clauses.solve(&[], None), Answer::Yes);
            let expected = [
                a.wrapping_add(b),
                a.wrapping_sub(b),
                a.wrapping_mul(b),
                a << count,
                a >> count,
                (a as i64 >> count) as u64,
                a as i16 as i64 as u64,
                a ^ b,
            ];
            prop_assert_eq!(found.map(|word| word.value(&clauses)), expected);
            let order = [a < b, (a as i64) < (b as i64), a == b];
            prop_assert_eq!(truths.map(|lit| clauses.value(lit)), order);
            if let (Some(whole), Some(left)) = (a.checked_div(b), a.checked_rem(b)) {
                prop_assert_eq!(quotient.value(&clauses), whole);
                prop_assert_eq!(rest.value(&clauses), left);
            }
        }
    }

    #[test]
    fn narrow_words_make_small_circuits() {
        let size = |n_bits: usize| {
            let mut clauses = Clauses::new();
            let a = Word::fresh(&mut clauses, n_bits, false);
            let b = Word::fresh(&mut clauses, n_bits, false);
            add(&mut clauses, &a, &b, Lit::FALSE, 32);
            clauses.n_clauses()
        };
        assert!(8 * size(3) < size(32));
    }

    #[test]
    fn a_width_is_what_the_highest_bits_do_not_repeat() {
        assert_eq!(Word::constant(0).width(), 1);
        assert_eq!(Word::constant(5).width(), 4);
        assert_eq!(Word::constant(-1i64 as u64).width(), 1);
        let mut clauses = Clauses::new();
        assert_eq!(Word::fresh(&mut clauses, 3, true).width(), 3);
        assert_eq!(Word::fresh(&mut clauses, 3, false).width(), 4);
    }
}
