//! The paper's answer to one witness.
//!
//! In: the base of a read and a witness. Out: whether its witness order graph is cyclic, how many
//! choices there are, and whether one choice graph is acyclic.
//!
//! - V1: an edge that the base implies changes nothing and leads to no choice.
//! - V2: walks in the graph of a witness are walks in the base with all choices of the base and the
//!   witness order edges. What does not lead back to its edges there leads to no choice.
//! - V3: the last order that was found for a witness of this read, at first the trace, is an acyclic
//!   choice graph for every other witness that agrees with it.

use raddle_trace::{EventId, Trace};

use super::base::Base;
use super::choice::{choices, reached_from};
use super::explore::explore;
use super::order::WitnessOrder;
use crate::sections::Sections;

/// How a witness breaks the couple of a writer w and a read r with a challenger c.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum WitnessType {
    /// Type 1: c, then r, then w.
    ReadFirst,
    /// Type 2: w, then c, then r.
    Overwritten,
    /// Type 3: c, then r, and w does not happen.
    WriterAbsent,
}

impl WitnessType {
    /// Types 1, 2 and 3.
    pub const ALL: [WitnessType; 3] =
        [WitnessType::ReadFirst, WitnessType::Overwritten, WitnessType::WriterAbsent];
}

/// A possible witness of nondeterminism; no writer or challenger means the initial value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Witness {
    /// How the couple is broken.
    pub kind: WitnessType,
    /// The write that was read.
    pub writer: Option<EventId>,
    /// The read.
    pub read: EventId,
    /// The write that could be read instead.
    pub challenger: Option<EventId>,
}

/// What the paper's algorithm says about a witness.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PaperVerdict {
    /// Its witness order graph has a cycle.
    pub is_cyclic: bool,
    /// The size d′ of S_choice; 0 if there is a cycle.
    pub n_choices: usize,
    /// The paper's answer; none if too many choice graphs would have to be looked at.
    pub feasible: Option<bool>,
    /// Choice graphs that were looked at.
    pub n_explored: u64,
}

impl PaperVerdict {
    const CYCLIC: PaperVerdict =
        PaperVerdict { is_cyclic: true, n_choices: 0, feasible: Some(false), n_explored: 0 };
    const WITHOUT_CHOICES: PaperVerdict =
        PaperVerdict { is_cyclic: false, n_choices: 0, feasible: Some(true), n_explored: 0 };
}

/// Answers the witnesses of one read.
pub(super) struct Reader<'a> {
    trace: &'a Trace,
    read: EventId,
    order: WitnessOrder<'a>,
    /// Walks from the read and from its writer in the base, once they were needed.
    from_read: Option<Vec<u32>>,
    from_writer: Option<(EventId, Vec<u32>)>,
    /// V3: the events that the last order moved, and the place of each.
    moved: Vec<EventId>,
    places: Vec<u32>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(
        trace: &'a Trace,
        sections: &'a Sections,
        base: &'a Base,
        read: EventId,
    ) -> Reader<'a> {
        Reader {
            trace,
            read,
            order: WitnessOrder::new(trace, sections, base),
            from_read: None,
            from_writer: None,
            moved: Vec::new(),
            places: Vec::new(),
        }
    }

    pub(super) fn verdict(&mut self, witness: &Witness) -> PaperVerdict {
        let Some(edges) = edges(witness) else { return PaperVerdict::CYCLIC };
        self.order.clear();
        let mut added: [(EventId, EventId); 2] = [(witness.read, witness.read); 2];
        let mut n = 0;
        for (before, after) in edges.into_iter().flatten() {
            if self.implies(after, before) {
                return PaperVerdict::CYCLIC;
            }
            if !self.implies(before, after) {
                added[n] = (before, after);
                n += 1;
            }
        }
        let added = &added[..n];
        if !added.iter().all(|&(before, after)| self.order.add(before, after)) {
            return PaperVerdict::CYCLIC;
        }
        if added.is_empty() || !self.may_have_choices(witness) {
            return PaperVerdict::WITHOUT_CHOICES;
        }
        self.choose(added)
    }

    /// The second phase.
    fn choose(&mut self, added: &[(EventId, EventId)]) -> PaperVerdict {
        let pairs = choices(&self.order, added);
        if pairs.is_empty() {
            return PaperVerdict::WITHOUT_CHOICES;
        }
        let (mut feasible, mut n_explored) = (Some(true), 1);
        if !added.iter().all(|&(before, after)| self.place(before) < self.place(after)) {
            let explored = explore(&self.order, &pairs);
            (feasible, n_explored) = (explored.feasible, explored.n_graphs);
            explored.sequence.into_iter().for_each(|sequence| self.remember(sequence));
        }
        PaperVerdict { is_cyclic: false, n_choices: pairs.len(), feasible, n_explored }
    }

    fn implies(&self, before: EventId, after: EventId) -> bool {
        let thread = self.trace.thread(before).index();
        self.order.base.before(after)[thread] > self.trace.position(before)
    }

    /// V2; the writer of a read of several cells can change.
    fn may_have_choices(&mut self, witness: &Witness) -> bool {
        let (trace, read) = (self.trace, self.read);
        let plain = || WitnessOrder::new(trace, self.order.sections, self.order.base);
        let from_read = self.from_read.get_or_insert_with(|| reached_from(&plain(), read));
        let reached = |from: &[u32], e: EventId| trace.position(e) >= from[trace.thread(e).index()];
        let challenger = witness.challenger;
        let read_first = challenger.is_some_and(|c| reached(from_read, c));
        match (witness.kind, witness.writer) {
            (WitnessType::WriterAbsent, _) | (_, None) => read_first,
            (WitnessType::Overwritten, Some(_)) => true,
            (WitnessType::ReadFirst, Some(writer)) => {
                if self.from_writer.as_ref().is_none_or(|(of, _)| *of != writer) {
                    self.from_writer = Some((writer, reached_from(&plain(), writer)));
                }
                let from = self.from_writer.as_ref().map_or(&[][..], |(_, from)| from);
                read_first
                    || [Some(read), challenger].into_iter().flatten().any(|e| reached(from, e))
            }
        }
    }

    /// V3: where an event stands in the last order that was found.
    fn place(&self, event: EventId) -> u32 {
        self.places.get(event.index()).copied().unwrap_or(event.0)
    }

    fn remember(&mut self, sequence: Vec<EventId>) {
        if self.places.is_empty() {
            self.places = (0..self.trace.len() as u32).collect();
        }
        for e in self.moved.drain(..) {
            self.places[e.index()] = e.0;
        }
        let begin = sequence.iter().min().map_or(0, |e| e.0);
        for (place, e) in (begin..).zip(&sequence) {
            self.places[e.index()] = place;
        }
        self.moved = sequence;
    }
}

/// W2 and W3: the witness order edges; none if something would come before the initial value.
fn edges(witness: &Witness) -> Option<[Option<(EventId, EventId)>; 2]> {
    let Witness { kind, writer, read, challenger } = *witness;
    let challenged = challenger.map(|c| (c, read));
    match kind {
        WitnessType::ReadFirst => Some([challenged, Some((read, writer?))]),
        WitnessType::Overwritten => {
            let challenger = challenger?;
            Some([writer.map(|w| (w, challenger)), challenged])
        }
        WitnessType::WriterAbsent => Some([challenged, None]),
    }
}
