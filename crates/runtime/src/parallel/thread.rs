//! Threads that are recorded: how they are made and joined.

use core::ffi::c_void;
use core::sync::atomic::{AtomicU32, Ordering};

use raddle_wire::{Code, Flags, RECORDING_FD, Record};

use super::{LANES, Lane, done, sync};
use crate::given::Given;
use crate::host;
use crate::thread::Start;

/// Makes a thread that is recorded.
pub fn create(
    handle: Given<usize>,
    attributes: *const c_void,
    start: Start,
    argument: *mut c_void,
    pc: u64,
) -> i32 {
    static N_THREADS: AtomicU32 = AtomicU32::new(1);
    let number = N_THREADS.fetch_add(1, Ordering::Relaxed);
    let lane = Lane::new(number, Some(start), argument);
    sync(Record::new(Code::Fork, number.into(), 0, pc, 0));
    let (start, argument) = (enter as Start, (&raw const *lane) as *mut c_void);
    let result = real!(fn pthread_create(handle: Given<usize>, attributes: *const c_void, start: Start, argument: *mut c_void) -> i32);
    if result == 0 {
        lane.handle.store(handle.get(), Ordering::Relaxed);
    }
    result
}

/// What the C library starts a thread with; the argument is its [`Lane`].
unsafe extern "C" fn enter(argument: *mut c_void) -> *mut c_void {
    // SAFETY: `create` passes a lane, which is never freed.
    let lane: &'static Lane = unsafe { &*argument.cast::<Lane>() };
    lane.handle.store(real!(fn pthread_self() -> usize), Ordering::Relaxed);
    if host::has(Flags::RECORD) {
        lane.recorder.begin_one_of_many(RECORDING_FD, lane.number, None);
    }
    lane.enter();
    // SAFETY: the program passed the function to be called with this argument in a new thread.
    lane.start.map_or(core::ptr::null_mut(), |start| unsafe { start(lane.argument) })
}

/// Joins a thread by a call of the C library; what that returned.
pub fn joined(handle: usize, pc: u64, call: impl FnOnce() -> i32) -> i32 {
    // The latest thread that had this handle; once it is joined, a new one may get the same.
    let thread = LANES.with(|lanes| lanes.iter().rev().find(|lane| lane.has(handle)).copied());
    let result = call();
    match thread {
        Some(lane) => done(result, Record::new(Code::Join, lane.number.into(), 0, pc, 0)),
        None => result,
    }
}
