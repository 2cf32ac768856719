//! One run: point by point, from as far back as it must.
//!
//! In: a plan. Out: a run, or the round for which it has to begin again: where a round is noticed late, what was open
//! since its end was wrong (`round`).

use std::mem::take;
use std::sync::atomic::Ordering;

use raddle_explore::{
    Chooser, EngineError, Failure, FailureKind, Outcome as End, Patrol, Plan, Point, Run, Watch,
};
use raddle_finding::Choice;

use super::VmEngine;
use super::joint::{Circuit, N_POINTS};
use super::round::{Left, Look, Round};
use super::scene::Situation;
use super::spin::Why;
use crate::question::Question;

/// A run in progress.
struct Attempt<'a> {
    plan: &'a Plan,
    /// The points that the last run has, too, and those of which the states were kept.
    n_common: Option<usize>,
    n_kept: usize,
    /// Whether later plans may come back to where this run has been: only those with a prefix do.
    keeps: bool,
    patrol: Patrol<'a>,
    chooser: Chooser,
    circuit: Circuit,
}

/// How a run goes on behind a point.
enum Flow {
    On,
    Ends(End),
    /// It ends since what was planned is not open.
    Diverges(End, Choice),
    /// It begins again.
    Again(Round),
}

/// A choice at a point.
struct Pick {
    index: usize,
    choice: Choice,
    n_open: usize,
    situation: Situation,
    /// Why it sets the current thread aside, if it does.
    why: Option<Why>,
}

impl Attempt<'_> {
    fn planned(&self, at: usize) -> Option<Choice> {
        self.plan.prefix.get(at).copied()
    }

    /// Whether the last run was at a point, too.
    fn is_copied(&self, at: usize) -> bool {
        self.n_common.is_some_and(|common| at <= common)
    }
}

impl VmEngine {
    /// Executes a run from as far back as it must; none if it has to begin again.
    pub(super) fn attempt(
        &mut self,
        plan: &Plan,
        watch: &dyn Watch,
        run: &mut Run,
        is_first: bool,
    ) -> Option<Result<(), EngineError>> {
        let n_common = self.rewind(plan, run);
        if is_first {
            self.rounds_before = take(&mut self.rounds);
            self.rounds_again.clear();
        }
        let n_kept = run.points().len();
        self.rounds.clear();
        self.rounds.extend(self.rounds_before.iter().filter_map(|round| round.up_to(n_kept)));
        self.observed = plan.observe;
        let mut circuit = take(&mut self.circuit);
        circuit.rewind(n_kept);
        let keeps = plan.policy.is_enumerated();
        let (patrol, chooser) = (Patrol::new(watch), Chooser::new(&plan.policy));
        let mut attempt = Attempt { plan, n_common, n_kept, keeps, patrol, chooser, circuit };
        let flow = loop {
            match self.pass(&mut attempt, run) {
                Flow::On => {}
                flow => break flow,
            }
        };
        self.circuit = attempt.circuit;
        let (outcome, result) = match flow {
            Flow::Again(round) => {
                self.rounds_again.push(round);
                self.trail.clear();
                return None;
            }
            Flow::Diverges(outcome, choice) => {
                let position = run.points().len();
                (outcome, Err(EngineError::Diverged { position, choice }))
            }
            Flow::Ends(outcome) => (outcome, Ok(())),
            Flow::On => unreachable!("the loop goes on then"),
        };
        run.truncate_opened();
        run.outcome = outcome;
        self.note_left(plan.observe, run);
        self.is_settled = keeps;
        self.last.copy_behind(run, n_kept);
        Some(result)
    }

    /// Passes the point that comes next.
    fn pass(&mut self, attempt: &mut Attempt<'_>, run: &mut Run) -> Flow {
        let (plan, at) = (attempt.plan, run.points().len());
        let mut remembered = 0;
        if plan.observe.fingerprints {
            let state;
            (state, remembered) = self.fingerprint();
            run.fingerprints.push(state);
        }
        if plan.n_points_max.is_some_and(|most| at >= most as usize) {
            return Flow::Ends(self.end());
        }
        match self.look(attempt, run) {
            Flow::On => {}
            flow => return flow,
        }
        let pick = match self.pick(attempt, run) {
            Ok(pick) => pick,
            Err(flow) => return flow,
        };
        let Situation { current, preemptible, spinning } = pick.situation;
        let is_behind = at >= plan.prefix.len();
        let deferred = plan.defers_preemptions && preemptible && is_behind;
        if attempt.keeps && pick.n_open > 1 && !deferred {
            self.save(at);
        }
        let (blocking, history) = (self.is_blocking(pick.choice), self.history(remembered));
        let taken = pick.index as u32;
        run.push(Point { current, preemptible, spinning, blocking, taken, history });
        let is_known = is_behind && attempt.patrol.is_known(run);
        if attempt.is_copied(at) {
            run.copy_flags(&self.last, at);
        } else if attempt.keeps && is_known {
            self.settle(run);
        }
        if is_known {
            return Flow::Ends(End::Known);
        }
        self.go(attempt, &pick, run)
    }

