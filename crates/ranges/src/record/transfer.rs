//! What each transition does to expressions.

use raddle_cfront::ir::{
    Binary, Function, Kind, Op, Operands, Place, Primitive, Reg, Rmw, Size, Unary,
};
use raddle_vm::Transition;

use super::events::{Follower, is_trivial};
use super::memory::Kept;
use crate::ctp::{Action, Guard, Line, Otherwise};
use crate::expr::{Expr, ExprId};

/// Functions of the library whose arguments reach nothing but the output.
const OUTPUT: &[&str] = &[
    "printf",
    "fprintf",
    "dprintf",
    "vprintf",
    "vfprintf",
    "puts",
    "fputs",
    "putchar",
    "putc",
    "fputc",
    "putchar_unlocked",
    "putc_unlocked",
    "fwrite",
    "fflush",
    "perror",
    "write",
];

impl Follower {
    pub(super) fn transfer(&mut self, t: &Transition<'_>) {
        let program = t.view.program();
        let function = program.function(t.site.function);
        let extra = self.thread(t.thread).settle(program, t);
        if let Some(object) = t.view.variadic().filter(|_| !extra.is_empty()) {
            let place = (object, t.view.birth(object));
            self.memory.clear(place, 0, t.view.size(object));
            for (offset, value) in (0u32..).step_by(8).zip(extra) {
                let Some(value) = value else { continue };
                self.memory.put(place, Kept { offset, kind: Kind::U64, value });
            }
        }
        self.thread(t.thread).action = None;
        match function.code[t.site.op as usize] {
            Op::Copy { to, from } => {
                let value = self.thread(t.thread).get(from);
                self.set(t, to, value);
            }
            Op::Unary { op, kind, to, from } => {
                let value = self.thread(t.thread).get(from);
                let value = value.map(|value| self.ctp.exprs.unary(op, kind, value));
                self.computed(t, kind, to, value);
            }
            Op::Binary { op, kind, to, left, right } => {
                let value = self.binary(t, op, kind, left, Operand::Register(right));
                self.computed(t, kind, to, value);
            }
            Op::BinaryConst { op, kind, to, left, right } => {
                let right = Operand::Value(kind.extend(right as i64 as u64));
                let value = self.binary(t, op, kind, left, right);
                self.computed(t, kind, to, value);
            }
            Op::Convert { from_kind, to_kind, to, from } => {
                let value = self.thread(t.thread).get(from);
                let value = value.map(|value| self.ctp.exprs.convert(from_kind, to_kind, value));
                let kind = if from_kind.is_float() { from_kind } else { to_kind };
                self.computed(t, kind, to, value);
            }
            Op::Extract { to, from, shift, width, signed } => {
                let value = self.thread(t.thread).get(from);
                let value = value.map(|value| self.extract(value, shift, width, signed));
                self.set(t, to, value);
            }
            Op::Insert { to, unit, value, shift, width } => {
                let value = self.insert(t, unit, value, shift, width);
                self.set(t, to, value);
            }
            Op::Index { kind, to, base, index, scale } => {
                let value = self.index(t, kind, base, index, scale);
                self.set(t, to, value);
            }
            Op::Distance { to, left, right, scale } => {
                let value =
                    self.binary(t, Binary::Subtract, Kind::I64, left, Operand::Register(right));
                let value = value.map(|value| {
                    let scale = self.ctp.exprs.value(u64::from(scale.max(1)));
                    self.ctp.exprs.binary(Binary::Divide, Kind::I64, value, scale)
                });
                self.set(t, to, value);
            }
            Op::Address { to, place: Place::At(base, offset) } => {
                let offset = Operand::Value(offset as i64 as u64);
                let value = self.binary(t, Binary::Add, Kind::P64, base, offset);
                self.set(t, to, value);
            }
            Op::Branch { condition, yes, no } => self.branch(t, function, condition, yes, no),
            Op::Switch { value, .. } | Op::JumpTo { target: value } => self.fix(t, value),
            Op::Call { function: callee, arguments, result } => {
                self.call(t, function, arguments, result);
                let callee = program.function(callee);
                if callee.library && OUTPUT.contains(&&*callee.name) {
                    self.hush(t);
                }
            }
            Op::CallIndirect { target, arguments, result } => {
                self.fix(t, target);
                self.call(t, function, arguments, result);
            }
            Op::Return { value } => {
                let value = value.and_then(|value| self.thread(t.thread).get(value));
                let thread = self.thread(t.thread);
                if thread.frames.len() > 1 {
                    thread.frames.pop();
                    if let Some(to) = thread.top().result.take() {
                        thread.set(to, value);
                    }
                }
            }
            Op::Primitive { call, arguments, result } => {
                self.primitive(t, call, function.operands(arguments), result);
            }
            Op::Allocate { to, size } => {
                self.fix(t, size);
                self.set(t, to, None);
            }
            op if op.access().is_some() => self.access(t, op),
            op => op.writes(|register| self.thread(t.thread).set(register, None)),
        }
    }

