//! Ways that no run has taken: what a verdict about a trace program does not cover.
//!
//! In: a trace program and exact answers about it. Out: where a thread of the program can do what
//! none of the runs shows. If there is no such place, every execution of the program is one of the
//! trace program, and what holds there holds in the program.
//!
//! - W1: a guard that can fail where no other run goes on: a branch, or an address or a size.
//! - W2: a thread that the end of a run cut off, and that no other run shows further.
//! - W3: a call with several outcomes (a try, a wait with a deadline, `pthread_once`) that has the
//!   same one in all runs that come there.
//! - W4: what is taken from the run without a guard: inputs, the clock.

use std::fmt;

use raddle_finding::Schedule;
use raddle_vm::SetupError;

use crate::analysis::{Inquiry, Verdict};
use crate::ctp::{Ctp, Guard, Line, Otherwise, StateId, Why};
use crate::feasible::Query;

/// Something that a thread may do and no run shows.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Way {
    /// Where it parts from what the runs show.
    pub line: Option<Line>,
    /// The thread that may go it.
    pub thread: String,
    /// What it is.
    pub kind: WayKind,
}

/// What a way is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum WayKind {
    /// W1: the other side of a branch, and the line that comes first there.
    Branch(Option<Line>),
    /// W1: another address, size or target.
    Address,
    /// W2: what comes behind the end of a run.
    Cut,
    /// W3: another outcome of a call.
    Outcome,
    /// W4: something else than in the runs.
    Fixed(String),
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = |line: &Option<Line>| {
            line.as_ref().map_or("?".to_owned(), |line| format!("{}:{}", line.file, line.line))
        };
        write!(f, "{}", place(&self.line))?;
        if !self.thread.is_empty() {
            write!(f, " in {}", self.thread)?;
        }
        match &self.kind {
            WayKind::Branch(Some(to)) if Some(to) != self.line.as_ref() => {
                write!(f, ": the branch that continues at {}", place(&Some(to.clone())))
            }
            WayKind::Branch(_) => write!(f, ": the other side of the branch"),
            WayKind::Address => write!(f, ": another address or size"),
            WayKind::Cut => write!(f, ": what follows, as the run ended there"),
            WayKind::Outcome => write!(f, ": another outcome of the call"),
            WayKind::Fixed(what) => write!(f, ": {what}"),
        }
    }
}

/// The ways that are open, and schedules that go some of them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Open {
    /// All of them, each once.
    pub ways: Vec<Way>,
    /// Schedules that go ways of W1, each with its way.
    pub leads: Vec<(Way, Schedule)>,
    /// Whether other runs, whichever they are, might close some: W2, W3.
    pub by_chance: bool,
}

/// Finds the open ways. At most so many leads are looked for; `stop` is asked before each question.
pub fn open(
    ctp: &Ctp,
    inquiry: &mut Inquiry<'_>,
    n_leads_max: usize,
    stop: &dyn Fn() -> bool,
) -> Result<Open, SetupError> {
    let mut open = Open::default();
    for state in ctp.state_ids() {
        for (number, guard) in ctp.step(state).guards.iter().enumerate() {
            if !guard.leaves() {
                continue;
            }
            let way = of_guard(ctp, state, guard);
            if open.ways.contains(&way) {
                continue;
            }
            if stop() {
                open.ways.push(way);
                continue;
            }
            match inquiry.answer(&Query::Leaves(state, number))? {
                Verdict::Proved { .. } => continue,
                Verdict::Refuted(schedule) if open.leads.len() < n_leads_max => {
                    open.leads.push((way.clone(), schedule));
                }
                Verdict::Refuted(_) | Verdict::Limited { .. } | Verdict::Unknown(_) => {}
            }
            open.ways.push(way);
        }
    }
    let loose = loose(ctp);
    open.by_chance = !loose.is_empty();
    open.ways.extend(loose);
    open.ways.extend(ctp.fixed.iter().map(|fixed| Way {
        line: fixed.line.clone(),
        thread: String::new(),
        kind: WayKind::Fixed(fixed.text.clone()),
    }));
    open.ways.sort();
    open.ways.dedup();
    Ok(open)
}

/// W1.
fn of_guard(ctp: &Ctp, state: StateId, guard: &Guard) -> Way {
    let kind = match &guard.otherwise {
        Otherwise::Elsewhere(line) => WayKind::Branch(line.clone()),
        _ => WayKind::Address,
    };
    Way { line: guard.line.clone(), thread: name(ctp, state), kind }
}

/// W2, W3.
fn loose(ctp: &Ctp) -> Vec<Way> {
    let children = ctp.children();
    let is_open = |state: StateId, why: Why| match (why, ctp.state(state).parent) {
        (Why::Cut, _) => children[state.0 as usize].is_empty(),
        (Why::Outcome, Some(parent)) => {
            let action = ctp.step(state).action;
            let others = &children[parent.0 as usize];
            others.iter().all(|&other| ctp.step(other).action == action)
        }
        (Why::Outcome, None) => true,
    };
    let open = ctp.loose.iter().filter(|loose| is_open(loose.state, loose.why));
    open.map(|loose| Way {
        line: loose.line.clone(),
        thread: name(ctp, loose.state),
        kind: match loose.why {
            Why::Cut => WayKind::Cut,
            Why::Outcome => WayKind::Outcome,
        },
    })
    .collect()
}

fn name(ctp: &Ctp, state: StateId) -> String {
    ctp.threads[ctp.state(state).thread.0 as usize].name.clone()
}
