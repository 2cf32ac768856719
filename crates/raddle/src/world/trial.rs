//! Trials: whether a thread that does the same again and again ever leaves that loop by itself (rule P5 of `spin`).
//!
//! In: a thread that has just done one round twice. Out: in the table, whether the loop is taken for endless.
//! From there on the thread goes on alone, and nothing is noted but whether it does the same as in the round.
//! The execution is then thrown away and executed again.
//!
//! - A1: it is taken for endless if it did the same for [`N_ALONE`] operations, or as many as a test says.
//! - A3: a loop with questions (`ask`) is certain if the thread stays in it for as long with the last answer to
//!   all of them, and with the first one.
//! - A4: the trials of a check have at most [`N_TRIED`] operations. Executions that need more are too long to be
//!   followed.
//! - A2: if it does anything else, waits, ends or panics, it leaves by itself, and no trial begins before that.

use super::local::{mix, number};
use super::row::Move;
use super::{Pending, World};

/// After how many operations alone a loop is taken for endless.
pub(crate) const N_ALONE: u64 = 1_000_000;

/// How many operations the trials of a check have at most (A4).
pub(super) const N_TRIED: u64 = 200 * N_ALONE;

/// A trial.
#[derive(Debug)]
pub(super) struct Trial {
    /// The thread that goes on alone.
    thread: u32,
    /// Its identity where the trial began.
    began: u64,
    /// What it did in each step of a round, and its identity before it.
    round: Vec<(u64, u64)>,
    at: usize,
    /// How many operations it did, and how many it does.
    n: u64,
    n_alone: u64,
    /// Which answers it takes to its questions in a round, and how many it has asked.
    answers: Vec<usize>,
    n_asked: usize,
    /// Whether it takes the last answer to all questions, or the first one (A3).
    other: Option<bool>,
}

/// What a thread does at a point: what it saw there before, and what it is about to do.
#[inline(always)]
pub(super) fn step(seen: u64, pending: &Pending) -> u64 {
    let what = (pending.what as u64) << 32 | u64::from(pending.object);
    mix(seen, number(pending.site)) ^ what.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl Trial {
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

impl World {
    /// The current thread goes on alone, to see whether it leaves the round that it has just done.
    #[cold]
    pub(super) fn try_alone(&mut self, began: u64, round: Vec<(u64, u64)>, answers: Vec<usize>) {
        let (thread, other, n_alone) = (self.current, None, self.table.n_alone);
        let trial =
            Trial { thread, began, round, at: 0, n: 0, n_alone, answers, n_asked: 0, other };
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
            None if trial.answers.is_empty() => 0,
            None => trial.answers[trial.n_asked % trial.answers.len()],
        };
        trial.n_asked += 1;
        answer
    }

    /// The thread that is tried has come to another point.
    #[inline(never)]
    pub(super) fn arrive_alone(&mut self) -> Move {
        let me = self.current;
        let at = &mut self.threads[me as usize];
        let step = step(std::mem::take(&mut at.seen), &at.pending);
        if let Some(trial) = &mut self.trial {
            let is_same = trial.round[trial.at].0 == step || trial.other.is_some();
            trial.at = if trial.at + 1 == trial.round.len() { 0 } else { trial.at + 1 };
            let goes_on = is_same && trial.thread == me;
            trial.n += u64::from(goes_on);
            if goes_on && !trial.is_done() && self.is_enabled(me) {
                return Move::Stay;
            }
        }
        self.is_over = true;
        self.next_move(me)
    }

    /// Ends a trial, if there is one: whether the execution has to be executed again.
    pub(crate) fn end_trial(&mut self) -> bool {
        let Some(trial) = self.trial.take() else { return false };
        self.table.add_trial(trial.n);
        let mut known = self.table.learn();
        if trial.n < trial.n_alone {
            known.leaves.entry(trial.began).or_insert(trial.n); // A2
        } else {
            known.wraps.insert(trial.began, trial.round[0].1);
            let is_certain = trial.n_asked == 0 || trial.n >= 3 * trial.n_alone;
            known.endless.extend(trial.round.iter().map(|&(_, identity)| (identity, is_certain)));
        }
        true
    }
}