    fn set(&mut self, t: &Transition<'_>, to: Reg, value: Option<ExprId>) {
        self.thread(t.thread).set(to, value);
    }

    /// Sets what an operator gives, and says if it is not followed.
    fn computed(&mut self, t: &Transition<'_>, kind: Kind, to: Reg, value: Option<ExprId>) {
        if kind.is_float() && value.is_some() && self.thread(t.thread).quiet.is_none() {
            let text = "floating-point values are not followed".to_owned();
            self.notice(text, super::line(t.view.program(), t.site));
        }
        self.set(t, to, value);
    }

    /// The expression in a register, or its value in the run.
    fn operand(&mut self, t: &Transition<'_>, register: Reg) -> ExprId {
        match self.thread(t.thread).get(register) {
            Some(value) => value,
            None => self.ctp.exprs.value(t.registers[register.0 as usize]),
        }
    }

    fn binary(
        &mut self,
        t: &Transition<'_>,
        op: Binary,
        kind: Kind,
        left: Reg,
        right: Operand,
    ) -> Option<ExprId> {
        let known =
            |follower: &mut Self, register| follower.thread(t.thread).get(register).is_some();
        let followed =
            known(self, left) || matches!(right, Operand::Register(right) if known(self, right));
        if !followed {
            return None;
        }
        let left = self.operand(t, left);
        let right = match right {
            Operand::Register(right) => self.operand(t, right),
            Operand::Value(value) => self.ctp.exprs.value(value),
        };
        Some(self.ctp.exprs.binary(op, kind, left, right))
    }

    fn index(
        &mut self,
        t: &Transition<'_>,
        kind: Kind,
        base: Reg,
        index: Reg,
        scale: i32,
    ) -> Option<ExprId> {
        let thread = self.thread(t.thread);
        if thread.get(base).is_none() && thread.get(index).is_none() {
            return None;
        }
        let (base, index) = (self.operand(t, base), self.operand(t, index));
        let exprs = &mut self.ctp.exprs;
        let scale = exprs.value(scale as i64 as u64);
        let distance = exprs.binary(Binary::Multiply, Kind::I64, index, scale);
        Some(exprs.binary(Binary::Add, kind, base, distance))
    }

    fn extract(&mut self, value: ExprId, shift: u8, width: u8, signed: bool) -> ExprId {
        let exprs = &mut self.ctp.exprs;
        let left = exprs.value(u64::from(64 - shift - width));
        let right = exprs.value(u64::from(64 - width));
        let kind = if signed { Kind::I64 } else { Kind::U64 };
        let high = exprs.binary(Binary::ShiftLeft, Kind::U64, value, left);
        exprs.binary(Binary::ShiftRight, kind, high, right)
    }

    fn insert(
        &mut self,
        t: &Transition<'_>,
        unit: Reg,
        value: Reg,
        shift: u8,
        width: u8,
    ) -> Option<ExprId> {
        let thread = self.thread(t.thread);
        if thread.get(unit).is_none() && thread.get(value).is_none() {
            return None;
        }
        let (unit, value) = (self.operand(t, unit), self.operand(t, value));
        let ones = if width >= 64 { u64::MAX } else { (1 << width) - 1 };
        let exprs = &mut self.ctp.exprs;
        let by = exprs.value(u64::from(shift));
        let moved = exprs.binary(Binary::ShiftLeft, Kind::U64, value, by);
        let mask = exprs.value(ones << shift);
        let inside = exprs.binary(Binary::And, Kind::U64, moved, mask);
        let rest = exprs.value(!(ones << shift));
        let outside = exprs.binary(Binary::And, Kind::U64, unit, rest);
        Some(exprs.binary(Binary::Or, Kind::U64, outside, inside))
    }

