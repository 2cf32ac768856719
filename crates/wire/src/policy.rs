//! Policies: who decides when the prefix of a plan is used up.
//!
//! A policy is plain data: a host makes it, and the runtime in a program acts on it. [`Chooser`] is
//! the one implementation, so that a seed means the same everywhere.
//!
//! - Probabilistic concurrency testing (PCT): Burckhardt et al., ASPLOS 2010. Threads have random
//!   priorities; at d-1 random points the running thread falls below all others. A thread that
//!   gives method falls, too, or a spin loop would never end.
//! - Partial-order sampling (POS): Yuan, Yang and Gu, CAV 2018. Operations have random priorities;
//!   what conflicts with the operation that was taken draws again.
//! - Selectively uniform random walk (SURW): `walk`.
//! - Race-directed testing: Sen, PLDI 2008 (`pause`). A thread that comes to an object is held back
//!   until another one comes to it, too; then either goes first.
//! - Ranks: `ranked`. Nothing is drawn: who is preempted where, and who goes on then, is given.
//! - Sleep sets: Godefroid, LNCS 1032. A thread that sleeps was tried in this place by an earlier
//!   run; it is left out until something happens that its operation conflicts with.

mod pause;
mod ranked;
mod record;
mod walk;

use alloc::vec::Vec;

use crate::operation::{Operation, of_thread};
use pause::Pause;
use ranked::Ranked;
pub use record::PolicyRecord;
use walk::Walk;

/// Who decides when the prefix of a plan is used up.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Policy {
    /// The current thread goes on as long as it can: no preemption.
    #[default]
    Continue,
    /// Every choice is equally likely.
    Random {
        /// Where the random numbers begin.
        seed: u64,
    },
    /// Probabilistic concurrency testing.
    Pct {
        /// Where the random numbers begin.
        seed: u64,
        /// The depth of the bugs looked for: one more than the priority changes.
        depth: u32,
        /// How many points a run is expected to have.
        n_points: u32,
    },
    /// Partial-order sampling; operations have to be known.
    Pos {
        /// Where the random numbers begin.
        seed: u64,
    },
    /// A random walk that is uniform over the orders of some operations; if they are those on one
    /// object, operations have to be known.
    Walk {
        /// Where the random numbers begin.
        seed: u64,
        /// The object whose operations count; if there is none, all do.
        target: Option<u64>,
        /// How many operations that count each thread is expected to do.
        n_steps: Vec<u32>,
        /// Who is expected to create each thread.
        creators: Vec<Option<u32>>,
        /// How many points a run is expected to have.
        n_points: u32,
    },
    /// A random walk that holds threads back before what they do to an object, until another one
    /// is about to do something there that conflicts; operations have to be known.
    Pause {
        /// Where the random numbers begin.
        seed: u64,
        /// The object.
        target: u64,
    },
    /// As `Continue`, but who goes on when a thread cannot is the first one in an order; operations
    /// have to be known.
    Ranked {
        /// Threads, the first one first; those that are missing come behind them.
        order: Vec<u32>,
        /// Who falls behind all others before which step: the thread, the number of the thing that
        /// it is about among those that the thread uses, and how often it has used that before.
        falls: Vec<[u32; 3]>,
    },
    /// As `Continue`, without the threads that sleep; operations have to be known. When all threads
    /// that can be chosen sleep, the run ends.
    Awake {
        /// Who sleeps when the prefix is used up: ascending.
        asleep: Vec<u32>,
    },
}

impl Policy {
    /// Whether it looks at what threads are about to do.
    pub fn needs_operations(&self) -> bool {
        match self {
            Policy::Continue | Policy::Random { .. } | Policy::Pct { .. } => false,
            Policy::Walk { target, .. } => target.is_some(),
            Policy::Pos { .. }
            | Policy::Pause { .. }
            | Policy::Ranked { .. }
            | Policy::Awake { .. } => true,
        }
    }

    /// Whether it is for executions that are enumerated: others are built upon them, and together they may claim to
    /// cover something.
    pub fn is_enumerated(&self) -> bool {
        match self {
            Policy::Continue | Policy::Awake { .. } => true,
            Policy::Random { .. }
            | Policy::Pct { .. }
            | Policy::Pos { .. }
            | Policy::Walk { .. }
            | Policy::Pause { .. }
            | Policy::Ranked { .. } => false,
        }
    }
}

/// What is open at a point.
pub trait Alternatives {
    /// How many choices there are: at least one.
    fn n(&self) -> usize;

    /// The thread that goes on by a choice; none at points that are about something else, where it
    /// is none for all choices.
    fn thread(&self, index: usize) -> Option<u32>;
}

/// Threads that can go on.
impl Alternatives for [u32] {
    fn n(&self) -> usize {
        self.len()
    }

