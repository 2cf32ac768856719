//! The world of one execution: its threads, its objects, and who goes on.
//!
//! In: what threads announce at their points. Out: the run, choice by choice.
//!
//! All threads of an execution are coroutines on one thread of the system, so the world is never
//! used by two at a time. A thread that comes to a point announces what it is about to do
//! ([`Pending`]), decides *itself* who goes on and, if that is somebody else, switches. So staying
//! costs no switch at all.
//!
//! - W1: nobody keeps a reference into the world across a switch. [`Here`] is a bare pointer, and
//!   each of its methods makes a reference of its own, which ends before another thread goes on.
//! - W2: a world belongs to the thread of the system that runs it, from the beginning of a run to
//!   its end; [`Here::get`] finds it there.
//! - W3: what the program passes in (closures, values) is neither run nor dropped by the world
//!   while a reference to it exists.

mod ask;
mod begin;
mod clock;
mod decide;
mod enabled;
mod ending;
mod explain;
mod guard;
mod happens;
mod here;
mod livelock;
mod local;
mod object;
mod pending;
mod races;
mod row;
mod rules;
mod show;
mod spin;
mod stack;
mod steps;
mod table;
mod tale;
mod teardown;
mod thread;
mod tired;
mod trial;

use std::any::Any;
use std::panic::Location;
use std::sync::Arc;

use raddle_explore::{Chooser, Failure, FailureKind, LeftOut, Observe, Outcome, Policy, Run};
use raddle_finding::Choice;
use rustc_hash::FxHashMap;

use crate::engine::fiber::Fibers;
pub(crate) use clock::Orders;
use enabled::Who;
pub(crate) use ending::Divergence;
pub(crate) use explain::{location, place};
pub(crate) use guard::Guard;
pub(crate) use here::{Entered, Here};
pub(crate) use object::{Kind, Object, Slot};
pub(crate) use pending::{Pending, What};
pub(crate) use races::Cells;
pub(crate) use rules::{Beat, Rules};
pub(crate) use table::{AGAIN, Table, Watched, Watches};
pub(crate) use tale::{Came, Left, Tale, Told};
pub(crate) use teardown::Torn;
pub(crate) use thread::{Job, PanicNote, Status, Thread};
pub(crate) use trial::N_ALONE;
use trial::Trial;

/// Where something is in the program.
pub(crate) type Site = &'static Location<'static>;

/// No thread, no object.
pub(crate) const NONE: u32 = u32::MAX;

/// One execution.
pub(crate) struct World {
    /// The number of the execution, different from that of all others in this process.
    pub(crate) epoch: u64,
    pub(crate) rules: Rules,
    pub(crate) threads: Vec<Thread>,
    /// How many of them this execution has; the others are left from earlier ones.
    pub(crate) n_threads: u32,
    /// Who runs.
    pub(crate) current: u32,
    pub(crate) objects: Vec<Object>,
    /// What happened before what; not kept up as long as there are no cells.
    pub(crate) orders: Orders,
    pub(crate) follows_clocks: bool,
    pub(crate) cells: Cells,
    /// The description of this execution.
    pub(crate) run: Run,
    /// That of the last one that another one can begin like.
    pub(crate) last: Run,
    /// How many points were decided.
    at: usize,
    /// How many of the first points are those of the last execution, as `run` has them already.
    n_shared: usize,
    /// How many announcements must be those of `trail`.
    n_compared: usize,
    prefix: Vec<Choice>,
    /// Whether the search goes by what preemptions cost.
    counts_preemptions: bool,
    chooser: Chooser,
    observe: Observe,
    /// Which threads can be chosen (`enabled`).
    who: Who,
    /// Whether every choice is drawn, and nobody wants to know from what.
    draws: bool,
    /// How many free switches away from spinning threads there were that the run does not tell of.
    n_spins: u32,
    n_points_max: usize,
    /// How many choices are drawn at most.
    n_drawn_max: usize,
    /// What was announced at each point, for comparison with the next execution.
    trail: Vec<Announced>,
    keeps_trail: bool,
    /// How many changes there were that others can notice.
    n_changes: u64,
    /// The point before the last one of them.
    changed_at: usize,
    /// Whether threads are set aside by the rule of `spin`; otherwise they may be tired (`tired`).
    follows_rule: bool,
    patience: u32,
    /// Says how the execution is drawn.
    drawn_from: u64,
    /// How many threads are set aside, or tired, and how many of them since their rounds change something.
    n_aside: u32,
    n_restless: u32,
    /// For how many turns all have been tired who can go on.
    n_stuck: u32,
    /// The point at which the current thread was switched to.
    stretch: usize,
    /// Who has done rounds, one directly after the other, and where the last one ended.
    in_rounds: Vec<u32>,
    rounds_end: usize,
    /// A hash of the choices so far, if anything is known by it.
    path: u64,
    follows_path: bool,
    /// What is known of loops.
    pub(crate) table: Arc<Table>,
    trial: Option<Box<Trial>>,
    /// Whether the execution is thrown away since a trial is to be made.
    plans_trial: bool,
    pub(crate) watches: Watches,
    /// The objects of reference counts, by where the values are.
    pub(crate) counted: FxHashMap<usize, u32>,
    /// How many values are being dropped whose last reference is gone.
    pub(crate) n_dropping: u32,
    /// Virtual time in nanoseconds.
    pub(crate) now: u64,
    is_over: bool,
    is_torn: bool,
    /// Whether something is to be done at each point beside deciding: telling, or unwinding.
    is_followed: bool,
    /// How many things were done by threads that are unwound.
    n_torn: u64,
    pub(crate) outcome: Outcome,
    pub(crate) divergence: Option<Box<Divergence>>,
    /// Why the closure cannot be executed.
    pub(crate) refusal: Option<String>,
    /// The choices of this execution as if every access to a cell were a point, if told so.
    pub(crate) portable: Vec<Choice>,
    /// What stays in memory until the execution is over.
    pub(crate) kept: Vec<Arc<dyn Any + Send + Sync>>,
    n_waits: u64,
    /// What is told of this execution, if anybody wants to know.
    pub(crate) tale: Option<Box<Tale>>,
    /// Shows how far it is.
    pub(crate) beat: Arc<Beat>,
    /// What threads run on.
    pub(crate) fibers: Fibers,
}

