//! Runs: what an engine answers.
//!
//! A run is a sequence of points. At each of them some choices were open and one was taken. All
//! parts lie in flat vectors that are used again from run to run, so that a run costs no
//! allocation once they have grown.
//!
//! A choice *preempts* if the thread that ran could have gone on, did not give way (by a yield, a
//! sleep or by spinning) and another one is chosen. An input other than the first one offered costs as
//! much. Everything else is free.

mod endless;
mod outcome;
mod race;

use std::ops::Range;

use raddle_finding::{Choice, ProgramId, Schedule};
pub(crate) use raddle_wire::of_thread;
pub use raddle_wire::{Access, Operation};

pub use endless::Endless;
pub use outcome::{Misuse, Outcome};
pub use race::Race;
pub use raddle_finding::{Failure, FailureKind};
pub use raddle_happens::Touch;

/// What one run did.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Run {
    points: Vec<Point>,
    /// Per point, where its alternatives and its operations end.
    ends: Vec<(u32, u32)>,
    alternatives: Vec<Choice>,
    operations: Vec<Operation>,
    /// Of the state before each point and of the last state; empty if none were taken.
    pub fingerprints: Vec<u128>,
    /// The data races, if they were looked for, in the order of their points; none twice.
    pub races: Vec<Race>,
    /// What it did that it must not, and went on, in the order of their points.
    pub misuses: Vec<Misuse>,
    /// Loops that were taken for endless, since states could not be compared: conditions of what the run shows.
    pub endless: Vec<Endless>,
    /// What was not noted point by point.
    pub left_out: LeftOut,
    /// How it ended.
    pub outcome: Outcome,
}

/// What was counted at points that are not noted because they are not needed
/// ([`Observe::ends_only`](crate::Observe::ends_only)).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LeftOut {
    /// How many points there were.
    pub points: u32,
    /// How many threads there were.
    pub threads: u32,
    /// How many free switches away from threads that spin there were.
    pub spins: u32,
}

/// A point of a run: where something was decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Point {
    /// The thread that ran before it.
    pub current: u32,
    /// Whether choosing another thread than the current one is a preemption.
    pub preemptible: bool,
    /// Whether choosing another thread is free only because the current one spins.
    pub spinning: bool,
    /// Whether what was chosen is an operation that can block.
    pub blocking: bool,
    /// Which of the alternatives was taken.
    pub taken: u32,
    /// A hash of whatever else than state and current thread decides what is open from here on; 0
    /// if nothing does.
    pub history: u64,
}

impl Point {
    /// Whether a choice there preempts.
    #[inline]
    fn is_preempted_by(&self, choice: Choice) -> bool {
        self.preemptible && choice != Choice::Thread(self.current)
    }
}

impl Run {
    /// An empty one, to run into.
    pub fn new() -> Run {
        Run::default()
    }

    /// Drops everything but the memory.
    pub fn clear(&mut self) {
        self.truncate(0);
        self.fingerprints.clear();
        self.endless.clear();
        self.outcome = Outcome::Passed;
    }

    /// Makes room for so many points, each with a few choices, so that it need not grow bit by bit.
    pub fn reserve(&mut self, n_points: usize) {
        if self.points.capacity() < n_points {
            self.points.reserve(n_points);
            self.ends.reserve(n_points);
            self.alternatives.reserve(2 * n_points);
            self.operations.reserve(2 * n_points);
        }
    }

    /// Drops what is behind the first `n_points`.
    pub fn truncate(&mut self, n_points: usize) {
        self.points.truncate(n_points);
        self.ends.truncate(n_points);
        self.truncate_opened();
        self.fingerprints.truncate(n_points);
        self.races.retain(|race| (race.point as usize) < n_points);
        self.misuses.retain(|misuse| (misuse.point as usize) < n_points);
        self.left_out = LeftOut::default();
        self.outcome = Outcome::Passed;
    }

    /// Becomes the beginning of another run.
    pub fn copy_prefix(&mut self, from: &Run, n_points: usize) {
        self.clear();
        self.points.extend_from_slice(&from.points[..n_points]);
        self.ends.extend_from_slice(&from.ends[..n_points]);
        let (alternatives, operations) = self.last_ends();
        self.alternatives.extend_from_slice(&from.alternatives[..alternatives]);
        self.operations.extend_from_slice(&from.operations[..operations]);
        let n = n_points.min(from.fingerprints.len());
        self.fingerprints.extend_from_slice(&from.fingerprints[..n]);
        let races = from.races.iter().filter(|race| (race.point as usize) < n_points);
        self.races.extend(races);
        let misuses = from.misuses.iter().filter(|misuse| (misuse.point as usize) < n_points);
        self.misuses.extend(misuses.cloned());
    }

    /// Becomes another run that has the same first `n_points`, without how it ended.
    pub fn copy_behind(&mut self, from: &Run, n_points: usize) {
        self.truncate(n_points);
        self.points.extend_from_slice(&from.points[n_points..]);
        self.ends.extend_from_slice(&from.ends[n_points..]);
        let (alternatives, operations) = (self.alternatives.len(), self.operations.len());
        self.alternatives.extend_from_slice(&from.alternatives[alternatives..]);
        self.operations.extend_from_slice(&from.operations[operations..]);
        let n = self.fingerprints.len().min(from.fingerprints.len());
        self.fingerprints.extend_from_slice(&from.fingerprints[n..]);
        let races = from.races.iter().filter(|race| race.point as usize >= n_points);
        self.races.extend(races);
        let misuses = from.misuses.iter().filter(|misuse| misuse.point as usize >= n_points);
        self.misuses.extend(misuses.cloned());
        self.left_out = from.left_out;
    }

