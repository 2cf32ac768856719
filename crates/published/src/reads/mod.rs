//! Nondeterministic reads as the paper counts them: Table A1.
//!
//! In: a trace. Out: how many witnesses there could be, and what became of them in the two phases
//! of Sinha, Malik and Gupta (FMCAD 2012), Sec. III: witness order graphs, then choice graphs.
//!
//! - W1: a triplet is a read r, the write w that it read, and a challenger c, any other write of a
//!   cell in which r saw w. The initial value counts as a write before everything; reads at the end
//!   of the run that the paper imagines are left out. A read-modify-write does not challenge itself.
//! - W2: each triplet has three witnesses: 1 is c → r → w, 2 is w → c → r, 3 is c → r with w absent.
//!   The graph of type 3 has the edge c → r and nothing about w, as in the paper; also where w is
//!   the initial value.
//! - W3: what would have to come before the initial value is cyclic; the edge from it is no edge.
//! - W4: read-couples of all other reads are edges. A read of several cells loses all its couples.
//!
//! How we differ: every witness is counted in one column only (feasible and infeasible of the
//! paper's table add up to more than the possible ones where choice graphs failed). Graphs are not
//! built but kept as a few edges on top of a base per read. Locks that are never given back come
//! last. Time: a closure of the trace for each read whose couple is not implied otherwise, and a few
//! comparisons for most witnesses; memory: two clocks an event. Where much is concurrent and locked the
//! walks for S_choice dominate: they grow with locks and the square of the threads.

mod base;
mod choice;
mod explore;
mod linearise;
mod order;
mod table;
mod verdict;

use raddle_trace::{EventId, Trace};

use super::sections::Sections;
use base::Bases;
pub use explore::MAX_GRAPHS;
pub use table::ReadTable;
use verdict::Reader;
pub use verdict::{PaperVerdict, Witness, WitnessType};

/// Fills the table. `progress` receives the number of events that have been passed and stops the count by
/// answering false; the table then says that it is incomplete.
pub fn reads(trace: &Trace, progress: &mut dyn FnMut(u64) -> bool) -> ReadTable {
    let sections = Sections::new(trace);
    let mut bases = Bases::new(trace, &sections, &[]);
    let mut table = ReadTable { is_complete: true, ..ReadTable::default() };
    for read in (0..trace.len() as u32).map(EventId).filter(|&e| trace.code(e).reads()) {
        if !progress(u64::from(read.0)) {
            table.is_complete = false;
            break;
        }
        let triplets = triplets(trace, read);
        if !triplets.is_empty() {
            let base = bases.of(read);
            let mut reader = Reader::new(trace, &sections, &base, read);
            for (writer, challenger) in triplets {
                for kind in WitnessType::ALL {
                    let witness = Witness { kind, writer, read, challenger };
                    table.count(&reader.verdict(&witness));
                }
            }
        }
    }
    table
}

/// What the paper's algorithm says about one witness. `edges` are added to the synchronisation of
/// the trace; they must go forward in it.
pub fn witness(trace: &Trace, edges: &[(EventId, EventId)], witness: &Witness) -> PaperVerdict {
    let sections = Sections::new(trace);
    let base = Bases::new(trace, &sections, edges).of(witness.read);
    Reader::new(trace, &sections, &base, witness.read).verdict(witness)
}

/// W1: each writer of a read with each of its challengers, thread by thread, the latest first.
fn triplets(trace: &Trace, read: EventId) -> Vec<(Option<EventId>, Option<EventId>)> {
    let mut seen = trace.writers(read);
    seen.sort_unstable_by_key(|&(cell, writer)| (writer, cell));
    let mut found = Vec::new();
    for of_writer in seen.chunk_by(|a, b| a.1 == b.1) {
        let writer = of_writer[0].1;
        let accesses = of_writer.iter().flat_map(|&(cell, _)| trace.accesses(cell));
        let writes = accesses.copied().filter(|&e| trace.code(e).writes());
        let mut challengers: Vec<EventId> =
            writes.filter(|&e| Some(e) != writer && e != read).collect();
        challengers.sort_unstable_by_key(|&e| (trace.thread(e), std::cmp::Reverse(e)));
        challengers.dedup();
        found.extend(challengers.into_iter().map(|c| (writer, Some(c))));
        found.extend(writer.is_some().then_some((writer, None)));
    }
    found
}
