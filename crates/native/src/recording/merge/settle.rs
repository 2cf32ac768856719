//! What is not recorded of locks and conditions, settled by what is (G5, G6).

use std::collections::BTreeMap;

use raddle_wire::{Code, Record};
use rustc_hash::{FxHashMap, FxHashSet};

use super::pieces::{Block, Lane};
use super::{ByBlock, Item, walk};

/// Who holds which lock.
#[derive(Default)]
pub(super) struct Locks {
    /// How many hold it alone, and with others.
    held: FxHashMap<u64, [u32; 2]>,
}

impl Locks {
    /// Takes in a record; false if it is a failure to take a lock that no thread has.
    pub(super) fn allow(&mut self, code: Code, record: Record) -> bool {
        if !matches!(code, Code::Lock | Code::Unlock | Code::TryFail) {
            return true;
        }
        let held = self.held.entry(record.object()).or_default();
        let mode = usize::from(record.extra() != 0);
        match code {
            Code::Lock => held[mode] += 1,
            Code::Unlock => held[mode] = held[mode].saturating_sub(1),
            _ => return held[0] > 0 || (mode == 0 && held[1] > 0),
        }
        true
    }
}

/// Which notify ended which wait.
#[derive(Default)]
pub(super) struct Wakes {
    /// By the block of a notify: the number of the thread that it woke.
    woken: ByBlock<u64>,
    /// Blocks of wake-ups that could have had another reason.
    open: FxHashSet<usize>,
}

/// A thread that waits, in the block where it wakes up.
#[derive(Clone, Copy)]
struct Waiter {
    thread: u64,
    is_open: bool,
}

impl Wakes {
    pub(super) fn match_up(lanes: &[Lane<'_>], blocks: &[Block]) -> Wakes {
        let mut steps = Vec::new();
        walk(lanes, blocks, |at, item| {
            if let Item::Record(code, record) = item
                && matches!(code, Code::Wait | Code::Wake | Code::Notify | Code::NotifyAll)
            {
                steps.push((at, code, record));
            }
        });
        let mut wakes = Wakes::default();
        // Per condition, who waits, by when each goes on; who never does comes last.
        let mut waiting: FxHashMap<u64, BTreeMap<usize, Waiter>> = FxHashMap::default();
        let ends = ends(lanes, blocks, &steps);
        for &(at, code, record) in &steps {
            let waiters = waiting.entry(record.object()).or_default();
            let thread = lanes[blocks[at].lane].number;
            match code {
                Code::Wait => {
                    let end = ends.get(&at).copied().unwrap_or(usize::MAX - blocks[at].lane);
                    waiters.insert(end, Waiter { thread, is_open: false });
                }
                Code::Notify => {
                    let several = waiters.len() > 1;
                    waiters.values_mut().for_each(|waiter| waiter.is_open |= several);
                    if let Some((end, waiter)) = waiters.pop_first() {
                        wakes.woken.insert(at, waiter.thread);
                        if waiter.is_open {
                            wakes.open.insert(end);
                        }
                    }
                }
                Code::NotifyAll => {
                    for (end, waiter) in std::mem::take(waiters) {
                        if waiter.is_open {
                            wakes.open.insert(end);
                        }
                    }
                }
                _ => {
                    if waiters.remove(&at).is_some_and(|waiter| waiter.is_open) {
                        wakes.open.insert(at);
                    }
                }
            }
        }
        wakes
    }

    /// A notify, with the wait that it ended; a notify itself is never a guess.
    pub(super) fn notify(&self, block: usize, record: Record) -> (Record, bool) {
        let woken = self.woken.get(&block).and_then(|&thread| u16::try_from(thread + 1).ok());
        let (object, detail, pc) = (record.object(), record.detail(), record.pc());
        (Record::new(Code::Notify, object, detail, pc, woken.unwrap_or(0)), false)
    }

    /// Whether the reason of a wake-up is a guess.
    pub(super) fn is_guess(&self, block: usize) -> bool {
        self.open.contains(&block)
    }
}

/// By the block of each wait, the block of its wake-up, unless its time ran out.
fn ends(lanes: &[Lane<'_>], blocks: &[Block], steps: &[(usize, Code, Record)]) -> ByBlock<usize> {
    let mut ends = FxHashMap::default();
    let mut begun: Vec<Option<usize>> = vec![None; lanes.len()];
    for &(at, code, record) in steps {
        let begun = &mut begun[blocks[at].lane];
        match code {
            Code::Wait => *begun = Some(at),
            Code::Wake if record.extra() == 0 => {
                if let Some(wait) = begun.take() {
                    ends.insert(wait, at);
                }
            }
            Code::Wake => *begun = None,
            _ => {}
        }
    }
    ends
}
