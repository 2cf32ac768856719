//! Records: a recording is a [`Header`] and then 16 bytes an event, in the order in which things
//! happened.
//!
//! ```text
//!  bits   0 ‥ 47            48 ‥ 55    56 ‥ 63
//!  head   object            code       detail (bytes of an access)
//!  tail   program counter   extra (16 bits)
//! ```
//!
//! Code 0 is never written: a recording that was cut off by `kill -9` ends at the first record
//! that is all zero. Who did it is not in a record; a [`Code::Switch`] says who does what follows.
//!
//! A recording of threads that ran at once ([`crate::Threading::Parallel`]) consists of *pieces*
//! instead, each of one thread, at multiples of [`PIECE_UNIT`] of the file, numbered in the order in
//! which the thread wrote them. Of two with the same number the longer one counts. A piece begins with
//! [`Code::Piece`] (in the first one, the header comes before that) and ends at its first record that
//! is all zero, or where it has no more room. What
//! orders threads is two records, a [`Code::Number`] and then what happened. Numbers are of one
//! counter for all threads: whatever a thread did before it got a number was over before another thread
//! got a larger one.

use crate::numbered::numbered;

/// The first bytes of a recording.
pub const MAGIC: [u8; 8] = *b"RADDLEv\x01";

/// Bytes before the first record.
pub const HEADER_LEN: usize = 64;

/// Pieces of a parallel recording begin at multiples of so many bytes of the file.
pub const PIECE_UNIT: usize = 64 << 10;

/// Bytes of a record.
pub const RECORD_LEN: usize = 16;

/// The start of a recording.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Header {
    /// [`MAGIC`].
    pub magic: [u8; 8],
    /// [`crate::VERSION`].
    pub version: u32,
    /// [`HEADER_LEN`].
    pub len: u32,
    /// [`crate::Threading`] as a number.
    pub threading: u32,
    /// 1 if function calls are recorded.
    pub stacks: u32,
    /// Zero.
    pub reserved: [u64; 5],
}

/// One event, or a part of one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
pub struct Record {
    /// Object, code and detail.
    pub head: u64,
    /// Program counter and extra.
    pub tail: u64,
}

const LOW: u64 = (1 << 48) - 1;

impl Record {
    /// Puts the parts together; addresses have 48 bits.
    #[inline(always)]
    pub const fn new(code: Code, object: u64, detail: u8, pc: u64, extra: u16) -> Record {
        Record {
            head: object & LOW | (code as u64) << 48 | (detail as u64) << 56,
            tail: pc & LOW | (extra as u64) << 48,
        }
    }

    /// The address or number that it is about.
    pub const fn object(&self) -> u64 {
        self.head & LOW
    }

    /// What happened; none if the record was never written, or not by the runtime.
    pub fn code(&self) -> Option<Code> {
        Code::from_number((self.head >> 48) as u8)
    }

    /// Bytes of an access, or what the code says.
    pub const fn detail(&self) -> u8 {
        (self.head >> 56) as u8
    }

    /// The return address of the call that reported it; 0 if unknown.
    pub const fn pc(&self) -> u64 {
        self.tail & LOW
    }

    /// What the code says.
    pub const fn extra(&self) -> u16 {
        (self.tail >> 48) as u16
    }

    /// Detail and extra as one number of 24 bits, for counts and lengths.
    pub const fn count(&self) -> u32 {
        (self.detail() as u32) << 16 | self.extra() as u32
    }

    /// A record with a value of 64 bits, in the places of the object and of the extra.
    pub const fn valued(code: Code, value: u64) -> Record {
        Record::new(code, value, 0, 0, (value >> 48) as u16)
    }

    /// The value of a [`Code::Value`] or a [`Code::Found`].
    pub const fn value(&self) -> u64 {
        self.object() | (self.extra() as u64) << 48
    }

    /// A record whose detail and extra are one number of 24 bits; a larger one becomes the largest.
    #[inline]
    pub const fn counted(code: Code, object: u64, count: u64, pc: u64) -> Record {
        let count = if count > 0xff_ffff { 0xff_ffff } else { count };
        Record::new(code, object, (count >> 16) as u8, pc, count as u16)
    }
}

/// Memory orders in `extra` of atomic operations, by number: as in C.
pub const ORDERS: [&str; 6] = ["relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"];

