//! Engines: what executes a program.

use raddle_finding::{Choice, ProgramId};

use crate::plan::Plan;
use crate::run::{Failure, Race, Run};

/// Executes one program, one whole run at a time. Knows nothing about search.
pub trait Engine {
    /// Executes one run and describes it; what `run` held before is dropped, its memory is used
    /// again. Behind the prefix of the plan it may end a run, as [`Outcome::Known`], when `watch`
    /// knows what was taken at its last point.
    ///
    /// [`Outcome::Known`]: crate::Outcome::Known
    fn run(&mut self, plan: &Plan, watch: &dyn Watch, run: &mut Run) -> Result<(), EngineError>;

    /// Lends a run to write into: an empty one, which may have the memory of others.
    fn lend(&mut self) -> Run {
        Run::new()
    }

    /// Takes back a run that it has lent, for its memory.
    fn take_back(&mut self, run: Run) {
        drop(run);
    }

    /// Announces which plans will come next, in order, so that an engine in another process can begin with them.
    fn announce(&mut self, plans: &mut dyn Iterator<Item = &Plan>) {
        let _ = plans;
    }

    /// Of how many plans it wants to know in advance.
    fn ahead(&self) -> usize {
        1
    }

    /// The program that is executed.
    fn program(&self) -> ProgramId;

    /// A race of a run, as a failure that reports can show.
    fn race(&self, race: &Race) -> Failure;

    /// Whether a race can be one of this program: one that was saved may be about another.
    fn knows(&self, race: &Race) -> bool {
        let _ = race;
        true
    }

    /// Makes points of the accesses that race. Answers whether it has more points than before:
    /// then plans made before are void.
    fn promote(&mut self, races: &[Race]) -> bool;

    /// Ends runs from here on where the program does something that it must not, though it could go on: so that what it
    /// did is how such a run ends.
    fn end_at_misuse(&mut self) {}

    /// Whether its fingerprints were too coarse, as runs have shown since: states may have been taken for equal that
    /// are not, and what was covered is void.
    fn is_coarse(&self) -> bool {
        false
    }

    /// Makes fingerprints finer, so that they are not too coarse any more.
    fn refine(&mut self) {}
}

/// Knows where runs have been.
pub trait Watch: Send + Sync {
    /// What stands for the last point of a run and what was taken there; none if nothing has to
    /// be looked up.
    fn key(&self, run: &Run) -> Option<u128>;

    /// Whether an earlier run was there and took the same.
    fn is_known(&self, key: u128) -> bool;
}

/// Knows nothing.
impl Watch for () {
    fn key(&self, _: &Run) -> Option<u128> {
        None
    }

    fn is_known(&self, _: u128) -> bool {
        false
    }
}

/// Watches one run for states where earlier runs or this one itself have been: a run that comes
/// back to its own state would repeat that cycle forever.
pub struct Patrol<'a> {
    watch: &'a dyn Watch,
    /// A key of this run, and after how many more another one takes its place (Brent's
    /// algorithm for finding cycles).
    mark: Option<u128>,
    left: u32,
    length: u32,
    /// Whether the run may go through a cycle once more.
    once_more: bool,
}

impl<'a> Patrol<'a> {
    /// For a run that begins.
    pub fn new(watch: &'a dyn Watch) -> Patrol<'a> {
        Patrol { watch, mark: None, left: 1, length: 1, once_more: false }
    }

    /// Lets the run go through its next cycle once more: what its threads do there decides how it ends.
    pub fn allow_cycle(&mut self) {
        self.once_more = true;
    }

    /// Whether the run comes to where runs have been; to be asked once per point behind the
    /// prefix of a plan, after something was taken.
    pub fn is_known(&mut self, run: &Run) -> bool {
        let Some(key) = self.watch.key(run) else { return false };
        let comes_again = self.mark == Some(key) && !std::mem::take(&mut self.once_more);
        if comes_again || self.watch.is_known(key) {
            return true;
        }
        self.left -= 1;
        if self.left == 0 {
            self.mark = Some(key);
            self.length *= 2;
            self.left = self.length;
        }
        false
    }
}

/// A run could not be executed as planned.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// A choice of the prefix was not open: the program depends on something else than choices.
    #[error("choice {position} of the plan is {choice}, which is not possible in this run")]
    Diverged {
        /// Its position, from 0.
        position: usize,
        /// The choice.
        choice: Choice,
    },
    /// The program could not be executed at all.
    #[error("the program cannot be executed: {0}")]
    Broken(String),
    /// What was saved of a search does not fit the program.
    #[error("the saved search does not match the program")]
    Misfit,
}
