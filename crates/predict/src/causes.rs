//! What is known about the causality of a trace; made once, used by every query.

use std::sync::OnceLock;

use raddle_causality::{Chains, Cut, Held, Implied, Order, Relations, for_each_source};
use raddle_trace::{EventId, Kind, ThreadId, Trace};
use rustc_hash::FxHashMap;

/// How queries are answered. The answers are the same whatever `chop` and `share` say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// How much a query may cost, in events tried beyond the first attempt.
    pub effort: u64,
    /// Begin with as much of the observed order as a query leaves alone.
    pub chop: bool,
    /// Apply the rules for locks once to the whole trace, for all queries.
    pub share: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { effort: 1_000_000, chop: true, share: true }
    }
}

/// A trace with its order and its lock scopes.
pub struct Causes<'a> {
    pub(crate) trace: &'a Trace,
    pub(crate) settings: Settings,
    pub(crate) chains: Chains,
    pub(crate) order: Order,
    /// What synchronisation alone orders, computed when it is first needed.
    synchronisation: OnceLock<Order>,
    /// What the rules of saturation say of all reorderings, computed when it is first needed.
    implied: OnceLock<Implied>,
    pub(crate) held: Held,
    pub(crate) has_failed_tries: bool,
    /// Per notify, the waits that it ended.
    ended: FxHashMap<EventId, Vec<usize>>,
}

impl<'a> Causes<'a> {
    /// Clocks have an entry a thread, and there is one for each thread: traces with more threads
    /// would take memory with the square of their number.
    pub const MAX_THREADS: usize = 4096;

    /// Computes what every query asks, for at most [`Causes::MAX_THREADS`] threads.
    pub fn new(trace: &'a Trace) -> Causes<'a> {
        Causes::with(trace, Settings::default())
    }

    /// The same, for queries to be answered in a certain way.
    pub fn with(trace: &'a Trace, settings: Settings) -> Causes<'a> {
        let mut ended: FxHashMap<EventId, Vec<usize>> = FxHashMap::default();
        for (wait, notify) in trace.waits().iter().map(|wait| wait.notify).enumerate() {
            notify.into_iter().for_each(|notify| ended.entry(notify).or_default().push(wait));
        }
        let chains = Chains::new(trace);
        let order = match settings.share {
            true => Order::saturated(trace, Relations::ALL, &chains),
            false => Order::new(trace, Relations::ALL),
        };
        let mut events = (0..trace.len() as u32).map(EventId);
        Causes {
            trace,
            settings,
            implied: OnceLock::new(),
            order,
            chains,
            synchronisation: OnceLock::new(),
            held: Held::new(trace),
            has_failed_tries: events.any(|e| trace.code(e).kind() == Kind::TryFail),
            ended,
        }
    }

    /// The trace.
    pub fn trace(&self) -> &'a Trace {
        self.trace
    }

    /// The waits that a notify ended, as indexes into the waits of the trace.
    pub(crate) fn ended_by(&self, notify: EventId) -> &[usize] {
        self.ended.get(&notify).map_or(&[], Vec::as_slice)
    }

    /// The event of a thread before one of its events: the one before it, or the thread's fork.
    pub(crate) fn before(&self, event: EventId) -> Option<EventId> {
        let thread = self.trace.thread(event);
        match self.trace.position(event) {
            0 => self.trace.fork_of(thread),
            at => Some(self.trace.thread_events(thread)[at as usize - 1]),
        }
    }

    /// How many events of a thread must happen before an event, or are it.
    pub(crate) fn n_before(&self, event: EventId, thread: ThreadId) -> u32 {
        self.order.n_before(self.trace, event, thread)
    }

    /// What must happen before what, whatever is read.
    pub(crate) fn synchronisation(&self) -> &Order {
        self.synchronisation.get_or_init(|| Order::new(self.trace, Relations::SYNCHRONISATION))
    }

    /// Per thread, how many events synchronisation alone puts before an event.
    pub(crate) fn synchronised(&self, event: Option<EventId>, n_events: &mut [u32]) {
        let order = self.synchronisation();
        for (thread, n) in n_events.iter_mut().enumerate() {
            let before = |event| order.n_before(self.trace, event, ThreadId(thread as u32));
            *n = event.map_or(0, before);
        }
    }

    /// What the rules of saturation say of all reorderings, if that is shared.
    pub(crate) fn implied(&self) -> Option<&Implied> {
        let all = || Implied::new(self.trace, &self.order, &self.chains);
        self.settings.share.then(|| self.implied.get_or_init(all))
    }

    /// Adds to a cut an event and all that must happen before it while some reads are free.
    ///
    /// The order knows what comes before an event if no read is free. Behind a free read that is
    /// too much, so there the edges are followed one by one.
    pub(crate) fn take_in(&self, event: EventId, free: &[EventId], cut: &mut Cut) {
        let trace = self.trace;
        let mut stack = vec![event];
        while let Some(event) = stack.pop() {
            let thread = trace.thread(event);
            let own = trace.thread_events(thread);
            let known = self.n_before_free(thread, trace.position(event) + 1, free);
            if let Some(last) = known.checked_sub(1) {
                self.order.take_in(trace, own[last as usize], cut);
            }
            for at in known.max(cut.len(thread))..=trace.position(event) {
                let event = own[at as usize];
                let relations = Relations { reads_from: !free.contains(&event) };
                for_each_source(trace, relations, event, |source| {
                    if !cut.contains(trace, source) {
                        stack.push(source);
                    }
                });
                cut.extend(thread, at + 1);
            }
        }
    }

    /// How many of the first `n` events of a thread do not come behind a free read.
    fn n_before_free(&self, thread: ThreadId, n: u32, free: &[EventId]) -> u32 {
        let own = &self.trace.thread_events(thread)[..n as usize];
        let behind = |e: EventId| free.iter().any(|&r| self.order.reaches(self.trace, r, e));
        own.partition_point(|&e| !behind(e)) as u32
    }
}
