//! Concurrent trace programs (CTPs): what the threads of observed runs did, in any order.
//!
//! A thread is a tree of control states; the step into a state makes at most one shared access. One
//! trace gives a chain, several merged traces a tree. A step waits for the threads that it joins,
//! then its guards must hold, then its action happens, then the threads that it forks exist. A
//! thread whose guard does not hold stops before the step: in the program it takes another path,
//! which no trace shows. So every execution of a CTP is the beginning of one of the program.

use std::sync::Arc;

use raddle_cfront::ir::Kind;

use crate::expr::{ExprId, Exprs, LocalId};
use crate::origin::Origin;

mod action;
mod ancestry;
mod sync;

pub use self::action::{Action, Object};
pub use self::ancestry::Ancestry;
pub use self::sync::{Barrier, BarrierId, Semaphore, SemaphoreId};

/// A thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct ThreadId(pub u32);

/// A control state; those of all threads are numbered together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct StateId(pub u32);

/// A piece of memory that threads share.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct GlobalId(pub u32);

/// A lock.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LockId(pub u32);

/// A condition variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CondId(pub u32);

/// A line of a source file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Line {
    /// The file, as the program names it.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: u32,
}

/// A condition that must hold for a step to happen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Guard {
    /// It holds if this is not zero.
    pub condition: ExprId,
    /// Where it was decided.
    pub line: Option<Line>,
    /// What the program does if it does not hold.
    pub otherwise: Otherwise,
}

impl Guard {
    /// Whether the program goes on where no trace shows it if the guard does not hold.
    pub fn leaves(&self) -> bool {
        matches!(self.otherwise, Otherwise::Elsewhere(_) | Otherwise::Other)
    }
}

/// Where a program goes if a guard does not hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Otherwise {
    /// Somewhere that no trace shows: this line comes first.
    Elsewhere(Option<Line>),
    /// A failed assertion.
    Fails,
    /// The same path with another address, another function or another size.
    Other,
    /// Nowhere: an assumption of the program does not hold, and the execution does not count.
    Void,
}

/// A state behind which threads may do what no trace shows, whatever the guards say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loose {
    /// The state.
    pub state: StateId,
    /// What is open there.
    pub why: Why,
    /// Where.
    pub line: Option<Line>,
}

/// Why a thread may do what no trace shows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Why {
    /// The run ended before the thread did.
    Cut,
    /// The step is one outcome of a call that has others: it might have failed, or not have failed,
    /// or its time might have run out.
    Outcome,
}

/// One step of a thread.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Step {
    /// The threads that must have ended.
    pub joins: Vec<ThreadId>,
    /// What must hold.
    pub guards: Vec<Guard>,
    /// What it does.
    pub action: Action,
    /// The threads that exist from here on.
    pub forks: Vec<ThreadId>,
    /// Where it is.
    pub line: Option<Line>,
    /// How many events its thread has had when it has happened, in the run it comes from.
    pub n_events: u32,
}

/// A control state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    /// Whose it is.
    pub thread: ThreadId,
    /// The state before; none for the first of a thread.
    pub parent: Option<StateId>,
    /// How it is reached from there.
    pub step: Step,
}

/// A thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Thread {
    /// Its name.
    pub name: String,
    /// Its first state.
    pub root: StateId,
    /// Its number in the run that it comes from.
    pub number: u32,
    /// Where it comes from, in any run.
    pub origin: Origin,
}

/// A piece of shared memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Global {
    /// Its name.
    pub name: String,
    /// How its bits are read.
    pub kind: Kind,
    /// Its value before the first step; none if nothing is known.
    pub initial: Option<u64>,
}

/// A write before the first step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Begun {
    /// What was written.
    pub global: GlobalId,
    /// Its value before; none if nothing is known.
    pub before: Option<u64>,
    /// Its value from then on.
    pub value: u64,
}

/// A value that was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Local {
    /// Its name.
    pub name: String,
    /// Who read it.
    pub thread: ThreadId,
    /// How its bits are read.
    pub kind: Kind,
}

/// Something that was left out or widened.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Notice {
    /// What.
    pub text: String,
    /// Where first.
    pub line: Option<Line>,
}

