//! Traces with data flow: which reads the writes, branches and other events depend on.
//!
//! In: the events and transitions of one run. Out: its trace, and for its events the *sources*
//! that they depend on: events that read shared memory, and nondeterministic values. Values are
//! followed through registers, private memory, calls and block copies, by shadows that say what
//! each register and byte depends on. This is what specifications of sequential behaviour (which
//! events are relevant for an outcome) and trace programs (which expression was written) need.
//!
//! - F1: a read of shared memory is a new source; what was written there is another event's.
//! - F2: an access to a variable that one thread alone uses is no event of the trace (unless it is
//!   asked for); values are followed through it as through private memory.
//! - F3: control is that of the statements of the program (`control`, `shape`), and is carried with
//!   values: what was assigned under a branch depends on it, and what would have been assigned if
//!   it had gone the other way, as far as that is a register or a named variable.

mod control;
mod resolve;
mod set;
mod shadow;
mod shape;
mod thread;
mod transfer;

use raddle_trace::{EventId, Events, Kind};
use rustc_hash::FxHashMap;

use crate::observe::{Event, Observer, Transition, What};
use crate::record::{Options, Recorder};
use set::Sets;
use shadow::{Cell, Memory};
use thread::{Goal, Pending, Shapes, Thread};

/// Marks a source that is a nondeterministic value; others are events.
const VALUE: u32 = 1 << 31;

/// How many different sets of sources a run may have by default.
const N_SETS_MAX: usize = 1 << 25;

/// How many sources the flows may name in all by default.
const N_SOURCES_MAX: usize = 1 << 27;

/// Something that values come from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Source {
    /// A read or a read-modify-write of the trace.
    Event(EventId),
    /// A nondeterministic value, by its number in the run, from 0.
    Value(u32),
}

/// What an event depends on; all lists are ascending.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FlowOf {
    /// The event.
    pub event: EventId,
    /// The sources of the value that it writes or decides by. That a read-modify-write also
    /// depends on what it reads itself is not said.
    pub data: Vec<Source>,
    /// The sources of which memory, lock or thread it concerns.
    pub address: Vec<Source>,
    /// The sources of the branches that decided that it happens, and that its value and address
    /// are computed as they are.
    pub control: Vec<Source>,
}

/// A trace with its data flow.
#[derive(Debug)]
pub struct FlowTrace {
    /// The trace.
    pub events: Events,
    /// For each write, read-modify-write, branch and assertion, and for every other event that
    /// depends on something, what it depends on; in the order of the trace.
    pub flows: Vec<FlowOf>,
    /// How many nondeterministic values there were.
    pub n_values: u32,
}

/// The flow of a run cannot be given.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FlowError {
    /// There were too many different sets of sources.
    #[error("the values of the run depend on more than {limit} different sets of sources")]
    Sets {
        /// How many there may be.
        limit: usize,
    },
    /// The lists of sources would be too long.
    #[error("the events of the run depend on more than {limit} sources in total")]
    Sources {
        /// How many there may be.
        limit: usize,
    },
}

/// Makes a trace of a run, with its data flow.
pub struct Flow {
    recorder: Recorder,
    sets: Sets,
    memory: Memory,
    threads: Vec<Thread>,
    shapes: Shapes,
    n_values: u32,
    /// What the recorded events depend on.
    seen: Vec<(u32, Pending)>,
    /// What a read that is dropped from the trace stands for.
    reads: FxHashMap<u32, Cell>,
    limits: (usize, usize),
}

impl Flow {
    /// One that keeps what the options say; branches should be among it.
    pub fn with(options: Options) -> Flow {
        Flow::limited(options, N_SETS_MAX, N_SOURCES_MAX)
    }

    /// One that gives up beyond so many different sets of sources while the program runs, or so
    /// many sources in the result.
    pub fn limited(options: Options, n_sets_max: usize, n_sources_max: usize) -> Flow {
        Flow {
            recorder: Recorder::with(options),
            sets: Sets::new(n_sets_max),
            memory: Memory::default(),
            threads: Vec::new(),
            shapes: Shapes::default(),
            n_values: 0,
            seen: Vec::new(),
            reads: FxHashMap::default(),
            limits: (n_sets_max, n_sources_max),
        }
    }

    /// Whether there were more events than a trace can hold.
    pub fn is_full(&self) -> bool {
        self.recorder.is_full()
    }

    /// The trace and its flow.
    pub fn finish(self) -> Result<FlowTrace, FlowError> {
        if self.sets.is_exhausted() {
            return Err(FlowError::Sets { limit: self.limits.0 });
        }
        resolve::resolve(self)
    }

    fn thread(&mut self, t: &Transition<'_>) -> &mut Thread {
        self.thread_at(t.thread)
    }

    fn thread_at(&mut self, thread: u32) -> &mut Thread {
        let index = thread as usize;
        if self.threads.len() <= index {
            self.threads.resize_with(index + 1, Thread::default);
        }
        &mut self.threads[index]
    }

    /// F1: the event takes the place of what was read.
    fn read(&mut self, thread: u32, event: u32) {
        let Pending { to, read, .. } = self.thread_at(thread).pending;
        self.reads.insert(event, read);
        let control = self.thread_at(thread).control();
        let value = Cell { data: self.sets.single(event), control };
        let equal = match to {
            Goal::Exchange(_, _, wanted) => value.with(wanted, &mut self.sets),
            _ => value,
        };
        let thread = self.thread_at(thread);
        match to {
            Goal::Nowhere => {}
            Goal::Register(to) => thread.set(to, value),
            Goal::Exchange(old, to, _) => {
                thread.set(old, value);
                thread.set(to, equal);
            }
            Goal::Buffer => thread.buffer.fill(value),
        }
    }

    /// Values go from thread to thread.
    fn pass(&mut self, thread: u32, what: What) {
        match what {
            What::Fork { child } => {
                let made = std::mem::take(&mut self.thread_at(thread).made);
                self.thread_at(child).incoming = made;
            }
            What::Join { child } => {
                let ended = self.thread_at(child).ended;
                if let Some(to) = self.thread_at(thread).pending.result {
                    self.memory.set(to, std::iter::repeat(ended));
                }
            }
            _ => {}
        }
    }
}

impl Observer for Flow {
    const FLOW: bool = true;

    fn event(&mut self, event: &Event<'_>) {
        let before = self.recorder.len();
        self.recorder.event(event);
        self.pass(event.thread, event.what);
        let mut pending = self.thread_at(event.thread).pending;
        if matches!(event.what, What::Begin { .. }) {
            pending.control = self.thread_at(event.thread).control();
        }
        for id in before..self.recorder.len() {
            self.seen.push((id, pending));
            if matches!(event.what, What::Read { .. } | What::Rmw { .. }) {
                self.read(event.thread, id);
            }
        }
    }

    fn transition(&mut self, transition: &Transition<'_>) {
        self.transfer(transition);
    }
}

/// Whether what an event depends on is listed even if it is nothing.
fn is_sink(kind: Kind) -> bool {
    matches!(kind, Kind::Write | Kind::ReadModifyWrite | Kind::Branch | Kind::Assert)
}
