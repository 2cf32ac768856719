//! Which control states of two threads can be reached together.
//!
//! In: one path through each of two threads. Out: for each pair of positions whether locks, fork and
//! join, and wait and notify allow it. Values and all other threads are left out, so a pair that is
//! not reachable here is not reachable at all.
//!
//! - T1: a lock that the other one holds is not taken (two that share it may).
//! - T2: a thread moves only when those that forked it, directly or not, are past that.
//! - T3: behind a join, the joined thread is at its end; so are those that it, or the one that
//!   forked the thread, had joined.
//! - T4: a wait that was ended by a notify needs one that has happened, if only the other thread
//!   has any. The same goes for finding that a section that happens once has happened.
//! - T5: a semaphore that is lowered needs as many posts of the other thread as there are too few
//!   without.
//! - T6: at a barrier that only as many threads use as it waits for, all have arrived as often as
//!   the one that goes on.

mod needs;

use rustc_hash::{FxHashMap, FxHashSet};

use self::needs::needs;
use crate::ctp::{Action, BarrierId, CondId, Ctp, LockId, SemaphoreId, StateId, ThreadId};

/// What fork and join say about each thread, and who notifies.
#[derive(Debug)]
pub struct Lineage {
    /// The states that must be passed before a thread exists, innermost first.
    started_by: Vec<Vec<StateId>>,
    /// The threads that have ended when a state is reached.
    ended: Vec<FxHashSet<ThreadId>>,
    notifiers: FxHashMap<CondId, FxHashSet<ThreadId>>,
    /// Who gives a lock back.
    releasers: FxHashMap<LockId, FxHashSet<ThreadId>>,
    /// How many posts of each semaphore each thread has, on all its paths.
    posts: FxHashMap<(SemaphoreId, ThreadId), u32>,
    /// Who arrives at a barrier.
    parties: FxHashMap<BarrierId, FxHashSet<ThreadId>>,
}

impl Lineage {
    /// That of a CTP.
    pub fn new(ctp: &Ctp) -> Lineage {
        let n_states = ctp.states.len();
        let mut lineage = Lineage {
            started_by: vec![Vec::new(); ctp.threads.len()],
            ended: vec![FxHashSet::default(); n_states],
            notifiers: FxHashMap::default(),
            releasers: FxHashMap::default(),
            posts: FxHashMap::default(),
            parties: FxHashMap::default(),
        };
        for id in ctp.state_ids() {
            for child in &ctp.step(id).forks {
                lineage.started_by[child.0 as usize].push(id);
            }
            lineage.note(ctp.state(id).thread, ctp.step(id).action);
        }
        // What a forked thread inherits may come from states with higher numbers.
        for _ in 0..ctp.threads.len() {
            ctp.state_ids().for_each(|id| lineage.settle(ctp, id));
        }
        lineage
    }

    /// The states after which a thread exists; none if it does from the start. Merged traces may
    /// fork it at several places.
    pub fn forks(&self, thread: ThreadId) -> &[StateId] {
        &self.started_by[thread.0 as usize]
    }

    fn note(&mut self, thread: ThreadId, action: Action) {
        match action {
            Action::Notify { cond, .. } => {
                self.notifiers.entry(cond).or_default().insert(thread);
            }
            Action::Release { lock, .. } => {
                self.releasers.entry(lock).or_default().insert(thread);
            }
            Action::Post { semaphore } => *self.posts.entry((semaphore, thread)).or_default() += 1,
            Action::Arrive { barrier, .. } => {
                self.parties.entry(barrier).or_default().insert(thread);
            }
            _ => {}
        }
    }

    fn settle(&mut self, ctp: &Ctp, id: StateId) {
        let state = ctp.state(id);
        let mut ended = match state.parent {
            Some(parent) => self.ended[parent.0 as usize].clone(),
            // Forked at one place, it knows what was known there.
            None => match self.forks(state.thread) {
                [fork] => self.ended[fork.0 as usize].clone(),
                _ => FxHashSet::default(),
            },
        };
        for &joined in &state.step.joins {
            ended.insert(joined);
            if let [path] = &ctp.paths(joined)[..] {
                let last = path[path.len() - 1];
                ended.extend(&self.ended[last.0 as usize]);
            }
        }
        self.ended[id.0 as usize] = ended;
    }
}