/// A concurrent trace program.
#[derive(Clone, Debug, Default)]
pub struct Ctp {
    /// The threads; those that are never forked exist from the start.
    pub threads: Vec<Thread>,
    /// All control states, parents before children.
    pub states: Vec<State>,
    /// Shared memory.
    pub globals: Vec<Global>,
    /// Values that were read.
    pub locals: Vec<Local>,
    /// The names of locks.
    pub locks: Vec<String>,
    /// The names of condition variables.
    pub conds: Vec<String>,
    /// The locks of which at most one section happens: those of `pthread_once`.
    pub onces: Vec<LockId>,
    /// Semaphores.
    pub semaphores: Vec<Semaphore>,
    /// Barriers.
    pub barriers: Vec<Barrier>,
    /// What was written before the first step, in order.
    pub beginning: Vec<Begun>,
    /// The expressions of writes and guards.
    pub exprs: Exprs,
    /// What was left out or widened.
    pub notices: Vec<Notice>,
    /// Where threads may do what no trace shows, guards aside.
    pub loose: Vec<Loose>,
    /// What other executions may have otherwise, and is here what it was in the runs.
    pub fixed: Vec<Notice>,
}

impl Ctp {
    /// A new thread, which so far does nothing.
    pub fn add_thread(&mut self, name: impl Into<String>, number: u32) -> ThreadId {
        let thread = ThreadId(self.threads.len() as u32);
        let root = self.push(State { thread, parent: None, step: Step::default() });
        self.threads.push(Thread { name: name.into(), root, number, origin: Origin::new() });
        thread
    }

    /// A new state behind another one.
    pub fn add_step(&mut self, parent: StateId, step: Step) -> StateId {
        let thread = self.state(parent).thread;
        self.push(State { thread, parent: Some(parent), step })
    }

    /// A new local.
    pub fn add_local(&mut self, name: impl Into<String>, thread: ThreadId, kind: Kind) -> LocalId {
        self.locals.push(Local { name: name.into(), thread, kind });
        LocalId(self.locals.len() as u32 - 1)
    }

    /// The state with this id.
    pub fn state(&self, id: StateId) -> &State {
        &self.states[id.0 as usize]
    }

    /// The step into a state; an empty one for the first of a thread.
    pub fn step(&self, id: StateId) -> &Step {
        &self.state(id).step
    }

    /// All states, in order.
    pub fn state_ids(&self) -> impl Iterator<Item = StateId> + use<> {
        (0..self.states.len() as u32).map(StateId)
    }

    /// All threads, in order.
    pub fn thread_ids(&self) -> impl Iterator<Item = ThreadId> + use<> {
        (0..self.threads.len() as u32).map(ThreadId)
    }

    /// The states that can come right after each state, by its number.
    pub fn children(&self) -> Vec<Vec<StateId>> {
        let mut children = vec![Vec::new(); self.states.len()];
        for id in self.state_ids() {
            if let Some(parent) = self.state(id).parent {
                children[parent.0 as usize].push(id);
            }
        }
        children
    }

    /// Whether some thread has several paths.
    pub fn has_branches(&self) -> bool {
        self.children().iter().any(|next| next.len() > 1)
    }

    /// The paths through a thread, each from its first state to a last one.
    pub fn paths(&self, thread: ThreadId) -> Vec<Vec<StateId>> {
        let mut is_last = vec![true; self.states.len()];
        for parent in self.states.iter().filter_map(|state| state.parent) {
            is_last[parent.0 as usize] = false;
        }
        let of = |id: &StateId| self.state(*id).thread == thread;
        let is_leaf = |id: &StateId| is_last[id.0 as usize];
        self.state_ids().filter(of).filter(is_leaf).map(|leaf| self.path_to(leaf)).collect()
    }

    /// The states from the first of its thread to this one.
    pub fn path_to(&self, state: StateId) -> Vec<StateId> {
        let before = |id: &StateId| self.state(*id).parent;
        let mut path: Vec<_> = std::iter::successors(Some(state), before).collect();
        path.reverse();
        path
    }

    /// How many steps touch something shared.
    pub fn n_accesses(&self) -> usize {
        self.states.iter().filter(|state| state.step.action != Action::Nothing).count()
    }

    /// The global with this name.
    pub fn global(&self, name: &str) -> Option<GlobalId> {
        let found = self.globals.iter().position(|global| global.name == name);
        found.map(|index| GlobalId(index as u32))
    }

    fn push(&mut self, state: State) -> StateId {
        self.states.push(state);
        StateId(self.states.len() as u32 - 1)
    }
}
