//! Intervals of integers, with C's wrap-around.
//!
//! In: operators and the intervals of their operands. Out: an interval that has every value that
//! they can give. A value is the 64 bits of a register read as a signed number: for all kinds but
//! 64-bit unsigned ones that is the value itself. A result that may leave its kind becomes all of
//! the kind, and that is said (`wraps`): the machine wraps around, and so do we.

use raddle_cfront::ir::{Binary, Kind, Unary, arithmetic};

/// All values from `lo` to `hi`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Interval {
    /// The least.
    pub lo: i64,
    /// The greatest.
    pub hi: i64,
}

/// The result of an operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// Its values.
    pub values: Interval,
    /// Whether the exact result may lie outside of the kind.
    pub wraps: bool,
}

impl Interval {
    /// Every value.
    pub const ALL: Interval = Interval { lo: i64::MIN, hi: i64::MAX };

    /// One value.
    pub const fn one(value: i64) -> Interval {
        Interval { lo: value, hi: value }
    }

    /// Everything that a register of a kind can hold.
    pub const fn of(kind: Kind) -> Interval {
        let bits = 8 * kind.size();
        match (kind.is_signed(), bits) {
            (_, 64) => Interval::ALL,
            (true, _) => Interval { lo: -(1 << (bits - 1)), hi: (1 << (bits - 1)) - 1 },
            (false, _) => Interval { lo: 0, hi: (1 << bits) - 1 },
        }
    }

