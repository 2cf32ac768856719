//! The result: sets of sources of the run become lists of sources of the trace.
//!
//! A read that is not in the trace stands for what its value depends on (F2): for the sources of
//! the value where it stands itself, and for those of its control among the control of the event.

use raddle_trace::EventId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::set::{Cell, Set, Sets};
use super::{Flow, FlowError, FlowOf, FlowTrace, Pending, Read, Source, VALUE, is_sink};

const DROPPED: u32 = u32::MAX;

/// The trace and what its events depend on.
pub(super) fn resolve(flow: Flow) -> Result<FlowTrace, FlowError> {
    let Flow { recorder, sets, seen, reads, n_values, limits, .. } = flow;
    let mut position = vec![DROPPED; recorder.len() as usize];
    let (events, kept) = recorder.finish_with_kept();
    (0..).zip(&kept).for_each(|(new, old)| position[old.index()] = new);
    let mut resolver = Resolver { sets, reads, position, known: FxHashMap::default() };
    let (mut flows, mut n_sources) = (Vec::new(), 0);
    for (old, pending) in seen {
        let event = EventId(resolver.position[old as usize]);
        if event.0 == DROPPED {
            continue;
        }
        let found = resolver.flow(event, pending);
        n_sources += found.data.len() + found.address.len() + found.control.len();
        if n_sources > limits.1 {
            return Err(FlowError::Sources { limit: limits.1 });
        }
        let depends = !(found.data.is_empty() && found.address.is_empty());
        if depends || !found.control.is_empty() || is_sink(events.code(event).kind()) {
            flows.push(found);
        }
    }
    Ok(FlowTrace { events, flows, n_values })
}

struct Resolver {
    sets: Sets,
    reads: Vec<Read>,
    position: Vec<u32>,
    /// The last sets of each kind and what they stand for: neighbours often have the same.
    known: FxHashMap<Set, (Vec<Source>, Vec<Set>)>,
}

impl Resolver {
    fn flow(&mut self, event: EventId, pending: Pending) -> FlowOf {
        let (data, mut control) = self.sources(pending.data);
        let (address, more) = self.sources(pending.address.data);
        control.extend(more);
        control.retain(|&set| set != Set::EMPTY);
        let control = match control[..] {
            [] => self.control(&[pending.control]),
            _ => {
                control.push(pending.control);
                self.control(&control)
            }
        };
        FlowOf { event, data, address, control }
    }

    /// The sources of a set, and the controls of the reads that were dropped on the way.
    fn sources(&mut self, set: Set) -> (Vec<Source>, Vec<Set>) {
        if let Some(known) = self.known.get(&set) {
            return known.clone();
        }
        let mut controls = Vec::new();
        let found = self.expand(&[set], |cell, _| controls.push(cell.control));
        controls.sort_unstable();
        controls.dedup();
        // Bounded, so that many large sets are not all kept.
        if self.known.len() >= 64 {
            self.known.clear();
        }
        self.known.insert(set, (found.clone(), controls.clone()));
        (found, controls)
    }

    fn control(&self, sets: &[Set]) -> Vec<Source> {
        self.expand(sets, |cell, open| open.push(cell.control))
    }

    /// The sources of sets; `dropped` receives what each dropped read stands for, its data aside.
    fn expand(&self, from: &[Set], mut dropped: impl FnMut(Cell, &mut Vec<Set>)) -> Vec<Source> {
        let (mut seen, mut leaves) = (FxHashSet::default(), FxHashSet::default());
        let mut open = from.to_vec();
        let mut found = Vec::new();
        while let Some(set) = open.pop() {
            self.sets.walk(set, &mut seen, |source| {
                if !leaves.insert(source) {
                    return;
                }
                match source & VALUE {
                    0 => {
                        let Read { held, event } = self.reads[source as usize];
                        match event.map_or(DROPPED, |event| self.position[event.index()]) {
                            DROPPED => {
                                open.push(held.data);
                                dropped(held, &mut open);
                            }
                            event => found.push(Source::Event(EventId(event))),
                        }
                    }
                    _ => found.push(Source::Value(source & !VALUE)),
                }
            });
        }
        found.sort_unstable();
        found
    }
}
