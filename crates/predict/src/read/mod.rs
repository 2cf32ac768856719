//! Nondeterministic reads: reads that can see another write than they did.
//!
//! In: a trace. Out: which reads are *view-preserving*, that is, see the same write in every
//! reordering, and for the others which writes they may see, with witnesses; and so whether the program is
//! deterministic, as far as this trace shows (Definition 1 of the paper on predicting
//! nondeterminism). At the end every cell is read once more, by an implicit final read.
//!
//! A candidate is a triplet of a read, its writer and a challenger, another write of the same cell or
//! the initial value, each in three forms. A trace of some thousand events has millions, so they are
//! not asked one by one: what the order rules out is not asked, forms 1 and 3 are asked once without
//! a challenger, which rules out all of them if it fails, and a witness serves all the triplets that
//! it shows.

mod candidate;
mod last;

use std::sync::Arc;

use raddle_finding::ReadWitnessType;
use raddle_trace::{EventId, LocationId, Sequence, Trace};
use rustc_hash::FxHashSet;

use crate::causes::Causes;
use crate::engine::{Engine, Tally};
use crate::jobs::{self, Job, Knowledge};
use crate::query::Query;
use crate::refused::Refused;
use candidate::Candidate;
pub use last::final_read_query;

/// Reads that make a task.
const TASK: usize = 16;

/// The analysis that looks for reads that can see another write.
pub(crate) struct NondeterministicReads;

/// A read that can see something else.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadWitness {
    /// The read; `None` for the implicit one at the end.
    pub read: Option<EventId>,
    /// What it saw; `None` for the initial value.
    pub writer: Option<EventId>,
    /// Another write, or the initial value.
    pub challenger: Option<EventId>,
    /// How the three are ordered.
    pub form: ReadWitnessType,
    /// A reordering that shows it; the referee has accepted it.
    pub witness: Arc<Sequence>,
}

/// What was found, and how.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reads {
    /// One witness for each pair of locations of a read and a challenger, or all of them.
    pub witnesses: Vec<ReadWitness>,
    /// Triplets and forms whose budget ran out.
    pub n_unknown: u64,
    /// Reads.
    pub n_reads: u64,
    /// Reads that can see something else, ascending.
    pub broken: Vec<EventId>,
    /// Reads that may or may not.
    pub undecided: Vec<EventId>,
    /// Cells whose final value can be from another write, of so many that are written.
    pub n_broken_finals: u64,
    /// Cells that are written.
    pub n_finals: u64,
    /// Triplets times three, implicit final reads aside.
    pub n_possible: u64,
    /// Of these, how many have a witness, if all were asked.
    pub n_feasible: u64,
    /// How queries were answered.
    pub tally: Tally,
    /// False if the search was stopped.
    pub is_complete: bool,
}

impl Reads {
    /// Whether the program is nondeterministic; `None` if that is not known.
    pub fn is_nondeterministic(&self) -> Option<bool> {
        let found = !self.broken.is_empty() || self.n_broken_finals > 0;
        let decided = self.n_unknown == 0 && self.is_complete;
        (found || decided).then_some(found)
    }
}

/// The query whether a read can see a challenger, or at least not its writer, in one of the forms.
pub fn read_query(
    trace: &Trace,
    read: EventId,
    writer: Option<EventId>,
    challenger: Option<EventId>,
    form: ReadWitnessType,
) -> Query {
    let before_read = challenger.map(|challenger| (challenger, read));
    let mut needed: Vec<EventId> = [read].into_iter().chain(challenger).collect();
    let mut query = Query { free: vec![read], ..Query::default() };
    match (form, writer, challenger) {
        (ReadWitnessType::BeforeWriter, Some(writer), _) => {
            needed.push(writer);
            query.orders.push((read, writer));
        }
        (ReadWitnessType::Overwritten, writer, Some(challenger)) => {
            needed.extend(writer);
            query.orders.extend(writer.map(|writer| (writer, challenger)));
        }
        (ReadWitnessType::WithoutWriter, Some(writer), _) => query.absent.push(writer),
        // The initial value is never absent, and nothing comes before it.
        _ => query.absent.push(read),
    }
    debug_assert!(trace.code(read).reads());
    query.orders.extend(before_read);
    Query { needed, ..query }
}

