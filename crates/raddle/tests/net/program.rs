//! Programs as data.

/// A program: the threads that the first one starts, in order, and then joins.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// What each thread does.
    pub(crate) threads: Vec<Vec<Step>>,
    /// Whether waits may end for no reason.
    pub(crate) spurious: bool,
}

/// How many shared things of each kind there are, and how many registers each thread has.
pub(crate) const N: usize = 2;

/// A thing by its number, a register by its number.
pub(crate) type Id = usize;

/// What a thread does. Only jumps and what concerns registers is local to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    Load(Id, Id),
    Store(Id, i8),
    Add(Id, i8, Id),
    Lock(Id),
    TryLock(Id, Id),
    Unlock(Id),
    /// Takes a lock for reading; behind the locks are the same ones again, for a thread that has one already.
    Read(Id),
    TryRead(Id, Id),
    ReadUnlock(Id),
    Write(Id),
    TryWrite(Id, Id),
    WriteUnlock(Id),
    Wait(Id, Id),
    WaitTimeout(Id, Id, Id),
    NotifyOne(Id),
    NotifyAll(Id),
    Barrier,
    Yield,
    Hint,
    Sleep,
    /// Sets a register.
    Set(Id, i8),
    /// Counts a register up.
    Count(Id),
    /// Goes to another step.
    Jump(usize),
    /// Goes to another step if a register has a value.
    JumpIf(Id, i8, usize),
    /// Panics if a register has a value.
    Never(Id, i8),
}

/// How an execution ends.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Outcome {
    /// All threads end: the values of shared variables, and of the registers of all threads.
    Ends(Vec<i8>),
    Panic,
    Deadlock,
    Livelock,
}

impl Outcome {
    pub(crate) fn of_kind(kind: &str) -> Outcome {
        match kind {
            "panic" => Outcome::Panic,
            "deadlock" => Outcome::Deadlock,
            "livelock" => Outcome::Livelock,
            other => panic!("{other} was found"),
        }
    }
}
