//! Inputs: the values that nondeterministic choices have if no range is given.
//!
//! In: a program and a type. Out: a small set of values, 0 first, each of which the type can hold:
//!
//! - I1: 0, 1, -1 and the limits of the type;
//! - I2: the constants that the program itself compares something with: operands of comparisons and
//!   labels of `switch`, in the order in which they appear, up to a number of them.
//!
//! A pointer is null.

use raddle_cfront::ir::{Function, Kind, Nondet, Op, Primitive, Program, Reg};
use rustc_hash::FxHashMap;

use crate::settings::limits;

/// I2: how many constants of the program a set has.
const N_CONSTANTS_MAX: usize = 8;

/// The set of values for each type that the program asks for, by I1 and I2.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Inputs {
    sets: Vec<(Nondet, Vec<i64>)>,
}

impl Inputs {
    /// The sets of a program.
    pub fn new(program: &Program) -> Inputs {
        let mut inputs = Inputs::default();
        let mut found = None;
        for op in program.functions.iter().flat_map(|function| &function.code) {
            let Op::Primitive { call: Primitive::Nondet(nondet), .. } = *op else { continue };
            if inputs.index(nondet).is_none() {
                let constants = found.get_or_insert_with(|| constants(program));
                inputs.sets.push((nondet, set(nondet, constants)));
            }
        }
        inputs
    }

    /// The types that the program asks for, each with its values, the first answer first.
    pub fn sets(&self) -> &[(Nondet, Vec<i64>)] {
        &self.sets
    }

    /// The values of a type; none if the program does not ask for it.
    pub fn of(&self, nondet: Nondet) -> Option<&[i64]> {
        self.index(nondet).map(|index| self.at(index))
    }

    pub(crate) fn index(&self, nondet: Nondet) -> Option<u32> {
        self.sets.iter().position(|(known, _)| *known == nondet).map(|index| index as u32)
    }

    pub(crate) fn at(&self, index: u32) -> &[i64] {
        &self.sets[index as usize].1
    }
}

fn set(nondet: Nondet, constants: &[i64]) -> Vec<i64> {
    let is_pointer = matches!(nondet, Nondet::Scalar(kind) if kind.is_pointer());
    if is_pointer {
        return vec![0];
    }
    let (least, most) = limits(nondet);
    let is_float = matches!(nondet, Nondet::Scalar(kind) if kind.is_float());
    let ends = if is_float { vec![] } else { vec![least, most] };
    let fits = |value: &&i64| (least..=most).contains(*value);
    let simple = [0, 1, -1];
    let mut values: Vec<i64> = Vec::new();
    for &value in simple.iter().chain(&ends).filter(fits) {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    let new: Vec<_> = constants.iter().filter(fits).filter(|v| !values.contains(v)).collect();
    values.extend(new.into_iter().take(N_CONSTANTS_MAX));
    values
}

/// I2: each once.
fn constants(program: &Program) -> Vec<i64> {
    let mut all = Vec::new();
    for function in program.functions.iter().filter(|function| !function.library) {
        of_function(function, &mut |value| {
            if !all.contains(&value) {
                all.push(value);
            }
        });
    }
    all
}

fn of_function(function: &Function, add: &mut dyn FnMut(i64)) {
    let mut known: FxHashMap<Reg, u64> = FxHashMap::default();
    for op in &function.code {
        if let Op::Const { to, value } = *op {
            known.insert(to, value);
        }
    }
    let is_whole = |kind: Kind| !kind.is_float() && !kind.is_pointer();
    for op in &function.code {
        match *op {
            Op::BinaryConst { op, kind, right, .. } if op.is_comparison() && is_whole(kind) => {
                add(kind.extend(i64::from(right) as u64) as i64);
            }
            Op::Binary { op, kind, left, right, .. } if op.is_comparison() && is_whole(kind) => {
                let values = [left, right].into_iter().filter_map(|side| known.get(&side));
                values.for_each(|&value| add(kind.extend(value) as i64));
            }
            Op::Switch { table, .. } => {
                for case in &function.switches[table as usize].cases {
                    add(case.first);
                    add(case.last);
                }
            }
            _ => {}
        }
    }
}
