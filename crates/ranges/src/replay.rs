//! Executions of a trace program on the machine.
//!
//! In: steps in an order. Out: the schedule that makes the program do them, and whether what was
//! promised has come true. A step of the trace program is an event of its thread with a number; a
//! thread is chosen until it has had that many. What is no step (the beginning and the end of
//! threads, memory that is not shared) happens when it is needed. If the program ends before the steps do,
//! those are tried that are needed.

mod confirm;
mod needed;
mod watch;

use std::sync::Arc;

use raddle_cfront::ir::Program;
use raddle_finding::{Choice, Schedule};
use raddle_vm::{Machine, Outcome, Question, Settings, SetupError};
use rustc_hash::FxHashMap;

use self::watch::Watch;
use crate::ctp::{Action, Ctp, Line, Otherwise, StateId, ThreadId};
use crate::feasible::Query;

/// How often a thread may be chosen without an event of it.
const N_IDLE_MAX: u32 = 100_000;

/// What became of an execution.
#[derive(Clone, PartialEq, Debug)]
pub struct Replayed {
    /// The choices that were made.
    pub schedule: Schedule,
    /// Whether the machine did all steps, and then what the query asks for.
    pub confirmed: bool,
    /// How the run ended, if it did.
    pub outcome: Option<Outcome>,
    /// The last step of the thread that ended it by a failure, if that was another than asked for.
    pub fatal: Option<StateId>,
}

/// Runs the steps of an execution, then looks for what the query asks for.
pub fn replay(
    program: &Arc<Program>,
    settings: &Settings,
    ctp: &Ctp,
    steps: &[StateId],
    query: &Query,
) -> Result<Replayed, SetupError> {
    let all = attempt(program, settings, ctp, steps, query)?;
    let (Query::Fails(state, _) | Query::Leaves(state, _)) = query else { return Ok(all) };
    if all.confirmed {
        return Ok(all);
    }
    let fewer = needed::needed(ctp, steps, *state);
    if fewer.len() == steps.len() {
        return Ok(all);
    }
    attempt(program, settings, ctp, &fewer, query)
}

/// Runs exactly these steps.
fn attempt(
    program: &Arc<Program>,
    settings: &Settings,
    ctp: &Ctp,
    steps: &[StateId],
    query: &Query,
) -> Result<Replayed, SetupError> {
    let machine = Machine::new(program.clone(), settings)?;
    let schedule = Schedule::new(machine.program_id());
    let mut run = Run {
        ctp,
        machine,
        schedule,
        watch: Watch::default(),
        left: FxHashMap::default(),
        place: steps.iter().enumerate().map(|(place, &step)| (step, place)).collect(),
        at: FxHashMap::default(),
        awaited: awaited(ctp, query),
    };
    for &step in steps {
        run.left.entry(ctp.state(step).thread).or_default().push(step);
    }
    run.left.values_mut().for_each(|steps| steps.reverse());
    if let Query::Breaks(_, condition) = query {
        for global in condition.globals() {
            let known = &ctp.globals[global.0 as usize];
            run.watch.watched.insert(known.name.clone(), known.initial);
        }
    }
    let done = steps.iter().all(|&step| run.take(step));
    let confirmed = done && run.confirm(query, steps);
    let outcome = run.machine.outcome().cloned();
    let fatal = run.fatal().filter(|_| !confirmed);
    Ok(Replayed { schedule: run.schedule, confirmed, outcome, fatal })
}

struct Run<'a> {
    ctp: &'a Ctp,
    machine: Machine,
    schedule: Schedule,
    watch: Watch,
    /// The steps that each thread has yet to take, the next one last.
    left: FxHashMap<ThreadId, Vec<StateId>>,
    /// Where each step is among all.
    place: FxHashMap<StateId, usize>,
    /// The step that each thread has taken last.
    at: FxHashMap<ThreadId, StateId>,
    /// Behind which step a thread is waited for, and at which line.
    awaited: Option<(StateId, Line)>,
}

/// Where a thread comes to if a guard does not hold. The machine may come there with the step before it,
/// as it stops only where others could notice.
fn awaited(ctp: &Ctp, query: &Query) -> Option<(StateId, Line)> {
    let (Query::Fails(state, guard) | Query::Leaves(state, guard)) = query else { return None };
    match &ctp.step(*state).guards[*guard].otherwise {
        Otherwise::Elsewhere(Some(line)) => Some((ctp.state(*state).parent?, line.clone())),
        _ => None,
    }
}

