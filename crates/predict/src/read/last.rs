//! Final reads: what a cell holds when all is done.
//!
//! The implicit read at the end sees the last write of all. Another write can be the last one if and
//! only if the last write of some other thread can come behind it, with all events of the trace.

use std::sync::Arc;

use raddle_finding::ReadWitnessType;
use raddle_referee::Claim;
use raddle_trace::{CellId, EventId, ThreadId, Trace};

use super::{Piece, ReadWitness};
use crate::causes::Causes;
use crate::query::{Answer, Query};
use crate::refused::{Refused, confirm};

/// The cells that the trace writes.
pub(super) fn written_cells(trace: &Trace) -> Vec<CellId> {
    let cells = (0..trace.n_cells() as u32).map(CellId);
    let written = |cell: &CellId| trace.accesses(*cell).iter().any(|&e| trace.code(e).writes());
    cells.filter(written).collect()
}

/// The query whether all events can happen with a write behind the one that was the last.
pub fn final_read_query(trace: &Trace, writer: EventId, challenger: EventId) -> Query {
    let threads = (0..trace.n_threads() as u32).map(ThreadId);
    let needed = threads.filter_map(|t| trace.thread_events(t).last().copied()).collect();
    Query { needed, orders: vec![(writer, challenger)], ..Query::default() }
}

impl Piece<'_, '_> {
    /// Asks whether a cell can end up with something else.
    pub(super) fn final_read(&mut self, cell: CellId) -> Result<(), Refused> {
        let Causes { trace, order, chains, .. } = self.finder.causes;
        let mut last: Vec<EventId> =
            chains.writes(cell).filter_map(|chain| chain.items.last().copied()).collect();
        last.sort_unstable();
        let Some(writer) = last.pop() else { return Ok(()) };
        let mut is_broken = false;
        for &challenger in last.iter().rev() {
            let known = self.is_known(None, Some(challenger));
            let tells_nothing = is_broken && known && !self.finder.all;
            if tells_nothing || order.reaches(trace, challenger, writer) {
                continue;
            }
            match self.engine.answer(&final_read_query(trace, writer, challenger)) {
                Answer::Witnessed(witness) => {
                    confirm(trace, Claim::FinalRead { writer, challenger }, &witness)?;
                    is_broken = true;
                    self.keep(ReadWitness {
                        read: None,
                        writer: Some(writer),
                        challenger: Some(challenger),
                        form: ReadWitnessType::Overwritten,
                        witness: Arc::new(witness),
                    });
                }
                Answer::Infeasible(_) => {}
                Answer::Unknown => self.found.n_unknown += 1,
            }
        }
        self.found.n_broken_finals += u64::from(is_broken);
        Ok(())
    }
}