numbered! {
    /// What a record says. `object` is an address unless something else is said.
    pub enum Code: u8 {
        /// Reads `detail` bytes.
        Read = 1,
        /// Writes `detail` bytes.
        Write = 2,
        /// Reads `count` bytes: `memcpy`, `strlen`, ….
        ReadRange = 3,
        /// Writes `count` bytes.
        WriteRange = 4,
        /// Atomic; `extra` is the memory order.
        AtomicLoad = 5,
        /// Atomic; `extra` is the memory order.
        AtomicStore = 6,
        /// Atomic, reads and writes; `extra` is the memory order.
        AtomicUpdate = 7,
        /// An exchange that compared and found another value; `extra` is the memory order.
        AtomicMiss = 8,
        /// A fence; `extra` is the memory order, there is no object.
        Fence = 9,
        /// Memory of `Extent` (the next record) bytes from here on belongs to the program.
        Alloc = 10,
        /// It does no more.
        Free = 11,
        /// `object` is the number of bytes of the allocation just before it.
        Extent = 12,

        /// A lock is held from here on; `extra` is 1 if others can hold it, too. `detail` is 1 if the
        /// thread would have gone on without it: it tried, or would not have waited for ever.
        Lock = 16,
        /// It is given back; `extra` as before.
        Unlock = 17,
        /// A thread wants a lock that it cannot have yet; `extra` as before.
        Request = 18,
        /// A thread tried a lock that it could not have; `extra` as before.
        TryFail = 19,

        /// `object` is the number of the new thread.
        Fork = 24,
        /// `object` is the number of the thread that ended.
        Join = 25,
        /// The current thread begins.
        Begin = 26,
        /// The current thread ends.
        End = 27,

        /// Waits for a condition variable: from here on it can be woken. Its lock is given back next.
        Wait = 32,
        /// Goes on after waiting, with the lock; `extra` is 0 if it was woken, 1 if its time ran out.
        Wake = 33,
        /// Wakes one; `extra` is the number of the thread it woke plus one, or 0.
        Notify = 34,
        /// Wakes all; who was woken follows from who waits.
        NotifyAll = 35,
        /// `count` is what a semaphore begins with.
        SemaphoreInit = 36,
        /// A semaphore is raised.
        Post = 37,
        /// A semaphore is lowered.
        Take = 38,
        /// `count` is how many threads a barrier waits for.
        BarrierInit = 39,
        /// Arrives at a barrier.
        Arrive = 40,
        /// Leaves it.
        Leave = 41,
        /// The thread runs the function of a `pthread_once` or `call_once`.
        OnceEnter = 42,
        /// It has run.
        OnceDone = 43,
        /// The thread found that it has run before.
        OncePass = 44,
        /// Something that a program cannot see, but that orders threads: `extra` is 0 when it gives,
        /// 1 when it takes; every taker is after all givers of that object before it.
        Order = 45,
        /// Nothing that others can see, but a place where they could go first: a sleep, a yield, a
        /// system call, a lock that is taken again.
        Pass = 46,

        /// `object` is the number of the thread that did what follows.
        Switch = 64,
        /// A function is entered; `object` is where it was called from.
        Enter = 65,
        /// A function is left.
        Exit = 66,
        /// `count` bytes follow, rounded up to whole records; `object` is a [`TextKind`].
        Text = 67,
        /// Which write the next record's access saw is not known. Only a reader that puts a parallel
        /// recording in order says so.
        Unordered = 68,
        /// The last record of a file that the host has finished: `object` is where, in bytes from the
        /// start of the file, the host's own texts begin.
        Footer = 69,
        /// A piece of a parallel recording begins: `object` is the number of its thread, `count` its own
        /// number, and the place of the program counter has how many records there is room for, from this
        /// one on.
        Piece = 70,
        /// `object` is the number of the next record.
        Number = 71,
        /// There was no room for what the thread did next; `object` is a number that it took then.
        Stop = 72,
        /// What the access right before it read or wrote ([`Record::value`]).
        Value = 73,
        /// What the change right before it found ([`Record::value`]).
        Found = 74,
        /// Where the function keeps its variables that was entered right before: `object` is its stack
        /// pointer at that moment, and the place of the program counter has its `rbp`.
        Frame = 75,
    }
}

impl Code {
    /// Whether memory is read or written.
    pub const fn is_access(self) -> bool {
        use Code::*;
        matches!(
            self,
            Read | Write
                | ReadRange
                | WriteRange
                | AtomicLoad
                | AtomicStore
                | AtomicUpdate
                | AtomicMiss
        )
    }

    /// Whether it is an event that a schedule counts.
    pub const fn is_event(self) -> bool {
        !matches!(
            self,
            Code::Extent
                | Code::SemaphoreInit
                | Code::BarrierInit
                | Code::Switch
                | Code::Enter
                | Code::Exit
                | Code::Text
                | Code::Unordered
                | Code::Footer
                | Code::Piece
                | Code::Number
                | Code::Stop
                | Code::Value
                | Code::Found
                | Code::Frame
                | Code::Request
                | Code::Alloc
        )
    }
}

numbered! {
    /// What the text of a [`Code::Text`] is about.
    pub enum TextKind: u64 {
        /// An object file: its load address and its end, 8 bytes each, then its path.
        Module = 1,
        /// The name of the current thread.
        ThreadName = 2,
        /// The name that the current thread was started with: 8 bytes, the address of its function. Under control the
        /// thread that starts it writes it ([`TextKind::Child`]).
        ThreadStart = 3,
        /// From the host: the folder in which the program ran, its file and its arguments, with a zero
        /// byte between each two of them.
        Command = 4,
        /// From the host: the schedule of the run.
        Schedule = 5,
        /// Where the stack of the current thread lies: its first byte and the one behind its last, 8
        /// bytes each. What was there before was something else.
        Stack = 6,
        /// From the host: the name of a function that is meant to be atomic.
        Atomic = 7,
        /// A thread that the current one has started: its number and the address of its function, 8 bytes
        /// each. It may never run.
        Child = 8,
        /// The first bytes that the access of many right before it read or wrote.
        Bytes = 9,
        /// The path of an object file whose code is not instrumented and may order threads.
        Unseen = 10,
    }
}

/// How many records hold so many bytes.
pub const fn n_text_records(n_bytes: usize) -> usize {
    n_bytes.div_ceil(RECORD_LEN)
}
