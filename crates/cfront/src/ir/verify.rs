//! The verifier: whether a program is what the machine and the analyses take for granted.
//!
//! - V1: every register, slot, global, function, type, operand and table that is named exists.
//! - V2: every jump goes to an operation of its function, and the last operation does not go on.
//! - V3: the tables beside the code have one entry for each operation.
//! - V4: statements nest: parents come before children and hold their ranges, and the statement
//!   of an operation holds the operation.
//! - V5: the cases of a switch are sorted and do not overlap.

use super::{Function, Op, Place, Program, Reg, Size, Target, TypeId};

/// Says what is wrong with a program, if anything is.
pub fn verify(program: &Program) -> Result<(), String> {
    let n_functions = program.functions.len() as u32;
    for id in [program.start, program.thread_start, program.main] {
        check(id.0 < n_functions, || format!("there is no function {}", id.0))?;
    }
    for function in &program.functions {
        let within = Within { program, function };
        within.all().map_err(|wrong| format!("{}: {wrong}\n{function}", function.name))?;
    }
    for global in &program.globals {
        let fits = global.bytes.len() as u64 <= global.size;
        check(fits, || format!("the bytes of {} do not fit", global.name))?;
        for relocation in &global.relocations {
            let exists = match relocation.target {
                Target::Global(id) => (id.0 as usize) < program.globals.len(),
                Target::Function(id) => id.0 < n_functions,
            };
            check(exists, || format!("{} holds the address of nothing", global.name))?;
        }
    }
    Ok(())
}

fn check(holds: bool, wrong: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(wrong()) }
}

struct Within<'a> {
    program: &'a Program,
    function: &'a Function,
}

impl Within<'_> {
    fn all(&self) -> Result<(), String> {
        let function = self.function;
        let n = function.code.len();
        check(function.spans.len() == n && function.statement_of.len() == n, || "V3".to_owned())?;
        let n_parameters = function.parameters.len() as u32;
        check(n_parameters <= function.n_registers, || "V1: parameters".to_owned())?;
        let ends = matches!(
            function.code.last(),
            Some(Op::Jump { .. } | Op::Return { .. } | Op::Unreachable | Op::JumpTo { .. })
        );
        check(ends, || "V2: the last operation falls through".to_owned())?;
        for (at, op) in function.code.iter().enumerate() {
            self.operation(op).map_err(|wrong| format!("operation {at}: {wrong}"))?;
        }
        self.tables()?;
        self.statements()
    }

    fn operation(&self, op: &Op) -> Result<(), String> {
        let mut registers = Vec::new();
        if let Op::Call { arguments, .. }
        | Op::CallIndirect { arguments, .. }
        | Op::Primitive { arguments, .. } = op
        {
            let end = u64::from(arguments.start) + u64::from(arguments.len);
            check(end <= self.function.operands.len() as u64, || "V1: operands".to_owned())?;
        }
        op.reads(self.function, |reg| registers.push(reg));
        op.writes(|reg| registers.push(reg));
        let exists = |reg: &Reg| reg.0 < self.function.n_registers;
        check(registers.iter().all(exists), || format!("V1: registers {registers:?}"))?;
        if let Some(access) = op.access() {
            self.place(access.place)?;
            if let Size::Reg(reg) = access.size {
                check(exists(&reg), || format!("V1: {reg}"))?;
            }
        }
        match *op {
            Op::Address { place, .. } => self.place(place),
            Op::Jump { to } => self.target(to),
            Op::Branch { yes, no, .. } => self.target(yes).and_then(|()| self.target(no)),
            Op::Switch { table, .. } => {
                let exists = (table as usize) < self.function.switches.len();
                check(exists, || format!("V1: table {table}"))
            }
            Op::Call { function, .. } | Op::FunctionAddress { function, .. } => {
                let exists = (function.0 as usize) < self.program.functions.len();
                check(exists, || format!("V1: function {}", function.0))
            }
            Op::ThreadLocal { global, .. } => self.place(Place::Global(global, 0)),
            _ => Ok(()),
        }
    }

    fn place(&self, place: Place) -> Result<(), String> {
        let exists = match place {
            Place::At(base, _) => base.0 < self.function.n_registers,
            Place::Global(global, _) => (global.0 as usize) < self.program.globals.len(),
            Place::Slot(slot, _) => (slot.0 as usize) < self.function.slots.len(),
        };
        check(exists, || format!("V1: {place}"))
    }

    fn target(&self, to: u32) -> Result<(), String> {
        check((to as usize) < self.function.code.len(), || format!("V2: jump to {to}"))
    }

    fn tables(&self) -> Result<(), String> {
        for switch in &self.function.switches {
            self.target(switch.default)?;
            for case in &switch.cases {
                self.target(case.to)?;
                check(case.first <= case.last, || "V5: an empty case".to_owned())?;
            }
            let sorted = switch.cases.windows(2).all(|pair| pair[0].last < pair[1].first);
            check(sorted, || "V5: cases are not sorted".to_owned())?;
        }
        let n = self.function.code.len() as u32;
        for local in &self.function.locals {
            let inside = local.scope.start <= local.scope.end && local.scope.end <= n;
            check(inside, || format!("V2: the scope of {}", local.name))?;
            check(local.reg.0 < self.function.n_registers, || format!("V1: {}", local.name))?;
            self.ty(local.ty)?;
        }
        self.function.slots.iter().try_for_each(|slot| self.ty(slot.ty))
    }

    fn ty(&self, ty: TypeId) -> Result<(), String> {
        check(self.program.types.has(ty), || format!("V1: type {}", ty.0))
    }

    fn statements(&self) -> Result<(), String> {
        let statements = &self.function.statements;
        for (index, statement) in statements.iter().enumerate() {
            let inside = match statement.parent {
                None => index == 0 && statement.code == (0..self.function.code.len() as u32),
                Some(parent) => {
                    (parent.0 as usize) < index && {
                        let outer = &statements[parent.0 as usize].code;
                        outer.start <= statement.code.start
                            && statement.code.start <= statement.code.end
                            && statement.code.end <= outer.end
                    }
                }
            };
            check(inside, || format!("V4: statement {index}: {statement:?}"))?;
        }
        for (at, of) in self.function.statement_of.iter().enumerate() {
            let statement = statements.get(of.0 as usize);
            let holds = statement.is_some_and(|found| found.code.contains(&(at as u32)));
            check(holds, || format!("V4: operation {at} is not in statement {}", of.0))?;
        }
        Ok(())
    }
}
