//! Views: what each read sees, and rule V.
//!
//! - V (views): a read that is not free sees, in each of its cells, the write that it saw in the
//!   trace, or the initial value if it did so there.
//!
//! A read-modify-write is a read first and a write then, in one step.

use raddle_trace::{CellId, EventId, Op, Trace};
use rustc_hash::FxHashMap;

use crate::objection::{Breach, Rule};
use crate::prefix::Prefix;

/// The memory: who wrote each cell last.
pub(crate) struct Views<'a> {
    trace: &'a Trace,
    prefix: Prefix<'a>,
    free: Vec<EventId>,
    /// Per cell that was written behind the prefix, the last write.
    last_write: FxHashMap<CellId, EventId>,
}

impl<'a> Views<'a> {
    pub(crate) fn new(trace: &'a Trace, prefix: Prefix<'a>, free: &[EventId]) -> Self {
        let mut free = free.to_vec();
        free.sort_unstable();
        Views { trace, prefix, free, last_write: FxHashMap::default() }
    }

    /// Rule V.
    pub(crate) fn check(&self, event: EventId) -> Result<(), Breach> {
        if !self.trace.code(event).reads() || self.free.binary_search(&event).is_ok() {
            return Ok(());
        }
        if self.trace.has_wide_reads() {
            let mut views = self.trace.writers(event).into_iter();
            return views.try_for_each(|(cell, observed)| self.sees(cell, observed));
        }
        let (Op::Read { var, .. } | Op::ReadModifyWrite { var, .. }) = self.trace.op(event) else {
            return Ok(());
        };
        let observed = self.trace.writer(event);
        self.trace.cells(var).try_for_each(|cell| self.sees(cell, observed))
    }

    /// Whether a read behind the prefix sees in a cell what it saw in the trace.
    fn sees(&self, cell: CellId, observed: Option<EventId>) -> Result<(), Breach> {
        let seen = self.last_write.get(&cell).copied();
        let same = match seen {
            Some(seen) => observed == Some(seen),
            None => self.prefix.ends_with(observed),
        };
        Breach::unless(same, Rule::V, || {
            let seen = seen.or_else(|| self.prefix.last_write(cell));
            format!("it sees {}, but saw {}", described(seen), described(observed))
        })
    }

    pub(crate) fn commit(&mut self, event: EventId) {
        if let Op::Write { var, .. } | Op::ReadModifyWrite { var, .. } = self.trace.op(event) {
            self.last_write.extend(self.trace.cells(var).map(|cell| (cell, event)));
        }
    }
}

fn described(write: Option<EventId>) -> String {
    write.map_or("the initial value".to_owned(), |write| format!("write {}", write.0))
}
