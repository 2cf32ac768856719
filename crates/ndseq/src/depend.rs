//! Dynamic data dependence.
//!
//! - D1: an event depends on the events that its locals come from.
//! - D2: a read of a global depends, for each thread, on the last write before it and on the first
//!   write behind it: in another order of transactions either could be what it reads. A thread's own
//!   later writes, and those of threads that created it or that it created, stay behind the read in
//!   every order, so of these only the last one before it counts. (So it is in the example of S1,
//!   Fig. 3, although the text says "each thread".)

use crate::trace::{EventId, Rows, Trace};

/// A trace with the writes of its globals, to look D2 up.
pub struct Dependence<'a> {
    trace: &'a Trace,
    /// Per global, where its entries in `writers` begin.
    starts: Vec<u32>,
    /// A thread that writes the global, and where its writes begin in `writes`.
    writers: Vec<(u32, u32)>,
    /// The writes, by global, then thread, then order.
    writes: Vec<u32>,
    /// Whether threads are kin, row by row.
    kin: Vec<bool>,
}

impl<'a> Dependence<'a> {
    /// Looks where globals are written.
    pub fn new(trace: &'a Trace) -> Dependence<'a> {
        let n = trace.focus.len();
        let by_global = Rows::sorted(n, |put| {
            for event in trace.events() {
                trace.writes(event).for_each(|variable| put(variable.0, event.0));
            }
        });
        let (mut starts, mut writers, mut writes) = (Vec::new(), Vec::new(), Vec::new());
        for variable in 0..n {
            starts.push(writers.len() as u32);
            let mut row = by_global.row(variable).to_vec();
            // Stable: within a thread the order stays.
            row.sort_by_key(|&event| trace.thread(EventId(event)));
            let mut last = None;
            for event in row {
                let thread = trace.thread(EventId(event));
                if last != Some(thread) {
                    writers.push((thread, writes.len() as u32));
                    last = Some(thread);
                }
                writes.push(event);
            }
        }
        starts.push(writers.len() as u32);
        writers.push((u32::MAX, writes.len() as u32));
        let threads = 0..trace.threads.len() as u32;
        let pairs = threads.clone().flat_map(|a| threads.clone().map(move |b| (a, b)));
        let kin = pairs.map(|(a, b)| trace.are_kin(a, b)).collect();
        Dependence { trace, starts, writers, writes, kin }
    }

    /// The trace.
    pub fn trace(&self) -> &'a Trace {
        self.trace
    }

    /// Calls `visit` with each event that an event depends on; some of them may come twice.
    #[inline]
    pub fn visit(&self, event: EventId, mut visit: impl FnMut(EventId)) {
        self.trace.locals(event).for_each(&mut visit);
        for variable in self.trace.reads(event) {
            let range = self.starts[variable.0 as usize]..self.starts[variable.0 as usize + 1];
            for at in range.start as usize..range.end as usize {
                let (writer, start) = self.writers[at];
                let row = &self.writes[start as usize..self.writers[at + 1].1 as usize];
                // What writes, too, is neither before nor behind itself.
                let before = row.partition_point(|&write| write < event.0);
                let behind = row.partition_point(|&write| write <= event.0);
                if let Some(last) = before.checked_sub(1) {
                    visit(EventId(row[last]));
                }
                let own = self.trace.thread(event) as usize * self.trace.threads.len();
                if !self.kin[own + writer as usize]
                    && let Some(&first) = row.get(behind)
                {
                    visit(EventId(first));
                }
            }
        }
    }

    /// R1: the last writes of each thread to each focus variable.
    pub fn results(&self) -> Vec<EventId> {
        let mut found = Vec::new();
        for variable in (0..self.trace.focus.len()).filter(|&v| self.trace.focus[v]) {
            for at in self.starts[variable] as usize..self.starts[variable + 1] as usize {
                let end = self.writers[at + 1].1 as usize;
                found.push(EventId(self.writes[end - 1]));
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}