impl Run<'_> {
    /// The number of a thread in this run, if it exists.
    fn number(&self, thread: ThreadId) -> Option<u32> {
        self.watch.origins.number(&self.ctp.threads[thread.0 as usize].origin)
    }

    /// The thread with a number in this run, if the trace program has it.
    fn thread(&self, number: u32) -> Option<ThreadId> {
        let origin = self.watch.origins.of(number)?;
        self.ctp.thread_ids().find(|thread| self.ctp.threads[thread.0 as usize].origin == *origin)
    }

    fn n_events(&self, thread: ThreadId) -> u32 {
        let number = self.number(thread);
        number.and_then(|number| self.watch.n_events.get(&number)).copied().unwrap_or(0)
    }

    /// The last step of a thread that has failed.
    fn fatal(&self) -> Option<StateId> {
        let Some(Outcome::Fault(fault)) = self.machine.outcome() else { return None };
        self.at.get(&self.thread(fault.thread)?).copied()
    }

    /// One step; false if the machine cannot do it now.
    fn take(&mut self, step: StateId) -> bool {
        let thread = self.ctp.state(step).thread;
        let wanted = self.ctp.step(step).n_events;
        let mut n_idle = 0;
        while self.n_events(thread) < wanted {
            let before = self.n_events(thread);
            self.watch_for(step);
            if !self.go(thread) {
                return false;
            }
            n_idle = if self.n_events(thread) == before { n_idle + 1 } else { 0 };
            if n_idle > N_IDLE_MAX {
                return false;
            }
        }
        self.left.get_mut(&thread).and_then(Vec::pop);
        self.at.insert(thread, step);
        true
    }

    /// Waits for a thread from the step on behind which it is waited for.
    fn watch_for(&mut self, step: StateId) {
        let Some((behind, line)) = self.awaited.as_ref().filter(|it| it.0 == step) else { return };
        let (thread, n_events) = (self.ctp.state(*behind).thread, self.ctp.step(*behind).n_events);
        self.watch.awaited = self.number(thread).map(|number| (number, n_events, line.clone()));
    }

    /// One choice towards the next event of a thread.
    fn go(&mut self, thread: ThreadId) -> bool {
        let own = self.number(thread);
        let choice = match (self.machine.question(), own) {
            (None, _) => return false,
            (Some(Question::Thread(threads)), Some(own)) if threads.contains(&own) => {
                Choice::Thread(own)
            }
            // Another thread has to fork it, or to end, without taking a step of its own.
            (Some(Question::Thread(threads)), _) => {
                let free = threads.iter().copied().find(|&other| self.is_free(other));
                match free {
                    Some(other) => Choice::Thread(other),
                    None => return false,
                }
            }
            (Some(Question::Waiter(waiters)), _) => {
                // Threads that go on first; those that do not can wait.
                let next = |waiter: &&u32| {
                    let left = self.thread(**waiter).and_then(|thread| self.left.get(&thread));
                    let next = left.and_then(|left| left.last());
                    next.map_or(usize::MAX, |step| self.place[step])
                };
                Choice::Waiter(*waiters.iter().min_by_key(next).unwrap_or(&waiters[0]))
            }
            (Some(Question::Timeout), _) => Choice::Timeout(self.fails_next(thread)),
            (Some(_), _) => match self.machine.default_choice() {
                Some(choice) => choice,
                None => return false,
            },
        };
        self.answer(choice)
    }

    /// Whether the next step of a thread is one that waited in vain.
    fn fails_next(&self, thread: ThreadId) -> bool {
        let next = self.left.get(&thread).and_then(|left| left.last());
        next.is_some_and(|&next| {
            let action = self.ctp.step(next).action;
            matches!(action, Action::TryFails { .. } | Action::TakeFails { .. })
        })
    }

    /// Whether a thread can go on without taking its next step, or one that it must not take.
    fn is_free(&self, number: u32) -> bool {
        let Some(thread) = self.thread(number) else { return true };
        let next = match self.left.get(&thread).and_then(|left| left.last()) {
            Some(&next) => Some(next),
            None => self.beyond(thread),
        };
        next.is_none_or(|next| self.n_events(thread) + 1 < self.ctp.step(next).n_events)
    }

    /// The first step of the trace program that a thread has not taken and is not to take.
    fn beyond(&self, thread: ThreadId) -> Option<StateId> {
        // Steps on paths that it has not taken do not count.
        let at = self.at.get(&thread).copied();
        let later = |id: &StateId| {
            let parent = self.ctp.state(*id).parent;
            let is_next = at.map_or(parent.is_some(), |at| parent == Some(at));
            is_next
                && self.ctp.state(*id).thread == thread
                && self.ctp.step(*id).n_events > self.n_events(thread)
        };
        self.ctp.state_ids().filter(later).min_by_key(|id| self.ctp.step(*id).n_events)
    }

    fn answer(&mut self, choice: Choice) -> bool {
        let taken = self.machine.answer(choice, &mut self.watch).is_ok();
        if taken {
            self.schedule.push(choice);
        }
        taken
    }
}