    /// C2: a register is what it was in the run.
    fn fix(&mut self, t: &Transition<'_>, register: Reg) {
        if let Some(value) = self.thread(t.thread).get(register) {
            self.fix_value(t, value, t.registers[register.0 as usize]);
            self.set(t, register, None);
        }
    }

    fn fix_value(&mut self, t: &Transition<'_>, value: ExprId, to: u64) {
        let to = self.ctp.exprs.value(to);
        let condition = self.ctp.exprs.equal(value, to);
        self.guard(t, condition, Otherwise::Other);
    }

    fn guard(&mut self, t: &Transition<'_>, condition: ExprId, otherwise: Otherwise) {
        let trivial = is_trivial(&self.ctp, condition);
        let line = own_line(t);
        let thread = self.thread(t.thread);
        if !trivial && thread.quiet.is_none() && thread.known.insert(condition) {
            thread.guards.push(Guard { condition, line, otherwise });
        }
    }

    fn branch(
        &mut self,
        t: &Transition<'_>,
        function: &Function,
        condition: Reg,
        yes: u32,
        no: u32,
    ) {
        let Some(value) = self.thread(t.thread).get(condition) else { return };
        let taken = t.registers[condition.0 as usize] != 0;
        let other = if taken { no } else { yes };
        let otherwise = match leads_to_failure(t, function, other) {
            true => Otherwise::Fails,
            false => Otherwise::Elsewhere(line_at(t, function, other)),
        };
        let condition = match taken {
            true => value,
            false => self.ctp.exprs.unary(Unary::IsZero, Kind::I64, value),
        };
        self.guard(t, condition, otherwise);
    }

    fn call(
        &mut self,
        t: &Transition<'_>,
        function: &Function,
        arguments: Operands,
        result: Option<Reg>,
    ) {
        let thread = self.thread(t.thread);
        let arguments = function.operands(arguments).iter().map(|&r| thread.get(r)).collect();
        thread.top().result = result;
        thread.incoming = arguments;
    }

    /// C4.
    fn hush(&mut self, t: &Transition<'_>) {
        let thread = self.thread(t.thread);
        thread.incoming.fill(None);
        thread.quiet.get_or_insert(t.depth);
    }

    fn primitive(
        &mut self,
        t: &Transition<'_>,
        call: Primitive,
        arguments: &[Reg],
        result: Option<Reg>,
    ) {
        use Primitive as P;
        let get = |follower: &mut Self, n: usize| {
            arguments.get(n).and_then(|&register| follower.thread(t.thread).get(register))
        };
        match call {
            P::ThreadNew => {
                let made = vec![get(self, 0), get(self, 1)];
                self.thread(t.thread).made = made;
            }
            P::ThreadExit => {
                let ended = get(self, 0);
                self.thread(t.thread).ended = ended;
            }
            P::Assume => {
                if let Some(condition) = get(self, 0) {
                    self.guard(t, condition, Otherwise::Other);
                }
            }
            P::ThreadJoin | P::ThreadTryJoin | P::ThreadTimedJoin => {
                arguments.iter().for_each(|&register| self.fix(t, register));
                let to = arguments.get(1).and_then(|&to| t.locate(Place::At(to, 0)));
                let to = to.map(|(object, offset)| (object, t.view.birth(object), offset));
                self.thread(t.thread).result = to;
            }
            P::Math(_) | P::FormatDouble | P::ParseDouble => {
                arguments.iter().for_each(|&register| self.fix(t, register));
            }
            P::Write => {}
            _ => arguments.iter().for_each(|&register| self.fix(t, register)),
        }
        if let Some(to) = result {
            self.set(t, to, None);
        }
    }

