//! Logs: a run as STD text, in one of the many ways in which programs are logged.
//!
//! Whatever the way, the text says as much about locks as the run: so what is found in it has to be what
//! the run can do. [`Log::is_clean`] if nothing in it has to be repaired.

use crate::lock_cycles::random::Random;
use crate::lock_cycles::run::{Run, What};

/// A run as text.
pub(crate) struct Log {
    pub text: String,
    /// Nothing in it breaks a rule.
    pub is_clean: bool,
    pub places: Places,
}

/// What stands in the third column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Places {
    /// Each step has its own.
    Unique,
    /// Some steps have the same.
    Shared,
    /// Nothing.
    None,
}

impl Places {
    pub(crate) fn of(self, step: usize) -> String {
        match self {
            Places::Unique => format!("s{step}"),
            Places::Shared => format!("p{}", step % 4),
            Places::None => String::new(),
        }
    }
}

struct Writer<'a> {
    run: &'a Run,
    random: Random,
    log: Log,
    /// How many of a hundred acquires have a request before them, and of those that end a wait.
    requests: (usize, usize),
    /// How many of a hundred requests have something between them and their acquire.
    noise: usize,
    /// How many of a hundred acquires are followed by an inner one.
    reentrant: usize,
    /// Whether acquires that never happened are logged as such.
    attempts: bool,
    /// Waits that are logged with their wake-ups.
    explicit: Vec<bool>,
    /// Per step, whether its request is written.
    asked: Vec<bool>,
}

impl Log {
    pub(crate) fn new(run: &Run, seed: u64) -> Log {
        let mut random = Random::new(seed ^ 0x10c5);
        let places = random.pick(&[Places::Unique, Places::Unique, Places::Shared, Places::None]);
        let requests = random.pick(&[(0, 0), (100, 100), (100, 0), (50, 50), (20, 20), (0, 100)]);
        let log = Log { text: String::new(), is_clean: true, places };
        let noise = random.pick(&[0, 0, 30]);
        let reentrant = random.pick(&[0, 0, 20]);
        let attempts = random.chance(30);
        let explicit = run.steps.iter().map(|_| random.chance(50)).collect();
        let asked = vec![false; run.steps.len()];
        let mut writer =
            Writer { run, random, log, requests, noise, reentrant, attempts, explicit, asked };
        writer.all();
        writer.log
    }
}

