//! Implied orders: what the rules of saturation say of all reorderings, computed once.
//!
//! In: a trace and the order that always holds. Out: orders between events that hold in every
//! reordering that has them and one event more, the one because of which they do: a read that keeps
//! its writer, a write behind another, or the first event of a scope that comes behind another scope.
//! What follows from them together is left to saturation, which starts from here instead of applying
//! the rules to every event of its window. All of them point forward in the trace.

use raddle_trace::{CellId, EventId, Op, ScopeId, Trace, VarId};
use rustc_hash::FxHashMap;

use crate::chains::Chains;
use crate::order::{Order, begin_or_end};
use crate::saturate::{Cause, Edge, writer_of};

/// Orders, each with the event because of which it holds; ascending by that.
#[derive(Clone, Debug, Default)]
pub struct Implied {
    edges: Vec<(EventId, Edge)>,
}

impl Implied {
    /// Applies rules R, V1 and V2 once to every event.
    pub fn new(trace: &Trace, order: &Order, chains: &Chains) -> Implied {
        let mut implied = Implied::default();
        let mut open: Vec<Vec<ScopeId>> = vec![Vec::new(); trace.n_threads()];
        // Per scope and other thread, the last scope that was put before it.
        let mut known: FxHashMap<(ScopeId, u32), ScopeId> = FxHashMap::default();
        for event in (0..trace.len() as u32).map(EventId) {
            let thread = trace.thread(event).index();
            let begins = begin_or_end(trace, event, &mut open[thread]);
            if begins || order.is_new(trace, event) {
                for &scope in &open[thread] {
                    implied.rule_r(trace, order, chains, event, scope, &mut known);
                }
            }
            match trace.op(event) {
                Op::Read { var, .. } => implied.rule_v1(trace, order, chains, event, var),
                Op::Write { var, .. } => implied.rule_v2(trace, order, chains, event, var),
                Op::ReadModifyWrite { var, .. } => {
                    implied.rule_v1(trace, order, chains, event, var);
                    implied.rule_v2(trace, order, chains, event, var);
                }
                _ => {}
            }
        }
        implied
    }

    /// The orders that hold because of events from the first up to the second.
    pub(crate) fn within(&self, from: EventId, to: EventId) -> &[(EventId, Edge)] {
        let start = self.edges.partition_point(|&(because, _)| because < from);
        let end = self.edges.partition_point(|&(because, _)| because <= to);
        &self.edges[start..end.max(start)]
    }

    fn add(&mut self, trace: &Trace, order: &Order, because: EventId, edge: Edge) {
        if !order.reaches(trace, edge.before, edge.after) {
            self.edges.push((because, edge));
        }
    }

    fn rule_r(
        &mut self,
        trace: &Trace,
        order: &Order,
        chains: &Chains,
        event: EventId,
        id: ScopeId,
        known: &mut FxHashMap<(ScopeId, u32), ScopeId>,
    ) {
        let scope = &trace.scopes()[id.index()];
        for chain in chains.scopes(scope.lock) {
            let n = order.n_before(trace, event, chain.thread);
            let Some(other) = chain.last_excluding(trace, n, scope) else { continue };
            let other_id = trace.scope_of(other.acquire);
            let said = other_id.map(|other| known.insert((id, chain.thread.0), other));
            if let Some(before) = other.release().filter(|_| said != Some(other_id)) {
                let cause = Cause::Lock(scope.lock);
                self.add(trace, order, event, Edge { before, after: scope.acquire, cause });
            }
        }
    }

    fn rule_v1(
        &mut self,
        trace: &Trace,
        order: &Order,
        chains: &Chains,
        read: EventId,
        var: VarId,
    ) {
        for cell in trace.cells(var) {
            let Some(after) = writer_of(trace, read, cell) else { continue };
            for chain in chains.writes(cell) {
                let n = n_before(trace, order, read, chain.thread);
                let before = chain.last_before(n).filter(|&w| w != after);
                if let Some(before) = before {
                    let cause = Cause::View(cell);
                    self.add(trace, order, read, Edge { before, after, cause });
                }
            }
        }
    }

    fn rule_v2(
        &mut self,
        trace: &Trace,
        order: &Order,
        chains: &Chains,
        write: EventId,
        var: VarId,
    ) {
        for cell in trace.cells(var) {
            for chain in chains.writes(cell) {
                let n = n_before(trace, order, write, chain.thread);
                match chain.last_before(n) {
                    Some(earlier) => self.reads_of(trace, order, Some(earlier), write, cell),
                    None if chain.items[0] == write => {
                        self.reads_of(trace, order, None, write, cell);
                    }
                    None => {}
                }
            }
        }
    }

    /// Puts a write behind the reads of an earlier one.
    fn reads_of(
        &mut self,
        trace: &Trace,
        order: &Order,
        earlier: Option<EventId>,
        write: EventId,
        cell: CellId,
    ) {
        let accesses = trace.accesses(cell);
        let since = earlier.map_or(EventId(0), |earlier| EventId(earlier.0 + 1));
        for &before in &accesses[accesses.partition_point(|&e| e < since)..] {
            if before != write && trace.code(before).reads() {
                let cause = Cause::View(cell);
                self.add(trace, order, write, Edge { before, after: write, cause });
            }
            if trace.code(before).writes() {
                break;
            }
        }
    }
}

/// How many events of a thread come before an event, itself not included.
fn n_before(trace: &Trace, order: &Order, event: EventId, thread: raddle_trace::ThreadId) -> u32 {
    match trace.thread(event) == thread {
        true => trace.position(event),
        false => order.n_before(trace, event, thread),
    }
}

#[cfg(test)]
mod tests;
