//! Threads: their frames and registers, and what they wait for.

use raddle_cfront::ir::FunctionId;
use raddle_trace::WakeReason;

use crate::image::Image;
use crate::site::{FrameSite, Site};
use crate::state::copy;

/// Stands for no register, object, thread or time.
pub(crate) const NONE: u32 = u32::MAX;

/// Stands for no deadline.
pub(crate) const NEVER: u64 = u64::MAX;

/// One call that has not returned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) function: FunctionId,
    /// The operation to run, or the call that has not returned.
    pub(crate) pc: u32,
    /// Where its registers start.
    pub(crate) registers: u32,
    /// Where its slots start in the thread's list of objects; variable-sized ones follow.
    pub(crate) slots: u32,
    /// The register of the caller that gets the result.
    pub(crate) result: u32,
    /// The object with the variadic arguments.
    pub(crate) variadic: u32,
}

impl Frame {
    pub(crate) fn site(&self, image: &Image) -> FrameSite {
        let library = image.program.function(self.function).library;
        FrameSite { site: Site { function: self.function, op: self.pc }, library }
    }
}

/// How far a thread is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u8)]
pub(crate) enum Status {
    /// Made, but not started.
    #[default]
    New,
    /// Started.
    Running,
    /// Its end can be waited for.
    Ended,
    /// Nobody can ask for it any more.
    Gone,
}

/// How far a thread is within an operation of several transitions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u8)]
pub(crate) enum Stage {
    /// Before its first operation.
    Begin,
    /// Before the operation.
    #[default]
    Start,
    /// In the middle of the code, because it went on for so long without a point.
    Pause,
    /// Waiting on a condition.
    Waiting,
    /// Woken up, about to take the mutex again.
    Reacquire,
    /// Arrived at a barrier.
    Arrived,
    /// Waiting for a lock before which readers wait for writers.
    Queued,
}

/// What has to be true before a thread can go on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) enum Gate {
    /// Nothing.
    #[default]
    Open,
    /// Nobody holds the lock with this index.
    Exclusive(u32),
    /// Nobody holds it for writing.
    Shared(u32),
    /// The semaphore is above zero.
    Positive(u32),
    /// The thread has ended.
    Ended(u32),
    /// Somebody signalled the condition it waits on.
    Signalled,
    /// The barrier is beyond this generation.
    Passed(u32, u32),
    /// The function is not being run.
    Settled(u32),
}

/// A thread.
#[derive(Debug, Default)]
pub(crate) struct Thread {
    pub(crate) core: Core,
    pub(crate) frames: Vec<Frame>,
    pub(crate) registers: Vec<u64>,
    /// The objects of all frames' slots, one frame after the other.
    pub(crate) slots: Vec<u32>,
    /// Numbers of objects that slots had and can have again.
    pub(crate) spare: Vec<u32>,
    /// Its instances of thread-local globals, by their dense index.
    pub(crate) locals: Vec<u32>,
    /// What was read and is about to be written.
    pub(crate) buffer: Vec<u8>,
}

/// What there is of a thread beside its vectors.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Core {
    pub(crate) status: Status,
    pub(crate) stage: Stage,
    pub(crate) detached: bool,
    pub(crate) signalled: bool,
    pub(crate) reason: Reason,
    pub(crate) gate: Gate,
    /// When its timed operation runs out.
    pub(crate) deadline: u64,
    /// How many atomic sections are open.
    pub(crate) atomic: u32,
    /// The condition and the mutex of its wait.
    pub(crate) cond: u32,
    pub(crate) mutex: u32,
    /// How many times it held a recursive mutex before it waited.
    pub(crate) held: u32,
    /// Orders the waits.
    pub(crate) ticket: u64,
    /// Visible operations in a row that changed nothing.
    pub(crate) n_idle: u32,
    /// Transitions since it last synchronised or was stopped because there were so many.
    pub(crate) n_quiet: u64,
    /// Whether it stopped before an access since then.
    pub(crate) has_stopped: bool,
    /// What its start function returned.
    pub(crate) result: u64,
    /// The start function.
    pub(crate) start: u32,
    /// Bytes of registers and slots.
    pub(crate) stack_bytes: u64,
}

/// A [`WakeReason`] that has a default.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Reason(pub(crate) WakeReason);

impl Default for Reason {
    fn default() -> Self {
        Reason(WakeReason::Notified)
    }
}

impl Clone for Thread {
    fn clone(&self) -> Self {
        let mut copy = Thread::default();
        copy.clone_from(self);
        copy
    }

    fn clone_from(&mut self, from: &Self) {
        self.core = from.core;
        copy(&mut self.frames, &from.frames);
        copy(&mut self.registers, &from.registers);
        copy(&mut self.slots, &from.slots);
        copy(&mut self.spare, &from.spare);
        copy(&mut self.locals, &from.locals);
        copy(&mut self.buffer, &from.buffer);
    }
}

impl Thread {
    /// The operation it is at.
    pub(crate) fn site(&self) -> Site {
        self.frames.last().map_or(Site::NONE, |f| Site { function: f.function, op: f.pc })
    }

    /// The innermost frame.
    pub(crate) fn top(&self) -> &Frame {
        self.frames.last().expect("a running thread has a frame")
    }

    /// The innermost frame.
    pub(crate) fn top_mut(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a running thread has a frame")
    }

    /// The value of a register of the innermost frame.
    pub(crate) fn register(&self, register: u32) -> u64 {
        self.registers[(self.top().registers + register) as usize]
    }

    /// Sets a register of the innermost frame.
    pub(crate) fn set_register(&mut self, register: u32, value: u64) {
        let base = self.top().registers;
        self.registers[(base + register) as usize] = value;
    }

    /// The innermost call outside the library, or the innermost one of all.
    pub(crate) fn site_outside(&self, image: &Image) -> Site {
        let mut sites = self.frames.iter().rev().map(|frame| frame.site(image));
        sites.find(|frame| !frame.library).map_or(self.site(), |frame| frame.site)
    }

    /// Whether it can still do something.
    pub(crate) fn is_running(&self) -> bool {
        self.core.status == Status::Running
    }
}
