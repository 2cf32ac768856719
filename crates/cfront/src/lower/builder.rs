//! The function under construction: code, registers, slots, statements and labels.
//!
//! Registers are handed out like a stack: a block's variables when they are declared, temporaries
//! above them until the end of the full expression. A jump to a label that is not placed yet is
//! patched when it is.

use std::sync::Arc;

use super::ctype::Type;
use crate::ast::Name;
use crate::ir::{
    Function, GlobalId, Local, Op, Operands, Reg, Slot, SlotId, Statement, StatementId,
    StatementKind, Switch, TypeId,
};
use crate::source::Span;

/// A place in the code that jumps can go to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Label(u32);

/// A function under construction.
#[derive(Debug)]
pub(crate) struct Builder {
    pub(crate) function: Function,
    /// What it returns.
    pub(crate) result: Type,
    /// Where a returned record goes.
    pub(crate) result_place: Option<Reg>,
    /// The position that operations get.
    pub(crate) span: Span,
    statement: StatementId,
    next_register: u32,
    labels: Vec<Option<u32>>,
    /// Constants that are the numbers of operations.
    label_constants: Vec<(u32, Label)>,
    /// The same in the bytes of static locals.
    labels_in_globals: Vec<(GlobalId, u64, Label)>,
    /// Where the last label was placed: operations before it are not touched any more.
    barrier: u32,
    /// Named labels, and where they were used or placed first.
    pub(crate) named: Vec<NamedLabel>,
    /// Those that have a place, in the order in which they got it.
    placed: Vec<usize>,
    /// Where `break` and `continue` go, with the depth of the scope there.
    pub(crate) breaks: Vec<(Label, usize)>,
    pub(crate) continues: Vec<(Label, usize)>,
    pub(crate) switches: Vec<SwitchState>,
}

/// How far a function had been built.
#[derive(Debug)]
pub(crate) struct Checkpoint {
    code: usize,
    operands: usize,
    slots: usize,
    locals: usize,
    switches: usize,
    statements: usize,
    label_constants: usize,
    barrier: u32,
    next_register: u32,
    /// How many named labels had a place.
    n_placed: usize,
    /// The cases of the innermost switch, and its default.
    cases: Option<(usize, Option<Label>)>,
}

/// A label of `goto`.
#[derive(Debug)]
pub(crate) struct NamedLabel {
    pub(crate) name: Name,
    pub(crate) label: Label,
    pub(crate) used: Span,
    pub(crate) placed: bool,
}

/// A switch whose body is being lowered.
#[derive(Debug)]
pub(crate) struct SwitchState {
    pub(crate) ty: Type,
    pub(crate) cases: Vec<(i64, i64, Label, Span)>,
    pub(crate) default: Option<Label>,
}

impl Builder {
    pub(crate) fn new(name: &str, result: Type, span: Span) -> Builder {
        let body = Statement { kind: StatementKind::Body, parent: None, code: 0..0, span };
        let function = Function {
            name: name.into(),
            parameters: Vec::new(),
            variadic: false,
            n_registers: 0,
            slots: Vec::new(),
            locals: Vec::new(),
            code: Vec::new(),
            spans: Vec::new(),
            statement_of: Vec::new(),
            statements: vec![body],
            operands: Vec::new(),
            switches: Vec::new(),
            library: false,
            span,
        };
        Builder {
            function,
            result,
            result_place: None,
            span,
            statement: StatementId(0),
            next_register: 0,
            labels: Vec::new(),
            label_constants: Vec::new(),
            labels_in_globals: Vec::new(),
            barrier: 0,
            named: Vec::new(),
            placed: Vec::new(),
            breaks: Vec::new(),
            continues: Vec::new(),
            switches: Vec::new(),
        }
    }

    /// The index of the next operation.
    pub(crate) fn here(&self) -> u32 {
        self.function.code.len() as u32
    }

    pub(crate) fn emit(&mut self, op: Op) {
        self.function.code.push(op);
        self.function.spans.push(self.span);
        self.function.statement_of.push(self.statement);
    }

    pub(crate) fn register(&mut self) -> Reg {
        let register = Reg(self.next_register);
        self.next_register += 1;
        self.function.n_registers = self.function.n_registers.max(self.next_register);
        register
    }

