//! Outcomes: how runs end, and what is worth saying about them on the way.

use crate::fault::Fault;
use crate::question::Pending;
use crate::site::Site;

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The program ended with this status.
    Exited(i32),
    /// Threads are left and none of them can go on.
    Deadlock(Vec<Blocked>),
    /// It did what it must not.
    Fault(Fault),
    /// An assumption was false: the run does not count.
    Assumption,
    /// It had not ended after as many transitions as it may take.
    Steps {
        /// Whether there was a visible operation in the second half; if not, a thread is caught
        /// in a loop.
        progress: bool,
    },
    /// It needs something that the machine cannot do.
    Unsupported {
        /// What it is.
        what: String,
        /// Where it is needed.
        site: Site,
    },
}

/// A thread that cannot go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Blocked {
    /// The thread.
    pub thread: u32,
    /// What it would do.
    pub pending: Pending,
    /// The name of what it waits for.
    pub object: String,
    /// Who holds that, if a thread does.
    pub holder: Option<u32>,
}

/// What is worth a remark and does not end the run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RemarkKind {
    /// A thread ended that held a lock.
    HeldAtExit,
    /// A thread tried to join itself.
    SelfJoin,
    /// A nondeterministic value was taken to be zero, since its range is not known.
    NondetZero,
    /// A thread unlocked a mutex that it did not hold, and went on: which one, and whether another thread held it.
    Unlocked {
        /// The mutex.
        address: u64,
        /// Whether another thread held it.
        held: bool,
    },
}

/// A remark.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Remark {
    /// What it is about.
    pub kind: RemarkKind,
    /// Who gave rise to it first.
    pub thread: u32,
    /// Where.
    pub site: Site,
    /// How many times.
    pub count: u64,
}
