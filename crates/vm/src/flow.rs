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
mod shape;
mod transfer;

use std::rc::Rc;

use raddle_cfront::ir::StatementId;
use raddle_trace::{EventId, Events, Kind};
use rustc_hash::FxHashMap;

use crate::observe::{Event, Observer, Transition, What};
use crate::record::{Options, Recorder};
use crate::shadow::{self, Memory, Shadow};
use set::{Cell, Set, Sets};
use shape::Shape;

/// Marks a source that is a nondeterministic value; others are reads.
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

/// What the next events of a thread depend on.
#[derive(Clone, Copy, Default)]
struct Pending {
    data: Set,
    address: Cell,
    control: Set,
    /// The read that they are, if they are one.
    read: Option<u32>,
}

/// A read of memory that threads may share (F1).
#[derive(Clone, Copy)]
struct Read {
    /// What its value depends on if it is no event of the trace.
    held: Cell,
    /// Its event, if it has one.
    event: Option<EventId>,
}

/// What is kept of a thread beside its values.
#[derive(Clone, Copy, Default)]
struct Thread {
    pending: Pending,
    /// The sources of the branches that led it to where it is, or to the function that begins.
    control: Set,
    /// Those of the thread that was made last.
    made: Set,
}

/// Makes a trace of a run, with its data flow.
pub struct Flow {
    recorder: Recorder,
    sets: Sets,
    memory: Memory<Cell>,
    shadow: Shadow<Flow>,
    threads: Vec<Thread>,
    /// The shapes of the statements that were needed.
    shapes: FxHashMap<(u32, StatementId), Rc<Shape>>,
    n_values: u32,
    /// What the recorded events depend on.
    seen: Vec<(u32, Pending)>,
    reads: Vec<Read>,
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
            shadow: Shadow::default(),
            threads: Vec::new(),
            shapes: FxHashMap::default(),
            n_values: 0,
            seen: Vec::new(),
            reads: Vec::new(),
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

    fn thread(&mut self, thread: u32) -> &mut Thread {
        let index = thread as usize;
        if self.threads.len() <= index {
            self.threads.resize(index + 1, Thread::default());
        }
        &mut self.threads[index]
    }

    /// Values go from thread to thread.
    fn pass_on(&mut self, thread: u32, what: What) {
        match what {
            What::Fork { child } => {
                self.shadow.fork(thread, child);
                self.thread(child).control = self.thread(thread).made;
            }
            What::Join { child } => {
                if let Some((to, ended)) = self.shadow.join(thread, child) {
                    self.memory.write(to, ended);
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
        self.pass_on(event.thread, event.what);
        let Thread { mut pending, control, .. } = *self.thread(event.thread);
        if matches!(event.what, What::Begin { .. }) {
            pending.control = control;
        }
        for id in before..self.recorder.len() {
            self.seen.push((id, pending));
            let is_read = matches!(event.what, What::Read { .. } | What::Rmw { .. });
            if let Some(read) = pending.read.filter(|_| is_read) {
                self.reads[read as usize].event = Some(EventId(id));
            }
        }
    }

    fn transition(&mut self, transition: &Transition<'_>) {
        shadow::follow(self, transition);
    }
}

/// Whether what an event depends on is listed even if it is nothing.
fn is_sink(kind: Kind) -> bool {
    matches!(kind, Kind::Write | Kind::ReadModifyWrite | Kind::Branch | Kind::Assert)
}
