//! Enumeration in the order of a cost: every execution once, the cheap ones first.
//!
//! In: runs. Out: plans, each a prefix of an earlier run with its last choice changed; after the
//! prefix the engine takes what costs nothing. An execution is the outcome of exactly one plan:
//! the one whose prefix ends where the execution last leaves the engine's default. So with
//!
//! - C1: what the default takes costs nothing,
//! - C2: a choice changed at a point behind the prefix of a run costs what it costs there,
//!
//! an execution of cost c is produced while the bound is c, and nothing is produced twice.
//! With preemptions as the cost this is iterative context bounding (ICB; Musuvathi and Qadeer,
//! PLDI 2007, Algorithm 1), without its table of states unless the cache is on. Free choices are
//! all explored at every bound.
//!
//! Plans are handed out in windows of fixed size: the next window is made when all runs of the
//! last one are learned. What is in it therefore does not depend on who executes what when.
//!
//! The cache holds what was taken in which state (K1). A run that takes what was taken before in
//! that state is cut there (K2): whatever comes after depends on the state and on
//! the thread that was chosen only, and was reached at no higher cost the first time. Its other
//! alternatives at that point are looked at all the same (K3), since what they cost depends on
//! the thread that ran before. Plans for a higher bound are looked up when their time has come.

mod sound;

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use crate::backlog::{Backlog, decode, encode, length};
use crate::cache::{Cache, key};
use crate::cost::Cost;
use crate::engine::Watch;
use crate::part::Part;
use crate::plan::{Observe, Plan};
use crate::policy::Policy;
use crate::run::{FailureKind, Outcome, Run};
use crate::strategy::{Next, PlanId, Strategy};

/// How many plans are under way at most.
const WINDOW: usize = 64;

/// Enumerates executions in the order of a cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bounded {
    cost: Cost,
    bound: u32,
    bound_max: Option<u32>,
    depth: Option<Depth>,
    /// What waits at this bound, at the next one, and so on.
    levels: VecDeque<Backlog>,
    /// The encoded prefixes of the plans that are not learned.
    window: VecDeque<Vec<u8>>,
    /// How many plans of the window were handed out.
    n_out: usize,
    n_learned: u64,
    /// Whether something was left out because it costs too much.
    left_out: bool,
    cache: Option<Cache>,
    part: Option<Part>,
}

/// Runs are cut after so many points.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Depth {
    n_points: u32,
    /// How many there were in the first round.
    n_points_first: u32,
    /// How many more there are in the next round; 0 if there is none.
    step: u32,
    /// Whether a run was cut in this round.
    cut: bool,
}

impl Bounded {
    /// Iterative context bounding, up to a number of preemptions.
    pub fn icb(bound_max: Option<u32>) -> Bounded {
        Bounded::new(Cost::Preemptions, bound_max)
    }

    /// Delay bounding, up to a number of delays.
    pub fn delay(bound_max: Option<u32>) -> Bounded {
        Bounded::new(Cost::Delays, bound_max)
    }

    /// Depth-first search of everything.
    pub fn dfs() -> Bounded {
        Bounded::new(Cost::Nothing, None)
    }

    /// Depth-first search of the first `n_points` points of every run.
    pub fn depth(n_points: u32) -> Bounded {
        Bounded::iterative_depth(n_points, 0)
    }

    /// Depth-first search that starts again `step` points deeper, until no run is cut.
    pub fn iterative_depth(n_points: u32, step: u32) -> Bounded {
        let depth = Some(Depth { n_points, n_points_first: n_points, step, cut: false });
        Bounded { depth, ..Bounded::new(Cost::Nothing, None) }
    }

    /// The same with a cache of states; the engine has to give fingerprints. There is none under
    /// a depth, which is no part of a state.
    pub fn cached(self) -> Bounded {
        let cache = self.depth.is_none().then(Cache::default);
        Bounded { cache, ..self }
    }

    /// One of several parts of the same search. What costs nothing is in every part; every other
    /// execution is in one of them. A bound is complete when it is complete in all parts. None if
    /// nothing costs anything or there is no such part.
    pub fn split(self, part: u32, n_parts: u32) -> Option<Bounded> {
        let part = Part::new(part, n_parts).filter(|_| self.cost != Cost::Nothing)?;
        Some(Bounded { part: Some(part), ..self })
    }

    fn new(cost: Cost, bound_max: Option<u32>) -> Bounded {
        Bounded {
            cost,
            bound: 0,
            bound_max,
            depth: None,
            levels: VecDeque::new(),
            window: VecDeque::from([Vec::new()]),
            n_out: 0,
            n_learned: 0,
            left_out: false,
            cache: None,
            part: None,
        }
    }

    fn plan(&self, prefix: &[u8]) -> Plan {
        Plan {
            prefix: decode(prefix),
            policy: Policy::Continue,
            n_points_max: self.depth.map(|depth| depth.n_points),
            observe: Observe { fingerprints: self.cache.is_some(), ..Observe::default() },
            unwatched: false,
            counts_preemptions: self.cost != Cost::Nothing,
            defers_preemptions: self.cost != Cost::Nothing,
        }
    }

    /// Makes the next window; it stays empty if nothing is left.
    fn refill(&mut self) {
        loop {
            while self.window.len() < WINDOW {
                let Some((prefix, key)) = self.levels.front_mut().and_then(Backlog::pop) else {
                    break;
                };
                if self.cache.is_none() || key.is_none_or(|key| self.is_new(key)) {
                    self.window.push_back(prefix);
                }
            }
            if !self.window.is_empty() || !self.raise() {
                return;
            }
        }
    }