    fn access(&mut self, t: &Transition<'_>, op: Op) {
        let Some(access) = op.access() else { return };
        if let Place::At(base, _) = access.place {
            self.fix(t, base);
        }
        let size = match access.size {
            Size::Const(size) => size,
            Size::Reg(register) => {
                self.fix(t, register);
                u32::try_from(t.registers[register.0 as usize]).unwrap_or(0)
            }
        };
        // What is not there is a fault, which ends the run.
        let Some((object, offset)) = t.locate(access.place).filter(|_| size > 0) else { return };
        let place = (object, t.view.birth(object));
        match self.piece(place, offset, size) {
            Some(piece) => self.shared_access(t, op, place, piece, size),
            None => self.private_access(t, op, At { place, offset, size }),
        }
    }

    fn shared_access(
        &mut self,
        t: &Transition<'_>,
        op: Op,
        place: super::users::Place,
        piece: super::users::Piece,
        size: u32,
    ) {
        let kind = kind_of(op).unwrap_or(word(size));
        let global = self.global(t, place, piece, kind);
        let known = self.ctp.globals[global.0 as usize].kind;
        let followed =
            !piece.mixed && !kind.is_float() && known.size() == size && kind.size() == size;
        let id = self.thread(t.thread).id;
        let name =
            name_of(t, op).unwrap_or_else(|| self.ctp.globals[global.0 as usize].name.clone());
        let mut local = || {
            let local = self.ctp.add_local(name.clone(), id, known);
            let value = self.ctp.exprs.local(local);
            // The same bits may be read as another kind.
            let read = if followed {
                self.ctp.exprs.convert(known, kind, value)
            } else {
                self.ctp.exprs.unknown()
            };
            (local, read)
        };
        let action = match op {
            Op::Load { to, .. } => {
                let (local, read) = local();
                self.set(t, to, Some(read));
                Action::Read { global, to: local }
            }
            Op::ReadBlock { .. } => {
                let (local, read) = local();
                let kept = Kept { offset: 0, kind, value: read };
                self.thread(t.thread).buffer = if size <= 8 { vec![kept] } else { Vec::new() };
                Action::Read { global, to: local }
            }
            Op::ReadModifyWrite { op, to, from, .. } => {
                let (local, read) = local();
                let operand = self.operand(t, from);
                let value = self.modified(op, kind, read, operand);
                self.set(t, to, Some(read));
                Action::Update { global, to: local, value: self.stored(value, known, followed) }
            }
            Op::CompareExchange { to, expected, desired, .. } => {
                let (local, read) = local();
                let (wanted, desired) = (self.operand(t, expected), self.operand(t, desired));
                let wanted = self.held_as(wanted, kind);
                let equal = self.ctp.exprs.binary(Binary::Equal, kind, read, wanted);
                let value = self.ctp.exprs.select(equal, desired, read);
                self.set(t, expected, Some(read));
                self.set(t, to, Some(equal));
                Action::Update { global, to: local, value: self.stored(value, known, followed) }
            }
            Op::Store { from, .. } => {
                let value = self.operand(t, from);
                Action::Write { global, value: self.stored(value, known, followed) }
            }
            Op::WriteBlock { .. } => {
                let buffer = std::mem::take(&mut self.thread(t.thread).buffer);
                let value = match buffer[..] {
                    [Kept { offset: 0, kind, value }] if kind.size() == size => Some(value),
                    _ => None,
                };
                let value = value.unwrap_or_else(|| self.ctp.exprs.unknown());
                Action::Write { global, value: self.stored(value, known, followed) }
            }
            _ => Action::Write { global, value: self.ctp.exprs.unknown() },
        };
        self.thread(t.thread).action = Some(action);
    }

    /// What memory of a kind holds when a value is stored there.
    fn stored(&mut self, value: ExprId, kind: Kind, followed: bool) -> ExprId {
        if followed { self.held_as(value, kind) } else { self.ctp.exprs.unknown() }
    }

    fn held_as(&mut self, value: ExprId, kind: Kind) -> ExprId {
        let exprs = &mut self.ctp.exprs;
        let has = match exprs.get(value) {
            Expr::Local(local) => Some(self.ctp.locals[local.0 as usize].kind),
            Expr::Binary(op, ..) if op.is_comparison() => Some(Kind::I32),
            Expr::Binary(_, kind, ..) => Some(kind),
            Expr::Unary(Unary::IsZero | Unary::IsNonZero, ..) => Some(Kind::I32),
            Expr::Unary(_, kind, _) | Expr::Convert(_, kind, _) => Some(kind),
            _ => None,
        };
        exprs.convert(has.unwrap_or(Kind::I64), kind, value)
    }

