//! Streams of events for tests.

use raddle_wire::{Code, Record};

use crate::race::Races;

/// What a thread does; addresses, then lengths or what else there is to know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    Read(u64, u64),
    Write(u64, u64),
    Load(u64, u16),
    Store(u64, u16),
    Update(u64, u16),
    Miss(u64, u16),
    Fence(u16),
    Lock(u64),
    Unlock(u64),
    LockShared(u64),
    UnlockShared(u64),
    Fork(u32),
    Join(u32),
    Wait(u64),
    Woken(u64),
    TimedOut(u64),
    Notify(u64, Option<u32>),
    NotifyAll(u64),
    SemaphoreInit(u64),
    Post(u64),
    Take(u64),
    BarrierInit(u64, u64),
    Arrive(u64),
    Leave(u64),
    OnceEnter(u64),
    OnceDone(u64),
    OncePass(u64),
    Give(u64),
    Get(u64),
    Alloc(u64, u64),
    Free(u64, u64),
}

/// Bytes of every atomic access of these tests.
pub const ATOMIC: u64 = 4;

/// One event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event {
    pub thread: u32,
    pub pc: u64,
    pub what: What,
}

/// Gives an event to a detector; the point is its index.
pub fn tell(races: &Races, event: Event, index: u32) {
    let Event { thread, pc, what } = event;
    let see = |record| races.observe(thread, record, index);
    let plain = |code, object| see(Record::new(code, object, 0, pc, 0));
    let with = |code, object, extra| see(Record::new(code, object, 0, pc, extra));
    let atomic = |code, object, order| see(Record::new(code, object, ATOMIC as u8, pc, order));
    let access = |few, many, start, len: u64| match len {
        0..=16 => see(Record::new(few, start, len as u8, pc, 0)),
        _ => see(Record::counted(many, start, len, pc)),
    };
    match what {
        What::Read(start, len) => access(Code::Read, Code::ReadRange, start, len),
        What::Write(start, len) => access(Code::Write, Code::WriteRange, start, len),
        What::Load(at, order) => atomic(Code::AtomicLoad, at, order),
        What::Store(at, order) => atomic(Code::AtomicStore, at, order),
        What::Update(at, order) => atomic(Code::AtomicUpdate, at, order),
        What::Miss(at, order) => atomic(Code::AtomicMiss, at, order),
        What::Fence(order) => with(Code::Fence, 0, order),
        What::Lock(at) => plain(Code::Lock, at),
        What::Unlock(at) => plain(Code::Unlock, at),
        What::LockShared(at) => with(Code::Lock, at, 1),
        What::UnlockShared(at) => with(Code::Unlock, at, 1),
        What::Fork(child) => plain(Code::Fork, child.into()),
        What::Join(child) => plain(Code::Join, child.into()),
        What::Wait(at) => plain(Code::Wait, at),
        What::Woken(at) => plain(Code::Wake, at),
        What::TimedOut(at) => with(Code::Wake, at, 1),
        What::Notify(at, woken) => with(Code::Notify, at, woken.map_or(0, |to| to as u16 + 1)),
        What::NotifyAll(at) => plain(Code::NotifyAll, at),
        What::SemaphoreInit(at) => plain(Code::SemaphoreInit, at),
        What::Post(at) => plain(Code::Post, at),
        What::Take(at) => plain(Code::Take, at),
        What::BarrierInit(at, n) => see(Record::counted(Code::BarrierInit, at, n, pc)),
        What::Arrive(at) => plain(Code::Arrive, at),
        What::Leave(at) => plain(Code::Leave, at),
        What::OnceEnter(at) => plain(Code::OnceEnter, at),
        What::OnceDone(at) => plain(Code::OnceDone, at),
        What::OncePass(at) => plain(Code::OncePass, at),
        What::Give(at) => plain(Code::Order, at),
        What::Get(at) => with(Code::Order, at, 1),
        What::Alloc(start, len) => {
            plain(Code::Alloc, start);
            plain(Code::Extent, len);
        }
        What::Free(start, len) => races.freed(thread, start..start + len, pc, index),
    }
}
