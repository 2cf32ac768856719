//! Trials: whether a thread that does the same again and again ever leaves that loop by itself (rule P5 of `spin`).
//!
//! In: a thread that has just done one round twice. Out: in the table, whether the loop is taken for endless.
//! The execution is thrown away and executed again up to where the thread began these rounds (A6). From there on it
//! goes on alone, and nothing is noted but whether it does the same. Then the execution is executed once more.
//!
//! - A1: it is taken for endless if it did the same for [`N_ALONE`] operations, or as many as a test says.
//! - A3: a loop with questions (`ask`) is certain if the thread stays in it for as long with the last answer to
//!   all of them, and with the first one.
//! - A4: the trials of a check have at most [`N_TRIED`] operations. Executions that need more are too long to be
//!   followed.
//! - A2: if it does anything else, waits, ends or panics, it leaves by itself, and no trial begins before that.
//! - A5: a thread may leave one loop and be in another that does the same, as where both call one function. So its
//!   stack is compared from round to round for the first [`N_COMPARED`] operations. In one loop, what changes from
//!   round to round does so by the same number (it is counted). If that is not so, but is in the second half of these
//!   operations, then the thread is in another loop since then: it left the first one. Where it is never so, that
//!   says nothing. Stacks are compared in the first half of the operations of A4.
//! - A6: the trial begins with the first of the two rounds, or with the other if another thread changed something in
//!   between. Not before its second round are stacks compared, since until then they hold what was called in
//!   front of the loop. So that the thread is known to be in its loop for a whole round where it is set aside, it may
//!   have to go on for one more.
//! - A7: what is known to be endless are the states from where the thread was seen to do the same again.
//! - A8: what is known is asked for only where a trial would be planned: where no other thread changed anything in the
//!   last round, and the thread is not about to leave. So no execution that was kept would go on in another way with
//!   what is known later: where nothing was known it was thrown away.

use super::local::{mix, number};
use super::row::Move;
use super::stack;
use super::table::{Loop, beyond};
use super::{Pending, World};

/// After how many operations alone a loop is taken for endless.
pub(crate) const N_ALONE: u64 = 1_000_000;

/// How many operations the trials of a check have at most (A4).
pub(super) const N_TRIED: u64 = 200 * N_ALONE;

/// For how many operations the stack is compared (A5).
const N_COMPARED: u64 = 20_000;

/// A trial that is to be made when an execution comes to a state again (A6).
#[derive(Debug)]
pub(super) struct Planned {
    /// The identity of the thread where it was seen to do the same again.
    pub(super) seen: u64,
    /// After how many operations of the trial that is.
    pub(super) n_before: u64,
    /// What it did in each step of a round.
    pub(super) round: Vec<u64>,
    /// Which answers it takes to its questions in a round.
    pub(super) answers: Vec<usize>,
}

/// The stacks of a thread in a trial (A5).
#[derive(Debug)]
struct Stacks {
    /// Where the stack begins.
    base: usize,
    /// The one of now, and those of the last round, each with a hash of its differences from the one before.
    now: Vec<u64>,
    last: Vec<(Vec<u64>, u64)>,
    /// How many there were, and the last one that differed in another way than the one before.
    n: u64,
    changed: Option<u64>,
}

/// A trial.
#[derive(Debug)]
pub(super) struct Trial {
    planned: Planned,
    /// The thread that goes on alone.
    thread: u32,
    /// At which step of the round it is.
    at: usize,
    /// How many operations it did, and how many it does.
    n: u64,
    n_alone: u64,
    /// Whether it has not gone on yet.
    is_first: bool,
    /// Its identities from where it was seen to do the same again, for one round and one more (A7).
    identities: Vec<u64>,
    /// How many questions it has asked.
    n_asked: usize,
    /// Whether it takes the last answer to all questions, or the first one (A3).
    other: Option<bool>,
    /// While stacks are compared.
    stacks: Option<Stacks>,
    /// After how many operations it was in the loop in which it stayed (A5).
    first: u64,
    /// Whether clocks were kept before: races of what is thrown away are none.
    followed_clocks: bool,
}

