//! Liveness: which registers a function may still read.
//!
//! In: a function. Out: per operation the registers whose values matter before it. Fingerprints
//! leave the others out: what a temporary held when it was last used makes no new state.

use raddle_cfront::ir::{Function, Op, Reg};

/// Per operation a set of registers.
#[derive(Debug)]
pub(crate) struct Liveness {
    n_words: usize,
    words: Vec<u64>,
}

impl Liveness {
    /// Goes backwards over the function until nothing changes.
    pub(crate) fn new(function: &Function) -> Liveness {
        let n_words = (function.n_registers as usize).div_ceil(64);
        let words = vec![0; n_words * function.code.len()];
        let mut live = Liveness { n_words, words };
        let mut set = vec![0; n_words];
        let mut changed = true;
        while changed {
            changed = false;
            for at in (0..function.code.len()).rev() {
                live.before_op(function, at, &mut set);
                let known = &mut live.words[at * n_words..(at + 1) * n_words];
                changed |= known != set.as_slice();
                known.copy_from_slice(&set);
            }
        }
        live
    }

    /// Whether a register matters before an operation.
    pub(crate) fn is_live(&self, op: u32, register: u32) -> bool {
        let word = self.words.get(op as usize * self.n_words + register as usize / 64);
        word.is_some_and(|word| word >> (register % 64) & 1 == 1)
    }

    fn before_op(&self, function: &Function, at: usize, set: &mut [u64]) {
        set.fill(0);
        let mut join = |next: u32| {
            let start = next as usize * self.n_words;
            let words = self.words.get(start..start + self.n_words).unwrap_or(&[]);
            set.iter_mut().zip(words).for_each(|(word, more)| *word |= more);
        };
        let op = &function.code[at];
        match *op {
            Op::Return { .. } | Op::Unreachable => {}
            Op::Jump { to } => join(to),
            Op::Branch { yes, no, .. } => [yes, no].into_iter().for_each(join),
            Op::Switch { table, .. } => {
                let switch = &function.switches[table as usize];
                switch.cases.iter().map(|case| case.to).for_each(&mut join);
                join(switch.default);
            }
            Op::JumpTo { .. } => set.fill(u64::MAX),
            _ => join(at as u32 + 1),
        }
        op.writes(|Reg(register)| set[register as usize / 64] &= !(1 << (register % 64)));
        op.reads(function, |Reg(register)| set[register as usize / 64] |= 1 << (register % 64));
    }
}