    fn thread(&self, index: usize) -> Option<u32> {
        Some(self[index])
    }
}

/// What is to be decided at a point.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a, A: ?Sized> {
    /// The open choices.
    pub alternatives: &'a A,
    /// What threads are about to do, if it was noted.
    pub operations: &'a [Operation],
    /// The thread that ran.
    pub current: u32,
    /// Whether leaving the current thread would be a preemption.
    pub preemptible: bool,
    /// Which alternative does not preempt and is as good as any.
    pub default: usize,
}

/// What a chooser goes by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Method {
    Default,
    Awake,
    Any,
    Pct,
    Pos,
    Walk,
    Pause,
    Ranked,
}

/// Acts on a policy in one run.
#[derive(Clone, Debug)]
pub struct Chooser {
    method: Method,
    random: Random,
    /// Per thread: PCT's or POS's priority.
    weights: Vec<u64>,
    /// PCT: when priorities change, ascending, each with the new priority.
    changes: Vec<(u32, u64)>,
    n_points: u32,
    /// PCT: the priority of the next thread that gives method.
    lowest: u64,
    walk: Option<Walk>,
    pause: Pause,
    ranked: Ranked,
    /// Who sleeps.
    asleep: Vec<u32>,
}

/// PCT: priorities that threads begin with are above this, those they fall to below.
const HIGH: u64 = 1 << 62;
/// PCT: those of change points are above this, those of threads that gave method below.
const LOW: u64 = 1 << 61;

impl Chooser {
    /// One for a run that begins.
    pub fn new(policy: &Policy) -> Chooser {
        let mut chooser = Chooser {
            method: Method::Default,
            random: Random(0),
            weights: Vec::new(),
            changes: Vec::new(),
            n_points: 0,
            lowest: LOW,
            walk: None,
            pause: Pause::default(),
            ranked: Ranked::default(),
            asleep: Vec::new(),
        };
        chooser.begin(policy);
        chooser
    }

    /// Acts on another policy in a run that begins, with the memory that it has.
    pub fn begin(&mut self, policy: &Policy) {
        let (method, seed) = match *policy {
            Policy::Continue => (Method::Default, 0),
            Policy::Awake { .. } => (Method::Awake, 0),
            Policy::Random { seed } => (Method::Any, seed),
            Policy::Pct { seed, .. } => (Method::Pct, seed),
            Policy::Pos { seed } => (Method::Pos, seed),
            Policy::Walk { seed, .. } => (Method::Walk, seed),
            Policy::Pause { seed, .. } => (Method::Pause, seed),
            Policy::Ranked { .. } => (Method::Ranked, 0),
        };
        (self.method, self.random) = (method, Random(seed));
        self.weights.clear();
        self.changes.clear();
        (self.n_points, self.lowest) = (0, LOW);
        self.walk = None;
        self.asleep.clear();
        match *policy {
            Policy::Pct { depth, n_points, .. } => {
                let random = &mut self.random;
                let mut draw = |rank| (random.below(u64::from(n_points)) as u32, LOW + rank);
                self.changes.extend((1..u64::from(depth)).map(&mut draw));
                self.changes.sort_unstable();
            }
            Policy::Walk { target, ref n_steps, ref creators, n_points, .. } => {
                self.walk = Some(Walk::new(target, n_steps, creators, n_points));
            }
            Policy::Pause { target, .. } => self.pause = Pause::new(target),
            Policy::Ranked { ref order, ref falls } => self.ranked.begin(order, falls),
            Policy::Awake { ref asleep } => self.asleep.extend_from_slice(asleep),
            Policy::Continue | Policy::Random { .. } | Policy::Pos { .. } => {}
        }
    }

    /// Which alternative is taken; none if the run has to end here.
    #[inline]
    pub fn choose<A: Alternatives + ?Sized>(&mut self, scene: &Scene<'_, A>) -> Option<usize> {
        match self.method {
            Method::Default => Some(scene.default),
            Method::Awake => self.awake(scene),
            Method::Ranked if scene.alternatives.thread(0).is_none() => Some(scene.default),
            Method::Ranked => Some(self.ranked.choose(scene)),
            _ => Some(self.decide(scene)),
        }
    }

    /// Whether it takes the default of a scene, and need not hear of it. `goes_on` is the thread of that,
    /// if it is alone or would have to be preempted.
    #[inline]
    pub fn takes_default(&self, goes_on: Option<u32>) -> bool {
        match self.method {
            Method::Default => true,
            Method::Ranked => goes_on.is_some_and(|thread| !self.ranked.has_fall(thread)),
            _ => false,
        }
    }

    /// Which of so many alternatives is taken by a policy to which all are alike: what `choose`
    /// takes by [`Policy::Random`].
    #[inline]
    pub fn draw(&mut self, n: usize) -> usize {
        if n == 1 { 0 } else { self.random.below(n as u64) as usize }
    }

