//! Passes: what threads do under control, and not when they run at once.
//!
//! In: recordings of runs under control. Out: where in them the events of a recording of threads at
//! once are. Under control, a system call that could block, a sleep or a yield is an event
//! ([`Code::Pass`]), since others can go first there; threads at once just do it. Everything else
//! is the same in both, so a position is right again when the passes before it are added. Which
//! there are shows when the program runs.

use std::collections::BTreeMap;

use raddle_wire::Code;

use super::Recording;
use super::stream::{Item, Stream};

/// Where threads pass.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Passes {
    /// By the runtime's number of a thread: of each pass, how many other events are before it.
    threads: BTreeMap<u64, Vec<u64>>,
}

impl Passes {
    /// Takes in what a run did, as far as it went; whether that is something new.
    pub fn learn(&mut self, run: &Recording) -> bool {
        let mut seen: BTreeMap<u64, (Vec<u64>, u64)> = BTreeMap::new();
        let mut thread = 0;
        for item in Stream::new(run.in_order()) {
            let Item::Record(code, record) = item else { continue };
            let (passes, n_others) = seen.entry(thread).or_default();
            match code {
                Code::Switch => thread = record.object(),
                Code::Pass => passes.push(*n_others),
                _ if code.is_event() => *n_others += 1,
                _ => {}
            }
        }
        let mut is_new = false;
        for (thread, (mut passes, n_others)) in seen {
            let known = self.threads.entry(thread).or_default();
            // Of what lies behind its end, the run says nothing.
            passes.extend(known.iter().filter(|&&before| before > n_others));
            is_new |= *known != passes;
            *known = passes;
        }
        is_new
    }

    /// The position, under control, of what is an event's position without passes.
    pub fn position(&self, thread: u32, position: u64) -> u64 {
        let passes = self.threads.get(&thread.into()).map_or(&[][..], Vec::as_slice);
        position + passes.partition_point(|&before| before < position) as u64
    }
}
