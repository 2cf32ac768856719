//! Who reads and writes what, looked up once.

use crate::ctp::{Ctp, GlobalId, StateId, ThreadId};
use crate::expr::ExprId;

/// A write.
#[derive(Clone, Debug)]
pub(super) struct Write {
    pub(super) state: StateId,
    pub(super) value: ExprId,
    /// Those of its thread that come next, one a path.
    pub(super) next: Vec<StateId>,
}

/// The writes of one global.
pub(super) struct Writes {
    /// By thread, in the order of their states.
    pub(super) of: Vec<(ThreadId, Vec<Write>)>,
}

/// For each global its writes.
pub(super) fn writes(ctp: &Ctp) -> Vec<Writes> {
    let mut all: Vec<Writes> = ctp.globals.iter().map(|_| Writes { of: Vec::new() }).collect();
    for state in ctp.state_ids() {
        let Some((global, value)) = ctp.step(state).action.written() else { continue };
        let thread = ctp.state(state).thread;
        let before = last_write(ctp, state, global);
        let of = &mut all[global.0 as usize].of;
        let index = of.iter().position(|(known, _)| *known == thread).unwrap_or_else(|| {
            of.push((thread, Vec::new()));
            of.len() - 1
        });
        let writes = &mut of[index].1;
        if let Some(before) = writes.iter_mut().rev().find(|write| Some(write.state) == before) {
            before.next.push(state);
        }
        writes.push(Write { state, value, next: Vec::new() });
    }
    all
}

/// The last write of a global that a thread has made before it takes a step.
pub(super) fn last_write(ctp: &Ctp, step: StateId, global: GlobalId) -> Option<StateId> {
    let before = |state: &StateId| ctp.state(*state).parent;
    let mut path = std::iter::successors(before(&step), before);
    path.find(|&state| ctp.step(state).action.written().is_some_and(|(g, _)| g == global))
}

/// The step that reads each local.
pub(super) fn reads(ctp: &Ctp) -> Vec<Option<StateId>> {
    let mut reads = vec![None; ctp.locals.len()];
    for id in ctp.state_ids() {
        if let Some((_, to)) = ctp.step(id).action.read() {
            reads[to.0 as usize] = Some(id);
        }
    }
    reads
}
