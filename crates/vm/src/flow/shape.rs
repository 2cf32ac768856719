//! Shapes: what the statements of a function could have done.
//!
//! In: a function. Out, for each of its statements: the registers and the named places of memory
//! that its transitions may set, and the statement around it that its jumps lead to.
//!
//! - S1: what an arm of a branch that was not taken would have set depends on the branch.
//! - S2: a `return`, `break`, `continue` or `goto` out of a statement makes what follows depend on
//!   its branches, up to the end of the innermost statement that has both the jump and its target
//!   (or ends at it).

use raddle_cfront::ir::{AccessKind, Function, Op, Place, Reg, Size, StatementId};

/// What a statement could have done.
#[derive(Clone, Debug, Default)]
pub(super) struct Shape {
    /// The registers that it may set.
    pub(super) registers: Vec<Reg>,
    /// The slots and globals that it may write: where and how many bytes.
    pub(super) places: Vec<(Place, u32)>,
    /// The statement that is over when its jumps are.
    pub(super) leads_to: Option<StatementId>,
}

impl Shape {
    /// The shape of a statement.
    pub(super) fn of(function: &Function, statement: StatementId) -> Shape {
        let mut shape = Shape::default();
        let code = function.statements[statement.0 as usize].code.clone();
        for op in &function.code[code.start as usize..code.end as usize] {
            op.writes(|register| shape.registers.push(register));
            if let Some(access) = op.access()
                && access.kind != AccessKind::Read
                && let (Place::Slot(..) | Place::Global(..), Size::Const(size)) =
                    (access.place, access.size)
            {
                shape.places.push((access.place, size));
            }
            shape.follow(function, statement, op);
        }
        shape.registers.sort_unstable();
        shape.registers.dedup();
        shape
    }

    fn follow(&mut self, function: &Function, from: StatementId, op: &Op) {
        match *op {
            Op::Return { .. } | Op::JumpTo { .. } => self.leads_to = Some(StatementId(0)),
            Op::Jump { to } => self.jump(function, from, to),
            Op::Branch { yes, no, .. } => {
                self.jump(function, from, yes);
                self.jump(function, from, no);
            }
            Op::Switch { table, .. } => {
                let switch = &function.switches[table as usize];
                switch.cases.iter().for_each(|case| self.jump(function, from, case.to));
                self.jump(function, from, switch.default);
            }
            _ => {}
        }
    }

    fn jump(&mut self, function: &Function, from: StatementId, to: u32) {
        let has = |statement: StatementId| {
            let code = &function.statements[statement.0 as usize].code;
            code.start <= to && to <= code.end
        };
        let mut at = from;
        while !has(at) {
            let Some(parent) = function.statements[at.0 as usize].parent else { break };
            at = parent;
        }
        if at != from {
            // Parents come before their children.
            self.leads_to = Some(self.leads_to.map_or(at, |known| known.min(at)));
        }
    }
}
