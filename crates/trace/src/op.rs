//! Operations: what one event does.
//!
//! An operation is stored as one byte, the [`OpCode`], and one object id. The byte holds the
//! [`Kind`] in its low five bits and a detail in its high three: the memory order of an access,
//! the mode of a lock operation and whether an acquire was only tried, the reason of a wake-up, the
//! outcome of an assertion.

use crate::id::{BarrierId, CondId, LockId, RegionId, SemaphoreId, ThreadId, TransactionId, VarId};

/// The memory order an access was written with; `Plain` is not atomic at all.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Order {
    /// An ordinary access: two of them that conflict and are unordered are a data race.
    Plain = 0,
    /// Atomic, ordering nothing else.
    Relaxed = 1,
    /// Atomic; consume is read as acquire.
    Acquire = 2,
    /// Atomic.
    Release = 3,
    /// Atomic.
    AcqRel = 4,
    /// Atomic, and part of the single total order.
    SeqCst = 5,
}

/// Whether a lock is taken for one thread alone or together with other readers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum LockMode {
    /// One holder.
    Exclusive = 0,
    /// Any number of holders, none of them exclusive.
    Shared = 1,
}

/// Why a waiting thread went on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum WakeReason {
    /// A notify woke it; the trace knows which.
    Notified = 0,
    /// Its time ran out.
    Timeout = 1,
    /// Nothing did: a spurious wake-up, or one whose notify was not recorded.
    Spurious = 2,
}

/// The kind of an operation, without its detail and its object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Kind {
    /// Reads a variable.
    Read = 0,
    /// Writes a variable.
    Write = 1,
    /// Reads and writes a variable in one indivisible step.
    ReadModifyWrite = 2,
    /// Takes a lock.
    Acquire = 3,
    /// Gives a lock back.
    Release = 4,
    /// Asks for a lock and may block; the acquire follows when it is granted.
    Request = 5,
    /// Tries a lock that another thread holds and goes on without it.
    TryFail = 6,
    /// Creates a thread.
    Fork = 7,
    /// Waits for the end of a thread.
    Join = 8,
    /// The thread starts.
    Begin = 9,
    /// The thread ends.
    End = 10,
    /// Starts waiting: from here on a notify can wake this thread.
    Wait = 11,
    /// Goes on after waiting, with the lock held again.
    Wake = 12,
    /// Wakes one waiting thread.
    Notify = 13,
    /// Wakes every waiting thread.
    NotifyAll = 14,
    /// Raises a semaphore.
    Post = 15,
    /// Lowers a semaphore, which was above zero.
    Take = 16,
    /// Arrives at a barrier.
    Arrive = 17,
    /// Leaves a barrier at which all have arrived.
    Leave = 18,
    /// A transaction begins.
    TxBegin = 19,
    /// A transaction ends.
    TxEnd = 20,
    /// A branch is decided; what happens after it may depend on what was read before.
    Branch = 21,
    /// An assertion is evaluated.
    Assert = 22,
    /// Memory is allocated.
    Alloc = 23,
    /// Memory is freed.
    Free = 24,
}

impl Kind {
    /// Every kind, in the order of its code.
    pub const ALL: [Kind; 25] = [
        Kind::Read,
        Kind::Write,
        Kind::ReadModifyWrite,
        Kind::Acquire,
        Kind::Release,
        Kind::Request,
        Kind::TryFail,
        Kind::Fork,
        Kind::Join,
        Kind::Begin,
        Kind::End,
        Kind::Wait,
        Kind::Wake,
        Kind::Notify,
        Kind::NotifyAll,
        Kind::Post,
        Kind::Take,
        Kind::Arrive,
        Kind::Leave,
        Kind::TxBegin,
        Kind::TxEnd,
        Kind::Branch,
        Kind::Assert,
        Kind::Alloc,
        Kind::Free,
    ];

