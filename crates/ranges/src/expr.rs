//! Expressions over the values that a thread has read.
//!
//! In: constants, locals and C's operators. Out: ids of nodes that are shared where they are equal.
//! Constants are folded on the way, with the arithmetic that the machine uses, so what does not
//! depend on a read of shared memory is a constant.

use raddle_cfront::ir::{Binary, Kind, Unary, arithmetic};
use rustc_hash::FxHashMap;

/// An expression of the table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ExprId(pub u32);

/// A local: the value that one step of a thread has read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LocalId(pub u32);

/// An expression; values are 64 bits as registers hold them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Expr {
    /// A constant.
    Const(u64),
    /// What was read.
    Local(LocalId),
    /// A value that is not followed: floating point, wide copies. Equal ids are equal values.
    Unknown(u32),
    /// A unary operator on a value of this kind.
    Unary(Unary, Kind, ExprId),
    /// A binary operator on values of this kind.
    Binary(Binary, Kind, ExprId, ExprId),
    /// The value converted from the first kind to the second.
    Convert(Kind, Kind, ExprId),
    /// The second if the first is not zero, else the third.
    Select(ExprId, ExprId, ExprId),
}

/// All expressions of a trace program; children come before their parents.
#[derive(Clone, Debug, Default)]
pub struct Exprs {
    nodes: Vec<Expr>,
    known: FxHashMap<Expr, ExprId>,
    n_unknown: u32,
}

impl Exprs {
    /// The expression with this id.
    pub fn get(&self, id: ExprId) -> Expr {
        self.nodes[id.0 as usize]
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The value of a constant.
    pub fn constant(&self, id: ExprId) -> Option<u64> {
        match self.get(id) {
            Expr::Const(value) => Some(value),
            _ => None,
        }
    }

    /// What an expression is computed from.
    pub fn parts(&self, id: ExprId) -> impl Iterator<Item = ExprId> + use<> {
        let parts = match self.get(id) {
            Expr::Const(_) | Expr::Local(_) | Expr::Unknown(_) => [None; 3],
            Expr::Unary(_, _, from) | Expr::Convert(_, _, from) => [Some(from), None, None],
            Expr::Binary(_, _, left, right) => [Some(left), Some(right), None],
            Expr::Select(condition, yes, no) => [Some(condition), Some(yes), Some(no)],
        };
        parts.into_iter().flatten()
    }

    /// A constant.
    pub fn value(&mut self, value: u64) -> ExprId {
        self.add(Expr::Const(value))
    }

    /// A local.
    pub fn local(&mut self, local: LocalId) -> ExprId {
        self.add(Expr::Local(local))
    }

    /// A value that nothing is known about.
    pub fn unknown(&mut self) -> ExprId {
        self.n_unknown += 1;
        self.add(Expr::Unknown(self.n_unknown - 1))
    }

    /// A unary operator.
    pub fn unary(&mut self, op: Unary, kind: Kind, from: ExprId) -> ExprId {
        match self.constant(from) {
            Some(value) => self.value(arithmetic::unary(op, kind, value)),
            None if kind.is_float() => self.unknown(),
            None => self.add(Expr::Unary(op, kind, from)),
        }
    }

    /// A binary operator. A division by zero ends a run, so its value does not matter.
    pub fn binary(&mut self, op: Binary, kind: Kind, left: ExprId, right: ExprId) -> ExprId {
        match (self.constant(left), self.constant(right)) {
            (Some(a), Some(b)) => self.value(arithmetic::binary(op, kind, a, b).unwrap_or(0)),
            _ if kind.is_float() => self.unknown(),
            (_, Some(0)) if matches!(op, Binary::Add | Binary::Subtract | Binary::Or) => left,
            (Some(0), _) if matches!(op, Binary::Add | Binary::Or) => right,
            (_, Some(1)) if matches!(op, Binary::Multiply | Binary::Divide) => left,
            _ => self.add(Expr::Binary(op, kind, left, right)),
        }
    }

    /// A conversion.
    pub fn convert(&mut self, from: Kind, to: Kind, value: ExprId) -> ExprId {
        match self.constant(value) {
            Some(known) => self.value(arithmetic::convert(from, to, known)),
            None if from == to => value,
            None if from.is_float() || to.is_float() => self.unknown(),
            None if widens(from, to) => value,
            None => self.add(Expr::Convert(from, to, value)),
        }
    }

    /// A choice between two values.
    pub fn select(&mut self, condition: ExprId, yes: ExprId, no: ExprId) -> ExprId {
        match self.constant(condition) {
            Some(0) => no,
            Some(_) => yes,
            None if yes == no => yes,
            None => self.add(Expr::Select(condition, yes, no)),
        }
    }

    /// Whether two values are equal, as 64 bits.
    pub fn equal(&mut self, left: ExprId, right: ExprId) -> ExprId {
        if let (Expr::Binary(Binary::Add, kind, a, b), Some(sum)) =
            (self.get(left), self.constant(right))
            && let Some(known) = self.constant(a)
            && kind.size() == 8
        {
            let rest = self.value(sum.wrapping_sub(known));
            return self.equal(b, rest);
        }
        self.binary(Binary::Equal, Kind::U64, left, right)
    }

    /// The expression with its locals replaced, those that `by` answers for.
    pub fn replace(&mut self, id: ExprId, by: &impl Fn(LocalId) -> Option<ExprId>) -> ExprId {
        match self.get(id) {
            Expr::Const(_) | Expr::Unknown(_) => id,
            Expr::Local(local) => by(local).unwrap_or(id),
            Expr::Unary(op, kind, from) => {
                let from = self.replace(from, by);
                self.unary(op, kind, from)
            }
            Expr::Binary(op, kind, left, right) => {
                let (left, right) = (self.replace(left, by), self.replace(right, by));
                self.binary(op, kind, left, right)
            }
            Expr::Convert(from, to, value) => {
                let value = self.replace(value, by);
                self.convert(from, to, value)
            }
            Expr::Select(condition, yes, no) => {
                let [condition, yes, no] = [condition, yes, no].map(|e| self.replace(e, by));
                self.select(condition, yes, no)
            }
        }
    }

    /// Calls `visit` with each local of an expression, in order, with repetitions.
    pub fn locals(&self, id: ExprId, visit: &mut impl FnMut(LocalId)) {
        match self.get(id) {
            Expr::Const(_) | Expr::Unknown(_) => {}
            Expr::Local(local) => visit(local),
            Expr::Unary(_, _, from) | Expr::Convert(_, _, from) => self.locals(from, visit),
            Expr::Binary(_, _, left, right) => {
                self.locals(left, visit);
                self.locals(right, visit);
            }
            Expr::Select(condition, yes, no) => {
                [condition, yes, no].into_iter().for_each(|e| self.locals(e, visit));
            }
        }
    }

    fn add(&mut self, expr: Expr) -> ExprId {
        if let Some(&known) = self.known.get(&expr) {
            return known;
        }
        let id = ExprId(self.nodes.len() as u32);
        self.nodes.push(expr);
        self.known.insert(expr, id);
        id
    }
}

/// Whether all values of the first kind are values of the second, held alike.
fn widens(from: Kind, to: Kind) -> bool {
    let wider = to.size() > from.size();
    match (from.is_signed(), to.is_signed()) {
        (true, true) | (false, false) => to.size() >= from.size(),
        (false, true) => wider,
        // 64 bits of a negative number are the same, whatever they are called.
        (true, false) => to.size() == 8,
    }
}
