//! Possible cycles: in the order of locks, whatever is read.
//!
//! In: the kinds of waits of a trace, and the tuples of locations that deadlock in a reordering. Out: cycles of waits
//! at other locations that forks, joins, waits, barriers and guard locks leave open. In no reordering the threads wait
//! for each other there, since reads keep what they read; a run of the program in which one reads something else may
//! come to it, or never get there. So these are no findings.

use std::convert::Infallible;

use raddle_trace::EventId;
use rustc_hash::FxHashSet;

use super::kinds::WaitKind;
use super::path::Paths;
use super::{Graph, Place, places};
use crate::causes::Causes;

/// More of them say nothing more.
const MAX_POSSIBLE: usize = 1_000;

/// How many steps may be taken to find them: they are a hint, and must not take longer than the answers.
const MAX_STEPS: u64 = 1_000_000;

/// One cycle of waits for each tuple of locations that is not known, and whether these are all.
pub(super) fn cycles(
    causes: &Causes,
    kinds: &[WaitKind],
    mut known: FxHashSet<Vec<Place>>,
) -> (Vec<Vec<EventId>>, bool) {
    let graph = Graph::new(causes, causes.synchronisation(), kinds);
    let (mut possible, mut steps) = (Vec::new(), MAX_STEPS);
    for least in 0..kinds.len() {
        if possible.len() >= MAX_POSSIBLE || steps == 0 {
            break;
        }
        let visited = Paths::new(&graph, &mut steps).cycles(least, &mut |blocked| {
            if possible.len() < MAX_POSSIBLE && known.insert(places(causes.trace, blocked)) {
                possible.push(blocked.to_vec());
            }
            Ok::<bool, Infallible>(true)
        });
        match visited {
            Ok(_) => {}
            Err(never) => match never {},
        }
    }
    let are_all = possible.len() < MAX_POSSIBLE && steps > 0;
    (possible, are_all)
}
