//! Every reordering of a run, and the cycles of threads that wait for each other's locks in them.
//!
//! A reordering has of each thread the first so many steps. A step can come next if its locks are free, if
//! its thread was forked, if the thread that it joins is over, if a read sees the write that it saw in the
//! run, and if a notify has come since the wait that it ended in the run. A thread waits for a lock if its
//! next step takes one and did not only try. Where reads are free, they may see any write.

use std::collections::{BTreeSet, HashSet};

use crate::lock_cycles::run::{N_LOCKS, N_VARS, Run, What};

/// A wait in a cycle: the thread, its lock, its step.
pub(crate) type Wait = (usize, usize, usize);

/// How far each thread is, and what else decides how it can go on.
#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    n_done: Vec<usize>,
    last_write: [Option<usize>; N_VARS],
    /// The waits that were notified since they began.
    notified: Vec<usize>,
}

struct All<'a> {
    run: &'a Run,
    /// The steps of each thread.
    own: Vec<Vec<usize>>,
    /// Per read, the write that it saw.
    seen: Vec<Option<usize>>,
    /// Reads may see another one.
    are_reads_free: bool,
}

/// The cycles of waits in all reorderings, each from its least step on; each thread waits for the next.
pub(crate) fn cycles(run: &Run, are_reads_free: bool) -> BTreeSet<Vec<Wait>> {
    let all = All::new(run, are_reads_free);
    let start =
        State { n_done: vec![0; run.n_threads], last_write: [None; N_VARS], notified: Vec::new() };
    let (mut found, mut known) = (BTreeSet::new(), HashSet::from([start.clone()]));
    let mut open = vec![start];
    while let Some(state) = open.pop() {
        all.blocked(&state, &mut found);
        for thread in 0..run.n_threads {
            let Some(next) = all.step(&state, thread) else { continue };
            if known.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    found
}

impl<'a> All<'a> {
    fn new(run: &'a Run, are_reads_free: bool) -> All<'a> {
        let mut own = vec![Vec::new(); run.n_threads];
        let (mut last, mut seen) = ([None; N_VARS], Vec::new());
        for (n, step) in run.steps.iter().enumerate() {
            own[step.thread].push(n);
            seen.push(match step.what {
                What::Read { var } => last[var],
                _ => None,
            });
            if let What::Write { var } = step.what {
                last[var] = Some(n);
            }
        }
        All { run, own, seen, are_reads_free }
    }

    fn next(&self, state: &State, thread: usize) -> Option<usize> {
        self.own[thread].get(state.n_done[thread]).copied()
    }

    fn has(&self, state: &State, step: usize) -> bool {
        let thread = self.run.steps[step].thread;
        self.own[thread][..state.n_done[thread]].contains(&step)
    }

    fn is_begun(&self, state: &State, thread: usize) -> bool {
        let forks = |n: &usize| self.run.steps[*n].what == What::Fork { child: thread };
        (0..self.run.steps.len()).find(forks).is_none_or(|fork| self.has(state, fork))
    }

    /// Who holds a lock, and whether as a reader.
    fn holders(&self, state: &State) -> [Vec<(usize, bool)>; N_LOCKS] {
        let mut holders: [Vec<(usize, bool)>; N_LOCKS] = Default::default();
        for (thread, own) in self.own.iter().enumerate() {
            for &n in &own[..state.n_done[thread]] {
                match self.run.steps[n].what {
                    What::Lock { lock, shared, .. } => holders[lock].push((thread, shared)),
                    What::Back { lock, .. } => holders[lock].push((thread, false)),
                    What::Unlock { lock, .. } | What::Wait { lock, .. } => {
                        holders[lock].retain(|holder| holder.0 != thread);
                    }
                    _ => {}
                }
            }
        }
        holders
    }

    /// The state behind the next step of a thread, if that can be.
    fn step(&self, state: &State, thread: usize) -> Option<State> {
        let n = self.next(state, thread)?;
        if !self.is_begun(state, thread) {
            return None;
        }
        let holders = self.holders(state);
        let against =
            |lock: usize, shared: bool| holders[lock].iter().any(|&(_, reads)| !(shared && reads));
        let mut next = state.clone();
        let can = match &self.run.steps[n].what {
            &What::Lock { lock, shared, .. } => !against(lock, shared),
            &What::TryFail { lock, shared } => against(lock, shared),
            &What::Back { wait, lock, notified, .. } => {
                (!notified || state.notified.contains(&wait)) && !against(lock, false)
            }
            &What::Join { child } => {
                self.is_begun(state, child) && self.next(state, child).is_none()
            }
            &What::Read { var } => self.are_reads_free || state.last_write[var] == self.seen[n],
            What::Stuck { .. } => false,
            &What::Write { var } => {
                next.last_write[var] = Some(n);
                true
            }
            What::Notify { woken, .. } => {
                next.notified.extend(woken.iter().filter(|&&wait| self.has(state, wait)));
                next.notified.sort_unstable();
                true
            }
            What::Unlock { .. } | What::Fork { .. } | What::Wait { .. } => true,
        };
        next.n_done[thread] += 1;
        can.then_some(next)
    }

    /// The lock that a thread waits for, and whether as a reader.
    fn wanted(&self, state: &State, thread: usize) -> Option<(usize, bool, usize)> {
        let n = self.next(state, thread).filter(|_| self.is_begun(state, thread))?;
        match self.run.steps[n].what {
            What::Lock { lock, shared, tried: false } | What::Stuck { lock, shared, .. } => {
                Some((lock, shared, n))
            }
            What::Back { lock, .. } => Some((lock, false, n)),
            _ => None,
        }
    }

    /// Adds the cycles of a state.
    fn blocked(&self, state: &State, found: &mut BTreeSet<Vec<Wait>>) {
        let holders = self.holders(state);
        for first in 0..self.run.n_threads {
            self.follow(state, &holders, &mut vec![first], &mut Vec::new(), found);
        }
    }

    fn follow(
        &self,
        state: &State,
        holders: &[Vec<(usize, bool)>; N_LOCKS],
        threads: &mut Vec<usize>,
        waits: &mut Vec<Wait>,
        found: &mut BTreeSet<Vec<Wait>>,
    ) {
        let last = threads[threads.len() - 1];
        let Some((lock, shared, step)) = self.wanted(state, last) else { return };
        waits.push((last, lock, step));
        for &(holder, reads) in &holders[lock] {
            if holder == last || shared && reads {
                continue;
            }
            if holder == threads[0] {
                found.insert(turned(waits));
            } else if !threads.contains(&holder) {
                threads.push(holder);
                self.follow(state, holders, threads, waits, found);
                threads.pop();
            }
        }
        waits.pop();
    }
}

/// The same cycle from its least step on.
fn turned(waits: &[Wait]) -> Vec<Wait> {
    let least = (0..waits.len()).min_by_key(|&n| waits[n].2).unwrap_or(0);
    waits[least..].iter().chain(&waits[..least]).copied().collect()
}
