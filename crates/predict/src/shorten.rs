//! Shortening: leaves out of a witness what it can do without.

use raddle_trace::{EventId, Kind, ThreadId};

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
        let mut state = State::new(causes, needs, None, memory, base, &needs.must);
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
                let last = sequence[at];
                if needs.must.contains(trace, last)
                    || is_used(causes, needs, last, &sequence[at + 1..])
                {
                    break;
                }
                let mut shorter = sequence.clone();
                shorter.remove(at);
                if !is_legal(&shorter) {
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

/// True if one of the events that follow is known to need an event: it takes the lock that the event
/// has released, or reads what it has written. That is what events are mostly there for.
fn is_used(causes: &Causes, needs: &Needs, event: EventId, following: &[EventId]) -> bool {
    let trace = causes.trace;
    match trace.code(event).kind() {
        Kind::Release => {
            let Some(own) = trace.scope_of(event).map(|s| trace.scopes()[s.index()]) else {
                return false;
            };
            let takes = |e: EventId| {
                let scope = trace.scope_of(e).map(|s| trace.scopes()[s.index()]);
                let other = scope.filter(|_| trace.code(e).kind() == Kind::Acquire);
                other.is_some_and(|o| o.lock == own.lock && raddle_causality::excludes(&own, &o))
            };
            following.iter().any(|&e| takes(e))
        }
        Kind::Write => following.iter().any(|&e| {
            let keeps = trace.code(e).reads() && !needs.free.contains(&e);
            keeps && trace.writers(e).iter().any(|&(_, w)| w == Some(event))
        }),
        _ => false,
    }
}
