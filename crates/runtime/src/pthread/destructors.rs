//! Thread-specific data: keys, and the destructors that run when a thread ends.
//!
//! The C library runs them after the thread's function has returned to it. By then the thread is
//! no longer under control, so they are run before that, here. Keys are made in the C library
//! without their destructor, which is kept here instead.

use core::ffi::c_void;

use alloc::vec::Vec;

use crate::given::Given;
use crate::host;
use crate::parallel;
use crate::state::{Shared, State};
use crate::touch;

point_hook! {
    2, pthread_key_create => key_create;
    1, pthread_key_delete => key_delete;
}

/// What is run on a thread's value when the thread ends.
pub type Destructor = unsafe extern "C" fn(*mut c_void);

/// How often destructors may set values that need destructors again (`PTHREAD_DESTRUCTOR_ITERATIONS`).
const N_ROUNDS: usize = 4;

struct Keys(Shared<Vec<(u32, Destructor)>>);

// SAFETY: only the running thread touches it, or the only thread there is before `main`.
unsafe impl Sync for Keys {}

static KEYS: Keys = Keys(Shared::new(Vec::new()));

/// `pthread_key_create`.
pub extern "C" fn key_create(key: Given<u32>, destructor: Option<Destructor>, _pc: u64) -> i32 {
    // Keys are made before `main`, too, by constructors; without control nothing is taken over.
    if host::page().is_none() || parallel::is_chosen() {
        return real!(fn pthread_key_create(key: Given<u32>, destructor: Option<Destructor>) -> i32);
    }
    if State::active().is_some() {
        touch::write(key.word(), 0);
    }
    let none: Option<Destructor> = None;
    let result = real!(fn pthread_key_create(key: Given<u32>, none: Option<Destructor>) -> i32);
    if let (0, Some(destructor)) = (result, destructor) {
        KEYS.0.with(|keys| keys.push((key.get(), destructor)));
    }
    result
}

/// `pthread_key_delete`.
pub extern "C" fn key_delete(key: u32, _pc: u64) -> i32 {
    if !parallel::is_chosen() {
        KEYS.0.with(|keys| keys.retain(|&(other, _)| other != key));
    }
    real!(fn pthread_key_delete(key: u32) -> i32)
}

/// Runs what is to be run when the calling thread ends.
pub fn run_destructors() {
    // C++'s thread-local objects; running them again later finds nothing left.
    let tls = crate::export::first(c"__call_tls_dtors");
    if tls != 0 {
        // SAFETY: the C library's function of this name takes and returns nothing.
        let tls = unsafe { core::mem::transmute::<usize, unsafe extern "C" fn()>(tls) };
        // SAFETY: the calling thread is about to end, which is when the C library would call it.
        unsafe { tls() };
    }
    for _ in 0..N_ROUNDS {
        let mut any = false;
        let n = KEYS.0.with(|keys| keys.len());
        for index in 0..n {
            let Some((key, destructor)) = KEYS.0.with(|keys| keys.get(index).copied()) else {
                break;
            };
            let value = real!(fn pthread_getspecific(key: u32) -> *mut c_void);
            if !value.is_null() {
                let none = core::ptr::null_mut::<c_void>();
                real!(fn pthread_setspecific(key: u32, none: *mut c_void) -> i32);
                any = true;
                // SAFETY: the program gave the key this destructor, for values such as this.
                unsafe { destructor(value) };
            }
        }
        if !any {
            break;
        }
    }
}
