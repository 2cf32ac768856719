//! Nondeterministic values.

use raddle_cfront::ir::{Kind, Nondet, Op, Primitive};

use super::{Done, Result};
use crate::arithmetic;
use crate::machine::Machine;
use crate::outcome::RemarkKind;
use crate::state::Phase;

impl Machine {
    pub(super) fn nondet(&mut self, nondet: Nondet) -> Result {
        match self.image.settings.range(nondet) {
            None if self.image.settings.small_inputs => self.input(nondet),
            None => {
                self.remark(RemarkKind::NondetZero);
                Ok(Done::Value(0))
            }
            Some((low, high)) if low == high => Ok(Done::Value(bits(nondet, low))),
            Some((low, high)) => Ok(Done::Ask(Phase::Value { low, high })),
        }
    }

    /// A value of the small set of its type.
    fn input(&self, nondet: Nondet) -> Result {
        let inputs = &self.image.inputs;
        match inputs.index(nondet) {
            Some(index) if inputs.at(index).len() > 1 => Ok(Done::Ask(Phase::Input(index))),
            _ => Ok(Done::Value(0)),
        }
    }

    /// The current thread gets the value that was chosen for it.
    pub(crate) fn take_value(&mut self, value: i64) {
        if let Op::Primitive { call: Primitive::Nondet(nondet), .. } = self.op() {
            self.complete(bits(nondet, value));
        }
    }
}

/// A number as a register of this type holds it.
fn bits(nondet: Nondet, value: i64) -> u64 {
    match nondet {
        Nondet::Bool => value as u64,
        Nondet::Scalar(kind) => arithmetic::convert(Kind::I64, kind, value as u64),
    }
}