    /// Notes a choice that is open at the point that is being described.
    #[inline(always)]
    pub fn open(&mut self, choice: Choice) {
        self.alternatives.push(choice);
    }

    /// Notes an operation at the point that is being described.
    #[inline(always)]
    pub fn pending(&mut self, operation: Operation) {
        self.operations.push(operation);
    }

    /// The choices noted since the last point.
    #[inline(always)]
    pub fn opened(&self) -> &[Choice] {
        &self.alternatives[self.last_ends().0..]
    }

    /// The last so many choices that were noted.
    #[inline(always)]
    pub fn last_opened(&self, n: usize) -> &[Choice] {
        &self.alternatives[self.alternatives.len() - n..]
    }

    /// Forgets what was noted since the last point: the run ends here.
    #[inline]
    pub fn truncate_opened(&mut self) {
        let (alternatives, operations) = self.last_ends();
        self.alternatives.truncate(alternatives);
        self.operations.truncate(operations);
    }

    /// The operations noted since the last point; of a run that is over, what the threads that are
    /// left wanted to do.
    #[inline(always)]
    pub fn pendings(&self) -> &[Operation] {
        &self.operations[self.last_ends().1..]
    }

    /// Ends the description of a point; its choices and operations were noted before.
    #[inline(always)]
    pub fn push(&mut self, point: Point) {
        self.points.push(point);
        self.ends.push((self.alternatives.len() as u32, self.operations.len() as u32));
    }

    /// The thread that ran before these points spins at each of them: leaving it there is free. That shows only
    /// when it has come back to where it was.
    pub fn spins(&mut self, points: Range<usize>) {
        for point in &mut self.points[points] {
            point.spinning |= point.preemptible;
            point.preemptible = false;
        }
    }

    /// Leaving the thread before a point is as free as it is in another run, which has the same point.
    pub fn copy_flags(&mut self, from: &Run, point: usize) {
        let Point { preemptible, spinning, .. } = from.points[point];
        let at = &mut self.points[point];
        (at.preemptible, at.spinning) = (preemptible, spinning);
    }

    /// The points.
    #[inline]
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// What was open at a point.
    #[inline]
    pub fn alternatives(&self, point: usize) -> &[Choice] {
        let start = point.checked_sub(1).map_or(0, |before| self.ends[before].0);
        &self.alternatives[start as usize..self.ends[point].0 as usize]
    }

    /// What the threads were about to do at a point; empty if it was not asked for.
    #[inline]
    pub fn operations(&self, point: usize) -> &[Operation] {
        let start = point.checked_sub(1).map_or(0, |before| self.ends[before].1);
        &self.operations[start as usize..self.ends[point].1 as usize]
    }

    /// What was taken at a point.
    #[inline]
    pub fn taken(&self, point: usize) -> Choice {
        self.alternatives(point)[self.points[point].taken as usize]
    }

    /// What was taken, point by point.
    #[inline]
    pub fn choices(&self) -> impl Iterator<Item = Choice> + '_ {
        self.steps().map(|(_, taken)| taken)
    }

    /// The points, each with what was taken.
    #[inline]
    pub(crate) fn steps(&self) -> impl Iterator<Item = (&Point, Choice)> {
        let mut start = 0;
        self.points.iter().zip(&self.ends).map(move |(point, &(end, _))| {
            let taken = self.alternatives[start + point.taken as usize];
            start = end as usize;
            (point, taken)
        })
    }

    /// Point by point, what was open, what the threads were about to do, and what was taken.
    #[inline]
    pub(crate) fn each(&self) -> impl Iterator<Item = (&[Choice], &[Operation], Choice)> {
        let mut start = (0, 0);
        self.points.iter().zip(&self.ends).map(move |(point, &(alternatives, operations))| {
            let end = (alternatives as usize, operations as usize);
            let open = &self.alternatives[start.0..end.0];
            let pending = &self.operations[start.1..end.1];
            start = end;
            (open, pending, open[point.taken as usize])
        })
    }

    /// Whether a choice at a point preempts.
    #[inline]
    pub fn preempts(&self, point: usize, choice: Choice) -> bool {
        self.points[point].is_preempted_by(choice)
    }

    /// What a choice at a point costs in a search that is bounded: a preemption or an input other than the first one that
    /// is offered counts 1.
    #[inline]
    pub fn cost(&self, point: usize, choice: Choice) -> u32 {
        let is_other = matches!(choice, Choice::Value(_)) && choice != self.alternatives(point)[0];
        u32::from(is_other || self.preempts(point, choice))
    }

    /// Whether the choice at a point is a free switch away from a thread that spins.
    pub fn leaves_spin(&self, point: usize) -> bool {
        let at = self.points[point];
        at.spinning && self.taken(point) != Choice::Thread(at.current)
    }

    /// How many preemptions it has: c.
    pub fn n_preemptions(&self) -> u32 {
        let preempts = |(point, taken): &(&Point, Choice)| point.is_preempted_by(*taken);
        self.steps().filter(preempts).count() as u32
    }

    /// The schedule that repeats it.
    pub fn schedule(&self, program: ProgramId) -> Schedule {
        let mut schedule = Schedule::new(program);
        schedule.extend(self.choices());
        schedule
    }

    #[inline(always)]
    fn last_ends(&self) -> (usize, usize) {
        self.ends.last().map_or((0, 0), |&(a, o)| (a as usize, o as usize))
    }
}
