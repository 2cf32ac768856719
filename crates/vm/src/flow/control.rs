//! Control: the branches that decided that a thread is where it is.
//!
//! In: the branches of a frame as they are decided, and where it goes. Out: the sources of those
//! whose statement is not over, and of the calls around. A loop that decides again forgets what it
//! decided before: the earlier decisions are found through its branch events, each of which is
//! under the control of the one before it.

use std::ops::Range;

use raddle_cfront::ir::{Function, StatementId};

use super::set::{Set, Sets};

/// A branch whose statement is not over.
#[derive(Clone, Debug)]
pub(super) struct Open {
    /// The operation that branched.
    pub(super) op: u32,
    /// The statement that ends it, and its transitions.
    pub(super) statement: StatementId,
    code: Range<u32>,
    pub(super) sources: Set,
}

/// The control of one frame.
#[derive(Clone, Debug)]
pub struct Control {
    /// That of the call.
    base: Set,
    open: Vec<Open>,
    /// The transitions for which nothing changes.
    steady: Range<u32>,
    all: Set,
}

impl Control {
    /// That of a frame whose call depends on these sources.
    pub(super) fn new(base: Set) -> Control {
        Control { base, open: Vec::new(), steady: 0..u32::MAX, all: base }
    }

    /// Everything that decided.
    pub(super) fn all(&self) -> Set {
        self.all
    }

    /// The branches whose statement is over when the frame is at this operation.
    pub(super) fn arrive(&mut self, op: u32, sets: &mut Sets) -> Vec<Open> {
        if self.steady.contains(&op) {
            return Vec::new();
        }
        let over = self.open.extract_if(.., |open| !open.code.contains(&op)).collect();
        self.refresh(sets);
        over
    }

    /// A branch was decided, or decides beyond its own statement.
    pub(super) fn open(
        &mut self,
        function: &Function,
        statement: StatementId,
        op: u32,
        sources: Set,
        sets: &mut Sets,
    ) {
        self.open.retain(|open| open.op != op || open.statement != statement);
        let code = function.statements.get(statement.0 as usize).map(|s| s.code.clone());
        let code = code.unwrap_or(0..u32::MAX);
        self.open.push(Open { op, statement, code, sources });
        self.refresh(sets);
    }

    fn refresh(&mut self, sets: &mut Sets) {
        self.steady = 0..u32::MAX;
        self.all = self.base;
        for open in &self.open {
            self.steady.start = self.steady.start.max(open.code.start);
            self.steady.end = self.steady.end.min(open.code.end);
            self.all = sets.union(self.all, open.sources);
        }
    }
}
