//! What `std::sync` has, under control.
//!
//! In an execution each operation is a point: other threads may go on before it. Outside of one,
//! locks can be made, taken apart and dropped, and atomics work as those of `std` do.

mod arc;
pub mod atomic;
mod barrier;
mod condvar;
mod flags;
mod lazy_lock;
pub mod mpsc;
mod mutex;
mod once;
mod once_lock;
mod rwlock;
pub mod tracked;

pub use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};

pub use arc::{Arc, Weak};
pub use barrier::{Barrier, BarrierWaitResult};
pub use condvar::{Condvar, WaitTimeoutResult};
pub use lazy_lock::LazyLock;
pub use mutex::{Mutex, MutexGuard};
pub use once::{Once, OnceState};
pub use once_lock::OnceLock;
pub use rwlock::{RwLock, RwLockReadGuard, RwLockWriteGuard};
