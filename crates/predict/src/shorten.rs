//! Shortening: leaves out of a witness what it can do without.

use raddle_trace::{EventId, ThreadId};

use crate::causes::Causes;
use crate::memory::Memory;
use crate::needs::Needs;
use crate::state::State;

/// Drops events from the ends of threads as long as what is left answers the query.
pub(crate) fn shorten(
    causes: &Causes,
    needs: &Needs,
    memory: &mut Memory,
    base: EventId,
    mut sequence: Vec<EventId>,
) -> Vec<EventId> {
    let trace = causes.trace;
    let mut is_legal = |sequence: &[EventId]| {
        let mut state = State::new(causes, needs, None, memory, base);
        sequence.iter().all(|&e| {
            let enabled = state.is_enabled(e);
            if enabled {
                state.push(e);
            }
            enabled
        })
    };
    loop {
        let before = sequence.len();
        for thread in (0..trace.n_threads() as u32).map(ThreadId) {
            while let Some(at) = sequence.iter().rposition(|&e| trace.thread(e) == thread) {
                let mut shorter = sequence.clone();
                let last = shorter.remove(at);
                if needs.must.contains(trace, last) || !is_legal(&shorter) {
                    break;
                }
                sequence = shorter;
            }
        }
        if sequence.len() == before {
            return sequence;
        }
    }
}
