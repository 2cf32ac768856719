//! Which threads of different runs are the same.
//!
//! In: forks as they happen. Out: for each thread where it comes from: the place of each fork that led
//! to it, and how many its parent had made there before. Numbers of threads depend on the order of
//! forks, origins do not.

use raddle_vm::{Event, Site};
use rustc_hash::FxHashMap;

/// A fork: where it is, and which of its thread's forks there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Fork {
    /// The function that makes it.
    pub function: u32,
    /// The transition there.
    pub op: u32,
    /// How many its thread had made there before.
    pub n_before: u32,
}

/// The forks that led to a thread, the first one first; none for the thread that the program begins
/// with.
pub type Origin = Vec<Fork>;

/// The origins of the threads of a run, by their numbers.
#[derive(Debug)]
pub(crate) struct Origins {
    of: FxHashMap<u32, Origin>,
    numbers: FxHashMap<Origin, u32>,
    n_forks: FxHashMap<(u32, Site), u32>,
}

impl Default for Origins {
    fn default() -> Origins {
        Origins {
            of: [(0, Vec::new())].into_iter().collect(),
            numbers: [(Vec::new(), 0)].into_iter().collect(),
            n_forks: FxHashMap::default(),
        }
    }
}

impl Origins {
    /// A thread was forked.
    pub(crate) fn fork(&mut self, event: &Event<'_>, child: u32) {
        let site = outside(event);
        let n_forks = self.n_forks.entry((event.thread, site)).or_default();
        let fork = Fork { function: site.function.0, op: site.op, n_before: *n_forks };
        *n_forks += 1;
        let mut origin = self.of(event.thread).cloned().unwrap_or_default();
        origin.push(fork);
        self.numbers.insert(origin.clone(), child);
        self.of.insert(child, origin);
    }

    /// Where a thread comes from.
    pub(crate) fn of(&self, number: u32) -> Option<&Origin> {
        self.of.get(&number)
    }

    /// The thread that comes from there, if there is one.
    pub(crate) fn number(&self, origin: &Origin) -> Option<u32> {
        self.numbers.get(origin).copied()
    }
}

/// The innermost transition that is not the library's.
pub(crate) fn outside(event: &Event<'_>) -> Site {
    let own = event.view.stack().find(|frame| !frame.library);
    own.map_or(event.site, |frame| frame.site)
}
