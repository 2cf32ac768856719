//! Runs: what an engine answers.
//!
//! A run is a sequence of points. At each of them some choices were open and one was taken. All
//! parts lie in flat vectors that are used again from run to run, so that a run costs no
//! allocation once they have grown.
//!
//! A choice *preempts* if the thread that ran could have gone on, did not give way (by a yield, a
//! sleep or by spinning) and another one is chosen. Everything else is free.

use raddle_finding::{Choice, ProgramId, Schedule};
use serde::{Deserialize, Serialize};

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
    /// How it ended.
    pub outcome: Outcome,
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

/// Two accesses of two threads to the same memory, one of them a write, that nothing orders.
///
/// Everything that an engine needs to describe it is in it: who describes it may have run
/// something else since. Numbers are those of the engine, and the same in all runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Race {
    /// Where they are in the program; the smaller one first, and everything else in their order.
    pub sites: [u64; 2],
    /// Where people look for them: the calls that led into a library.
    pub callers: [u64; 2],
    /// What they do.
    pub touches: [Touch; 2],
    /// The threads.
    pub threads: [u32; 2],
    /// The functions that the threads were started with.
    pub starts: [u32; 2],
    /// What kind of object they access, and which one.
    pub object: (u32, u64),
    /// The first byte of it that both access, and how many.
    pub bytes: (u32, u32),
    /// The point whose choice led to the later one.
    pub point: u32,
}

impl Race {
    /// What makes it another race than others.
    pub fn identity(&self) -> [[u64; 2]; 2] {
        [self.sites, self.callers]
    }
}

/// What an access of a race does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Touch {
    /// It reads.
    Read,
    /// It writes.
    Write,
    /// It reads atomically.
    AtomicRead,
    /// It writes atomically, and may read.
    AtomicWrite,
    /// It ends the life of the object.
    Free,
}

impl Touch {
    /// Whether it changes anything.
    pub fn writes(self) -> bool {
        !matches!(self, Touch::Read | Touch::AtomicRead)
    }

    /// Whether it is atomic.
    pub fn is_atomic(self) -> bool {
        matches!(self, Touch::AtomicRead | Touch::AtomicWrite)
    }

    /// Whether two of different threads to the same memory must be ordered.
    pub fn conflicts(self, other: Touch) -> bool {
        (self.writes() || other.writes()) && !(self.is_atomic() && other.is_atomic())
    }
}

/// What a thread is about to do, as far as another thread can tell. What concerns several objects
/// is as many operations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Operation {
    /// Who.
    pub thread: u32,
    /// What it does to the object.
    pub access: Access,
    /// What it does it to: equal numbers are the same thing within a run.
    pub object: u64,
}

/// What an operation does to its object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Access {
    /// Nothing that anybody can see.
    Local,
    /// It reads.
    Read,
    /// It writes, and may read.
    Write,
    /// It synchronises and never blocks.
    Sync,
    /// It gives back what others block for; it never happens while one of them can go on.
    Release,
    /// It synchronises and can block.
    Block,
    /// It may do anything to any object.
    Any,
}

impl Operation {
    /// Whether it does something to an object that others can see.
    pub fn is_on(&self, object: u64) -> bool {
        self.access != Access::Local && self.object == object
    }

    /// Whether the order of two operations can matter.
    pub fn conflicts(&self, other: &Operation) -> bool {
        use Access::{Any, Local, Read};
        match (self.access, other.access) {
            (Local, _) | (_, Local) | (Read, Read) => false,
            (Any, _) | (_, Any) => true,
            _ => self.object == other.object,
        }
    }
}

/// What a thread does among the operations of a point.
pub(crate) fn of_thread(
    operations: &[Operation],
    thread: u32,
) -> impl Iterator<Item = &Operation> + Clone {
    operations.iter().filter(move |operation| operation.thread == thread)
}

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum Outcome {
    /// As it should.
    #[default]
    Passed,
    /// Threads are left and none can go on.
    Deadlock(Trouble),
    /// The program did what it must not.
    Failure(Trouble),
    /// Threads go on for ever without getting anywhere.
    Livelock(Trouble),
    /// An assumption of the program was false: the run does not count.
    Assumption,
    /// It took as many steps as it may.
    Steps,
    /// It had as many points as the plan allows.
    Cut,
    /// It came to where an earlier run has been.
    Known,
    /// Somebody stopped it: it is as if it had never begun.
    Stopped,
    /// It needs something that the engine cannot do.
    Unsupported(Trouble),
}

