//! The knobs of the generator.

use raddle_trace::{Events, NameError};

/// What kind of trace to generate.
///
/// Knobs of type `f64` are probabilities, from 0 (never) to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Exact number of events.
    pub events: usize,
    /// Threads, the first one included.
    pub threads: u32,
    /// Locks.
    pub locks: u32,
    /// Variables; those on the heap (see `alloc`) come on top.
    pub vars: u32,
    /// The same seed and knobs give the same trace.
    pub seed: u64,

    /// Mean number of events before another thread goes on.
    pub burst: u32,
    /// The part of the trace over which forks are spread.
    pub fork_span: f64,
    /// That a thread is forked by any thread instead of the first one.
    pub fork_tree: f64,
    /// That a thread ends before the trace does.
    pub retire: f64,
    /// Threads are joined.
    pub join: bool,
    /// Threads have begin and end events.
    pub begin_end: bool,
    /// The trace stops where it is, with locks held and threads neither joined nor, perhaps, forked.
    pub truncate: bool,

    /// That a statement is a critical section.
    pub locking: f64,
    /// The most locks that a thread holds at once.
    pub depth: u32,
    /// The lock taken last is released first; otherwise releases also cross.
    pub nested: bool,
    /// Inner locks come later in one order of all locks, so that no cycle of locks exists.
    pub ordered: bool,
    /// Requests come before acquires.
    pub request: bool,
    /// That a critical section takes its lock in shared mode and only reads under it.
    pub readers: f64,
    /// That a critical section is skipped, with a failed try, if another thread holds its lock.
    pub trylock: f64,

    /// The part of the variables that more than one thread accesses.
    pub shared: f64,
    /// That an access is of a variable of the thread's own.
    pub local: f64,
    /// That an access of a shared, non-atomic variable is made under the lock that belongs to it.
    ///
    /// Where all variables are shared, the last few accesses may lack their lock even so.
    pub protect: f64,
    /// That an access writes.
    pub write: f64,
    /// The part of the shared variables, and of the shared accesses, that is atomic.
    pub atomic: f64,
    /// That an atomic access that writes is a read-modify-write.
    pub update: f64,
    /// Accesses have values: a read sees what was written last, or 0; a read-modify-write has
    /// the value that it writes.
    pub values: bool,

    /// That a critical section of a lock with a condition begins with a wait; half of them notify.
    /// A few locks have a condition, if this is not 0.
    pub wait: f64,
    /// That a wait can time out.
    pub timeout: f64,
    /// That a notify wakes all.
    pub notify_all: f64,
    /// That a statement posts or takes a semaphore.
    pub semaphore: f64,
    /// That a function call is followed by a meeting of some threads at a barrier.
    pub barrier: f64,
    /// That a statement is a transaction.
    pub transaction: f64,
    /// That a branch follows a read.
    pub branch: f64,
    /// That a statement allocates memory or frees it.
    pub alloc: f64,
}

/// A config for which there is no trace.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// Something must be there.
    #[error("`{knob}` must not be zero")]
    Zero {
        /// The field of [`Config`].
        knob: &'static str,
    },
    /// More than a trace can have.
    #[error("`{knob}` is {value}, which is more than {max}")]
    TooMany {
        /// The field of [`Config`].
        knob: &'static str,
        /// Its value.
        value: usize,
        /// The largest value there is.
        max: usize,
    },
    /// No probability.
    #[error("`{knob}` is {value}, which is not between 0 and 1")]
    Probability {
        /// The field of [`Config`].
        knob: &'static str,
        /// Its value.
        value: f64,
    },
    /// Beginning, forking, joining and ending all threads takes more events.
    #[error("{events} events are too few for all threads, which need {needed}")]
    TooFewEvents {
        /// The events asked for.
        events: usize,
        /// The fewest events for that many threads.
        needed: usize,
    },
    /// The names do not fit into a table.
    #[error(transparent)]
    Names(#[from] NameError),
}

impl Default for Config {
    fn default() -> Config {
        Config {
            events: 1_000,
            threads: 4,
            locks: 5,
            vars: 24,
            seed: 1,
            burst: 8,
            fork_span: 0.1,
            fork_tree: 0.3,
            retire: 0.0,
            join: true,
            begin_end: false,
            truncate: false,
            locking: 0.15,
            depth: 3,
            nested: true,
            ordered: false,
            request: false,
            readers: 0.0,
            trylock: 0.0,
            shared: 0.5,
            local: 0.5,
            protect: 0.8,
            write: 0.3,
            atomic: 0.0,
            update: 0.3,
            values: false,
            wait: 0.0,
            timeout: 0.2,
            notify_all: 0.3,
            semaphore: 0.0,
            barrier: 0.0,
            transaction: 0.0,
            branch: 0.0,
            alloc: 0.0,
        }
    }
}