/// What a thread does at a point: what it saw there before, and what it is about to do.
#[inline(always)]
pub(super) fn step(seen: u64, pending: &Pending) -> u64 {
    let what = (pending.what as u64) << 32 | u64::from(pending.object);
    mix(seen, number(pending.site)) ^ what.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl Trial {
    /// Compares the stack of the thread with that of the round before.
    fn compare(&mut self) {
        let Some(stacks) = &mut self.stacks else { return };
        let length = self.planned.round.len() as u64;
        if stacks.n < length {
            stacks.last.push((std::mem::take(&mut stacks.now), 0));
        } else {
            let (before, differed) = &mut stacks.last[(stacks.n % length) as usize];
            let differs = difference(before, &stacks.now);
            if differs != *differed && stacks.n >= 3 * length {
                stacks.changed = Some(stacks.n);
            }
            *differed = differs;
            std::mem::swap(before, &mut stacks.now);
        }
        stacks.n += 1;
        if stacks.n >= N_COMPARED.min(self.n_alone) {
            self.first = match stacks.changed {
                None => length,
                Some(changed) if 2 * changed < stacks.n => changed - length,
                Some(_) => 0,
            };
            self.stacks = None;
        }
    }

    /// Whether the thread has gone on for long enough; goes on to the next part, if there is one.
    #[inline(always)]
    fn is_done(&mut self) -> bool {
        if self.n < self.n_alone {
            return false;
        }
        self.is_done_with_part()
    }

    /// A3
    #[cold]
    fn is_done_with_part(&mut self) -> bool {
        let is_done = match self.other {
            None => self.n_asked == 0 || self.n >= 3 * self.n_alone,
            Some(_) => self.n >= 3 * self.n_alone,
        };
        if !is_done {
            self.other = Some(self.n < 2 * self.n_alone);
        }
        is_done
    }
}

/// By what one stack differs from another.
fn difference(before: &[u64], now: &[u64]) -> u64 {
    let words = before.iter().zip(now).map(|(before, now)| now.wrapping_sub(*before));
    words.fold(before.len().abs_diff(now.len()) as u64, mix)
}

impl World {
    /// The current thread goes on alone, to see whether it leaves a loop.
    #[cold]
    pub(super) fn try_alone(&mut self, planned: Planned) {
        let (thread, n_alone) = (self.current, self.table.n_alone);
        let stacks = self.stack_base().map(|base| Stacks {
            base,
            now: Vec::new(),
            last: Vec::new(),
            n: 0,
            changed: None,
        });
        let trial = Trial {
            thread,
            at: 0,
            n: 0,
            n_alone,
            is_first: true,
            identities: vec![planned.seen],
            planned,
            n_asked: 0,
            other: None,
            stacks,
            first: 0,
            followed_clocks: std::mem::take(&mut self.follows_clocks),
        };
        self.trial = Some(Box::new(trial));
    }

    /// What the thread that is tried takes of so many answers.
    #[cold]
    pub(super) fn answer_alone(&mut self, n: usize) -> usize {
        let Some(trial) = &mut self.trial else { return 0 };
        let answer = match trial.other {
            Some(is_last) => {
                if is_last {
                    n - 1
                } else {
                    0
                }
            }
            None if trial.planned.answers.is_empty() => 0,
            None => trial.planned.answers[trial.n_asked % trial.planned.answers.len()],
        };
        trial.n_asked += 1;
        answer
    }

    /// The thread that is tried has come to another point.
    ///
    /// Has no variables that change from round to round: they would be on the stack.
    #[inline(never)]
    pub(super) fn arrive_alone(&mut self) -> Move {
        let trial = self.trial.as_mut().filter(|trial| trial.thread == self.current);
        let Some(stacks) = trial.and_then(|trial| trial.stacks.as_mut()) else {
            return self.go_on_alone();
        };
        stack::copy(stacks.base, &mut stacks.now);
        let next = self.go_on_alone();
        stack::clear();
        next
    }

    #[inline(never)]
    fn go_on_alone(&mut self) -> Move {
        let me = self.current;
        let at = &mut self.threads[me as usize];
        let Some(trial) = &mut self.trial else { return Move::Stay };
        if trial.thread == me {
            trial.compare();
        }
        if std::mem::take(&mut trial.is_first) {
            return Move::Stay;
        }
        let seen = std::mem::take(&mut at.seen);
        let step = step(seen, &at.pending);
        let round = &trial.planned.round;
        if trial.identities.len() <= round.len() {
            let identity = mix(at.identity, seen);
            at.identity = beyond(identity, at.pending.site);
            if trial.n >= trial.planned.n_before {
                trial.identities.push(identity);
            }
        }
        let is_same = round[trial.at] == step || trial.other.is_some();
        trial.at = if trial.at + 1 == round.len() { 0 } else { trial.at + 1 };
        let goes_on = is_same && trial.thread == me;
        trial.n += u64::from(goes_on);
        if goes_on && !trial.is_done() && self.is_enabled(me) {
            return Move::Stay;
        }
        self.is_over = true;
        self.next_move(me)
    }

    /// Ends a trial, if there is one, or was planned: whether the execution has to be executed again.
    pub(crate) fn end_trial(&mut self) -> bool {
        let Some(trial) = self.trial.take() else { return std::mem::take(&mut self.plans_trial) };
        self.follows_clocks = trial.followed_clocks;
        self.table.add_trial(trial.n);
        let mut known = self.table.learn();
        let Planned { seen, n_before, round, .. } = &trial.planned;
        let length = round.len() as u64;
        let in_loop = trial.first + length;
        if trial.n < trial.n_alone {
            known.leaves.insert(*seen, trial.n.saturating_sub(*n_before)); // A2
        } else if trial.first > 0 && in_loop > *n_before {
            known.leaves.insert(*seen, in_loop - n_before - 1); // A5
        } else {
            let is_certain = trial.n_asked == 0 || trial.n >= 3 * trial.n_alone;
            let first = trial.identities.iter().cycle().take(round.len()).chain([seen]);
            let states = trial.identities.iter().zip(first);
            let states = states.map(|(&state, &identity)| (state, Loop { identity, is_certain }));
            known.endless.extend(states);
        }
        true
    }
}
