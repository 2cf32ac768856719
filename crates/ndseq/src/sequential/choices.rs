//! Deciders of sequential executions: a witness, or an enumeration.

use rustc_hash::FxHashMap;

use super::{Decide, N_SKIPS};
use crate::check::Witness;
use crate::statement::{Candidate, InstanceId};
use crate::trace::Trace;

/// Decides as a witness says.
pub(super) struct Scripted {
    /// Threads, in the order in which they begin.
    order: Vec<u32>,
    /// Per thread and statements, whether each execution that comes up is executed; last first.
    blocks: FxHashMap<(u32, Candidate), Vec<bool>>,
}

impl Scripted {
    pub(super) fn new(trace: &Trace, witness: &Witness) -> Scripted {
        let thread = |t: &crate::trace::TransactionId| trace.transactions[t.0 as usize].thread;
        let order = witness.order.iter().map(thread).collect();
        let reached = Reached::new(trace);
        let mut blocks: FxHashMap<(u32, Candidate), Vec<bool>> = FxHashMap::default();
        for block in &witness.blocks {
            // Executions inside one that is skipped do not come up.
            let skipped = |b: &crate::relevant::Block| !b.relevant;
            let inside = witness.ancestors(block).any(skipped);
            let Some(thread) = reached.thread(block.instance, block.candidate.first) else {
                continue;
            };
            if !inside {
                blocks.entry((thread, block.candidate)).or_default().push(block.relevant);
            }
        }
        blocks.values_mut().for_each(|row| row.reverse());
        Scripted { order, blocks }
    }
}

impl Decide for Scripted {
    fn thread(&mut self, threads: &[u32]) -> u32 {
        let first = self.order.iter().find(|thread| threads.contains(thread));
        first.copied().unwrap_or(threads[0])
    }

    fn executes(&mut self, thread: u32, statements: Candidate) -> bool {
        self.blocks.get_mut(&(thread, statements)).and_then(Vec::pop).unwrap_or(true)
    }
}

/// The positions of executions that a thread came to.
struct Reached(FxHashMap<(InstanceId, u32), u32>);

impl Reached {
    fn new(trace: &Trace) -> Reached {
        let mut found = FxHashMap::default();
        for event in trace.events() {
            let mut at = trace.at(event);
            while let Some(here) = at {
                if found.insert(here, trace.thread(event)).is_some() {
                    break;
                }
                at = trace.instance(here.0).parent;
            }
        }
        Reached(found)
    }

    fn thread(&self, instance: InstanceId, position: u32) -> Option<u32> {
        self.0.get(&(instance, position)).copied()
    }
}

/// All executions, one after the other.
#[derive(Default)]
pub(super) struct Enumerated {
    /// What was taken, of how many.
    taken: Vec<(u32, u32)>,
    at: usize,
    skips: FxHashMap<u32, u32>,
}

impl Enumerated {
    /// On to the next execution; answers whether there is one.
    pub(super) fn advance(&mut self) -> bool {
        self.taken.truncate(self.at);
        self.at = 0;
        self.skips.clear();
        while let Some((taken, n)) = self.taken.pop() {
            if taken + 1 < n {
                self.taken.push((taken + 1, n));
                return true;
            }
        }
        false
    }

    fn choose(&mut self, n: u32) -> u32 {
        if self.at == self.taken.len() {
            self.taken.push((0, n));
        }
        let (taken, _) = self.taken[self.at];
        self.at += 1;
        taken.min(n - 1)
    }
}

impl Decide for Enumerated {
    fn thread(&mut self, threads: &[u32]) -> u32 {
        threads[self.choose(threads.len() as u32) as usize]
    }

    fn executes(&mut self, thread: u32, _: Candidate) -> bool {
        if self.skips.get(&thread).is_some_and(|&skips| skips >= N_SKIPS) {
            return true;
        }
        let executes = self.choose(2) == 0;
        *self.skips.entry(thread).or_default() += u32::from(!executes);
        executes
    }
}
