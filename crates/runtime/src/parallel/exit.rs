//! The end of a thread that is recorded.
//!
//! The C library runs destructors of C++ and of thread-specific data after the thread's function,
//! in rounds, as long as there are any. The thread ends behind the last round: a key of our own
//! asks for another one until there are no more.

use core::ffi::c_void;
use core::sync::atomic::{AtomicU32, Ordering};

use raddle_wire::{Code, Record};

use super::{Lane, set_lane, sync};

/// How many rounds there are at most (`PTHREAD_DESTRUCTOR_ITERATIONS`).
const N_ROUNDS: u32 = 4;

static KEY: AtomicU32 = AtomicU32::new(0);

/// Makes the key.
pub fn begin() {
    type Destructor = unsafe extern "C" fn(*mut c_void);
    let mut made = 0u32;
    let (key, destructor) = (&raw mut made, ended as Destructor);
    real!(fn pthread_key_create(key: *mut u32, destructor: Destructor) -> i32);
    KEY.store(made, Ordering::Relaxed);
}

/// Sees to it that the end of the calling thread is noticed.
pub fn watch(lane: &'static Lane) {
    let (key, value) = (KEY.load(Ordering::Relaxed), (&raw const *lane) as *mut c_void);
    real!(fn pthread_setspecific(key: u32, value: *mut c_void) -> i32);
}

/// A round of destructors.
unsafe extern "C" fn ended(lane: *mut c_void) {
    // SAFETY: the value of the key is the lane of the thread, which is never freed (`watch`).
    let lane: &'static Lane = unsafe { &*lane.cast::<Lane>() };
    lane.n_rounds.set(lane.n_rounds.get() + 1);
    if lane.n_rounds.get() < N_ROUNDS {
        return watch(lane);
    }
    sync(Record::new(Code::End, lane.number.into(), 0, 0, 0));
    set_lane(core::ptr::null());
    lane.recorder.finish_one_of_many();
}
