//! Layout: which objects there are, and which lock or thread each variable belongs to.
//!
//! Variables are numbered: first the atomic ones, then the plain shared ones, dealt out to the
//! locks in turn, then the thread-local ones, dealt out to the threads in turn, at last one for
//! each region of the heap.

use std::fmt::Write;

use raddle_trace::{BarrierId, NameError, Names, Range, SemaphoreId, Tables, ThreadId, VarId};

use super::config::Config;

/// The objects of a program.
pub(super) struct Layout {
    pub(super) n_atomic: u32,
    /// Shared variables that are not atomic.
    pub(super) n_plain: u32,
    n_local: u32,
    n_threads: u32,
    /// Locks; one if there is none, so that plain variables belong somewhere.
    pub(super) n_stripes: u32,
    /// Condition variables; condition n goes with lock n.
    pub(super) n_conditions: u32,
    /// The count that each semaphore starts with.
    pub(super) initials: Vec<u32>,
    /// How many threads meet at each barrier.
    pub(super) parties: Vec<u32>,
    pub(super) n_regions: u32,
}

impl Layout {
    pub(super) fn new(config: &Config) -> Layout {
        let n_shared = part(config.vars, config.shared);
        let n_atomic = part(n_shared, config.atomic);
        let n_threads = config.threads;
        let on = |knob: f64, count: u32| if knob > 0.0 { count } else { 0 };
        let parties = (0..2).map(|b| n_threads.min(2 + 2 * b));
        Layout {
            n_atomic,
            n_plain: n_shared - n_atomic,
            n_local: config.vars - n_shared,
            n_threads,
            n_stripes: config.locks.max(1),
            n_conditions: on(config.wait, config.locks.min(2 + n_threads / 2)),
            initials: (0..on(config.semaphore, 1 + n_threads / 8)).map(|s| s % 3).collect(),
            parties: parties.filter(|&n| n > 1 && config.barrier > 0.0).collect(),
            n_regions: on(config.alloc, 4 + 4 * n_threads),
        }
    }

    pub(super) fn n_shared(&self) -> u32 {
        self.n_atomic + self.n_plain
    }

    pub(super) fn n_vars(&self) -> u32 {
        self.n_shared() + self.n_local + self.n_regions
    }

    /// How many plain variables belong to a lock.
    pub(super) fn n_home(&self, stripe: u32) -> u32 {
        share(self.n_plain, self.n_stripes, stripe)
    }

    /// A plain variable that belongs to a lock.
    pub(super) fn home(&self, stripe: u32, nth: u32) -> VarId {
        VarId(self.n_atomic + stripe + self.n_stripes * nth)
    }

    /// How many variables a thread has for itself.
    pub(super) fn n_own(&self, thread: ThreadId) -> u32 {
        share(self.n_local, self.n_threads, thread.0)
    }

    /// A variable of a thread's own.
    pub(super) fn own(&self, thread: ThreadId, nth: u32) -> VarId {
        VarId(self.n_shared() + thread.0 + self.n_threads * nth)
    }

    /// The variable in a region of the heap.
    pub(super) fn in_region(&self, region: u32) -> VarId {
        VarId(self.n_shared() + self.n_local + region)
    }

    /// Names all objects.
    pub(super) fn name(&self, config: &Config, tables: &mut Tables) -> Result<(), NameError> {
        number(&mut tables.threads, "T", self.n_threads)?;
        number(&mut tables.locks, "L", config.locks)?;
        number(&mut tables.variables, "A", self.n_atomic)?;
        number(&mut tables.variables, "V", self.n_plain)?;
        for v in 0..self.n_local {
            let (thread, nth) = (v % self.n_threads, v / self.n_threads);
            intern(&mut tables.variables, format_args!("T{thread}.v{nth}"))?;
        }
        number(&mut tables.conditions, "C", self.n_conditions)?;
        number(&mut tables.semaphores, "S", self.initials.len() as u32)?;
        for (s, &count) in self.initials.iter().enumerate() {
            tables.set_initial(SemaphoreId(s as u32), count);
        }
        number(&mut tables.barriers, "B", self.parties.len() as u32)?;
        for (b, &count) in self.parties.iter().enumerate() {
            tables.set_parties(BarrierId(b as u32), count);
        }
        number(&mut tables.regions, "H", self.n_regions)?;
        for region in 0..self.n_regions {
            intern(&mut tables.variables, format_args!("H{region}.data"))?;
            tables.set_range(self.in_region(region), Range { region, offset: 0, size: 8 });
        }
        Ok(())
    }
}

/// Interns a name that is put together here.
pub(super) fn intern(names: &mut Names, name: std::fmt::Arguments) -> Result<u32, NameError> {
    let mut text = String::with_capacity(32);
    text.write_fmt(name).map_err(|_| NameError::NotText)?;
    names.intern(text.as_bytes())
}

fn number(names: &mut Names, prefix: &str, count: u32) -> Result<(), NameError> {
    (0..count).try_for_each(|n| intern(names, format_args!("{prefix}{n}")).map(|_| ()))
}

/// A part of a whole: something if more than nothing is asked for, not all if less than all is.
fn part(whole: u32, ratio: f64) -> u32 {
    let least = u32::from(ratio > 0.0).min(whole);
    let most = if ratio < 1.0 { whole.saturating_sub(1).max(least) } else { whole };
    ((f64::from(whole) * ratio).round() as u32).clamp(least, most)
}

/// What one of `n` gets if `total` things are dealt out in turn.
fn share(total: u32, n: u32, which: u32) -> u32 {
    total.saturating_sub(which).div_ceil(n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variable_belongs_to_one_owner() {
        let sizes = [(1, 1, 1), (7, 3, 2), (50, 4, 16), (3, 9, 5), (64, 0, 3)];
        for (vars, locks, threads) in sizes {
            let config = Config { vars, locks, threads, atomic: 0.2, ..Config::default() };
            let layout = Layout::new(&config);
            let mut seen: Vec<u32> = (0..layout.n_atomic).collect();
            for stripe in 0..layout.n_stripes {
                seen.extend((0..layout.n_home(stripe)).map(|n| layout.home(stripe, n).0));
            }
            for thread in (0..threads).map(ThreadId) {
                seen.extend((0..layout.n_own(thread)).map(|n| layout.own(thread, n).0));
            }
            seen.sort_unstable();
            assert_eq!(seen, (0..vars).collect::<Vec<_>>());
        }
    }

    #[test]
    fn parts_keep_something_on_either_side() {
        assert_eq!([part(100, 0.0), part(100, 0.001), part(100, 0.01)], [0, 1, 1]);
        assert_eq!([part(100, 0.999), part(100, 1.0), part(1, 0.5), part(0, 0.5)], [99, 100, 1, 0]);
    }
}
