//! Real locks and conditions, recorded.
//!
//! A mutex that its owner takes again is recorded the first time only; how often it is taken, and
//! by which thread, is where the C library keeps it, and right while the caller has the mutex.

use raddle_wire::{Code, Record};

use super::{Lane, lane, sync};
use crate::given::Word;
use crate::pthread::error::{EBUSY, EOWNERDEAD, ETIMEDOUT};

/// Where the C library keeps what it knows of a mutex.
const COUNT: usize = 4;
const OWNER: usize = 8;
const KIND: usize = 16;
const RECURSIVE: i32 = 1;
const ERROR_CHECKING: i32 = 2;

fn field(object: Word, offset: usize) -> i32 {
    // SAFETY: the C library looks at this part of it, too (`given`).
    unsafe { object.part(offset).cast::<i32>().read_volatile() }
}

/// Whether the caller has a mutex and has taken it once.
fn is_held_once(lane: &Lane, mutex: Word) -> bool {
    field(mutex, OWNER) == lane.system_id.get()
        && (field(mutex, KIND) & 3 != RECURSIVE || field(mutex, COUNT) == 1)
}

/// How a lock was asked for.
#[derive(Clone, Copy)]
pub enum How {
    /// The thread does not go on without it.
    Awaited = 0,
    /// It would have gone on without it, at once or after a while.
    Tried = 1,
}

/// After a call that may have taken a mutex; what it returned.
pub fn taken(result: i32, mutex: Word, how: How, pc: u64) -> i32 {
    let Some(lane) = lane() else { return result };
    match result {
        0 | EOWNERDEAD if is_held_once(lane, mutex) => {
            sync(Record::new(Code::Lock, mutex.address(), how as u8, pc, 0));
        }
        EBUSY | ETIMEDOUT => sync(Record::new(Code::TryFail, mutex.address(), 0, pc, 0)),
        _ => {}
    }
    result
}

/// `pthread_mutex_lock`. That a thread has to wait is recorded, too.
pub fn lock(mutex: Word, pc: u64) -> i32 {
    if let Some(lane) = lane() {
        let is_own = field(mutex, OWNER) == lane.system_id.get();
        let result = real!(fn pthread_mutex_trylock(mutex: Word) -> i32);
        if result == 0 || result == EOWNERDEAD {
            return taken(result, mutex, How::Awaited, pc);
        }
        // One that knows its owner answers at once.
        if result == EBUSY && !(is_own && field(mutex, KIND) & 3 == ERROR_CHECKING) {
            sync(Record::new(Code::Request, mutex.address(), 0, pc, 0));
        }
    }
    taken(real!(fn pthread_mutex_lock(mutex: Word) -> i32), mutex, How::Awaited, pc)
}

/// Before a mutex is given back.
pub fn gives(mutex: Word, pc: u64) {
    if lane().is_some_and(|lane| is_held_once(lane, mutex)) {
        sync(Record::new(Code::Unlock, mutex.address(), 0, pc, 0));
    }
}

/// Waits for a condition by a call of the C library.
pub fn wait(condition: Word, mutex: Word, pc: u64, call: impl FnOnce() -> i32) -> i32 {
    let condition = condition.address();
    sync(Record::new(Code::Wait, condition, 0, pc, 0));
    gives(mutex, pc);
    let result = call();
    if lane().is_some_and(|lane| is_held_once(lane, mutex)) {
        sync(Record::new(Code::Lock, mutex.address(), 0, pc, 0));
    }
    sync(Record::new(Code::Wake, condition, 0, pc, u16::from(result == ETIMEDOUT)));
    result
}

/// The same for spin locks and, alone or `shared`, locks for readers and writers.
pub fn taken_other(result: i32, lock: Word, how: How, shared: u16, pc: u64) -> i32 {
    match result {
        0 => sync(Record::new(Code::Lock, lock.address(), how as u8, pc, shared)),
        EBUSY | ETIMEDOUT => sync(Record::new(Code::TryFail, lock.address(), 0, pc, shared)),
        _ => {}
    }
    result
}

/// Before a lock for readers and writers is given back.
pub fn gives_rwlock(lock: Word, pc: u64) {
    const WRITER: usize = 24;
    if let Some(lane) = lane() {
        let shared = u16::from(field(lock, WRITER) != lane.system_id.get());
        sync(Record::new(Code::Unlock, lock.address(), 0, pc, shared));
    }
}
