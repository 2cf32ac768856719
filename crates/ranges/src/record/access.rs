//! Accesses: shared memory gives locals, private memory carries expressions.

use raddle_cfront::ir::{Kind, Op, Reg};
use raddle_vm::shadow::{Part, Piece, Step};

use super::events::Follower;
use crate::ctp::{Action, GlobalId};
use crate::expr::ExprId;

/// Shared memory that is accessed.
#[derive(Clone, Copy)]
pub(super) struct Shared {
    global: GlobalId,
    /// How it is accessed first, and how it is accessed now.
    known: Kind,
    kind: Kind,
    /// Whether its values are followed (C3).
    followed: bool,
}

impl Follower {
    /// The shared memory that is accessed, if it is shared.
    pub(super) fn shared(&mut self, s: &Step<'_>, kind: Kind, at: Piece) -> Option<Shared> {
        let piece = self.shared_piece(at)?;
        let global = self.global(s, at, piece, kind);
        let known = self.ctp.globals[global.0 as usize].kind;
        let fits = known.size() == at.size && kind.size() == at.size;
        let followed = !piece.mixed && !kind.is_float() && fits;
        Some(Shared { global, known, kind, followed })
    }

    /// C1: a read of shared memory gives a local.
    pub(super) fn read_shared(&mut self, s: &Step<'_>, shared: Shared) -> ExprId {
        let Shared { global, known, kind, followed } = shared;
        let id = self.thread(s.thread).id;
        let name = name_of(s).unwrap_or_else(|| self.ctp.globals[global.0 as usize].name.clone());
        let to = self.ctp.add_local(name, id, known);
        let value = self.ctp.exprs.local(to);
        self.thread(s.thread).action = Some(Action::Read { global, to });
        // The same bits may be read as another kind.
        match followed {
            true => self.ctp.exprs.convert(known, kind, value),
            false => self.ctp.exprs.unknown(),
        }
    }

    /// A write to shared memory, of a value that is not known at all if there is none.
    pub(super) fn write_shared(&mut self, s: &Step<'_>, shared: Shared, value: Option<ExprId>) {
        let Shared { global, known, followed, .. } = shared;
        let value = match value.filter(|_| followed) {
            Some(value) => self.held_as(value, known),
            None => self.ctp.exprs.unknown(),
        };
        let action = &mut self.thread(s.thread).action;
        *action = Some(match *action {
            Some(Action::Read { global, to }) => Action::Update { global, to, value },
            _ => Action::Write { global, value },
        });
    }

    /// The value at a place in the run.
    pub(super) fn now(&mut self, s: &Step<'_>) -> ExprId {
        let bits = s.at.and_then(|at| s.view.bits(at.object, at.offset, at.size)).unwrap_or(0);
        self.ctp.exprs.value(kind_of(s.op, 8).extend(bits))
    }

    pub(super) fn read_private(&mut self, s: &Step<'_>, at: Piece, kind: Kind) -> Option<ExprId> {
        let parts: Vec<_> = self.memory.overlapping(at).collect();
        if let [Part { offset, size, value: (held, value) }] = parts[..]
            && (offset, size) == (at.offset, at.size)
        {
            return Some(self.ctp.exprs.convert(held, kind, value));
        }
        parts.into_iter().for_each(|part| self.fix_part(s, at, part));
        None
    }

    pub(super) fn write_private(
        &mut self,
        s: &Step<'_>,
        at: Piece,
        kind: Kind,
        value: Option<ExprId>,
    ) {
        self.make_room(s, at);
        if let Some(value) = value.filter(|_| self.threads[&s.thread].quiet.is_none()) {
            let value = if kind.is_float() { value } else { self.held_as(value, kind) };
            self.memory.put(at, (kind, value));
        }
    }

    /// Takes away what is overwritten; what is overwritten in part is what it was in the run.
    pub(super) fn make_room(&mut self, s: &Step<'_>, at: Piece) {
        for part in self.memory.take(at) {
            if !is_inside(&part, at) {
                self.fix_part(s, at, part);
            }
        }
    }

    /// What is copied; what lies there only in part is what it was in the run.
    pub(super) fn copied(&mut self, s: &Step<'_>, at: Piece) -> Vec<Part<(Kind, ExprId)>> {
        let mut parts: Vec<_> = self.memory.overlapping(at).collect();
        parts.retain_mut(|part| {
            let inside = is_inside(part, at);
            match inside {
                true => part.offset -= at.offset,
                false => self.fix_part(s, at, *part),
            }
            inside
        });
        parts
    }

    fn fix_part(&mut self, s: &Step<'_>, at: Piece, part: Part<(Kind, ExprId)>) {
        let (kind, value) = part.value;
        if let Some(bits) = s.view.bits(at.object, part.offset, part.size) {
            self.fix_value(s, value, kind.extend(bits));
        }
    }
}

fn is_inside<V>(part: &Part<V>, at: Piece) -> bool {
    part.offset >= at.offset && part.end() <= at.end()
}

/// The kind of value that an operation reads or writes, or that of so many bytes if it copies them.
pub(super) fn kind_of(op: Op, size: u32) -> Kind {
    match op {
        Op::Load { kind, .. } | Op::Store { kind, .. } => kind,
        Op::ReadModifyWrite { kind, .. } | Op::CompareExchange { kind, .. } => kind,
        _ => match size {
            1 => Kind::U8,
            2 => Kind::U16,
            4 => Kind::U32,
            _ => Kind::U64,
        },
    }
}

/// The name of the variable that a load goes to, if it has one.
fn name_of(s: &Step<'_>) -> Option<String> {
    let Op::Load { to, .. } = s.op else { return None };
    let next = s.function.code.get(s.site.op as usize + 1);
    let copied = next.and_then(|next| match *next {
        Op::Copy { to: copy, from } if from == to => Some(copy),
        _ => None,
    });
    let named = |register: Reg| {
        let after = s.site.op + 1;
        let here = |local: &&raddle_cfront::ir::Local| {
            local.reg == register
                && (local.scope.contains(&s.site.op) || local.scope.contains(&after))
        };
        s.function.locals.iter().find(here).map(|local| local.name.to_string())
    };
    named(to).or_else(|| copied.and_then(named))
}