impl Writer<'_> {
    fn all(&mut self) {
        // A wait that ends without a notify cannot be logged the short way.
        for step in &self.run.steps {
            if let What::Back { wait, notified: false, .. } = step.what {
                self.explicit[wait] = true;
            }
        }
        for now in 0..=self.run.steps.len() {
            for n in 0..self.run.steps.len() {
                if self.run.came_at[n] == Some(now) {
                    self.come(n);
                }
            }
            if now < self.run.steps.len() {
                self.step(now);
            }
        }
        self.ends();
    }

    fn line(&mut self, n: usize, operation: &str, object: &str) {
        let (thread, place) = (self.run.steps[n].thread, self.log.places.of(n));
        self.log.text += &format!("T{thread}|{operation}({object})|{place}\n");
    }

    fn lock_line(&mut self, n: usize, operation: &str, lock: usize, shared: bool) {
        let suffix = if shared { ".sh" } else { "" };
        self.line(n, &format!("{operation}{suffix}"), &format!("L{lock}"));
    }

    /// A thread comes to a lock that is not free.
    fn come(&mut self, n: usize) {
        match self.run.steps[n].what {
            What::Stuck { lock, shared, .. } => self.stuck(n, lock, shared),
            What::Lock { lock, shared, tried: false } if self.random.chance(50) => {
                self.request(n, lock, shared, self.requests.0);
            }
            What::Back { lock, .. } if self.random.chance(50) => {
                self.request(n, lock, false, self.requests.1);
            }
            _ => {}
        }
    }

    fn request(&mut self, n: usize, lock: usize, shared: bool, percent: usize) {
        if !self.asked[n] && self.random.chance(percent) {
            self.asked[n] = true;
            self.lock_line(n, "req", lock, shared);
        }
    }

    /// It never gets the lock. A logger that writes acquires before they are made writes this one too.
    fn stuck(&mut self, n: usize, lock: usize, shared: bool) {
        let thread = self.run.steps[n].thread;
        let own = self.run.steps.iter().filter(|step| step.thread == thread);
        let mut is_own = false;
        for step in own {
            match step.what {
                What::Lock { lock: l, .. } | What::Back { lock: l, .. } if l == lock => {
                    is_own = true;
                }
                What::Unlock { lock: l, .. } | What::Wait { lock: l, .. } if l == lock => {
                    is_own = false;
                }
                _ => {}
            }
        }
        let attempt = self.attempts && !is_own;
        if !attempt || self.random.chance(50) {
            self.lock_line(n, "req", lock, shared);
        }
        if attempt {
            self.lock_line(n, "acq", lock, shared);
            self.log.is_clean = false;
        }
    }

    fn step(&mut self, n: usize) {
        match self.run.steps[n].what.clone() {
            What::Lock { lock, shared, tried: true } => {
                self.request(n, lock, shared, self.requests.0 / 5);
                self.lock_line(n, "tryacq", lock, shared);
            }
            What::Lock { lock, shared, .. } => self.lock(n, lock, shared),
            What::Unlock { lock, shared } => self.lock_line(n, "rel", lock, shared),
            What::TryFail { lock, shared } => {
                self.request(n, lock, shared, self.requests.0 / 5);
                self.lock_line(n, "tryfail", lock, shared);
            }
            What::Read { var } => self.line(n, "r", &format!("x{var}")),
            What::Write { var } => self.line(n, "w", &format!("x{var}")),
            What::Fork { child } => self.line(n, "fork", &format!("T{child}")),
            What::Join { child } => self.line(n, "join", &format!("T{child}")),
            What::Wait { cond, lock } => {
                let cond = format!("C{cond}");
                if self.explicit[n] {
                    self.line(n, "wait.pre", &cond);
                }
                self.lock_line(n, "rel", lock, false);
                if !self.explicit[n] {
                    self.line(n, "wait", &cond);
                }
            }
            What::Notify { cond, all, .. } => {
                self.line(n, if all { "notifyAll" } else { "notify" }, &format!("C{cond}"));
            }
            What::Back { wait, cond, lock, notified } => {
                self.request(n, lock, false, self.requests.1);
                self.lock_line(n, "acq", lock, false);
                if self.explicit[wait] {
                    let operation = if notified { "wake" } else { "wake.timeout" };
                    self.line(n, operation, &format!("C{cond}"));
                }
            }
            What::Stuck { .. } => {}
        }
    }

    fn lock(&mut self, n: usize, lock: usize, shared: bool) {
        self.request(n, lock, shared, self.requests.0);
        if self.asked[n] && self.random.chance(self.noise) {
            self.line(n, "r", &format!("own{}", self.run.steps[n].thread));
            self.log.is_clean = false;
        }
        self.lock_line(n, "acq", lock, shared);
        if self.random.chance(self.reentrant) {
            if self.asked[n] && self.random.chance(50) {
                self.lock_line(n, "req", lock, shared);
            }
            self.lock_line(n, "acq", lock, shared);
            self.lock_line(n, "rel", lock, shared);
            self.log.is_clean = false;
        }
    }

    /// Threads end, or are ended with the process: then also those that wait.
    fn ends(&mut self) {
        let (killed, done) = random_ends(&mut self.random);
        let operation = self.random.pick(&["end", "exit"]);
        for thread in 0..self.run.n_threads {
            let own = |n: &usize| self.run.steps[*n].thread == thread;
            let Some(last) = (0..self.run.steps.len()).rev().find(own) else { continue };
            let joins =
                |step: &crate::lock_cycles::run::Step| step.what == What::Join { child: thread };
            if self.run.steps.iter().any(joins) {
                continue;
            }
            if self.run.done[thread] && done {
                self.line(last, operation, "0");
            } else if !self.run.done[thread] && killed {
                self.line(last, operation, "0");
                self.log.is_clean = false;
            }
        }
    }
}

fn random_ends(random: &mut Random) -> (bool, bool) {
    (random.chance(50), random.chance(50))
}