/// Finds the nondeterministic reads of a trace: one witness for each pair of locations, or all.
pub fn reads(causes: &Causes, all: bool, mut job: Job) -> Result<Reads, Refused> {
    let trace = causes.trace;
    let events = (0..trace.len() as u32).map(EventId);
    let reads: Vec<EventId> = events.filter(|&e| trace.code(e).reads()).collect();
    let cells = last::written_cells(trace);
    let n_tasks = reads.len().div_ceil(TASK) + cells.len().div_ceil(TASK);
    let mut finder = Finder {
        causes,
        all,
        found: Reads {
            n_reads: reads.len() as u64,
            n_finals: cells.len() as u64,
            ..Reads::default()
        },
        reads,
        cells,
        known: FxHashSet::default(),
    };
    let (tally, is_complete) = jobs::run(causes, &mut finder, n_tasks, &mut job)?;
    let mut found = finder.found;
    let order = |w: &ReadWitness| (w.read.is_none(), w.read, w.writer, w.challenger, w.form);
    found.witnesses.sort_by_key(order);
    Ok(Reads { tally, is_complete, ..found })
}

struct Finder<'a> {
    causes: &'a Causes<'a>,
    all: bool,
    reads: Vec<EventId>,
    cells: Vec<raddle_trace::CellId>,
    /// Locations of reads and challengers that are known to meet.
    known: FxHashSet<Meeting>,
    found: Reads,
}

/// The locations of a read and a challenger; a final read, or the initial value, has none of its
/// own.
type Meeting = (Option<Option<LocationId>>, Option<Option<LocationId>>);

fn meeting(trace: &Trace, read: Option<EventId>, challenger: Option<EventId>) -> Meeting {
    (read.map(|e| trace.location(e)), challenger.map(|e| trace.location(e)))
}

impl Knowledge for Finder<'_> {
    type Result = Reads;
    type Error = Refused;

    fn work(&self, engine: &mut Engine, task: usize) -> Result<Reads, Refused> {
        let n_read_tasks = self.reads.len().div_ceil(TASK);
        let mut piece =
            Piece { finder: self, engine, known: FxHashSet::default(), found: Reads::default() };
        match task.checked_sub(n_read_tasks) {
            None => {
                let from = task * TASK;
                let to = self.reads.len().min(from + TASK);
                self.reads[from..to].iter().try_for_each(|&read| piece.read(read))?;
            }
            Some(task) => {
                let from = task * TASK;
                let to = self.cells.len().min(from + TASK);
                self.cells[from..to].iter().try_for_each(|&cell| piece.final_read(cell))?;
            }
        }
        Ok(piece.found)
    }

    fn learn(&mut self, result: Reads) {
        let trace = self.causes.trace;
        for witness in result.witnesses {
            let new = self.known.insert(meeting(trace, witness.read, witness.challenger));
            if new || self.all {
                self.found.witnesses.push(witness);
            }
        }
        let found = &mut self.found;
        found.n_unknown += result.n_unknown;
        found.broken.extend(result.broken);
        found.undecided.extend(result.undecided);
        found.n_broken_finals += result.n_broken_finals;
        found.n_possible += result.n_possible;
        found.n_feasible += result.n_feasible;
    }
}

/// Some reads, or some cells at the end.
struct Piece<'a, 'b> {
    finder: &'a Finder<'a>,
    engine: &'a mut Engine<'b>,
    known: FxHashSet<Meeting>,
    found: Reads,
}

impl Piece<'_, '_> {
    /// Asks all about a read.
    fn read(&mut self, read: EventId) -> Result<(), Refused> {
        let trace = self.finder.causes.trace;
        let n_unknown = self.found.n_unknown;
        let mut is_broken = false;
        // Cells that were read from one writer are asked about together.
        let mut views = trace.writers(read);
        views.sort_by_key(|&(cell, writer)| (writer, cell));
        for cells in views.chunk_by(|a, b| a.1 == b.1) {
            let writer = cells[0].1;
            let cells = cells.iter().map(|&(cell, _)| cell).collect();
            let mut candidate = Candidate::new(self, read, writer, cells, is_broken);
            candidate.run()?;
            is_broken |= candidate.is_broken;
        }
        if is_broken {
            self.found.broken.push(read);
        } else if self.found.n_unknown > n_unknown {
            self.found.undecided.push(read);
        }
        Ok(())
    }

    fn is_known(&self, read: Option<EventId>, challenger: Option<EventId>) -> bool {
        let meeting = meeting(self.finder.causes.trace, read, challenger);
        self.known.contains(&meeting) || self.finder.known.contains(&meeting)
    }

    /// Keeps a witness if it shows something new, or all are wanted.
    fn keep(&mut self, witness: ReadWitness) {
        let meeting = meeting(self.finder.causes.trace, witness.read, witness.challenger);
        let known = self.finder.known.contains(&meeting) || !self.known.insert(meeting);
        if !known || self.finder.all {
            self.found.witnesses.push(witness);
        }
    }
}