    /// Its name, stable in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Read => "read",
            Kind::Write => "write",
            Kind::ReadModifyWrite => "read_modify_write",
            Kind::Acquire => "acquire",
            Kind::Release => "release",
            Kind::Request => "request",
            Kind::TryFail => "try_fail",
            Kind::Fork => "fork",
            Kind::Join => "join",
            Kind::Begin => "thread_begin",
            Kind::End => "thread_end",
            Kind::Wait => "wait",
            Kind::Wake => "wake",
            Kind::Notify => "notify",
            Kind::NotifyAll => "notify_all",
            Kind::Post => "semaphore_post",
            Kind::Take => "semaphore_take",
            Kind::Arrive => "barrier_arrive",
            Kind::Leave => "barrier_leave",
            Kind::TxBegin => "transaction_begin",
            Kind::TxEnd => "transaction_end",
            Kind::Branch => "branch",
            Kind::Assert => "assert",
            Kind::Alloc => "alloc",
            Kind::Free => "free",
        }
    }

    /// The table that the object of such an operation lives in.
    pub fn class(self) -> ObjectClass {
        match self {
            Kind::Read | Kind::Write | Kind::ReadModifyWrite => ObjectClass::Variable,
            Kind::Acquire | Kind::Release | Kind::Request | Kind::TryFail => ObjectClass::Lock,
            Kind::Fork | Kind::Join => ObjectClass::Thread,
            Kind::Wait | Kind::Wake | Kind::Notify | Kind::NotifyAll => ObjectClass::Condition,
            Kind::Post | Kind::Take => ObjectClass::Semaphore,
            Kind::Arrive | Kind::Leave => ObjectClass::Barrier,
            Kind::TxBegin | Kind::TxEnd => ObjectClass::Transaction,
            Kind::Alloc | Kind::Free => ObjectClass::Region,
            Kind::Begin | Kind::End | Kind::Branch | Kind::Assert => ObjectClass::None,
        }
    }

    /// The largest detail that makes sense with this kind.
    const fn max_detail(self) -> u8 {
        match self {
            Kind::Read | Kind::Write | Kind::ReadModifyWrite => Order::SeqCst as u8,
            Kind::Acquire => TRIED | LockMode::Shared as u8,
            Kind::Release | Kind::Request | Kind::TryFail => LockMode::Shared as u8,
            Kind::Wake => WakeReason::Spurious as u8,
            Kind::Assert => 1,
            _ => 0,
        }
    }
}

/// The bit of an acquire's detail, beside its mode, that says that it was only tried.
const TRIED: u8 = 2;

/// The table an object id belongs to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ObjectClass {
    /// [`VarId`]
    Variable,
    /// [`LockId`]
    Lock,
    /// [`ThreadId`]
    Thread,
    /// [`CondId`]
    Condition,
    /// [`SemaphoreId`]
    Semaphore,
    /// [`BarrierId`]
    Barrier,
    /// [`TransactionId`]
    Transaction,
    /// [`RegionId`]
    Region,
    /// The operation has no object.
    None,
}

/// Which bytes are operations.
const VALID: [bool; 256] = {
    let mut valid = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let kind = byte & 31;
        valid[byte] = kind < Kind::ALL.len()
            && (byte >> OpCode::KIND_BITS) as u8 <= Kind::ALL[kind].max_detail();
        byte += 1;
    }
    valid
};

/// A kind and its detail in one byte.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(transparent)]
pub struct OpCode(u8);

impl OpCode {
    const KIND_BITS: u8 = 5;

    /// Joins a kind with its detail.
    #[inline]
    pub(crate) fn new(kind: Kind, detail: u8) -> OpCode {
        debug_assert!(detail <= kind.max_detail());
        OpCode(kind as u8 | detail << Self::KIND_BITS)
    }

    /// Reads a byte from outside; `None` if it is no operation.
    #[cfg(test)]
    pub(crate) fn from_byte(byte: u8) -> Option<OpCode> {
        VALID[byte as usize].then_some(OpCode(byte))
    }

