//! From a run of the machine to a trace with data flow.
//!
//! In: the transitions of one run. Out: its trace, what its globals are called, and whether its
//! threads are structured.
//!
//! - T1: every transition that computes, reads or writes something is an event; one that decides
//!   where the thread goes on is a branch. Calls and returns pass on what registers come from.
//! - T2: a compare-and-swap that fails writes nothing.
//! - T3: in the embedded library, nothing is a branch. What a function of it does depends on what it
//!   has decided before, as data: so a call is summarised by what goes in and what comes out.
//! - T4: a thread is a transaction, with the threads that it creates. One that marks iterations is
//!   cut into these and what lies between them (K3).
//! - T5: threads are structured if each is joined by its creator, which does not touch meanwhile what
//!   they write, and if they do not meet at barriers, unless they mark iterations.

mod annotate;
mod finish;
mod frame;
mod memory;
mod observe;

use raddle_cfront::ir::{FunctionId, Program};
use raddle_vm::shadow::{Piece, Shadow};
use rustc_hash::FxHashMap;

use crate::outline::Outline;
use crate::statement::{Instance, InstanceId, Jump};
use crate::trace::{EventId, Trace};
use memory::Access;

/// What of a program is to be recorded.
#[derive(Clone, Copy, Debug)]
pub struct Recording<'a> {
    /// The program.
    pub program: &'a Program,
    /// Its lists.
    pub outline: &'a Outline,
    /// The globals that hold its result, as objects of the machine.
    pub focus: &'a [u32],
    /// Whether marked transactions count as iterations.
    pub marked: bool,
}

/// A run as a trace.
#[derive(Debug)]
pub struct Recorded {
    /// The trace.
    pub trace: Trace,
    /// The names of its globals.
    pub names: Vec<String>,
    /// Per thread, the name of its function.
    pub threads: Vec<String>,
    /// Statements that the program itself puts inside `if(*)`.
    pub given: Vec<crate::statement::Candidate>,
    /// How many times threads were created by one that had none running.
    pub n_constructs: usize,
    /// Per transaction, the number of its thread's piece; for replays.
    pub pieces: bool,
}

/// The threads of a run are not structured (T5).
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unstructured {
    /// A thread is not joined by its creator.
    #[error("thread {thread} ({name}) is not joined by the thread that created it")]
    Unjoined {
        /// Its number.
        thread: u32,
        /// Its function.
        name: String,
    },
    /// A creator does what conflicts with a thread that runs.
    #[error(
        "thread {parent} accesses `{variable}` while thread {thread} ({name}), which it created, \
         also uses it"
    )]
    Concurrent {
        /// The creator.
        parent: u32,
        /// Who runs.
        thread: u32,
        /// Its function.
        name: String,
        /// What both use.
        variable: String,
    },
    /// Threads meet at a barrier, and none of them marks iterations.
    #[error("thread {thread} ({name}) waits for others at a barrier outside all iterations")]
    Barrier {
        /// Its number.
        thread: u32,
        /// Its function.
        name: String,
    },
    /// There are too many events.
    #[error("the run has more than {limit} events")]
    TooLong {
        /// The most there may be.
        limit: usize,
    },
}

/// More events are not recorded.
const N_EVENTS_MAX: usize = 1 << 28;

/// An event before memory is known as variables.
struct Draft {
    thread: u32,
    branch: bool,
    segment: u32,
    at: Option<(InstanceId, u32)>,
    control: Option<EventId>,
    place: u32,
}

/// A piece of a thread: an iteration, or what lies between two.
#[derive(Clone, Copy)]
struct Segment {
    thread: u32,
    iteration: bool,
}

/// Where a thread was created: the segment of its creator, the statement, its control.
type Created = (u32, Option<(InstanceId, u32)>, Option<EventId>);

#[derive(Default)]
struct Thread {
    parent: Option<u32>,
    segment: u32,
    split: bool,
    created: Option<Created>,
    /// The numbers of events between which it ran, and who joined it.
    began: u32,
    ended: Option<(u32, u32)>,
    barrier: bool,
    name: Option<FunctionId>,
    n_running: u32,
}

/// Makes a trace of a run.
pub struct Recorder<'a> {
    recording: Recording<'a>,
    /// Which events values come from.
    shadow: Shadow<Recorder<'a>>,
    threads: Vec<Thread>,
    events: Vec<Draft>,
    /// Per event, where what its locals come from ends.
    locals: (Vec<u32>, Vec<u32>),
    accesses: Vec<Access>,
    instances: Vec<Instance>,
    jumps: Vec<Jump>,
    segments: Vec<Segment>,
    focus: Vec<Piece>,
    names: FxHashMap<(u32, u32), String>,
    given: Vec<crate::statement::Candidate>,
    n_constructs: usize,
}

impl<'a> Recorder<'a> {
    /// One for a run that begins.
    pub fn new(recording: Recording<'a>) -> Recorder<'a> {
        Recorder {
            recording,
            shadow: Shadow::default(),
            threads: Vec::new(),
            events: Vec::new(),
            locals: (vec![0], Vec::new()),
            accesses: Vec::new(),
            instances: Vec::new(),
            jumps: Vec::new(),
            segments: Vec::new(),
            focus: Vec::new(),
            names: FxHashMap::default(),
            given: Vec::new(),
            n_constructs: 0,
        }
    }

    /// How many events there are.
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    fn thread(&mut self, number: u32) -> &mut Thread {
        while self.threads.len() <= number as usize {
            let thread = self.threads.len() as u32;
            let segment = self.segments.len() as u32;
            self.segments.push(Segment { thread, iteration: false });
            self.threads.push(Thread { segment, ..Thread::default() });
        }
        &mut self.threads[number as usize]
    }

    /// A new segment of a thread begins.
    fn cut(&mut self, number: u32, iteration: bool) {
        let segment = self.segments.len() as u32;
        self.segments.push(Segment { thread: number, iteration });
        let thread = self.thread(number);
        thread.segment = segment;
        thread.split = true;
    }
}
