//! Policies, for engines in this process. They are data, and how to act on them is in `raddle_wire`, so that an engine in
//! another process has both, too; [`Chooser`] is that for the choices of plans.

use raddle_finding::Choice;
pub use raddle_wire::policy::Policy;
use raddle_wire::policy::{self as acting, Alternatives};

use crate::run::Operation;

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
        Chooser(acting::Chooser::new(policy))
    }

    /// Acts on another policy in a run that begins, with the memory that it has.
    pub fn begin(&mut self, policy: &Policy) {
        self.0.begin(policy);
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
