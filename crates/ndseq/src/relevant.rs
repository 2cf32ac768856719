//! Relevant events (S1, Definition 5).
//!
//! In: a trace and the statements inside `if(*)`. Out: the least set of events closed under
//!
//! - R1: the last write of each thread to each focus variable is relevant.
//! - R2: a branch outside of all `if(*)` is relevant.
//! - R3: so is one whose innermost `if(*)` execution has a relevant event.
//! - R4: so is everything that a relevant event depends on.
//! - R5 (beyond S1, whose language has no jumps): so is one whose innermost `if(*)` execution left
//!   its statements by a jump; without them, the thread would go on somewhere else.
//!
//! Executions of `if(*)` without a relevant event are those that the sequential program skips.

use rustc_hash::FxHashMap;

use crate::depend::Dependence;
use crate::slice::Events;
use crate::statement::{Candidate, InstanceId, ListId};
use crate::trace::{EventId, Rows, Trace};

const NONE: u32 = u32::MAX;

/// An execution of what stands inside one `if(*)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block {
    /// What stands inside.
    pub candidate: Candidate,
    /// The execution of its list.
    pub instance: InstanceId,
    /// Whether it is relevant; if not, the sequential program skips it.
    pub relevant: bool,
    /// The one around it, if its number is one.
    pub(crate) parent: u32,
}

/// What is relevant.
#[derive(Clone, Debug)]
pub struct Relevance {
    /// The events.
    pub events: Events,
    /// All executions of `if(*)`, in the order of their lists' executions.
    pub blocks: Vec<Block>,
}

/// What is relevant if these statements stand inside `if(*)`.
pub fn relevant(flow: &Dependence<'_>, specification: &[Candidate]) -> Relevance {
    relevant_unless(flow, specification, |event| flow.trace().is_branch(event))
}

/// The same if R2, R3 and R5 are about all events that `covers` names, not only about branches.
pub fn relevant_unless(
    flow: &Dependence<'_>,
    specification: &[Candidate],
    covers: impl Fn(EventId) -> bool,
) -> Relevance {
    let trace = flow.trace();
    let mut layout = Layout::new(trace, specification);
    let branches = Rows::sorted(layout.blocks.len(), |put| {
        let branches = trace.events().filter(|&event| covers(event));
        branches.for_each(|event| match layout.of(trace, event) {
            NONE => {}
            block => put(block, event.0),
        });
    });
    let mut found = Events::none(trace.len());
    let mut open = flow.results();
    open.extend(trace.events().filter(|&event| {
        covers(event) && layout.of(trace, event) == NONE // R2
    }));
    for block in 0..layout.blocks.len() {
        if layout.blocks[block].relevant {
            open.extend(branches.row(block).iter().map(|&event| EventId(event))); // R5
        }
    }
    open.retain(|&event| found.add(event));
    while let Some(event) = open.pop() {
        let mut block = layout.of(trace, event);
        while block != NONE && !layout.blocks[block as usize].relevant {
            layout.blocks[block as usize].relevant = true;
            let row = branches.row(block as usize).iter().map(|&event| EventId(event));
            open.extend(row.filter(|&event| found.add(event))); // R3
            block = layout.blocks[block as usize].parent;
        }
        flow.visit(event, |event| {
            if found.add(event) {
                open.push(event); // R4
            }
        });
    }
    Relevance { events: found, blocks: layout.blocks }
}

/// Which execution of `if(*)` lies where.
struct Layout {
    /// Per list, what of it stands inside `if(*)`: smaller runs first.
    runs: FxHashMap<ListId, Vec<Candidate>>,
    /// Per execution of a list: where its own blocks begin, and the block around it.
    own: Vec<(u32, u32)>,
    blocks: Vec<Block>,
}

impl Layout {
    fn new(trace: &Trace, specification: &[Candidate]) -> Layout {
        let mut runs: FxHashMap<ListId, Vec<Candidate>> = FxHashMap::default();
        specification.iter().for_each(|&run| runs.entry(run.list).or_default().push(run));
        runs.values_mut()
            .for_each(|runs| runs.sort_by_key(|run| (run.last - run.first, run.first)));
        let mut layout = Layout { runs, own: Vec::new(), blocks: Vec::new() };
        if specification.is_empty() {
            return layout;
        }
        for (number, of) in (0..).map(InstanceId).zip(&trace.instances) {
            let around =
                of.parent.map_or(NONE, |(parent, position)| layout.at(trace, parent, position));
            let start = layout.blocks.len() as u32;
            let runs = layout.runs.get(&of.list).map_or(&[][..], |runs| runs);
            for (k, &candidate) in runs.iter().enumerate() {
                let larger = |other: &&Candidate| {
                    other.first <= candidate.first && candidate.last <= other.last
                };
                let outer = runs[k + 1..].iter().position(|other| larger(&other));
                let parent = outer.map_or(around, |n| start + (k + 1 + n) as u32);
                let jumps = trace.jumps_of(number);
                let jumped = jumps.iter().any(|j| j.forbids(candidate.first, candidate.last));
                let block = Block { candidate, instance: number, relevant: jumped, parent };
                layout.blocks.push(block);
            }
            layout.own.push((start, around));
        }
        layout
    }

    fn at(&self, trace: &Trace, instance: InstanceId, position: u32) -> u32 {
        let Some(&(start, around)) = self.own.get(instance.0 as usize) else { return NONE };
        let runs = self.runs.get(&trace.instance(instance).list);
        let inner = runs.and_then(|runs| runs.iter().position(|run| run.has(position)));
        inner.map_or(around, |n| start + n as u32)
    }

    /// NdBlock: the innermost block of an event.
    fn of(&self, trace: &Trace, event: EventId) -> u32 {
        if self.blocks.is_empty() {
            return NONE;
        }
        trace.at(event).map_or(NONE, |(instance, position)| self.at(trace, instance, position))
    }
}