    /// The mark to give back registers from.
    pub(crate) fn mark(&self) -> u32 {
        self.next_register
    }

    /// Gives back the registers handed out since the mark.
    pub(crate) fn release(&mut self, mark: u32) {
        self.next_register = mark;
    }

    pub(crate) fn slot(
        &mut self,
        name: &str,
        size: u64,
        align: u32,
        ty: TypeId,
        span: Span,
    ) -> SlotId {
        // Whether its address goes anywhere is known at the end of the function.
        let slot = Slot { name: name.into(), size, align, ty, private: true, span };
        self.function.slots.push(slot);
        SlotId(self.function.slots.len() as u32 - 1)
    }

    /// The address of the slot becomes a value.
    pub(crate) fn expose(&mut self, slot: SlotId) {
        self.function.slots[slot.0 as usize].private = false;
    }

    pub(crate) fn local(&mut self, name: &str, reg: Reg, ty: TypeId, span: Span) {
        let scope = self.here()..u32::MAX;
        self.function.locals.push(Local { name: name.into(), reg, ty, scope, span });
    }

    pub(crate) fn operands(&mut self, registers: &[Reg]) -> Operands {
        let start = self.function.operands.len() as u32;
        self.function.operands.extend_from_slice(registers);
        Operands { start, len: registers.len() as u32 }
    }

