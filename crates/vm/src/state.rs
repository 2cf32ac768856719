//! The state of a run: everything that a snapshot has to keep.

use std::sync::Arc;

use crate::memory::Memory;
use crate::outcome::{Outcome, Remark};
use crate::sync::Syncs;
use crate::thread::Thread;

/// The answer that the machine waits for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) enum Phase {
    /// Which of the enabled threads goes on.
    #[default]
    Thread,
    /// Which of the waiters the current thread wakes.
    Waiter,
    /// Whether the current thread's wait, which was notified, runs out.
    Timeout,
    /// Whether the current thread's timed wait ends for no reason, or runs out.
    Spurious,
    /// The value that the current thread gets.
    Value { low: i64, high: i64 },
    /// The same, from the set of inputs with this number.
    Input(u32),
    /// Nothing: the run is over.
    Over,
}

/// Everything that changes in a run.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) threads: Vec<Thread>,
    pub(crate) memory: Memory,
    pub(crate) syncs: Syncs,
    /// The threads that can be chosen, ascending, or the waiters, longest waiting first.
    pub(crate) options: Vec<u32>,
    pub(crate) output: Vec<u8>,
    /// The file descriptors of the output, each with where its part ends.
    pub(crate) parts: Vec<(u8, usize)>,
    pub(crate) remarks: Vec<Remark>,
    pub(crate) outcome: Option<Arc<Outcome>>,
    pub(crate) counters: Counters,
}

/// The part of the state that is a few numbers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counters {
    pub(crate) phase: Phase,
    /// The thread that was chosen last.
    pub(crate) current: u32,
    /// How many times in a row it was chosen.
    pub(crate) streak: u32,
    /// Virtual time, in nanoseconds.
    pub(crate) clock: u64,
    /// Transitions so far.
    pub(crate) n_steps: u64,
    /// Transitions up to the last visible operation.
    pub(crate) last_visible: u64,
    /// How many waits there were.
    pub(crate) n_waits: u64,
    /// How much of the standard input was read.
    pub(crate) n_read: usize,
    /// How many threads have started and not ended.
    pub(crate) n_running: u32,
    /// How many operations have changed something that others can see.
    pub(crate) n_changes: u64,
    /// How often the clock was read.
    pub(crate) n_clock: u64,
}

impl Clone for State {
    fn clone(&self) -> Self {
        let mut copy = State::default();
        copy.clone_from(self);
        copy
    }

    fn clone_from(&mut self, from: &Self) {
        self.threads.clone_from(&from.threads);
        self.memory.clone_from(&from.memory);
        self.syncs.clone_from(&from.syncs);
        copy(&mut self.options, &from.options);
        copy(&mut self.output, &from.output);
        copy(&mut self.parts, &from.parts);
        copy(&mut self.remarks, &from.remarks);
        self.outcome.clone_from(&from.outcome);
        self.counters = from.counters;
    }
}

/// Makes a vector equal to another one. Most of a state's are empty, and states are copied all the
/// time, so nothing is called to copy nothing.
#[inline(always)]
pub(crate) fn copy<T: Copy>(into: &mut Vec<T>, from: &[T]) {
    into.clear();
    if !from.is_empty() {
        into.extend_from_slice(from);
    }
}

/// A saved state of a run. Saving into one that was used before costs no allocation.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    pub(crate) state: State,
}

impl Snapshot {
    /// An empty one, to save into.
    pub fn new() -> Snapshot {
        Snapshot::default()
    }

    /// How many bytes the state has.
    pub fn size(&self) -> usize {
        let state = &self.state;
        let threads: usize = state.threads.iter().map(|t| 8 * t.registers.len()).sum();
        let objects = size_of_val(state.memory.objects.as_slice());
        threads + objects + state.memory.arena.bytes.len() + state.output.len()
    }
}