/// One path through a thread, with what holds at each of its positions.
#[derive(Debug)]
pub struct Path {
    /// The thread.
    pub thread: ThreadId,
    /// Its states; the step at position `p` leads to the state at `p + 1`.
    pub states: Vec<StateId>,
    held: Vec<Vec<(LockId, bool)>>,
}

impl Path {
    /// A path through a thread.
    pub fn new(ctp: &Ctp, states: Vec<StateId>) -> Path {
        let mut held: Vec<Vec<(LockId, bool)>> = vec![Vec::new()];
        for &id in &states[1..] {
            let mut now = held[held.len() - 1].clone();
            match ctp.step(id).action {
                Action::Acquire { lock, shared, .. } => now.push((lock, shared)),
                Action::Release { lock, shared, .. } => {
                    if let Some(at) = now.iter().rposition(|&held| held == (lock, shared)) {
                        now.remove(at);
                    }
                }
                _ => {}
            }
            held.push(now);
        }
        Path { thread: ctp.state(states[0]).thread, states, held }
    }

    /// How many steps it has.
    pub fn n_steps(&self) -> usize {
        self.states.len() - 1
    }

    /// The action of the step at a position.
    pub fn action(&self, ctp: &Ctp, position: usize) -> Action {
        ctp.step(self.states[position + 1]).action
    }
}

/// The pairs of positions of two paths that can be reached together.
#[derive(Debug)]
pub struct Together {
    n_columns: usize,
    reached: Vec<bool>,
    /// How many steps in a row each side can take from a pair while the other one rests.
    runs: [Vec<u32>; 2],
}

impl Together {
    /// The reachable pairs of two paths.
    pub fn new(ctp: &Ctp, lineage: &Lineage, paths: [&Path; 2]) -> Together {
        let [m, n] = paths.map(Path::n_steps);
        let n_columns = n + 1;
        let n_cells = (m + 1) * n_columns;
        let needs = [0, 1].map(|side| needs(ctp, lineage, paths, side));
        let mut grid = Together {
            n_columns,
            reached: vec![false; n_cells],
            runs: [vec![0; n_cells], vec![0; n_cells]],
        };
        let can = |side: usize, p: usize, q: usize| {
            let (at, rest) = if side == 0 { (p, q) } else { (q, p) };
            at < paths[side].n_steps()
                && needs[side][at] <= rest
                && is_free(ctp, paths[side], at, &paths[1 - side].held[rest])
        };
        grid.reached[0] = true;
        for p in 0..=m {
            for q in 0..=n {
                if grid.reached[p * n_columns + q] {
                    if can(0, p, q) {
                        grid.reached[(p + 1) * n_columns + q] = true;
                    }
                    if can(1, p, q) {
                        grid.reached[p * n_columns + q + 1] = true;
                    }
                }
            }
        }
        for p in (0..=m).rev() {
            for q in (0..=n).rev() {
                let at = p * n_columns + q;
                if can(0, p, q) {
                    grid.runs[0][at] = 1 + grid.runs[0][at + n_columns];
                }
                if can(1, p, q) {
                    grid.runs[1][at] = 1 + grid.runs[1][at + 1];
                }
            }
        }
        grid
    }

    /// Whether the pair can be reached.
    pub fn is_reachable(&self, p: usize, q: usize) -> bool {
        self.reached[p * self.n_columns + q]
    }

    /// How many steps in a row the first (0) or second (1) can take from a pair, the other at rest.
    pub fn run(&self, side: usize, p: usize, q: usize) -> usize {
        self.runs[side][p * self.n_columns + q] as usize
    }
}

/// T1.
fn is_free(ctp: &Ctp, path: &Path, at: usize, others: &[(LockId, bool)]) -> bool {
    match path.action(ctp, at) {
        Action::Acquire { lock, shared, .. } => {
            !others.iter().any(|&(held, too)| held == lock && !(shared && too))
        }
        _ => true,
    }
}
