//! Policies: who decides when the prefix of a plan is used up.
//!
//! A policy is plain data, so that an engine in another process can act on it. How to act on it is
//! in `raddle_wire`, which such an engine has, too; [`Chooser`] is what engines in this process use.

use raddle_finding::Choice;
use raddle_wire::policy::{self as acting, Alternatives, NO_THREAD};
use serde::{Deserialize, Serialize};

use crate::run::Operation;

/// Who decides when the prefix of a plan is used up.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[non_exhaustive]
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
    /// Partial-order sampling; the engine has to note operations.
    Pos {
        /// Where the random numbers begin.
        seed: u64,
    },
    /// A random walk that is uniform over the orders of some operations; if they are those on one
    /// object, the engine has to note operations.
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
    /// is about to do something there that conflicts; the engine has to note operations.
    Pause {
        /// Where the random numbers begin.
        seed: u64,
        /// The object.
        target: u64,
    },
    /// As `Continue`, but who goes on when a thread cannot is the first one in an order; the engine has
    /// to note operations.
    Ranked {
        /// Threads, the first one first; those that are missing come behind them.
        order: Vec<u32>,
        /// Who falls behind all others before which step: the thread, the number of the thing that
        /// it is about among those that the thread uses, and how often it has used that before.
        falls: Vec<[u32; 3]>,
    },
    /// As `Continue`, without the threads that sleep; the engine has to note operations. When
    /// all threads that can be chosen sleep, the run ends as [`Outcome::Known`], with what the others
    /// wanted to do.
    ///
    /// [`Outcome::Known`]: crate::Outcome::Known
    Awake {
        /// Who sleeps when the prefix is used up: ascending.
        asleep: Vec<u32>,
    },
}

impl Policy {
    /// Lends it to the code that acts on it. `room` is room for what has another form there.
    pub fn lend<'a>(&'a self, room: &'a mut Vec<u32>) -> acting::Policy<'a> {
        match *self {
            Policy::Continue => acting::Policy::Continue,
            Policy::Random { seed } => acting::Policy::Random { seed },
            Policy::Pct { seed, depth, n_points } => acting::Policy::Pct { seed, depth, n_points },
            Policy::Pos { seed } => acting::Policy::Pos { seed },
            Policy::Walk { seed, target, ref n_steps, ref creators, n_points } => {
                room.clear();
                room.extend(creators.iter().map(|creator| creator.unwrap_or(NO_THREAD)));
                acting::Policy::Walk { seed, target, n_steps, creators: room, n_points }
            }
            Policy::Pause { seed, target } => acting::Policy::Pause { seed, target },
            Policy::Ranked { ref order, ref falls } => acting::Policy::Ranked { order, falls },
            Policy::Awake { ref asleep } => acting::Policy::Awake { asleep },
        }
    }
}

/// What is to be decided at a point.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// The open choices.
    pub alternatives: &'a [Choice],
    /// What threads are about to do, if it was noted.
    pub operations: &'a [Operation],
    /// The thread that ran.
    pub current: u32,
    /// Whether leaving the current thread would be a preemption.
    pub preemptible: bool,
    /// Which alternative does not preempt and is as good as any.
    pub default: usize,
}

/// Acts on a policy in one run.
#[derive(Clone, Debug)]
pub struct Chooser(acting::Chooser);

/// What is open, as who acts on policies sees it.
struct Open<'a>(&'a [Choice]);

impl Alternatives for Open<'_> {
    fn n(&self) -> usize {
        self.0.len()
    }

    fn thread(&self, index: usize) -> Option<u32> {
        match self.0[index] {
            Choice::Thread(thread) => Some(thread),
            _ => None,
        }
    }
}

impl Chooser {
    /// One for a run that begins.
    pub fn new(policy: &Policy) -> Chooser {
        Chooser(acting::Chooser::new(&policy.lend(&mut Vec::new())))
    }

    /// Acts on another policy in a run that begins, with the memory that it has.
    pub fn begin(&mut self, policy: &Policy) {
        self.0.begin(&policy.lend(&mut Vec::new()));
    }

    /// Which alternative is taken; none if the run has to end here.
    #[inline]
    pub fn choose(&mut self, scene: &Scene<'_>) -> Option<usize> {
        let Scene { alternatives, operations, current, preemptible, default } = *scene;
        let alternatives = &Open(alternatives);
        self.0.choose(&acting::Scene { alternatives, operations, current, preemptible, default })
    }

    /// Whether it takes the default of a scene, and need not hear of it. `goes_on` is the thread of that,
    /// if it is alone or would have to be preempted.
    #[inline]
    pub fn takes_default(&self, goes_on: Option<u32>) -> bool {
        self.0.takes_default(goes_on)
    }

    /// Which of so many alternatives [`Policy::Random`] takes; what `choose` would take.
    #[inline]
    pub fn draw(&mut self, n: usize) -> usize {
        self.0.draw(n)
    }
}