    fn modified(&mut self, op: Rmw, kind: Kind, old: ExprId, operand: ExprId) -> ExprId {
        let exprs = &mut self.ctp.exprs;
        match op {
            Rmw::Exchange => operand,
            Rmw::Nand => {
                let both = exprs.binary(Binary::And, kind, old, operand);
                exprs.unary(Unary::Complement, kind, both)
            }
            Rmw::Binary(op) => exprs.binary(op, kind, old, operand),
        }
    }

    fn private_access(&mut self, t: &Transition<'_>, op: Op, at: At) {
        match op {
            Op::Load { to, kind, .. } => {
                let value = self.load(t, at, kind);
                self.set(t, to, value);
            }
            Op::Store { from, kind, .. } => {
                let value = self.thread(t.thread).get(from);
                self.store(t, at, kind, value);
            }
            Op::ReadModifyWrite { op, to, from, kind, .. } => {
                let old = self.load(t, at, kind);
                let operand = self.thread(t.thread).get(from);
                let value = (old.is_some() || operand.is_some()).then(|| {
                    let now = self.now(t, at, kind);
                    let operand = self.operand(t, from);
                    self.modified(op, kind, old.unwrap_or(now), operand)
                });
                self.store(t, at, kind, value);
                self.set(t, to, old);
            }
            Op::CompareExchange { to, expected, desired, kind, .. } => {
                let old = self.load(t, at, kind);
                let followed =
                    [old, self.thread(t.thread).get(expected), self.thread(t.thread).get(desired)];
                let followed = followed.iter().any(Option::is_some);
                let now = self.now(t, at, kind);
                let (wanted, desired) = (self.operand(t, expected), self.operand(t, desired));
                let wanted = self.held_as(wanted, kind);
                let read = old.unwrap_or(now);
                let equal = self.ctp.exprs.binary(Binary::Equal, kind, read, wanted);
                let value = self.ctp.exprs.select(equal, desired, read);
                self.store(t, at, kind, Some(value).filter(|_| followed));
                self.set(t, expected, old);
                self.set(t, to, Some(equal).filter(|_| followed));
            }
            Op::ReadBlock { .. } => {
                let kept = self.memory.overlapping(at.place, at.offset, at.size);
                let inside = |k: &Kept| {
                    k.offset >= at.offset && k.offset + k.kind.size() <= at.offset + at.size
                };
                let (inside, partly): (Vec<_>, Vec<_>) = kept.into_iter().partition(inside);
                partly.iter().for_each(|&kept| self.fix_kept(t, at, kept));
                let moved = |k: Kept| Kept { offset: k.offset - at.offset, ..k };
                self.thread(t.thread).buffer = inside.into_iter().map(moved).collect();
            }
            Op::WriteBlock { .. } => {
                let buffer = std::mem::take(&mut self.thread(t.thread).buffer);
                self.make_room(t, at);
                for kept in buffer {
                    self.memory.put(at.place, Kept { offset: kept.offset + at.offset, ..kept });
                }
            }
            Op::Fill { byte, .. } => {
                if let Some(byte) = byte {
                    self.fix(t, byte);
                }
                self.make_room(t, at);
            }
            _ => {}
        }
    }

    /// The value at a place in the run.
    fn now(&mut self, t: &Transition<'_>, at: At, kind: Kind) -> ExprId {
        let bits = t.view.bits(at.place.0, at.offset, at.size).unwrap_or(0);
        self.ctp.exprs.value(kind.extend(bits))
    }

    fn load(&mut self, t: &Transition<'_>, at: At, kind: Kind) -> Option<ExprId> {
        let kept = self.memory.overlapping(at.place, at.offset, at.size);
        match kept[..] {
            [] => None,
            [one] if one.offset == at.offset && one.kind.size() == at.size => {
                Some(self.ctp.exprs.convert(one.kind, kind, one.value))
            }
            _ => {
                kept.iter().for_each(|&kept| self.fix_kept(t, at, kept));
                None
            }
        }
    }

