//! One read and one of its writers, with all challengers.

use std::sync::Arc;

use raddle_finding::ReadWitnessType::{self, BeforeWriter, Overwritten, WithoutWriter};
use raddle_referee::Claim;
use raddle_trace::{CellId, EventId, Sequence};

use super::{Piece, ReadWitness, read_query};
use crate::causes::Causes;
use crate::query::Answer;
use crate::refused::{Refused, confirm};

/// A read and what it saw in some cells.
pub(super) struct Candidate<'a, 'b, 'c> {
    piece: &'a mut Piece<'b, 'c>,
    read: EventId,
    writer: Option<EventId>,
    cells: Vec<CellId>,
    /// Whether the read is known to see something else at times.
    pub is_broken: bool,
    /// Witnesses that were found, by form.
    shown: [Vec<Shown>; 3],
}

/// A witness, and where in it the writes are that matter.
struct Shown {
    witness: Arc<Sequence>,
    /// Writes of the cells behind the prefix, with their places.
    tail: Vec<(EventId, usize)>,
    read: usize,
    writer: Option<usize>,
}

impl<'a, 'b, 'c> Candidate<'a, 'b, 'c> {
    pub(super) fn new(
        piece: &'a mut Piece<'b, 'c>,
        read: EventId,
        writer: Option<EventId>,
        cells: Vec<CellId>,
        is_broken: bool,
    ) -> Self {
        Candidate { piece, read, writer, cells, is_broken, shown: [vec![], vec![], vec![]] }
    }

    /// Asks about all challengers, in all forms.
    pub(super) fn run(&mut self) -> Result<(), Refused> {
        let challengers = self.challengers();
        self.piece.found.n_possible += 3 * challengers.len() as u64;
        let (without, before) = self.forms_with_writer()?;
        if without {
            challengers.iter().try_for_each(|&c| self.ask(c, WithoutWriter))?;
        }
        if before {
            challengers.iter().try_for_each(|&c| self.ask(c, BeforeWriter))?;
        }
        // A later challenger brings those before it along, except that those before the writer have
        // to move behind it, where the first brings the others.
        let since = self.writer.map_or(0, |w| challengers.partition_point(|&c| c < Some(w)));
        challengers[..since].iter().try_for_each(|&c| self.ask(c, Overwritten))?;
        challengers[since..].iter().rev().try_for_each(|&c| self.ask(c, Overwritten))
    }

    /// The other writes of the cells, ascending, and the initial value before them.
    fn challengers(&self) -> Vec<Option<EventId>> {
        let trace = self.trace();
        let mut challengers: Vec<Option<EventId>> = Vec::new();
        challengers.extend(self.writer.is_some().then_some(None));
        for &cell in &self.cells {
            let writes = trace.accesses(cell).iter().filter(|&&e| trace.code(e).writes());
            let others = writes.filter(|&&e| e != self.read && Some(e) != self.writer);
            challengers.extend(others.map(|&e| Some(e)));
        }
        if self.cells.len() > 1 {
            challengers.sort_unstable();
            challengers.dedup();
        }
        challengers
    }

    /// Whether the writer can be absent, and whether it can come late: without either of them there
    /// is no challenger for form 3, or 1. What comes late is absent before.
    fn forms_with_writer(&mut self) -> Result<(bool, bool), Refused> {
        let Causes { trace, order, .. } = self.piece.finder.causes;
        let Some(writer) = self.writer else { return Ok((false, false)) };
        let before = self.piece.finder.causes.before(self.read);
        if before.is_some_and(|before| order.reaches(trace, writer, before)) {
            return Ok((false, false));
        }
        let without = self.can_be(WithoutWriter)?;
        Ok((without, without && self.can_be(BeforeWriter)?))
    }

    /// Asks about a form without a challenger; true unless it is ruled out.
    fn can_be(&mut self, form: ReadWitnessType) -> Result<bool, Refused> {
        let query = read_query(self.trace(), self.read, self.writer, None, form);
        match self.piece.engine.answer(&query) {
            Answer::Witnessed(witness) => {
                self.remember(form, witness);
                Ok(true)
            }
            Answer::Infeasible(_) => Ok(false),
            Answer::Unknown => Ok(true),
        }
    }

