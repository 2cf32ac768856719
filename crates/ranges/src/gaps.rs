//! Gaps: what threads of a program can do and no run shows, so that no verdict about the trace program covers it.
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
pub struct Gap {
    /// Where it parts from what the runs show.
    pub line: Option<Line>,
    /// The thread that may do it.
    pub thread: String,
    /// What it is.
    pub kind: GapKind,
}

/// What kind of gap it is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum GapKind {
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

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = |line: &Option<Line>| {
            line.as_ref().map_or("?".to_owned(), |line| format!("{}:{}", line.file, line.line))
        };
        write!(f, "{}", place(&self.line))?;
        if !self.thread.is_empty() {
            write!(f, " in {}", self.thread)?;
        }
        match &self.kind {
            GapKind::Branch(Some(to)) if Some(to) != self.line.as_ref() => {
                write!(f, ": the branch that continues at {}", place(&Some(to.clone())))
            }
            GapKind::Branch(_) => write!(f, ": the other side of the branch"),
            GapKind::Address => write!(f, ": another address or size"),
            GapKind::Cut => write!(f, ": what follows, as the run ended there"),
            GapKind::Outcome => write!(f, ": another outcome of the call"),
            GapKind::Fixed(what) => write!(f, ": {what}"),
        }
    }
}

/// The gaps, and schedules that show some of them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Open {
    /// All of them, each once.
    pub gaps: Vec<Gap>,
    /// Schedules that show gaps of W1, each with its gap.
    pub leads: Vec<(Gap, Schedule)>,
    /// Whether other runs, whichever they are, might close some: W2, W3.
    pub by_chance: bool,
}

/// Finds the gaps. At most so many leads are looked for; `stop` is asked before each question.
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
            let gap = of_guard(ctp, state, guard);
            if open.gaps.contains(&gap) {
                continue;
            }
            if stop() {
                open.gaps.push(gap);
                continue;
            }
            match inquiry.answer(&Query::Leaves(state, number))? {
                Verdict::Proved { .. } => continue,
                Verdict::Refuted(schedule) if open.leads.len() < n_leads_max => {
                    open.leads.push((gap.clone(), schedule));
                }
                Verdict::Refuted(_) | Verdict::Limited { .. } | Verdict::Unknown(_) => {}
            }
            open.gaps.push(gap);
        }
    }
    let loose = loose(ctp);
    open.by_chance = !loose.is_empty();
    open.gaps.extend(loose);
    open.gaps.extend(ctp.fixed.iter().map(|fixed| Gap {
        line: fixed.line.clone(),
        thread: String::new(),
        kind: GapKind::Fixed(fixed.text.clone()),
    }));
    open.gaps.sort();
    open.gaps.dedup();
    Ok(open)
}

/// W1.
fn of_guard(ctp: &Ctp, state: StateId, guard: &Guard) -> Gap {
    let kind = match &guard.otherwise {
        Otherwise::Elsewhere(line) => GapKind::Branch(line.clone()),
        _ => GapKind::Address,
    };
    Gap { line: guard.line.clone(), thread: name(ctp, state), kind }
}

/// W2, W3.
fn loose(ctp: &Ctp) -> Vec<Gap> {
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
    open.map(|loose| Gap {
        line: loose.line.clone(),
        thread: name(ctp, loose.state),
        kind: match loose.why {
            Why::Cut => GapKind::Cut,
            Why::Outcome => GapKind::Outcome,
        },
    })
    .collect()
}

fn name(ctp: &Ctp, state: StateId) -> String {
    ctp.threads[ctp.state(state).thread.0 as usize].name.clone()
}
