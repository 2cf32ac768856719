//! Scouts: the few executions that promise most, before any others.
//!
//! In: the first run, without preemptions, with the operations of its threads. Out: plans that preempt
//! a thread in a *window*, where what it has seen or done is half of something, and let the others go
//! on from there as far as they can (`Policy::Ranked`). Whether a window can be reached in another
//! run is a guess; nothing is claimed of what scouts have not found, and they are beside all bounds.
//!
//! - W1: a window is before a step on something that others use, too, if the thread has used it before:
//!   it looks, and acts then (check then act); it gives a lock back, and takes it again; it looks twice; it
//!   changes again what others look at.
//! - W2: so is the place between steps on two such things, if another thread uses both, or if both are
//!   locks and the first one is held: others may want them in another order.
//! - W3: so is the first step of the thread that started the others: they may come first.
//! - W4: others count while they are there: they were started, and the thread has not waited for their
//!   end.
//! - W5: a window between two things promises more if another thread uses them in the same order, and so
//!   can do both in between. A thread that uses them the other way round (writes the data and then the flag, while
//!   the other one reads the flag and then the data) mostly does so on purpose.
//! - W6: a window is none for a thread that goes ahead (S1) if it is the first one, or the first that this
//!   one let run, and no other can go on there in the first run: it would be the first run again.
//! - W7: a window promises less if the thread had one like it before, or if an earlier thread does the
//!   same to things of its own (a *twin*).
//!
//! What a window is used for:
//!
//! - S1: the thread goes ahead of all others up to the window, then come those that use the same, and
//!   then it goes on.
//! - S2: the same, but another thread is preempted in the last of its own windows, and the first one
//!   goes on before it.
//!   Not so if both threads do the same, and would be in the same place: that is S1 the other way round.
//! - S3: threads come in the order of the first run, so that the window is behind what others do.
//! - S4: if the second thread of S2 does not come to its window when only the first one is preempted, it
//!   would be the same run again, and is left out.
//! - S5: a run in which a thread does more than in those before, and to more things, took another path.
//!   Where threads look and act then, behind the fall that led there, are windows that the first run may not
//!   have. Threads are preempted there, too, one fall behind the other, so that some of what takes three
//!   preemptions and more is found step by step.
//! - S6: when no other is left, threads come in the other order, those that were started last first, and none
//!   is preempted. What a thread does depends on which threads were there before it: if one of them does more than ever,
//!   that run took another path (S5), and windows that promise less are good enough.

mod steps;
mod window;

use std::cmp::Reverse;
use std::iter::once;

use raddle_finding::Choice;
use smallvec::SmallVec;

use crate::plan::{Observe, Plan};
use crate::policy::Policy;
use crate::run::{Outcome, Run};
use steps::{Steps, Threads, bit};
use window::{Window, windows};

/// How many are executed at most: each is as long as a run.
const N_SCOUTS_MAX: usize = 12;

/// The least promise of a window in which a second thread is preempted (S2) or which only the other order
/// shows (S6), and of one that is tried with several of those, or is looked for on another way (S5).
const SECOND_MIN: u32 = 7;
const BEST_MIN: u32 = 9;

/// How many of those.
const N_SECONDS: usize = 4;

/// Executions that promise most, one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Scouts {
    waiting: Vec<Scout>,
    /// The one whose plan is out.
    current: Option<Scout>,
    windows: Vec<Window>,
    /// How many of them are those of the first run.
    n_first: usize,
    /// How many were executed.
    n_learned: usize,
    /// The most points that each thread had in a run, and the most things that it used.
    n_points: PerThread,
    n_things: PerThread,
    /// What led to runs that went another way (S5).
    bases: Vec<Base>,
    /// Whether the other order was tried (S6); what comes then comes from it.
    is_turned: bool,
}

/// A number for each thread.
type PerThread = SmallVec<[u32; 8]>;

/// In which order threads come, and before which steps they fall.
type Base = (Vec<u32>, Vec<[u32; 3]>);

/// The number of a window, or of a base.
type Number = u16;

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Scout {
    promise: u32,
    window: Number,
    way: Way,
    /// What comes before it, if anything does (S5).
    base: Option<Number>,
}

/// What a window is used for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    /// S1; those that come next are numbered downwards from the thread, or upwards.
    Down,
    Up,
    /// S2, with the other window.
    With(Number),
    /// S3
    Behind,
    /// S6; the window does not matter.
    Turned,
}

