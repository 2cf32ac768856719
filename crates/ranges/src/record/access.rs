//! Accesses: shared memory gives locals, private memory carries expressions.

use raddle_cfront::ir::{Binary, Kind, Op, Place, Reg, Rmw, Size, Unary};
use raddle_vm::Transition;

use super::events::Follower;
use super::memory::Kept;
use super::users;
use crate::ctp::Action;
use crate::expr::{Expr, ExprId};

impl Follower {
    pub(super) fn access(&mut self, t: &Transition<'_>, op: Op) {
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
        place: users::Place,
        piece: users::Piece,
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

/// A place in memory.
#[derive(Clone, Copy)]
struct At {
    place: users::Place,
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