    fn store(&mut self, t: &Transition<'_>, at: At, kind: Kind, value: Option<ExprId>) {
        self.make_room(t, at);
        if let Some(value) = value.filter(|_| self.threads[&t.thread].quiet.is_none()) {
            let value = if kind.is_float() { value } else { self.held_as(value, kind) };
            self.memory.put(at.place, Kept { offset: at.offset, kind, value });
        }
    }

    /// Takes away what is overwritten; what is overwritten in part is what it was in the run.
    fn make_room(&mut self, t: &Transition<'_>, at: At) {
        for kept in self.memory.overlapping(at.place, at.offset, at.size) {
            let end = kept.offset + kept.kind.size();
            if kept.offset < at.offset || end > at.offset + at.size {
                self.fix_kept(t, at, kept);
            }
        }
        self.memory.clear(at.place, at.offset, at.size);
    }

    fn fix_kept(&mut self, t: &Transition<'_>, at: At, kept: Kept) {
        if let Some(bits) = t.view.bits(at.place.0, kept.offset, kept.kind.size()) {
            self.fix_value(t, kept.value, kept.kind.extend(bits));
        }
    }
}

enum Operand {
    Register(Reg),
    Value(u64),
}

/// A place in memory.
#[derive(Clone, Copy)]
struct At {
    place: super::users::Place,
    offset: u32,
    size: u32,
}

fn kind_of(op: Op) -> Option<Kind> {
    match op {
        Op::Load { kind, .. }
        | Op::Store { kind, .. }
        | Op::ReadModifyWrite { kind, .. }
        | Op::CompareExchange { kind, .. } => Some(kind),
        _ => None,
    }
}

/// The kind of so many bytes that are copied.
fn word(size: u32) -> Kind {
    match size {
        1 => Kind::U8,
        2 => Kind::U16,
        4 => Kind::U32,
        _ => Kind::U64,
    }
}

/// The name of the variable that a load goes to, if it has one.
fn name_of(t: &Transition<'_>, op: Op) -> Option<String> {
    let Op::Load { to, .. } = op else { return None };
    let function = t.view.program().function(t.site.function);
    let next = function.code.get(t.site.op as usize + 1);
    let copied = next.and_then(|next| match *next {
        Op::Copy { to: copy, from } if from == to => Some(copy),
        _ => None,
    });
    let named = |register: Reg| {
        let after = t.site.op + 1;
        let here = |local: &&raddle_cfront::ir::Local| {
            local.reg == register
                && (local.scope.contains(&t.site.op) || local.scope.contains(&after))
        };
        function.locals.iter().find(here).map(|local| local.name.to_string())
    };
    named(to).or_else(|| copied.and_then(named))
}

fn own_line(t: &Transition<'_>) -> Option<Line> {
    let own = t.view.stack().find(|frame| !frame.library);
    // The innermost frame may not know yet where it is.
    let site = match own {
        Some(frame) if frame.site.function != t.site.function => frame.site,
        _ => t.site,
    };
    super::line(t.view.program(), site)
}

fn line_at(t: &Transition<'_>, function: &Function, op: u32) -> Option<Line> {
    let span = function.spans.get(op as usize)?;
    let location = t.view.program().sources.locate(span.start);
    Some(Line { file: location.file, line: location.line })
}

/// Whether nothing but a failed assertion, or an error that must not be reached, comes next.
fn leads_to_failure(t: &Transition<'_>, function: &Function, mut op: u32) -> bool {
    for _ in 0..16 {
        match function.code.get(op as usize) {
            Some(Op::Jump { to }) => op = *to,
            Some(Op::Const { .. } | Op::Copy { .. } | Op::Address { .. } | Op::Convert { .. }) => {
                op += 1
            }
            Some(Op::Call { function, .. }) => {
                let callee = t.view.program().function(*function);
                return callee.library && is_failure(&callee.name);
            }
            Some(Op::Primitive { call, .. }) => {
                return matches!(
                    call,
                    Primitive::AssertFail | Primitive::ReachError | Primitive::Abort
                );
            }
            _ => return false,
        }
    }
    false
}

fn is_failure(name: &str) -> bool {
    ["__assert_fail", "__assert", "__assert_perror_fail", "abort", "reach_error"].contains(&name)
}