impl Scouts {
    /// Those that the first run suggests.
    pub(crate) fn of(run: &Run) -> Scouts {
        let n_points = n_points(run);
        let mut steps = Steps::named(run, n_points.len());
        steps.relate();
        let windows = windows(run, &steps, None);
        let mut waiting = Vec::with_capacity(2 * windows.len());
        for (it, window) in windows.iter().zip(0..).filter(|(it, _)| !it.is_alone) {
            let promise = it.promise_of_scout();
            let mut add = |promise, way| waiting.push(Scout { promise, window, way, base: None });
            add(2 * promise + 1, Way::Down);
            if it.rivals.count_ones() > 1 {
                add(2 * promise - 1, Way::Up);
            }
            if it.is_between() {
                add(2 * promise.saturating_sub(3), Way::Behind);
            }
        }
        let (n_first, n_things) = (windows.len(), steps.n_things().collect());
        Scouts { waiting, windows, n_first, n_points, n_things, ..Scouts::default() }
    }

    /// The plan of the first run.
    pub(crate) fn base() -> Plan {
        Plan { observe: Observe { operations: true, ..Observe::default() }, ..Plan::default() }
    }

    /// How many were executed, with the one that is to be.
    pub(crate) fn len(&self) -> usize {
        self.n_learned + usize::from(!self.is_over())
    }

    /// Whether all were executed.
    pub(crate) fn is_over(&self) -> bool {
        let is_left = !self.waiting.is_empty() || self.current.is_some() || self.can_turn();
        self.n_learned >= N_SCOUTS_MAX || !is_left
    }

    /// S6: if threads share something; the first one starts the others, so there have to be two of these.
    fn can_turn(&self) -> bool {
        !self.is_turned && self.n_first > 0 && self.n_points.len() > 2
    }

    /// The plan of the next one; the same again until its run is learned.
    pub(crate) fn plan(&mut self) -> Plan {
        if self.current.is_none() {
            // Of equals, the one whose window promises more alone, and of these the one that was found first.
            let key = |it: &Scout| (it.promise, at(&self.windows, it.window).promise);
            let best = self.waiting.iter().enumerate().rev().max_by_key(|(_, it)| key(it));
            self.current = best.map(|(place, _)| place).map(|place| self.waiting.remove(place));
            if self.current.is_none() && self.can_turn() {
                self.is_turned = true;
                let (promise, window, way) = (SECOND_MIN, 0, Way::Turned);
                self.current = Some(Scout { promise, window, way, base: None });
            }
        }
        let (order, falls) = self.current.map_or_else(Base::default, |scout| self.falls(scout));
        Plan { policy: Policy::Ranked { order, falls }, ..Scouts::base() }
    }

    /// Takes in the run of the one whose plan is out. One that fails is no beginning of others.
    pub(crate) fn learn(&mut self, run: &Run) {
        self.n_learned += 1;
        let Some(scout) = self.current.take() else { return };
        if run.outcome != Outcome::Passed || self.n_learned >= N_SCOUTS_MAX {
            return;
        }
        let does_more = rises(&mut self.n_points, n_points(run));
        let (seconds, has_base) = (self.seconds(scout), scout.base.is_some());
        if does_more || has_base || !seconds.is_empty() {
            let steps = Steps::named(run, self.n_points.len());
            self.add_seconds(scout, &seconds, run, &steps);
            let uses_more = rises(&mut self.n_things, steps.n_things());
            if uses_more || has_base || does_more && scout.way == Way::Turned {
                self.go_on(scout, run, steps);
            }
        }
    }

    /// Windows in which a second thread can be preempted beside the one of a scout (S2), the best ones and
    /// their last steps first.
    fn seconds(&self, scout: Scout) -> SmallVec<[Number; 24]> {
        if scout.way != Way::Down || scout.base.is_some() {
            return SmallVec::new();
        }
        let first = at(&self.windows, scout.window);
        let fits = |it: &Window| it.promise >= SECOND_MIN && first.has_second(it);
        let all = self.windows[..self.n_first].iter().zip(0..);
        let mut seconds: SmallVec<_> =
            all.filter(|(it, _)| fits(it)).map(|(_, number)| number).collect();
        let window = |number: &Number| at(&self.windows, *number);
        seconds.sort_by_key(|it| Reverse((window(it).promise, window(it).nth)));
        seconds.truncate(if first.promise >= BEST_MIN { N_SECONDS } else { 1 });
        seconds
    }