/// What a thread announced at a point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Announced {
    pub(crate) thread: u32,
    pub(crate) what: What,
    pub(crate) object: u32,
    pub(crate) site: Site,
}

impl World {
    /// A world for executions by these rules.
    pub(crate) fn new(rules: Rules) -> World {
        World {
            epoch: 0,
            rules,
            threads: Vec::new(),
            n_threads: 0,
            current: 0,
            objects: Vec::new(),
            orders: Orders::default(),
            follows_clocks: false,
            cells: Cells::default(),
            run: Run::new(),
            last: Run::new(),
            at: 0,
            n_shared: 0,
            n_compared: 0,
            prefix: Vec::new(),
            counts_preemptions: false,
            chooser: Chooser::new(&Policy::Continue),
            observe: Observe::default(),
            who: Who::default(),
            draws: false,
            n_spins: 0,
            n_points_max: 0,
            n_drawn_max: 0,
            trail: Vec::new(),
            keeps_trail: false,
            n_changes: 0,
            changed_at: 0,
            follows_rule: true,
            patience: 0,
            drawn_from: 0,
            n_aside: 0,
            n_restless: 0,
            n_stuck: 0,
            stretch: 0,
            in_rounds: Vec::new(),
            rounds_end: usize::MAX,
            path: 0,
            follows_path: false,
            table: Arc::default(),
            trial: None,
            plans_trial: false,
            watches: Watches::default(),
            counted: FxHashMap::default(),
            n_dropping: 0,
            now: 0,
            is_over: false,
            is_torn: false,
            is_followed: false,
            n_torn: 0,
            outcome: Outcome::Passed,
            divergence: None,
            refusal: None,
            portable: Vec::new(),
            kept: Vec::new(),
            n_waits: 0,
            tale: None,
            beat: Arc::default(),
            fibers: Fibers::default(),
        }
    }

    /// What the run does not tell (E6 of `decide`).
    pub(crate) fn left_out(&self) -> LeftOut {
        match self.observe.ends_only {
            true => {
                LeftOut { points: self.at as u32, threads: self.n_threads, spins: self.n_spins }
            }
            false => LeftOut::default(),
        }
    }

    /// Whether nobody goes on any more.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Ends the execution.
    pub(crate) fn end(&mut self, outcome: Outcome) {
        if !self.is_over {
            self.is_over = true;
            self.outcome = outcome;
        }
    }

    /// Ends the execution with a failure of the current thread, which came after so many steps that are told.
    pub(crate) fn fail(
        &mut self,
        kind: FailureKind,
        place: raddle_finding::Location,
        message: String,
        n_told: usize,
    ) {
        let failure = Failure::new(kind, [place], message);
        let current = self.current;
        if let Some(tale) = self.tale.as_mut().filter(|_| !self.is_over) {
            tale.failed = Some((current, n_told));
            self.tell_left();
        }
        self.end(Outcome::Failed(failure));
    }

    /// The current thread changed something that others can notice: all go on who can.
    #[inline]
    pub(crate) fn changed(&mut self) {
        self.me().n_lasting += 1;
        self.toggled();
    }

    /// The same of a lock that is taken or given back: a round that does both changes nothing.
    #[inline]
    pub(crate) fn toggled(&mut self) {
        self.n_changes += 1;
        self.changed_at = self.at;
        self.me().n_own += 1;
        if self.n_aside > 0 {
            self.wake_all();
        }
    }

    /// A value is being dropped whose last reference is gone.
    pub(crate) fn begin_dropping(&mut self) {
        self.n_dropping += u32::from(!self.is_torn);
        self.is_followed = true;
    }

    /// It was dropped.
    pub(crate) fn end_dropping(&mut self) {
        self.n_dropping = self.n_dropping.saturating_sub(1);
        self.is_followed = self.n_dropping > 0 || self.is_torn || self.tale.is_some();
    }

    /// How many waits on conditions there were before this one.
    pub(crate) fn count_wait(&mut self) -> u64 {
        self.n_waits += 1;
        self.n_waits
    }

    /// Ends the execution with a failure if something is left that nobody will ever drop.
    pub(crate) fn find_leaks(&mut self) {
        if self.kept.is_empty() {
            return;
        }
        let is_leaked = |object: &&Object| object.kind == Kind::Arc && object.count > 0;
        let leaked = self.objects.iter().find(is_leaked);
        if let (Some(object), Outcome::Passed) = (leaked, &self.outcome) {
            let (made, count) = (object.made, object.count);
            let message = format!("{count} references to the Arc made at {made} are never dropped");
            self.outcome =
                Outcome::Failed(Failure::new(FailureKind::Leak, [location(made)], message));
        }
    }

    #[inline]
    pub(crate) fn me(&mut self) -> &mut Thread {
        &mut self.threads[self.current as usize]
    }

    /// The threads of this execution.
    pub(crate) fn all_threads(&self) -> &[Thread] {
        &self.threads[..self.n_threads as usize]
    }
}