    /// Goes on to the next bound; false if there is none.
    fn raise(&mut self) -> bool {
        if let Some(depth) = self.depth.as_mut().filter(|depth| depth.cut && depth.step > 0) {
            depth.n_points = depth.n_points.saturating_add(depth.step);
            depth.cut = false;
            self.window.push_back(Vec::new());
            return true;
        }
        if self.levels.len() < 2 {
            return false;
        }
        self.levels.pop_front();
        self.bound += 1;
        true
    }

    /// Adds what a run opened behind its prefix; answers with where it is cut, if it is.
    fn open(&mut self, run: &Run, prefix: Vec<u8>) -> Option<usize> {
        let n_prefix = length(&prefix);
        let mut path = prefix;
        // A livelock can be a cycle of the run itself, which is no reason to cut it.
        let is_livelock = run.outcome.is_failure(FailureKind::Livelock);
        let mut own = is_livelock.then(FxHashSet::default);
        for point in n_prefix..run.points().len() {
            let taken = run.taken(point);
            self.open_point(run, point, &path);
            if self.cache.is_some() {
                let key = key(run, point, taken);
                let is_own = own.as_mut().is_some_and(|own| !own.insert(key));
                if !self.is_new(key) && !is_own {
                    return Some(point + 1); // K2
                }
            }
            encode(taken, &mut path);
        }
        None
    }

    fn open_point(&mut self, run: &Run, point: usize, path: &[u8]) {
        let taken = run.points()[point].taken as usize;
        let alternatives = run.alternatives(point);
        for (index, &choice) in alternatives.iter().enumerate().filter(|&(i, _)| i != taken) {
            let cost = self.cost.of(run, point, index);
            let begins = self.bound == 0 && cost > 0;
            if begins && self.part.as_mut().is_some_and(|part| !part.has_next()) {
                continue;
            }
            if self.bound_max.is_some_and(|most| self.bound + cost > most) {
                self.left_out = true;
                continue;
            }
            let key = self.cache.as_ref().map(|cache| (cache, key(run, point, choice)));
            if key.is_some_and(|(cache, key)| cache.contains(key)) {
                continue;
            }
            let key = key.map(|(_, key)| key);
            while self.levels.len() <= cost as usize {
                self.levels.push_back(Backlog::default());
            }
            let level = &mut self.levels[cost as usize];
            level.push(self.n_learned, path, path.len(), choice);
            if let Some(key) = key {
                level.key(key);
            }
        }
    }

    fn is_new(&self, key: u128) -> bool {
        self.cache.as_ref().is_none_or(|cache| cache.insert(key))
    }
}

impl Strategy for Bounded {
    fn next(&mut self) -> Next {
        if self.window.is_empty() {
            self.refill();
        }
        let Some(prefix) = self.window.get(self.n_out) else {
            return if self.window.is_empty() { Next::Done } else { Next::Pending };
        };
        let plan = self.plan(prefix);
        let id = PlanId(self.n_learned + self.n_out as u64);
        self.n_out += 1;
        Next::Ready(id, plan)
    }

    fn learn(&mut self, id: PlanId, run: &mut Run) {
        assert_eq!(id.0, self.n_learned, "runs are learned in the order of their plans");
        let prefix = self.window.pop_front().expect("a plan was handed out before it is learned");
        self.n_out -= 1;
        if let Some(depth) = &mut self.depth {
            depth.cut |= run.outcome == Outcome::Cut;
        }
        if let Some(known) = self.open(run, prefix) {
            run.truncate(known);
            // An engine that knew it in time did not do what was taken last.
            run.races.retain(|race| (race.point as usize) + 1 < known);
            run.misuses.retain(|misuse| (misuse.point as usize) + 1 < known);
            run.outcome = Outcome::Known;
        }
        self.n_learned += 1;
    }

    fn watch(&self) -> Arc<dyn Watch> {
        self.cache.as_ref().map_or_else(|| Arc::new(()) as Arc<dyn Watch>, Cache::watch)
    }

    fn restart(&mut self) {
        self.bound = 0;
        self.levels.clear();
        self.window = VecDeque::from([Vec::new()]);
        self.n_out = 0;
        self.left_out = false;
        if let Some(depth) = &mut self.depth {
            depth.n_points = depth.n_points_first;
            depth.cut = false;
        }
        if let Some(part) = &mut self.part {
            part.restart();
        }
        if let Some(cache) = &self.cache {
            cache.clear();
        }
    }

    fn rewind(&mut self) {
        self.n_out = 0;
    }

    fn bound(&self) -> Option<u32> {
        match (self.cost, self.depth) {
            (_, Some(depth)) => Some(depth.n_points),
            (Cost::Nothing, None) => None,
            _ => Some(self.bound),
        }
    }

    fn is_exhausted(&self) -> bool {
        let cut = self.depth.is_some_and(|depth| depth.cut);
        let waits = !self.window.is_empty() || self.levels.iter().any(|level| !level.is_empty());
        !waits && !self.left_out && !cut && self.part.is_none()
    }

    fn memory(&self) -> usize {
        let waiting: usize = self.levels.iter().map(Backlog::memory).sum();
        waiting + self.cache.as_ref().map_or(0, Cache::memory)
    }
}