    /// Adds those that preempt a second thread, if it comes to its window while another one can go on
    /// (S4).
    fn add_seconds(&mut self, scout: Scout, seconds: &[Number], run: &Run, steps: &Steps) {
        for &other in seconds {
            let first = at(&self.windows, scout.window).promise_of_scout();
            let second = at(&self.windows, other);
            let step = steps.find(second.fall());
            if step.is_some_and(|step| run.alternatives(step.point as usize).len() > 1) {
                let (promise, way) = (2 * first.min(second.promise), Way::With(other));
                self.waiting.push(Scout { promise, way, ..scout });
            }
        }
    }

    /// Adds those that preempt a thread behind the falls of one whose run went another way (S5).
    fn go_on(&mut self, scout: Scout, run: &Run, mut steps: Steps) {
        let (order, falls) = self.falls(scout);
        let fallen = falls.last().and_then(|&fall| steps.find(fall));
        let from = fallen.map_or(0, |step| steps.behind(step));
        let least = if self.is_turned { SECOND_MIN } else { BEST_MIN };
        steps.relate();
        let base = Some(self.bases.len() as Number);
        for window in windows(run, &steps, Some(from)) {
            if window.promise < least || window.is_alone || falls.contains(&window.fall()) {
                continue;
            }
            let promise = scout.promise / 2 + window.promise_of_scout();
            let number = self.windows.len() as Number;
            self.waiting.push(Scout { promise, window: number, way: Way::Down, base });
            self.windows.push(window);
        }
        self.bases.push((order, falls));
    }

    /// How many bytes they take beside their own size.
    pub(crate) fn memory(&self) -> usize {
        let waiting = self.waiting.capacity() * size_of::<Scout>();
        waiting + self.windows.capacity() * size_of::<Window>()
    }

    fn falls(&self, scout: Scout) -> Base {
        if scout.way == Way::Turned {
            let others = (1..self.n_points.len() as u32).rev();
            return (once(0).chain(others).collect(), Vec::new());
        }
        let window = at(&self.windows, scout.window);
        if let Some(base) = scout.base {
            let (order, mut falls) = self.bases[usize::from(base)].clone();
            falls.push(window.fall());
            return (order, falls);
        }
        let mut order = Vec::with_capacity(self.n_points.len() + 2);
        let mut falls = vec![window.fall()];
        if scout.way != Way::Behind {
            order.extend([0, window.thread]); // The first thread starts the others.
        }
        match scout.way {
            Way::Down | Way::Up => self.extend(&mut order, window, scout.way == Way::Up),
            Way::With(other) => {
                order.push(at(&self.windows, other).thread);
                falls.push(at(&self.windows, other).fall());
            }
            Way::Behind | Way::Turned => {}
        }
        (order, falls)
    }

    /// Behind the thread of a window come those that use the same, and then the others.
    fn extend(&self, order: &mut Vec<u32>, window: &Window, upwards: bool) {
        let (thread, n) = (window.thread, self.n_points.len() as u32);
        let away = |by: u32| (thread + if upwards { by } else { n - by }) % n;
        let others = || (1..n).map(away).filter(|&other| other != 0);
        let is_rival = |other: &u32| window.rivals & bit(*other) != 0;
        order.extend(others().filter(is_rival));
        order.extend(others().filter(|other| !is_rival(other)));
    }
}

/// Takes in numbers; whether any of them is higher than before.
fn rises(most: &mut PerThread, now: impl IntoIterator<Item = u32>) -> bool {
    let mut rises = false;
    for (thread, now) in now.into_iter().enumerate() {
        if thread == most.len() {
            most.push(0);
        }
        rises |= now > most[thread];
        most[thread] = now.max(most[thread]);
    }
    rises
}

/// How many points each thread has; of the first ones, as only those have steps.
fn n_points(run: &Run) -> PerThread {
    let (mut all, mut n) = ([0; Threads::BITS as usize], 0);
    for choice in run.choices() {
        if let Choice::Thread(thread) = choice
            && let Some(n_points) = all.get_mut(thread as usize)
        {
            *n_points += 1;
            n = n.max(thread as usize + 1);
        }
    }
    PerThread::from_slice(&all[..n])
}

fn at(windows: &[Window], number: Number) -> &Window {
    &windows[usize::from(number)]
}