    /// Reads bytes from outside; `None` if one of them is no operation.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<&[OpCode]> {
        if !bytes.iter().all(|&byte| VALID[byte as usize]) {
            return None;
        }
        // SAFETY: `OpCode` is a transparent wrapper around `u8`, so the two slices have the same
        // layout and lifetime, and every byte was found to be a valid code.
        Some(unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len()) })
    }

    /// The byte itself.
    #[inline]
    pub fn byte(self) -> u8 {
        self.0
    }

    /// The kind.
    #[inline]
    pub fn kind(self) -> Kind {
        Kind::ALL[(self.0 & 31) as usize]
    }

    /// The memory order of an access.
    #[inline]
    pub fn order(self) -> Order {
        const ORDERS: [Order; 8] = [
            Order::Plain,
            Order::Relaxed,
            Order::Acquire,
            Order::Release,
            Order::AcqRel,
            Order::SeqCst,
            Order::SeqCst,
            Order::SeqCst,
        ];
        ORDERS[(self.0 >> Self::KIND_BITS) as usize]
    }

    /// The mode of a lock operation.
    #[inline]
    pub fn mode(self) -> LockMode {
        match self.detail() & LockMode::Shared as u8 {
            0 => LockMode::Exclusive,
            _ => LockMode::Shared,
        }
    }

    /// True for an acquire that was only tried: its thread would have gone on without the lock.
    #[inline]
    pub fn is_tried(self) -> bool {
        self.kind() == Kind::Acquire && self.detail() & TRIED != 0
    }

    /// The reason of a wake-up.
    pub fn wake_reason(self) -> WakeReason {
        match self.detail() {
            0 => WakeReason::Notified,
            1 => WakeReason::Timeout,
            _ => WakeReason::Spurious,
        }
    }

    /// True for read, write and read-modify-write.
    #[inline]
    pub fn is_access(self) -> bool {
        self.0 & 31 <= Kind::ReadModifyWrite as u8
    }

    /// True for read and read-modify-write.
    #[inline]
    pub fn reads(self) -> bool {
        self.is_access() && self.0 & 31 != Kind::Write as u8
    }

    /// True for write and read-modify-write.
    #[inline]
    pub fn writes(self) -> bool {
        self.is_access() && self.0 & 31 != Kind::Read as u8
    }

    #[inline]
    fn detail(self) -> u8 {
        self.0 >> Self::KIND_BITS
    }
}

/// An operation, decoded.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)] // The variants are those of `Kind`, the fields are the types of their ids.
pub enum Op {
    Read {
        var: VarId,
        order: Order,
    },
    Write {
        var: VarId,
        order: Order,
    },
    ReadModifyWrite {
        var: VarId,
        order: Order,
    },
    /// `tried`: the thread would have gone on without the lock, at once or after a while, so it never
    /// waits for it for good. Any other acquire blocks until the lock is free, with a request before it
    /// or without.
    Acquire {
        lock: LockId,
        mode: LockMode,
        tried: bool,
    },
    Release {
        lock: LockId,
        mode: LockMode,
    },
    Request {
        lock: LockId,
        mode: LockMode,
    },
    TryFail {
        lock: LockId,
        mode: LockMode,
    },
    Fork {
        child: ThreadId,
    },
    Join {
        child: ThreadId,
    },
    Begin,
    End,
    Wait {
        cond: CondId,
    },
    Wake {
        cond: CondId,
        reason: WakeReason,
    },
    Notify {
        cond: CondId,
    },
    NotifyAll {
        cond: CondId,
    },
    Post {
        semaphore: SemaphoreId,
    },
    Take {
        semaphore: SemaphoreId,
    },
    Arrive {
        barrier: BarrierId,
    },
    Leave {
        barrier: BarrierId,
    },
    TxBegin {
        transaction: TransactionId,
    },
    TxEnd {
        transaction: TransactionId,
    },
    Branch,
    Assert {
        holds: bool,
    },
    Alloc {
        region: RegionId,
    },
    Free {
        region: RegionId,
    },
}

