//! Cuts: one prefix per thread.

use raddle_trace::{EventId, ThreadId, Trace};

/// For each thread, how many of its first events are in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cut(Vec<u32>);

impl From<Vec<u32>> for Cut {
    fn from(lengths: Vec<u32>) -> Cut {
        Cut(lengths)
    }
}

impl Cut {
    /// Nothing is in.
    pub fn empty(n_threads: usize) -> Cut {
        Cut(vec![0; n_threads])
    }

    /// How many events of a thread are in.
    #[inline]
    pub fn len(&self, thread: ThreadId) -> u32 {
        self.0[thread.index()]
    }

    /// True if an event is in.
    #[inline]
    pub fn contains(&self, trace: &Trace, event: EventId) -> bool {
        trace.position(event) < self.len(trace.thread(event))
    }

    /// Takes in at least the first `n` events of a thread; true if that is more than before.
    #[inline]
    pub fn extend(&mut self, thread: ThreadId, n: u32) -> bool {
        let own = &mut self.0[thread.index()];
        let more = n > *own;
        *own = n.max(*own);
        more
    }

    /// The events that are in, thread by thread.
    pub fn events<'a>(&'a self, trace: &'a Trace) -> impl Iterator<Item = EventId> + 'a {
        let threads = self.0.iter().enumerate();
        threads.flat_map(|(t, &n)| {
            trace.thread_events(ThreadId(t as u32)).iter().take(n as usize).copied()
        })
    }

    /// True if no thread has more events in than `bounds` says.
    pub fn events_within(&self, bounds: &[u32]) -> bool {
        self.0.iter().zip(bounds).all(|(n, bound)| n <= bound)
    }

    #[inline]
    pub(crate) fn as_slice(&self) -> &[u32] {
        &self.0
    }

    /// Takes in what another cut has; true if that is more than before.
    #[inline]
    pub(crate) fn join(&mut self, other: &[u32]) -> bool {
        let mut more = false;
        for (own, &other) in self.0.iter_mut().zip(other) {
            more |= other > *own;
            *own = other.max(*own);
        }
        more
    }
}