    fn decide<A: Alternatives + ?Sized>(&mut self, scene: &Scene<'_, A>) -> usize {
        let at = self.n_points;
        self.n_points += 1;
        let n = scene.alternatives.n();
        if self.method == Method::Any {
            return self.draw(n);
        }
        if scene.alternatives.thread(0).is_none() {
            return self.random.below(n as u64) as usize;
        }
        match (self.method, &mut self.walk) {
            (Method::Pct, _) => self.pct(scene, at),
            (Method::Pos, _) => self.pos(scene),
            (Method::Pause, _) => self.pause.choose(scene, &mut self.random),
            (Method::Walk, Some(walk)) => walk.choose(scene, &mut self.random),
            (Method::Walk, None)
            | (Method::Any | Method::Default | Method::Awake | Method::Ranked, _) => {
                self.random.below(n as u64) as usize
            }
        }
    }

    /// The default or, if it sleeps, the next one that does not.
    fn awake(&mut self, scene: &Scene<'_, impl Alternatives + ?Sized>) -> Option<usize> {
        if scene.alternatives.thread(scene.default).is_none() {
            return Some(scene.default);
        }
        let mut in_turn = (scene.default..scene.alternatives.n()).chain(0..scene.default);
        let sleeps = |index: &usize| self.asleep.contains(&(thread_of(scene, *index) as u32));
        let chosen = in_turn.find(|index| !sleeps(index))?;
        stay_asleep(&mut self.asleep, thread_of(scene, chosen) as u32, scene.operations);
        Some(chosen)
    }

    fn pct(&mut self, scene: &Scene<'_, impl Alternatives + ?Sized>, at: u32) -> usize {
        self.draw_new(scene, HIGH);
        let current = scene.current as usize;
        for &(point, priority) in &self.changes {
            if point == at && current < self.weights.len() {
                self.weights[current] = priority;
            }
        }
        let chosen = self.heaviest(scene);
        let gives_way = !scene.preemptible && scene.alternatives.n() > 1;
        if gives_way && thread_of(scene, chosen) == current {
            self.lowest -= 1;
            self.weights[current] = self.lowest;
            return self.heaviest(scene);
        }
        chosen
    }

    fn pos(&mut self, scene: &Scene<'_, impl Alternatives + ?Sized>) -> usize {
        self.draw_new(scene, 1);
        let chosen = self.heaviest(scene);
        let thread = thread_of(scene, chosen);
        let taken = of_thread(scene.operations, thread as u32);
        for other in scene.operations {
            // Who is set aside has operations, and no weight before it is offered.
            let weight = self.weights.get_mut(other.thread as usize);
            if let Some(weight) = weight.filter(|_| taken.clone().any(|it| it.conflicts(other))) {
                *weight = 0;
            }
        }
        self.weights[thread] = 0;
        chosen
    }

    /// Draws for the threads that have no weight; in order of threads, whichever is chosen.
    fn draw_new(&mut self, scene: &Scene<'_, impl Alternatives + ?Sized>, least: u64) {
        for index in 0..scene.alternatives.n() {
            let thread = thread_of(scene, index);
            if self.weights.len() <= thread {
                self.weights.resize(thread + 1, 0);
            }
            if self.weights[thread] == 0 {
                self.weights[thread] = least + self.random.below(HIGH);
            }
        }
    }

    fn heaviest(&self, scene: &Scene<'_, impl Alternatives + ?Sized>) -> usize {
        let weight = |&index: &usize| self.weights[thread_of(scene, index)];
        (0..scene.alternatives.n()).max_by_key(weight).unwrap_or(0)
    }
}

/// A thread goes on: who sleeps is woken if its operation conflicts, or is not known.
pub fn stay_asleep(asleep: &mut Vec<u32>, thread: u32, operations: &[Operation]) {
    let taken = of_thread(operations, thread);
    asleep.retain(|&sleeper| {
        let mut pending = of_thread(operations, sleeper).peekable();
        let conflicts = |other: &Operation| taken.clone().any(|taken| taken.conflicts(other));
        sleeper != thread && pending.peek().is_some() && !pending.any(conflicts)
    });
}

fn thread_of(scene: &Scene<'_, impl Alternatives + ?Sized>, index: usize) -> usize {
    // At a point about something else than threads there is nothing to ask.
    scene.alternatives.thread(index).unwrap_or(0) as usize
}

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): its numbers are part of what a seed means, so
/// they must not change with the version of a library.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// The next number.
    #[inline]
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `limit`, or 0 if that is 0.
    #[inline]
    pub fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.word()) * u128::from(limit)) >> 64) as u64
    }
}
