//! Faults: what a program must not do, and did.

use std::fmt;

use crate::site::{FrameSite, Site};

/// The end of a run that did what it must not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// What was done.
    pub kind: FaultKind,
    /// Who did it.
    pub thread: u32,
    /// The transition that did it.
    pub site: Site,
    /// The calls around it, innermost first.
    pub stack: Vec<FrameSite>,
}

impl FaultKind {
    /// The object of the heap that was used after it was freed, or freed again.
    pub fn freed_object(&self) -> Option<&str> {
        match self {
            FaultKind::UseAfterFree { object, .. } | FaultKind::DoubleFree { object, .. } => {
                Some(object)
            }
            _ => None,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

/// What a program must not do; objects are given by their names.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum FaultKind {
    /// An access that is not within its object.
    #[error("access of {size} bytes at offset {offset} of {object}, which has {length} bytes")]
    OutOfBounds { object: String, offset: i64, size: u64, length: u64 },
    /// An access to a heap object that was freed.
    #[error("use of {object} after it was freed")]
    UseAfterFree { object: String, allocated: Option<Site>, freed: Option<Site> },
    /// An access to a local whose call is over.
    #[error("use of {object} after its function has returned")]
    UseAfterReturn { object: String },
    /// A heap object was freed again.
    #[error("{object} is freed twice")]
    DoubleFree { object: String, allocated: Option<Site>, freed: Option<Site> },
    /// Something was freed that is not the start of a heap object.
    #[error("free of {object}, which malloc did not return")]
    InvalidFree { object: String },
    /// An access through a null pointer, or close to it.
    #[error("null pointer dereference (address {address:#x})")]
    NullDereference { address: u64 },
    /// An access through a pointer that was never set.
    #[error("use of an uninitialised pointer ({address:#x})")]
    UninitialisedPointer { address: u64 },
    /// An access through an address that is no object's.
    #[error("invalid pointer dereference (address {address:#x})")]
    WildPointer { address: u64 },
    /// A write to a constant object or a string literal.
    #[error("write to {object}, which is constant")]
    ConstantWrite { object: String },
    /// An access to the bytes of a function.
    #[error("access to the code of {object}")]
    FunctionAccess { object: String },
    /// An integer division by zero.
    #[error("division by zero")]
    DivisionByZero,
    /// Calls are nested too deeply, or locals are too large.
    #[error("stack overflow")]
    StackOverflow,
    /// Locals do not fit into the memory that the program may have.
    #[error("out of memory")]
    MemoryLimit,
    /// A library function was used as it must not be.
    #[error("{0}")]
    Misuse(Misuse),
    /// An assertion failed.
    #[error("assertion failed: {expression}")]
    AssertFailed { expression: String, file: String, line: u32, function: String },
    /// `abort` was called.
    #[error("the program aborts")]
    Abort,
    /// What the program says must not be reached was reached.
    #[error("reach_error was called")]
    ReachError,
    /// A call through a pointer that is not a function's.
    #[error("call of {address:#x}, which is not a function")]
    CallOfNonFunction { address: u64 },
    /// More variadic arguments were read than passed.
    #[error("more variadic arguments are read than were passed")]
    VariadicOverrun,
    /// Control came where it cannot.
    #[error("unreachable code was reached")]
    Unreachable,
}

/// How a library function was misused; objects are given by their names.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum Misuse {
    #[error("unlock of {object}, which no thread holds")]
    UnlockFree { object: String },
    #[error("unlock of {object}, which another thread holds")]
    UnlockOther { object: String },
    #[error("{object} is destroyed while it is held")]
    DestroyHeld { object: String },
    #[error("{object} is destroyed while threads wait for it")]
    DestroyWaited { object: String },
    #[error("{object} is initialised while it is in use")]
    InitUsed { object: String },
    #[error("use of {object}, which was never initialised")]
    Uninitialised { object: String },
    #[error("use of {object}, which was destroyed")]
    Destroyed { object: String },
    #[error("use of {object}, which was initialised as something else")]
    WrongKind { object: String },
    #[error("wait on a condition without holding {object}")]
    WaitWithoutMutex { object: String },
    #[error("memory is freed that contains {object}, which is held")]
    FreeHeld { object: String },
    #[error("memory is freed that contains {object}, which threads wait for")]
    FreeWaited { object: String },
    #[error("an atomic section ends that was never begun")]
    AtomicEnd,
    /// What the embedded library found.
    #[error("{0}")]
    Library(String),
}