    /// Asks about one challenger in one form, unless the answer is known or of no interest.
    fn ask(&mut self, challenger: Option<EventId>, form: ReadWitnessType) -> Result<(), Refused> {
        let all = self.piece.finder.all;
        let is_new = !self.piece.is_known(Some(self.read), challenger);
        if !all && self.is_broken && !is_new || self.is_ruled_out(challenger, form) {
            return Ok(());
        }
        let shown = self.shown[slot(form)].iter().find(|s| s.shows(challenger, form));
        if let Some(witness) = shown.map(|shown| Arc::clone(&shown.witness)) {
            return self.keep(challenger, form, witness);
        }
        let query = read_query(self.trace(), self.read, self.writer, challenger, form);
        match self.piece.engine.answer(&query) {
            Answer::Witnessed(witness) => {
                let witness = self.remember(form, witness);
                return self.keep(challenger, form, witness);
            }
            Answer::Infeasible(_) => {}
            Answer::Unknown => self.piece.found.n_unknown += 1,
        }
        Ok(())
    }

    /// What the order knows.
    fn is_ruled_out(&self, challenger: Option<EventId>, form: ReadWitnessType) -> bool {
        let Causes { trace, order, .. } = self.piece.finder.causes;
        let Some(challenger) = challenger else { return form == Overwritten };
        let reaches = |a: Option<EventId>, b: Option<EventId>| {
            a.zip(b).is_some_and(|(a, b)| order.reaches(trace, a, b))
        };
        let (read, writer, challenger) = (Some(self.read), self.writer, Some(challenger));
        reaches(read, challenger)
            || match form {
                Overwritten => reaches(challenger, writer),
                BeforeWriter | WithoutWriter => reaches(writer, challenger),
            }
    }

    /// Keeps a witness for other challengers.
    fn remember(&mut self, form: ReadWitnessType, witness: Sequence) -> Arc<Sequence> {
        let witness = Arc::new(witness);
        self.shown[slot(form)].push(self.show(Arc::clone(&witness)));
        witness
    }

    fn show(&self, witness: Arc<Sequence>) -> Shown {
        let trace = self.trace();
        let prefix = witness.prefix();
        let mut shown = Shown { tail: Vec::new(), read: 0, writer: None, witness };
        let place = |e: EventId| (e.0 < prefix).then_some(e.index());
        shown.read = place(self.read).unwrap_or(0);
        shown.writer = self.writer.and_then(place);
        for (n, event) in shown.witness.tail().enumerate() {
            let at = prefix as usize + n;
            if event == self.read {
                shown.read = at;
            }
            if Some(event) == self.writer {
                shown.writer = Some(at);
            }
            if trace.code(event).writes() {
                shown.tail.push((event, at));
            }
        }
        shown.tail.sort_unstable();
        shown
    }

    /// Notes that a challenger has a witness, and has the referee judge it if it is to be reported.
    fn keep(
        &mut self,
        challenger: Option<EventId>,
        form: ReadWitnessType,
        witness: Arc<Sequence>,
    ) -> Result<(), Refused> {
        self.is_broken = true;
        self.piece.found.n_feasible += 1;
        let (read, writer) = (self.read, self.writer);
        if self.piece.finder.all || !self.piece.is_known(Some(read), challenger) {
            confirm(self.trace(), Claim::Read { read, writer, challenger, form }, &witness)?;
            self.piece.keep(ReadWitness { read: Some(read), writer, challenger, form, witness });
        }
        Ok(())
    }

    fn trace(&self) -> &'c raddle_trace::Trace {
        self.piece.engine.causes().trace
    }
}

impl Shown {
    /// Whether the witness shows a challenger as well.
    fn shows(&self, challenger: Option<EventId>, form: ReadWitnessType) -> bool {
        let Some(challenger) = challenger else { return form != Overwritten };
        let place = match challenger.0 < self.witness.prefix() {
            true => challenger.index(),
            false => match self.tail.binary_search_by_key(&challenger, |&(e, _)| e) {
                Ok(at) => self.tail[at].1,
                Err(_) => return false,
            },
        };
        let behind_writer = self.writer.is_none_or(|writer| writer < place);
        place < self.read && (form != Overwritten || behind_writer)
    }
}

fn slot(form: ReadWitnessType) -> usize {
    match form {
        BeforeWriter => 0,
        Overwritten => 1,
        WithoutWriter => 2,
    }
}
