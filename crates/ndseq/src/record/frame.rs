//! Where a frame is among the statements.
//!
//! - S1: an execution of a list begins when the thread enters the list, and when it comes back to an
//!   earlier statement of it; it ends when the thread is at a statement outside of it.
//! - S2: control is that of the innermost statement whose branch was decided and that is not over.
//! - S3: a statement that is left for somewhere else than what is behind it was left by a jump.

use raddle_cfront::ir::{Function, Op, StatementId, StatementKind};
use raddle_vm::Site;

use crate::outline::{Outline, RETURN};
use crate::statement::{Instance, InstanceId, Jump, ListId};
use crate::trace::EventId;

pub(super) const NONE: u32 = u32::MAX;

/// A frame of a thread.
pub struct Frame {
    /// The execution and the position of the call.
    base: Option<(InstanceId, u32)>,
    base_control: Option<EventId>,
    chain: Vec<Level>,
    /// Positions that a jump has left; where it leads is not known yet.
    left: Vec<Level>,
    open: Vec<(StatementId, EventId)>,
    last_op: u32,
    /// In the library: the last event that decided where it goes.
    pub(super) library_control: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Level {
    list: ListId,
    instance: InstanceId,
    position: u32,
}

impl Frame {
    /// One that is called there and under that control.
    pub(super) fn new(
        base: Option<(InstanceId, u32)>,
        base_control: Option<EventId>,
        library_control: u32,
    ) -> Frame {
        Frame {
            base,
            base_control,
            chain: Vec::new(),
            left: Vec::new(),
            open: Vec::new(),
            last_op: 0,
            library_control,
        }
    }

    /// The innermost execution and position.
    pub(super) fn at(&self) -> Option<(InstanceId, u32)> {
        self.chain.last().map(|level| (level.instance, level.position)).or(self.base)
    }

    pub(super) fn control(&self) -> Option<EventId> {
        self.open.last().map(|&(_, event)| event).or(self.base_control)
    }

    /// A branch was decided (S2).
    pub(super) fn decide(&mut self, function: &Function, op: u32, event: EventId) {
        let statement = function.statement_of[op as usize];
        self.open.retain(|&(open, _)| open != statement);
        self.open.push((statement, event));
    }

    /// The frame is at a transition.
    pub(super) fn arrive(
        &mut self,
        site: Site,
        function: &Function,
        outline: &Outline,
        instances: &mut Vec<Instance>,
        jumps: &mut Vec<Jump>,
    ) {
        let op = site.op;
        let is_over = |statement: &StatementId| {
            let statement = &function.statements[statement.0 as usize];
            statement.parent.is_some() && !statement.code.contains(&op)
        };
        self.open.retain(|(statement, _)| !is_over(statement));
        let mut path = Vec::new();
        let mut at = outline.place(site);
        while let Some((list, position)) = at {
            path.push((list, position));
            at = outline.info(list).parent;
        }
        path.reverse();
        let mut kept = 0;
        while kept < self.chain.len() && kept < path.len() {
            let (level, (list, position)) = (self.chain[kept], path[kept]);
            if level.list != list || position < level.position {
                break;
            }
            if position == level.position {
                if self.comes_back(function, outline, list, position, op) {
                    break;
                }
                kept += 1;
                continue;
            }
            // On to a later statement of the same execution.
            self.left.push(level);
            self.left.extend_from_slice(&self.chain[kept + 1..]);
            self.chain.truncate(kept + 1);
            self.chain[kept].position = position;
            kept += 1;
            break;
        }
        self.left.extend_from_slice(&self.chain[kept..]);
        self.chain.truncate(kept);
        for &(list, position) in &path[kept..] {
            let instance = InstanceId(instances.len() as u32);
            instances.push(Instance { list, parent: self.at() });
            self.chain.push(Level { list, instance, position });
        }
        if !matches!(function.code[op as usize], Op::Jump { .. }) {
            self.land(op, outline, jumps);
        }
        self.last_op = op;
    }

    /// The function is left.
    pub(super) fn leave(&mut self, outline: &Outline, jumps: &mut Vec<Jump>) {
        self.left.append(&mut self.chain);
        self.land(RETURN, outline, jumps);
    }

    /// S3: positions that were left for this transition.
    fn land(&mut self, op: u32, outline: &Outline, jumps: &mut Vec<Jump>) {
        for level in self.left.drain(..) {
            let after = &outline.info(level.list).after;
            let from = level.position as usize;
            if after[from] == op {
                continue;
            }
            let behind = after[from..].iter().position(|&after| after == op);
            let behind = behind.map(|n| (from + n) as u32);
            jumps.push(Jump { instance: level.instance, from: level.position, behind });
        }
    }

    /// Whether the thread begins the statement at a position anew, other than by a loop in it (S1).
    fn comes_back(
        &self,
        function: &Function,
        outline: &Outline,
        list: ListId,
        position: u32,
        op: u32,
    ) -> bool {
        let own = outline.info(list).statements[position as usize];
        if op > self.last_op || function.statements[own.0 as usize].code.start != op {
            return false;
        }
        let mut at = Some(function.statement_of[op as usize]);
        while let Some(statement) = at {
            let of = &function.statements[statement.0 as usize];
            let loops = matches!(
                of.kind,
                StatementKind::While | StatementKind::DoWhile | StatementKind::For
            );
            if loops {
                return false;
            }
            if statement == own {
                return true;
            }
            at = of.parent;
        }
        true
    }
}