    /// The smallest interval with the values of both.
    pub fn join(self, other: Interval) -> Interval {
        Interval { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    /// The values that both have.
    pub fn meet(self, other: Interval) -> Option<Interval> {
        let (lo, hi) = (self.lo.max(other.lo), self.hi.min(other.hi));
        (lo <= hi).then_some(Interval { lo, hi })
    }

    /// Whether it has a value.
    pub fn contains(self, value: i64) -> bool {
        self.lo <= value && value <= self.hi
    }

    /// Whether it has all values of another.
    pub fn covers(self, other: Interval) -> bool {
        self.lo <= other.lo && other.hi <= self.hi
    }

    /// The only value.
    pub fn single(self) -> Option<i64> {
        (self.lo == self.hi).then_some(self.lo)
    }

    /// How many bits distinguish its values: ⌈log2(hi − lo + 1)⌉.
    pub fn bits(self) -> u32 {
        128 - (i128::from(self.hi) - i128::from(self.lo)).leading_zeros()
    }

    fn is_natural(self) -> bool {
        self.lo >= 0
    }
}

fn exact(values: Interval) -> Outcome {
    Outcome { values, wraps: false }
}

/// The part of a kind that a result with these bounds can be.
fn wrap(kind: Kind, lo: i128, hi: i128) -> Outcome {
    let all = Interval::of(kind);
    let fits = i128::from(all.lo) <= lo && hi <= i128::from(all.hi);
    // Registers of 64-bit unsigned kinds are read as signed numbers here.
    let unsigned = kind.size() == 8 && !kind.is_signed();
    if fits {
        return exact(Interval { lo: lo as i64, hi: hi as i64 });
    }
    Outcome { values: all, wraps: !unsigned || lo < -(1 << 63) || hi >= 1 << 64 }
}

/// A unary operator.
pub fn unary(op: Unary, kind: Kind, from: Interval) -> Outcome {
    if let Some(value) = from.single() {
        return exact(Interval::one(arithmetic::unary(op, kind, value as u64) as i64));
    }
    match op {
        Unary::Negate => wrap(kind, -i128::from(from.hi), -i128::from(from.lo)),
        Unary::Complement if kind.is_signed() => exact(Interval { lo: !from.hi, hi: !from.lo }),
        Unary::Complement => exact(Interval::of(kind)),
        Unary::IsZero | Unary::IsNonZero => {
            let truth = Truth { yes: !from.contains(0), no: false };
            truth.interval(op == Unary::IsZero)
        }
    }
}

/// What is known about a condition.
struct Truth {
    yes: bool,
    no: bool,
}

impl Truth {
    fn interval(self, flip: bool) -> Outcome {
        let (yes, no) = if flip { (self.no, self.yes) } else { (self.yes, self.no) };
        exact(Interval { lo: yes.into(), hi: (!no).into() })
    }
}

/// A binary operator.
pub fn binary(op: Binary, kind: Kind, left: Interval, right: Interval) -> Outcome {
    if let (Some(a), Some(b)) = (left.single(), right.single()) {
        let value = arithmetic::binary(op, kind, a as u64, b as u64);
        let values = value.map_or(Interval::of(kind), |value| Interval::one(value as i64));
        return Outcome { values, wraps: value.is_some() && wraps(op, kind, a, b) };
    }
    let [a, b, c, d] = [left.lo, left.hi, right.lo, right.hi].map(i128::from);
    match op {
        Binary::Add => wrap(kind, a + c, b + d),
        Binary::Subtract => wrap(kind, a - d, b - c),
        Binary::Multiply => corners([a, b], [c, d], kind, |x, y| x * y),
        Binary::ShiftLeft => match right.single() {
            Some(by) if (0..63).contains(&by) => wrap(kind, a << by, b << by),
            _ => exact(Interval::of(kind)),
        },
        Binary::Equal | Binary::NotEqual => {
            let truth = Truth { yes: false, no: left.meet(right).is_none() };
            truth.interval(op == Binary::NotEqual)
        }
        _ if op.is_comparison() => compare(op, kind, left, right),
        _ if !(kind.is_signed() || left.is_natural() && right.is_natural()) => {
            exact(Interval::of(kind))
        }
        Binary::Divide if right.lo > 0 => corners([a, b], [c, d], kind, |x, y| x / y),
        Binary::Remainder if right.lo > 0 => {
            let most =
                (right.hi - 1)
                    .min(left.lo.unsigned_abs().max(left.hi.unsigned_abs()).min(i64::MAX as u64)
                        as i64);
            let lo = if left.is_natural() { 0 } else { -most };
            exact(Interval { lo, hi: if left.hi <= 0 { 0 } else { most } })
        }
        Binary::ShiftRight => match right.single() {
            Some(by) if (0..63).contains(&by) => {
                exact(Interval { lo: left.lo >> by, hi: left.hi >> by })
            }
            _ => exact(Interval::of(kind)),
        },
        Binary::And if left.is_natural() && right.is_natural() => {
            exact(Interval { lo: 0, hi: left.hi.min(right.hi) })
        }
        Binary::Or | Binary::Xor if left.is_natural() && right.is_natural() => {
            exact(Interval { lo: 0, hi: ones(left.hi | right.hi) })
        }
        _ => exact(Interval::of(kind)),
    }
}

fn wraps(op: Binary, kind: Kind, a: i64, b: i64) -> bool {
    let (x, y) = (i128::from(a), i128::from(b));
    let result = match op {
        Binary::Add => x + y,
        Binary::Subtract => x - y,
        Binary::Multiply => x * y,
        _ => return false,
    };
    wrap(kind, result, result).wraps
}

fn corners(
    left: [i128; 2],
    right: [i128; 2],
    kind: Kind,
    of: impl Fn(i128, i128) -> i128,
) -> Outcome {
    let all = left.map(|x| right.map(|y| of(x, y)));
    let all = all.as_flattened();
    let lo = all.iter().copied().min().unwrap_or(i128::MIN);
    let hi = all.iter().copied().max().unwrap_or(i128::MAX);
    wrap(kind, lo, hi)
}

/// The number with all bits up to the highest one set.
fn ones(value: i64) -> i64 {
    let width = 64 - value.leading_zeros();
    if width >= 63 { i64::MAX } else { (1 << width) - 1 }
}

fn compare(op: Binary, kind: Kind, left: Interval, right: Interval) -> Outcome {
    if !(kind.is_signed() || left.is_natural() && right.is_natural()) {
        return exact(Interval { lo: 0, hi: 1 });
    }
    let (left, right, flip) = match op {
        Binary::Less => (left, right, false),
        Binary::Greater => (right, left, false),
        Binary::LessEqual => (right, left, true),
        _ => (left, right, true),
    };
    Truth { yes: left.hi < right.lo, no: left.lo >= right.hi }.interval(flip)
}

/// A conversion between kinds.
pub fn convert(from: Kind, to: Kind, value: Interval) -> Outcome {
    if from.is_float() || to.is_float() {
        return exact(Interval::ALL);
    }
    let all = Interval::of(to);
    exact(if all.covers(value) { value } else { all })
}

/// The values that both have, if a comparison of left and right has this result.
pub fn refine(
    op: Binary,
    kind: Kind,
    holds: bool,
    left: Interval,
    right: Interval,
) -> Option<(Interval, Interval)> {
    use Binary as B;
    if !(kind.is_signed() || left.is_natural() && right.is_natural()) {
        return match (op, holds) {
            (B::Equal, true) | (B::NotEqual, false) => left.meet(right).map(|both| (both, both)),
            _ => Some((left, right)),
        };
    }
    match (op, holds) {
        (B::Equal, true) | (B::NotEqual, false) => left.meet(right).map(|both| (both, both)),
        (B::Equal, false) | (B::NotEqual, true) => {
            Some((without(left, right.single())?, without(right, left.single())?))
        }
        (B::Less, true) | (B::GreaterEqual, false) => less(left, right, 1),
        (B::LessEqual, true) | (B::Greater, false) => less(left, right, 0),
        (B::Greater, true) | (B::LessEqual, false) => less(right, left, 1).map(|(b, a)| (a, b)),
        (B::GreaterEqual, true) | (B::Less, false) => less(right, left, 0).map(|(b, a)| (a, b)),
        _ => Some((left, right)),
    }
}

fn less(left: Interval, right: Interval, gap: i64) -> Option<(Interval, Interval)> {
    let below = Interval { lo: i64::MIN, hi: right.hi.checked_sub(gap)? };
    let above = Interval { lo: left.lo.checked_add(gap)?, hi: i64::MAX };
    Some((left.meet(below)?, right.meet(above)?))
}

fn without(values: Interval, value: Option<i64>) -> Option<Interval> {
    match value {
        Some(value) if values.single() == Some(value) => None,
        Some(value) if values.lo == value => Some(Interval { lo: value + 1, ..values }),
        Some(value) if values.hi == value => Some(Interval { hi: value - 1, ..values }),
        _ => Some(values),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const OPS: [Binary; 16] = [
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
    const KINDS: [Kind; 8] =
        [Kind::I8, Kind::U8, Kind::I16, Kind::U16, Kind::I32, Kind::U32, Kind::I64, Kind::U64];

    fn any_value() -> impl Strategy<Value = i64> {
        prop_oneof![4 => -9i64..9, 1 => any::<i64>(), 1 => Just(i64::MAX), 1 => Just(i64::MIN)]
    }

    /// Two values of a kind, and the interval between them.
    fn any_interval(kind: Kind) -> impl Strategy<Value = (i64, Interval)> {
        (any_value(), any_value(), any_value()).prop_map(move |values| {
            let [a, b, c] = [values.0, values.1, values.2].map(|v| kind.extend(v as u64) as i64);
            (a, Interval::one(a).join(Interval::one(b)).join(Interval::one(c)))
        })
    }

    fn any_case() -> impl Strategy<Value = (usize, Kind, (i64, Interval), (i64, Interval))> {
        (0..OPS.len(), 0..KINDS.len()).prop_flat_map(|(op, kind)| {
            let kind = KINDS[kind];
            (Just(op), Just(kind), any_interval(kind), any_interval(kind))
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]
        #[test]
        fn results_lie_in_their_interval((op, kind, (a, left), (b, right)) in any_case()) {
            let op = OPS[op];
            if let Some(value) = arithmetic::binary(op, kind, a as u64, b as u64) {
                let found = binary(op, kind, left, right);
                prop_assert!(found.values.contains(value as i64), "{:?} {:?}", op, found);
                let holds = value != 0;
                if op.is_comparison() {
                    let (l, r) = refine(op, kind, holds, left, right).unwrap();
                    prop_assert!(l.contains(a) && r.contains(b));
                }
            }
            for op in [Unary::Negate, Unary::Complement, Unary::IsZero, Unary::IsNonZero] {
                let value = arithmetic::unary(op, kind, a as u64) as i64;
                prop_assert!(unary(op, kind, left).values.contains(value), "{:?}", op);
            }
            for to in KINDS {
                let value = arithmetic::convert(kind, to, a as u64) as i64;
                prop_assert!(convert(kind, to, left).values.contains(value));
            }
        }

        #[test]
        fn overflow_is_noticed((a, left) in any_interval(Kind::I32), (b, right) in any_interval(Kind::I32)) {
            let sum = a + b;
            let found = binary(Binary::Add, Kind::I32, left, right);
            prop_assert!(found.wraps || i32::try_from(sum).is_ok());
        }
    }

    #[test]
    fn bits_tell_values_apart() {
        let bits = |lo, hi| Interval { lo, hi }.bits();
        assert_eq!([bits(1, 1), bits(0, 1), bits(0, 3), bits(0, 4), bits(-1, 6)], [0, 1, 2, 3, 3]);
        assert_eq!(Interval::ALL.bits(), 64);
    }
}
