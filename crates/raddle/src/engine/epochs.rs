//! Numbers of executions, different in the whole process.
//!
//! An epoch is the number of an engine and the number of its execution, so that code that finds one
//! knows whether it belongs to an engine that is at work elsewhere: then something is shared by
//! executions that run at the same time.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

const SHIFT: u32 = 40;

static N_ENGINES: AtomicU64 = AtomicU64::new(1);
static AT_WORK: Mutex<Vec<u64>> = Mutex::new(Vec::new());

/// The epochs of one engine.
#[derive(Debug)]
pub(crate) struct Epochs {
    engine: u64,
    next: u64,
}

impl Epochs {
    pub(crate) fn new() -> Epochs {
        let engine = N_ENGINES.fetch_add(1, Ordering::Relaxed);
        at_work(|engines| engines.push(engine));
        Epochs { engine, next: 0 }
    }

    /// The next one, which is not 0.
    pub(crate) fn next(&mut self) -> u64 {
        self.next += 1;
        self.engine << SHIFT | self.next
    }
}

impl Drop for Epochs {
    fn drop(&mut self) {
        at_work(|engines| engines.retain(|&engine| engine != self.engine));
    }
}

/// Whether an epoch belongs to another engine than mine, one that is at work.
pub(crate) fn is_elsewhere(epoch: u64, mine: u64) -> bool {
    let engine = epoch >> SHIFT;
    epoch != 0 && engine != mine >> SHIFT && at_work(|engines| engines.contains(&engine))
}

fn at_work<R>(act: impl FnOnce(&mut Vec<u64>) -> R) -> R {
    act(&mut AT_WORK.lock().unwrap_or_else(PoisonError::into_inner))
}
