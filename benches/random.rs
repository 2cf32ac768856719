//! Random traces: every event drawn on its own, from uniform distributions.
//!
//! The generator of `raddle-trace` makes up a program and runs it, so that events repeat as they do
//! in real traces. Here nothing repeats but by chance: hardly two critical sections are alike, and
//! nothing that is known of one pair of locations or locks helps with the next. That is the hard
//! case for a predictor, and the one whose size can be chosen freely.
//!
//! A variable has a home lock, its number modulo the number of locks. Threads act in turns of random
//! length; locks are released in the opposite order of taking them; a lock is taken only while it is
//! free. Forks happen early, joins at the end.

use fastrand::Rng;
use raddle_trace::check::Mode;
use raddle_trace::{Events, LocationId, LockId, LockMode, Op, Order, ThreadId, Trace, VarId};

/// The knobs of a random trace.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Random {
    /// Events, to within the number of threads times the depth of nesting.
    pub events: usize,
    /// Threads.
    pub threads: u32,
    /// Locks, at least one.
    pub locks: u32,
    /// Variables, shared and local together.
    pub vars: u32,
    /// How many locks a thread holds at most.
    pub nest: usize,
    /// How likely an access to a shared variable is made under its home lock.
    pub protect: f64,
    /// How likely an access writes.
    pub write: f64,
    /// How likely an event takes a lock.
    pub acquire: f64,
    /// How likely an event of a thread that holds locks gives one back.
    pub release: f64,
    /// Events that a thread makes before it is another's turn, on average.
    pub burst: u32,
    /// How likely an access is to a variable of the thread's own, and how many variables are.
    pub local: f64,
    /// Source locations of accesses.
    pub locations: u32,
    /// Whether every lock that is taken inside of another has a higher number.
    pub ordered: bool,
    /// Other seeds, other traces.
    pub seed: u64,
}

impl Default for Random {
    fn default() -> Random {
        Random {
            events: 1_000_000,
            threads: 16,
            locks: 100,
            vars: 20_000,
            nest: 3,
            protect: 0.8,
            write: 0.3,
            acquire: 0.12,
            release: 0.2,
            burst: 8,
            local: 0.5,
            locations: 500,
            ordered: false,
            seed: 1,
        }
    }
}

impl Random {
    /// Makes the trace.
    pub fn trace(&self) -> Trace {
        let mut run = Run::new(self);
        let n_body = self.events.saturating_sub(2 * self.threads as usize);
        let (mut thread, mut left) = (0, 0);
        while run.events.len() < n_body {
            run.maybe_fork();
            if left == 0 {
                thread = run.rng.u32(0..run.n_live);
                left = run.rng.u32(1..=2 * self.burst);
            }
            left -= 1;
            run.step(thread);
        }
        run.close();
        Trace::new(run.events, Mode::Strict).expect("random traces are well-formed")
    }
}

/// A trace in the making.
struct Run<'a> {
    knobs: &'a Random,
    rng: Rng,
    events: Events,
    /// Threads that were forked; the first so many.
    n_live: u32,
    /// Per lock, whether a thread holds it.
    taken: Vec<bool>,
    /// Per thread, the locks it holds, the innermost last.
    held: Vec<Vec<u32>>,
    /// Variables that all threads use; they come first.
    n_shared: u32,
    /// Variables that each thread has of its own.
    n_own: u32,
}