impl Config {
    /// The most locks or variables.
    pub const MAX_OBJECTS: usize = 1 << 26;
    /// The deepest nesting of locks.
    pub const MAX_DEPTH: usize = 16;

    /// Finds the first knob that makes no sense.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let counts = [("threads", self.threads), ("vars", self.vars), ("burst", self.burst)];
        if let Some(&(knob, _)) = counts.iter().find(|(_, count)| *count == 0) {
            return Err(ConfigError::Zero { knob });
        }
        for (knob, value, max) in self.limits() {
            if value > max {
                return Err(ConfigError::TooMany { knob, value, max });
            }
        }
        for (knob, value) in self.probabilities() {
            if !(0.0..=1.0).contains(&value) {
                return Err(ConfigError::Probability { knob, value });
            }
        }
        let (events, needed) = (self.events, self.n_reserved());
        if events < needed { Err(ConfigError::TooFewEvents { events, needed }) } else { Ok(()) }
    }

    /// Events to begin, fork, join and end all threads.
    pub(super) fn n_reserved(&self) -> usize {
        let edges = if self.begin_end { 2 } else { 0 };
        let others = self.threads as usize - 1;
        if self.truncate { 0 } else { edges + others * (1 + usize::from(self.join) + edges) }
    }

    fn limits(&self) -> [(&'static str, usize, usize); 5] {
        [
            ("events", self.events, Events::MAX_LEN),
            ("threads", self.threads as usize, Events::MAX_THREADS),
            ("locks", self.locks as usize, Config::MAX_OBJECTS),
            ("vars", self.vars as usize, Config::MAX_OBJECTS),
            ("depth", self.depth as usize, Config::MAX_DEPTH),
        ]
    }

    fn probabilities(&self) -> [(&'static str, f64); 20] {
        [
            ("fork_span", self.fork_span),
            ("fork_tree", self.fork_tree),
            ("retire", self.retire),
            ("locking", self.locking),
            ("readers", self.readers),
            ("trylock", self.trylock),
            ("shared", self.shared),
            ("local", self.local),
            ("protect", self.protect),
            ("write", self.write),
            ("atomic", self.atomic),
            ("update", self.update),
            ("wait", self.wait),
            ("timeout", self.timeout),
            ("notify_all", self.notify_all),
            ("semaphore", self.semaphore),
            ("barrier", self.barrier),
            ("transaction", self.transaction),
            ("branch", self.branch),
            ("alloc", self.alloc),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(config: Config, expected: Result<(), ConfigError>) {
        assert_eq!(config.validate(), expected);
    }

    #[test]
    fn nothing_is_made_of_nothing() {
        check(
            Config { threads: 0, ..Config::default() },
            Err(ConfigError::Zero { knob: "threads" }),
        );
        check(Config { vars: 0, ..Config::default() }, Err(ConfigError::Zero { knob: "vars" }));
        check(Config { burst: 0, ..Config::default() }, Err(ConfigError::Zero { knob: "burst" }));
        check(Config { locks: 0, depth: 0, ..Config::default() }, Ok(()));
    }

    #[test]
    fn no_more_threads_than_a_trace_can_have() {
        let config = |threads| Config { threads, events: 1 << 20, ..Config::default() };
        let (value, max) = ((1 << 16) + 1, Events::MAX_THREADS);
        let error = ConfigError::TooMany { knob: "threads", value, max };
        check(config(1 << 16), Ok(()));
        check(config((1 << 16) + 1), Err(error));
    }

    #[test]
    fn probabilities_lie_between_0_and_1() {
        let wrong = |value| Err(ConfigError::Probability { knob: "write", value });
        check(Config { write: 1.0, ..Config::default() }, Ok(()));
        check(Config { write: 1.1, ..Config::default() }, wrong(1.1));
        check(Config { write: -0.1, ..Config::default() }, wrong(-0.1));
        assert!(Config { write: f64::NAN, ..Config::default() }.validate().is_err());
    }

    #[test]
    fn every_thread_is_forked_and_joined_unless_the_trace_is_truncated() {
        let config = |events| Config { events, threads: 4, ..Config::default() };
        check(config(6), Ok(()));
        check(config(5), Err(ConfigError::TooFewEvents { events: 5, needed: 6 }));
        check(Config { truncate: true, ..config(5) }, Ok(()));
        let needed = 6 + 2 * 4;
        let error = ConfigError::TooFewEvents { events: 13, needed };
        check(Config { begin_end: true, ..config(13) }, Err(error));
    }
}