    pub(crate) fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() as u32 - 1)
    }

    pub(crate) fn place(&mut self, label: Label) {
        self.labels[label.0 as usize] = Some(self.here());
        self.barrier = self.here();
    }

    pub(crate) fn jump(&mut self, label: Label) {
        self.emit(Op::Jump { to: label.0 });
    }

    pub(crate) fn branch(&mut self, condition: Reg, yes: Label, no: Label) {
        self.emit(Op::Branch { condition, yes: yes.0, no: no.0 });
    }

    /// A constant register that will hold the operation's number of a label.
    pub(crate) fn label_address(&mut self, label: Label) -> Reg {
        let to = self.register();
        self.label_constants.push((self.here(), label));
        self.emit(Op::Const { to, value: 0 });
        to
    }

    /// The bytes of a global will hold the operation's number of a label.
    pub(crate) fn add_label_in_global(&mut self, global: GlobalId, offset: u64, label: Label) {
        self.labels_in_globals.push((global, offset, label));
    }

    /// The numbers that go into the bytes of globals; all labels are placed.
    pub(crate) fn labels_in_globals(&self) -> impl Iterator<Item = (GlobalId, u64, u32)> {
        let place = |label: Label| self.labels[label.0 as usize].unwrap_or(0);
        self.labels_in_globals.iter().map(move |&(global, at, label)| (global, at, place(label)))
    }

    /// The label of a name, made when it is met first.
    pub(crate) fn named_label(&mut self, name: &Name, used: Span) -> usize {
        if let Some(index) = self.named.iter().position(|named| named.name == *name) {
            return index;
        }
        let label = self.label();
        self.named.push(NamedLabel { name: name.clone(), label, used, placed: false });
        self.named.len() - 1
    }

    /// Places a named label here; says whether it had no place yet.
    pub(crate) fn place_named(&mut self, index: usize) -> bool {
        if std::mem::replace(&mut self.named[index].placed, true) {
            return false;
        }
        self.placed.push(index);
        self.place(self.named[index].label);
        true
    }

    /// Whether control can come to this point only from the operation before.
    pub(crate) fn ended(&self) -> bool {
        let ends = matches!(
            self.function.code.last(),
            Some(
                Op::Jump { .. }
                    | Op::Branch { .. }
                    | Op::Switch { .. }
                    | Op::JumpTo { .. }
                    | Op::Return { .. }
                    | Op::Unreachable
            )
        );
        ends && self.barrier != self.here()
    }

    /// Has the last operation write to `to` instead of the temporary `from`, if it made it.
    pub(crate) fn retarget(&mut self, from: Reg, to: Reg, floor: u32) -> bool {
        if from.0 < floor || self.barrier == self.here() {
            return false;
        }
        let Some(last) = self.function.code.last_mut() else { return false };
        match last {
            Op::Const { to: at, .. }
            | Op::Copy { to: at, .. }
            | Op::Unary { to: at, .. }
            | Op::Binary { to: at, .. }
            | Op::BinaryConst { to: at, .. }
            | Op::Convert { to: at, .. }
            | Op::Extract { to: at, .. }
            | Op::Index { to: at, .. }
            | Op::Distance { to: at, .. }
            | Op::Address { to: at, .. }
            | Op::Load { to: at, .. }
            | Op::ReadModifyWrite { to: at, .. }
            | Op::Call { result: Some(at), .. }
            | Op::CallIndirect { result: Some(at), .. }
            | Op::Primitive { result: Some(at), .. }
                if *at == from =>
            {
                *at = to;
                true
            }
            _ => false,
        }
    }

    pub(crate) fn enter(&mut self, kind: StatementKind, span: Span) -> StatementId {
        let parent = self.statement;
        let code = self.here()..self.here();
        self.function.statements.push(Statement { kind, parent: Some(parent), code, span });
        self.statement = StatementId(self.function.statements.len() as u32 - 1);
        parent
    }

    pub(crate) fn leave(&mut self, parent: StatementId) {
        let here = self.here();
        self.function.statements[self.statement.0 as usize].code.end = here;
        self.statement = parent;
    }

    /// Ends a switch: the table with its cases, sorted.
    pub(crate) fn add_switch(&mut self, switch: Switch) -> u32 {
        self.function.switches.push(switch);
        self.function.switches.len() as u32 - 1
    }

    /// The target that a label has in a switch's table, to be resolved with all jumps.
    pub(crate) fn target(label: Label) -> u32 {
        label.0
    }

    /// The state to come back to if what follows turns out not to be needed.
    pub(crate) fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            code: self.function.code.len(),
            operands: self.function.operands.len(),
            slots: self.function.slots.len(),
            locals: self.function.locals.len(),
            switches: self.function.switches.len(),
            statements: self.function.statements.len(),
            label_constants: self.label_constants.len(),
            barrier: self.barrier,
            next_register: self.next_register,
            n_placed: self.placed.len(),
            cases: self.switches.last().map(|switch| (switch.cases.len(), switch.default)),
        }
    }

    /// Forgets everything emitted since the checkpoint.
    pub(crate) fn forget(&mut self, to: &Checkpoint) {
        self.function.code.truncate(to.code);
        self.function.spans.truncate(to.code);
        self.function.statement_of.truncate(to.code);
        self.function.operands.truncate(to.operands);
        self.function.slots.truncate(to.slots);
        self.function.locals.truncate(to.locals);
        self.function.switches.truncate(to.switches);
        self.function.statements.truncate(to.statements);
        self.label_constants.truncate(to.label_constants);
        self.barrier = to.barrier;
        self.next_register = to.next_register;
        for index in self.placed.drain(to.n_placed..) {
            self.named[index].placed = false;
        }
        if let (Some(switch), Some((n, default))) = (self.switches.last_mut(), to.cases) {
            switch.cases.truncate(n);
            switch.default = default;
        }
    }

    /// Puts the places of labels into all jumps.
    pub(crate) fn finish(mut self) -> Function {
        let labels: Vec<u32> = self.labels.iter().map(|place| place.unwrap_or(0)).collect();
        let place = |label: &mut u32| *label = labels[*label as usize];
        for op in &mut self.function.code {
            match op {
                Op::Jump { to } => place(to),
                Op::Branch { yes, no, .. } => {
                    place(yes);
                    place(no);
                }
                _ => {}
            }
        }
        for (at, label) in self.label_constants {
            if let Some(Op::Const { value, .. }) = self.function.code.get_mut(at as usize) {
                *value = u64::from(labels[label.0 as usize]);
            }
        }
        for switch in &mut self.function.switches {
            place(&mut switch.default);
            switch.cases.iter_mut().for_each(|case| place(&mut case.to));
        }
        self.function.statements[0].code = 0..self.function.code.len() as u32;
        let end = self.function.code.len() as u32;
        for local in &mut self.function.locals {
            local.scope.end = local.scope.end.min(end);
        }
        self.function
    }

    /// The name of the function.
    pub(crate) fn name(&self) -> Arc<str> {
        self.function.name.clone()
    }
}