impl<'a> Run<'a> {
    fn new(knobs: &'a Random) -> Run<'a> {
        let n_shared = ((f64::from(knobs.vars) * (1.0 - knobs.local)) as u32).max(1);
        let n_own = (knobs.vars.saturating_sub(n_shared) / knobs.threads).max(1);
        let mut events = Events::default();
        events.reserve(knobs.events);
        let tables = &mut events.tables;
        let mut names = |prefix: char, n: u32| {
            let names = match prefix {
                'T' => &mut tables.threads,
                'L' => &mut tables.locks,
                _ => &mut tables.variables,
            };
            for number in 0..n {
                names.intern(format!("{prefix}{number}").as_bytes()).expect("there are few names");
            }
        };
        names('T', knobs.threads);
        names('L', knobs.locks);
        names('V', n_shared + n_own * knobs.threads);
        Run {
            knobs,
            rng: Rng::with_seed(knobs.seed),
            events,
            n_live: 1,
            taken: vec![false; knobs.locks as usize],
            held: vec![Vec::new(); knobs.threads as usize],
            n_shared,
            n_own,
        }
    }

    fn push(&mut self, thread: u32, op: Op, place: &str, number: u32) {
        let name = format!("{place}:{number}");
        let location = self.events.tables.locations.intern(name.as_bytes());
        let location = LocationId(location.expect("there are few locations"));
        self.events.push(ThreadId(thread), op, Some(location));
    }

    /// Forks the next thread, the first one at once, the others in the first part of the trace.
    fn maybe_fork(&mut self) {
        let likely = 20.0 * f64::from(self.knobs.threads) / self.knobs.events as f64;
        let is_alone = self.n_live == 1 && self.events.len() >= 2;
        if self.n_live < self.knobs.threads && (is_alone || self.rng.f64() < likely) {
            let parent = self.rng.u32(0..self.n_live);
            self.fork(parent);
        }
    }

    fn fork(&mut self, parent: u32) {
        let child = self.n_live;
        self.push(parent, Op::Fork { child: ThreadId(child) }, "fork", child);
        self.n_live += 1;
    }

    /// One event of a thread, or none if what was drawn cannot be done now.
    fn step(&mut self, thread: u32) {
        let Random { nest, acquire, release, .. } = *self.knobs;
        let drawn = self.rng.f64();
        let depth = self.held[thread as usize].len();
        if drawn < acquire && depth < nest {
            self.acquire(thread);
        } else if drawn < acquire + release && depth > 0 {
            self.release(thread);
        } else if let Some(var) = self.variable(thread) {
            self.access(thread, VarId(var));
        }
    }

    /// Takes a lock, if the one that was drawn is free.
    fn acquire(&mut self, thread: u32) {
        let held = &mut self.held[thread as usize];
        let above = held.last().filter(|_| self.knobs.ordered).map_or(0, |&lock| lock + 1);
        if above == self.knobs.locks {
            return;
        }
        let lock = self.rng.u32(above..self.knobs.locks);
        if std::mem::replace(&mut self.taken[lock as usize], true) {
            return;
        }
        held.push(lock);
        let place = 7 * thread + 3 * held.len() as u32 + lock;
        let op = Op::Acquire { lock: LockId(lock), mode: LockMode::Exclusive, tried: false };
        self.push(thread, op, "acquire", place);
    }

    /// Gives the innermost lock back.
    fn release(&mut self, thread: u32) {
        if let Some(lock) = self.held[thread as usize].pop() {
            self.taken[lock as usize] = false;
            let op = Op::Release { lock: LockId(lock), mode: LockMode::Exclusive };
            self.push(thread, op, "release", lock);
        }
    }

    /// A variable that the thread may access now.
    fn variable(&mut self, thread: u32) -> Option<u32> {
        let Random { locks, protect, local, .. } = *self.knobs;
        if self.rng.f64() < local {
            return Some(self.n_shared + thread * self.n_own + self.rng.u32(0..self.n_own));
        }
        if self.rng.f64() >= protect {
            return Some(self.rng.u32(0..self.n_shared));
        }
        let lock = *self.rng.choice(&self.held[thread as usize])?;
        let n_at_home = self.n_shared.checked_sub(lock + 1)? / locks + 1;
        Some(lock + locks * self.rng.u32(0..n_at_home))
    }

    fn access(&mut self, thread: u32, var: VarId) {
        let order = Order::Plain;
        let writes = self.rng.f64() < self.knobs.write;
        let op = if writes { Op::Write { var, order } } else { Op::Read { var, order } };
        let place = self.rng.u32(0..self.knobs.locations);
        self.push(thread, op, "access", place);
    }

    /// Forks who is missing, gives all locks back, joins all threads.
    fn close(&mut self) {
        while self.n_live < self.knobs.threads {
            self.fork(0);
        }
        for thread in 0..self.knobs.threads {
            while !self.held[thread as usize].is_empty() {
                self.release(thread);
            }
        }
        for child in 1..self.knobs.threads {
            self.push(0, Op::Join { child: ThreadId(child) }, "join", child);
        }
    }
}
