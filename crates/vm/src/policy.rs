//! The default policy, where no strategy decides; and replay.
//!
//! - P1: the current thread goes on as long as it can, unless it yields, sleeps or spins, computes
//!   for long without a point, or was chosen so many times in a row that it may be waiting for
//!   another one in a loop of its own.
//! - P2: otherwise the next one that can goes on, round robin.
//! - P3: nothing times out, no thread that sleeps goes on before its time and none wakes up for no
//!   reason; when no other thread can go on, or one goes on and on, the earliest deadline is next.
//! - P4: a signal wakes the thread that waits longest; values are as close to zero as they can be.

use raddle_cfront::ir::Primitive;
use raddle_finding::{Choice, ProgramId, Schedule};

use crate::machine::Machine;
use crate::observe::Observer;
use crate::question::{Doing, Question};
use crate::thread::NEVER;

/// After so many visible operations in a row that change nothing, a thread counts as spinning.
const SPIN: u32 = 100;

/// After so many choices in a row, a thread lets others go first.
const STREAK: u32 = 1_000;

/// What became of a schedule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replayed {
    /// The choices that were taken.
    pub taken: Schedule,
    /// Where the schedule did not fit, if it did not.
    pub misfit: Option<Misfit>,
}

/// A choice of a schedule that was not open.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("choice {position} of the schedule is {given}, but the run needs {asked}")]
pub struct Misfit {
    /// Its position in the schedule, from 0.
    pub position: u64,
    /// What the run asked for.
    pub asked: String,
    /// What the schedule has.
    pub given: Choice,
}

impl std::fmt::Display for Question<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let list = |ids: &[u32]| ids.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        match self {
            Question::Thread(ids) => write!(f, "a thread ({})", list(ids)),
            Question::Waiter(ids) => write!(f, "a waiter ({})", list(ids)),
            Question::Timeout => write!(f, "whether a wait times out"),
            Question::Spurious => write!(f, "whether a wait wakes up spuriously"),
            Question::Value { low, high } => write!(f, "a value from {low} to {high}"),
            Question::Input(values) => {
                let values: Vec<_> = values.iter().map(i64::to_string).collect();
                write!(f, "a value ({})", values.join(", "))
            }
        }
    }
}

impl Machine {
    /// The identity of the program and its points, for schedules: which choices there are depends
    /// on both.
    pub fn program_id(&self) -> ProgramId {
        self.image.settings.identity(&self.image.program)
    }

    /// What the default policy chooses; nothing if the run is over.
    pub fn default_choice(&self) -> Option<Choice> {
        Some(match self.question()? {
            Question::Thread(_) if self.is_stuck() => Choice::Spurious(false),
            Question::Thread(threads) => Choice::Thread(self.default_thread(threads)),
            Question::Waiter(waiters) => Choice::Waiter(waiters[0]),
            Question::Timeout => Choice::Timeout(false),
            Question::Spurious => Choice::Spurious(false),
            Question::Value { low, high } => Choice::Value(0.clamp(low, high)),
            Question::Input(values) => Choice::Value(values[0]),
        })
    }

    /// Runs to the end by the default policy and answers with the choices it took.
    pub fn run_default<O: Observer>(&mut self, o: &mut O) -> Schedule {
        let mut taken = Schedule::new(self.program_id());
        self.finish_by_default(&mut taken, o);
        taken
    }

    /// Takes the choices of a schedule as far as they fit, then those of the default policy.
    pub fn replay<O: Observer>(&mut self, schedule: &Schedule, o: &mut O) -> Replayed {
        let mut taken = Schedule::new(self.program_id());
        let mut misfit = None;
        for (position, given) in schedule.choices().enumerate() {
            if self.answer(given, o).is_err() {
                let question = self.question().map(|question| question.to_string());
                let asked = question.unwrap_or("no more choices".to_owned());
                misfit = Some(Misfit { position: position as u64, asked, given });
                break;
            }
            taken.push(given);
        }
        self.finish_by_default(&mut taken, o);
        Replayed { taken, misfit }
    }

    fn finish_by_default<O: Observer>(&mut self, taken: &mut Schedule, o: &mut O) {
        while let Some(choice) = self.default_choice() {
            self.answer(choice, o).expect("the policy chooses what is open");
            taken.push(choice);
        }
    }

    fn default_thread(&self, options: &[u32]) -> u32 {
        if let [only] = options {
            return *only;
        }
        let current = self.current();
        let ready = |thread: u32| self.is_gate_open(thread) && !self.is_asleep(thread);
        if options.contains(&current) && ready(current) && !self.gives_way(current) {
            return current;
        }
        let others = || options.iter().copied().filter(|&t| t != current && ready(t));
        let next = others().find(|&thread| thread > current).or_else(|| others().next());
        let alone = || Some(current).filter(|&t| options.contains(&t) && ready(t));
        // All sleep or wait: the one whose time comes first goes on.
        let deadline = |thread: &u32| self.state.threads[*thread as usize].core.deadline;
        let earliest = || options.iter().copied().min_by_key(deadline);
        // Time passes while a thread goes on and on.
        let timed = |thread: &u32| *thread != current && deadline(thread) != NEVER;
        let awaited = || options.iter().copied().filter(timed).min_by_key(deadline);
        let awaited = if self.goes_on_and_on(current) { awaited() } else { None };
        next.or(awaited).or_else(alone).or_else(earliest).expect("a question has options")
    }

    /// Whether a thread sleeps and its time has not come.
    fn is_asleep(&self, thread: u32) -> bool {
        let doing = self.pending(thread).map(|pending| pending.doing);
        matches!(doing, Some(Doing::Primitive(Primitive::Sleep)))
            && self.state.threads[thread as usize].core.deadline > self.clock()
    }

    /// Whether the current thread yields, sleeps or spins, or has gone on for very long.
    fn gives_way(&self, thread: u32) -> bool {
        let doing = self.pending(thread).map(|pending| pending.doing);
        let rests = Doing::Primitive(Primitive::Yield);
        let sleeps = Doing::Primitive(Primitive::Sleep);
        doing.is_some_and(|doing| doing == rests || doing == sleeps) || self.goes_on_and_on(thread)
    }

    /// Whether the current thread spins, computes for long or is chosen again and again.
    fn goes_on_and_on(&self, thread: u32) -> bool {
        let doing = self.pending(thread).map(|pending| pending.doing);
        doing == Some(Doing::Continue)
            || self.n_idle(thread) >= SPIN
            || self.state.counters.streak >= STREAK
    }
}
