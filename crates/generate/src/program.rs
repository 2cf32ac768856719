//! Programs: functions of straight-line code, and the places outside of them.
//!
//! A line that cannot be executed where it stands (its lock was not taken, the semaphore is at
//! zero) is skipped, like the body of an `if`; functions have no other control flow.

use fastrand::Rng;
use raddle_trace::{
    BarrierId, LocationId, LockMode, NameError, Order, SemaphoreId, Tables, ThreadId, TransactionId,
};

use super::compose::Composer;
use super::config::Config;
use super::layout::Layout;
use super::listing::Listing;

/// An element of an array of [`Spot::SIZE`] objects; which one depends on the call.
#[derive(Clone, Copy)]
pub(super) struct Spot {
    pub(super) offset: u32,
    pub(super) skew: u32,
}

impl Spot {
    /// Objects that one line of code accesses.
    pub(super) const SIZE: u32 = 8;
}

/// Adjacent locks, or the variables that belong to them; which one depends on the call.
#[derive(Clone, Copy)]
pub(super) struct Group {
    pub(super) base: u32,
    pub(super) width: u32,
}

/// What an access accesses.
#[derive(Clone, Copy)]
pub(super) enum Target {
    /// A variable of the thread's own.
    Own(Spot),
    /// An atomic variable.
    Atomic(Spot),
    /// A plain variable, under the lock it belongs to: the one in this slot.
    Home { slot: u8, spot: Spot },
    /// A plain variable, without its lock.
    Open { group: Group, spot: Spot },
}

/// What an access does.
#[derive(Clone, Copy)]
pub(super) enum Touch {
    Read(Order),
    Write(Order),
    Update(Order),
}

/// What a line of code does. Slots are where a thread keeps the locks it holds.
#[derive(Clone, Copy)]
pub(super) enum Act {
    Access { target: Target, touch: Touch },
    Lock { slot: u8, group: Group, mode: LockMode, only_try: bool },
    Unlock { slot: u8 },
    Wait { slot: u8 },
    Notify { slot: u8, all: bool },
    Post(SemaphoreId),
    Take(SemaphoreId),
    Open(TransactionId),
    Close(TransactionId),
    Branch,
    Alloc,
    Free,
}

impl Act {
    /// How many lines it takes in the source: one for each kind of event.
    pub(super) fn n_lines(self) -> u32 {
        if matches!(self, Act::Alloc | Act::Free) { 2 } else { 1 }
    }
}

/// An act and the first of its lines.
#[derive(Clone, Copy)]
pub(super) struct Line {
    pub(super) act: Act,
    pub(super) location: LocationId,
}

/// A function: a range of the code.
#[derive(Clone, Copy, Default)]
pub(super) struct Function {
    pub(super) start: u32,
    pub(super) end: u32,
}

/// Places in the code that starts and stops threads.
#[derive(Clone, Copy)]
pub(super) struct Sites {
    /// Of the first thread, and of the others.
    pub(super) fork: [LocationId; 2],
    pub(super) join: [LocationId; 2],
    pub(super) begin: [LocationId; 2],
    pub(super) end: [LocationId; 2],
    pub(super) barriers: [LocationId; 2],
    pub(super) read: LocationId,
    pub(super) write: LocationId,
    pub(super) poll: LocationId,
    pub(super) peek: LocationId,
    pub(super) shutdown_lock: LocationId,
    pub(super) shutdown_notify: LocationId,
    pub(super) shutdown_unlock: LocationId,
}

impl Sites {
    pub(super) fn barrier(&self, barrier: BarrierId) -> LocationId {
        self.barriers[barrier.index()]
    }
}

/// The program that threads run.
pub(super) struct Program {
    pub(super) code: Vec<Line>,
    functions: Vec<Function>,
    n_threads: u32,
    pub(super) sites: Sites,
}

impl Program {
    pub(super) fn new(
        config: &Config,
        layout: &Layout,
        rng: &mut Rng,
        tables: &mut Tables,
    ) -> Result<Program, NameError> {
        let n_functions = n_functions(config);
        let mut composer = Composer::new(config, layout, rng);
        let mut listing = Listing::new(n_functions);
        let sites = listing.sites(&mut tables.locations)?;
        let (mut code, mut functions) = (Vec::new(), Vec::with_capacity(n_functions as usize));
        for _ in 0..n_functions {
            let start = code.len() as u32;
            let labels = composer.n_transactions();
            let body = composer.function();
            listing.function(body, &mut tables.locations, &mut code)?;
            functions.push(Function { start, end: code.len() as u32 });
            let labels = labels..composer.n_transactions();
            listing.label(labels, &mut tables.transactions)?;
        }
        Ok(Program { code, functions, n_threads: config.threads, sites })
    }

    /// The function that a thread calls next: mostly one of those that are its job.
    pub(super) fn call(&self, thread: ThreadId, rng: &mut Rng) -> Function {
        let n = self.functions.len() as u64;
        let job = u64::from(thread.0) * n / u64::from(self.n_threads);
        let window = (n / 8).clamp(1, 24);
        let at = if rng.u8(..) < 200 { job + rng.u64(..window) } else { rng.u64(..n) };
        self.functions[(at % n) as usize]
    }
}

/// Few for few events, so that they are called often; more for more objects.
fn n_functions(config: &Config) -> u32 {
    let most = 64 + u64::from(config.locks) * 2 + u64::from(config.vars) / 200;
    (config.events as u64 / 60).clamp(3, most.min(20_000)) as u32
}