/// What went wrong, and where.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Trouble {
    /// What kind of trouble: a word.
    pub kind: String,
    /// Where it is, in order: findings of one kind at the same places are one finding.
    pub places: Vec<String>,
    /// What to tell people.
    pub message: String,
}

impl Outcome {
    /// What there is to report.
    pub fn trouble(&self) -> Option<&Trouble> {
        match self {
            Outcome::Deadlock(trouble) | Outcome::Failure(trouble) => Some(trouble),
            Outcome::Livelock(trouble) => Some(trouble),
            _ => None,
        }
    }

    /// Its name, stable in JSON; that of trouble is its kind.
    pub fn name(&self) -> &str {
        match self {
            Outcome::Passed => "passed",
            Outcome::Deadlock(trouble) | Outcome::Failure(trouble) => &trouble.kind,
            Outcome::Livelock(trouble) | Outcome::Unsupported(trouble) => &trouble.kind,
            Outcome::Assumption => "assumption",
            Outcome::Steps => "steps",
            Outcome::Cut => "cut",
            Outcome::Known => "known",
            Outcome::Stopped => "stopped",
        }
    }

    /// Whether the engine could not follow the run any further.
    pub fn is_lost(&self) -> bool {
        matches!(self, Outcome::Steps | Outcome::Unsupported(_))
    }

    /// Whether the run went to an end of the program, good or bad.
    pub fn is_whole(&self) -> bool {
        let cut = matches!(self, Outcome::Cut | Outcome::Known | Outcome::Stopped);
        !cut && !self.is_lost()
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
        self.outcome = Outcome::Passed;
    }

    /// Drops what is behind the first `n_points`.
    pub fn truncate(&mut self, n_points: usize) {
        self.points.truncate(n_points);
        self.ends.truncate(n_points);
        self.truncate_opened();
        self.fingerprints.truncate(n_points);
        self.races.retain(|race| (race.point as usize) < n_points);
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
    }

    /// Becomes another run that has the same first `n_points`.
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
        self.outcome.clone_from(&from.outcome);
    }

    /// Notes a choice that is open at the point that is being described.
    #[inline]
    pub fn open(&mut self, choice: Choice) {
        self.alternatives.push(choice);
    }

    /// Notes an operation at the point that is being described.
    #[inline]
    pub fn pending(&mut self, operation: Operation) {
        self.operations.push(operation);
    }

    /// The choices noted since the last point.
    #[inline]
    pub fn opened(&self) -> &[Choice] {
        &self.alternatives[self.last_ends().0..]
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
    #[inline]
    pub fn pendings(&self) -> &[Operation] {
        &self.operations[self.last_ends().1..]
    }

    /// Ends the description of a point; its choices and operations were noted before.
    #[inline]
    pub fn push(&mut self, point: Point) {
        self.points.push(point);
        self.ends.push((self.alternatives.len() as u32, self.operations.len() as u32));
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

    /// What the threads were about to do at a point; empty if nobody wanted to know.
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
    pub fn choices(&self) -> impl Iterator<Item = Choice> + '_ {
        (0..self.points.len()).map(|point| self.taken(point))
    }

    /// Whether a choice at a point preempts.
    #[inline]
    pub fn preempts(&self, point: usize, choice: Choice) -> bool {
        let at = self.points[point];
        at.preemptible && choice != Choice::Thread(at.current)
    }

    /// Whether the choice at a point is a free switch away from a thread that spins.
    pub fn leaves_spin(&self, point: usize) -> bool {
        let at = self.points[point];
        at.spinning && self.taken(point) != Choice::Thread(at.current)
    }

    /// How many preemptions it has: c.
    pub fn n_preemptions(&self) -> u32 {
        let preempts = |&point: &usize| self.preempts(point, self.taken(point));
        (0..self.points.len()).filter(preempts).count() as u32
    }

    /// The schedule that repeats it.
    pub fn schedule(&self, program: ProgramId) -> Schedule {
        let mut schedule = Schedule::new(program);
        schedule.extend(self.choices());
        schedule
    }

    #[inline]
    fn last_ends(&self) -> (usize, usize) {
        self.ends.last().map_or((0, 0), |&(a, o)| (a as usize, o as usize))
    }
}