impl Op {
    /// The stored form: the code and the object id (0 if there is none).
    #[inline]
    pub fn encode(self) -> (OpCode, u32) {
        let (kind, detail, object) = match self {
            Op::Read { var, order } => (Kind::Read, order as u8, var.0),
            Op::Write { var, order } => (Kind::Write, order as u8, var.0),
            Op::ReadModifyWrite { var, order } => (Kind::ReadModifyWrite, order as u8, var.0),
            Op::Acquire { lock, mode, tried } => {
                (Kind::Acquire, mode as u8 | if tried { TRIED } else { 0 }, lock.0)
            }
            Op::Release { lock, mode } => (Kind::Release, mode as u8, lock.0),
            Op::Request { lock, mode } => (Kind::Request, mode as u8, lock.0),
            Op::TryFail { lock, mode } => (Kind::TryFail, mode as u8, lock.0),
            Op::Fork { child } => (Kind::Fork, 0, child.0),
            Op::Join { child } => (Kind::Join, 0, child.0),
            Op::Begin => (Kind::Begin, 0, 0),
            Op::End => (Kind::End, 0, 0),
            Op::Wait { cond } => (Kind::Wait, 0, cond.0),
            Op::Wake { cond, reason } => (Kind::Wake, reason as u8, cond.0),
            Op::Notify { cond } => (Kind::Notify, 0, cond.0),
            Op::NotifyAll { cond } => (Kind::NotifyAll, 0, cond.0),
            Op::Post { semaphore } => (Kind::Post, 0, semaphore.0),
            Op::Take { semaphore } => (Kind::Take, 0, semaphore.0),
            Op::Arrive { barrier } => (Kind::Arrive, 0, barrier.0),
            Op::Leave { barrier } => (Kind::Leave, 0, barrier.0),
            Op::TxBegin { transaction } => (Kind::TxBegin, 0, transaction.0),
            Op::TxEnd { transaction } => (Kind::TxEnd, 0, transaction.0),
            Op::Branch => (Kind::Branch, 0, 0),
            Op::Assert { holds } => (Kind::Assert, holds as u8, 0),
            Op::Alloc { region } => (Kind::Alloc, 0, region.0),
            Op::Free { region } => (Kind::Free, 0, region.0),
        };
        (OpCode::new(kind, detail), object)
    }

    /// The inverse of [`Op::encode`].
    #[inline]
    pub fn decode(code: OpCode, object: u32) -> Op {
        match code.kind() {
            Kind::Read => Op::Read { var: VarId(object), order: code.order() },
            Kind::Write => Op::Write { var: VarId(object), order: code.order() },
            Kind::ReadModifyWrite => {
                Op::ReadModifyWrite { var: VarId(object), order: code.order() }
            }
            Kind::Acquire => {
                Op::Acquire { lock: LockId(object), mode: code.mode(), tried: code.is_tried() }
            }
            Kind::Release => Op::Release { lock: LockId(object), mode: code.mode() },
            Kind::Request => Op::Request { lock: LockId(object), mode: code.mode() },
            Kind::TryFail => Op::TryFail { lock: LockId(object), mode: code.mode() },
            Kind::Fork => Op::Fork { child: ThreadId(object) },
            Kind::Join => Op::Join { child: ThreadId(object) },
            Kind::Begin => Op::Begin,
            Kind::End => Op::End,
            Kind::Wait => Op::Wait { cond: CondId(object) },
            Kind::Wake => Op::Wake { cond: CondId(object), reason: code.wake_reason() },
            Kind::Notify => Op::Notify { cond: CondId(object) },
            Kind::NotifyAll => Op::NotifyAll { cond: CondId(object) },
            Kind::Post => Op::Post { semaphore: SemaphoreId(object) },
            Kind::Take => Op::Take { semaphore: SemaphoreId(object) },
            Kind::Arrive => Op::Arrive { barrier: BarrierId(object) },
            Kind::Leave => Op::Leave { barrier: BarrierId(object) },
            Kind::TxBegin => Op::TxBegin { transaction: TransactionId(object) },
            Kind::TxEnd => Op::TxEnd { transaction: TransactionId(object) },
            Kind::Branch => Op::Branch,
            Kind::Assert => Op::Assert { holds: code.detail() == 1 },
            Kind::Alloc => Op::Alloc { region: RegionId(object) },
            Kind::Free => Op::Free { region: RegionId(object) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_listed_in_the_order_of_their_codes() {
        for (code, kind) in Kind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, code);
        }
    }

    #[test]
    fn every_byte_that_is_an_operation_decodes_and_encodes_to_itself() {
        let mut n_valid = 0;
        for byte in 0..=255u8 {
            let Some(code) = OpCode::from_byte(byte) else { continue };
            n_valid += 1;
            let object = if code.kind().class() == ObjectClass::None { 0 } else { 7 };
            assert_eq!(Op::decode(code, object).encode(), (code, object));
        }
        // 3 accesses × 6 orders, 4 lock operations × 2 modes, 2 modes of acquires that were only
        // tried, 3 wake reasons, 2 assertions.
        assert_eq!(n_valid, 18 + 8 + 2 + 3 + 2 + (25 - 9));
    }
}