    /// Looks at where the run has come to: whether it was there before, and whether the current thread has done a round.
    fn look(&mut self, attempt: &mut Attempt<'_>, run: &mut Run) -> Flow {
        let at = run.points().len();
        let is_planned = attempt.planned(at).is_some();
        if !matches!(self.machine.question(), Some(Question::Thread(_))) {
            let repeats = attempt.keeps && !is_planned;
            if repeats && attempt.circuit.has_same_question(self, run) {
                match self.repeat_by_answers(run) {
                    Some(outcome) => return Flow::Ends(outcome),
                    None => attempt.patrol.allow_cycle(),
                }
            }
            return Flow::On;
        }
        // A saved state knows what was seen there.
        if at > 0 && at == attempt.n_kept {
            return Flow::On;
        }
        let n_prefix = attempt.plan.prefix.len();
        match self.look_back(run, attempt.is_copied(at), n_prefix, attempt.keeps) {
            Look::Again(round) => Flow::Again(round),
            Look::Ends(outcome) if !is_planned => Flow::Ends(outcome),
            Look::On | Look::Ends(_) => Flow::On,
        }
    }

    /// Chooses what comes next; how the run ends if there is nothing.
    fn pick(&mut self, attempt: &mut Attempt<'_>, run: &mut Run) -> Result<Pick, Flow> {
        let (plan, at) = (attempt.plan, run.points().len());
        let (planned, is_copied) = (attempt.planned(at), attempt.is_copied(at));
        let ends = |outcome| match planned {
            Some(choice) => Flow::Diverges(outcome, choice),
            None => Flow::Ends(outcome),
        };
        let mut why = match self.is_left(planned) {
            true if is_copied => self.judged(at),
            true => self.judge(run),
            false => None,
        };
        self.wake_those_who_leave();
        if !self.describe(plan.observe, run) {
            let what = "a nondeterministic value with more than 65536 values";
            let place = self.place(self.machine.site());
            let failure = Failure::new(FailureKind::Unsupported, [place], what);
            return Err(Flow::Ends(End::Unsupported(failure)));
        }
        if self.stop.load(Ordering::Relaxed) {
            return Err(Flow::Ends(End::Stopped));
        }
        if planned.is_none()
            && let Some(outcome) = self.stuck()
        {
            return Err(Flow::Ends(outcome));
        }
        self.admit(planned, plan.observe, run);
        let n_open = run.opened().len();
        if n_open == 0 {
            return Err(ends(self.end()));
        }
        let mut situation = self.situation(why.is_some());
        let index = self.choose(run, &situation, planned, &mut attempt.chooser);
        let mut index = index.ok_or_else(|| ends(End::Known))?; // All sleep.
        let choice = run.opened()[index];
        if attempt.keeps && planned.is_none() && !is_copied && self.is_left(Some(choice)) {
            match self.leave(run, plan.prefix.len()) {
                Left::Within(round) => why = round,
                Left::Over(Look::On) => {
                    run.truncate_opened();
                    self.describe(plan.observe, run);
                    let offered = run.opened().iter().position(|&other| other == choice);
                    index = offered.expect("only the current thread is not offered any more");
                }
                Left::Over(Look::Ends(outcome)) => return Err(Flow::Ends(outcome)),
                Left::Over(Look::Again(round)) => return Err(Flow::Again(round)),
            }
            situation = self.situation(why.is_some());
        }
        Ok(Pick { index, choice, n_open, situation, why })
    }

    /// Does what was chosen at the last point.
    fn go(&mut self, attempt: &mut Attempt<'_>, pick: &Pick, run: &mut Run) -> Flow {
        let at = run.points().len() - 1;
        let is_planned = attempt.planned(at).is_some();
        let is_last = run.points().len() == attempt.plan.prefix.len();
        if let Some(why) = pick.why
            && let Look::Ends(outcome) = self.aside(run, at, why)
            && (!is_planned || is_last && outcome.is_failure(FailureKind::Livelock))
        {
            return Flow::Ends(outcome);
        }
        if self.spins.is_met_at(at) {
            attempt.patrol.allow_cycle(); // P4
        }
        match pick.choice {
            Choice::Thread(thread) if self.spins.before(thread, at) => {
                let circuit = &mut attempt.circuit;
                let is_watched = !is_planned && at >= N_POINTS || circuit.is_due(at);
                let is_closed = attempt.keeps && is_watched && circuit.is_closed(self, thread, at);
                if is_closed && !is_planned {
                    return Flow::Ends(End::Repeats);
                }
                self.begin_stretch(run, at);
            }
            Choice::Thread(_) => {}
            _ => self.spins.stretch.is_asked |= pick.n_open > 1,
        }
        self.detector.point = at as u32;
        self.answer(pick.choice);
        run.races.append(&mut self.detector.found);
        self.note_misuses(at, run);
        Flow::On
    }
}
