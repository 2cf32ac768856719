//! Scouts: the few executions that promise most, before any others.
//!
//! In: the first run, without preemptions, with the operations of its threads. Out: plans that preempt
//! a thread in a *window*, where what it has seen or done is half of something, and let the others go
//! on from there as far as they can (`Policy::Ranked`). Whether a window can be reached in another
//! run is a guess; nothing is claimed of what scouts have not found, and they are beside all bounds.
//!
//! - W1: a window is before a step on something that others use, too, if the thread has used it before:
//!   it looks, and acts then (check then act); it gives a lock back, and takes it again; it looks twice.
//! - W2: so is the place between steps on two such things, if somebody else uses both, or if both are
//!   locks and the first one is held: others may want them in another order.
//! - W3: so is the first step of the thread that started the others: they may come first.
//! - W4: others count while they are there: they were started, and the thread has not waited for their
//!   end.
//! - W5: a window between two things promises more if somebody else uses them in the same order, and so
//!   can do both in between. Who uses them the other way round (writes the data and then the flag, while
//!   the other one reads the flag and then the data) mostly means to.
//! - W6: a window is none for a thread that goes ahead (S1) if it is the first one, or the first that this
//!   one let run, and nobody else can go on there in the first run: it would be the first run again.
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

mod steps;
mod window;

use std::cmp::Reverse;

use raddle_finding::Choice;
use smallvec::SmallVec;

use crate::plan::{Observe, Plan};
use crate::policy::Policy;
use crate::run::{Access, Operation, Run, of_thread};
use steps::bit;
use window::{Window, windows};

/// How many are executed at most: each is as long as a run.
const N_SCOUTS_MAX: usize = 12;

/// How many of them wait at most: some turn out to be like others (S4).
const N_LISTED_MAX: usize = 24;

/// The least promise of a window in which a second thread is preempted (S2), and of one that is tried
/// with several of those.
const SECOND_MIN: u32 = 7;
const SECONDS_MIN: u32 = 9;

/// How many of those.
const N_SECONDS: usize = 4;

/// Executions that promise most, the best one first.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Scouts {
    all: Vec<Scout>,
    windows: Vec<Window>,
    n_threads: u32,
    /// How many were executed.
    n_learned: usize,
}

/// The number of a window.
type Number = u16;

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Scout {
    promise: u32,
    window: Number,
    way: Way,
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
}

impl Scouts {
    /// Those that the first run suggests.
    pub(crate) fn of(run: &Run) -> Scouts {
        let (windows, n_threads) = windows(run);
        let seconds = seconds(&windows);
        let mut all = Vec::with_capacity(4 * windows.len());
        for (window, number) in windows.iter().zip(0..).filter(|(window, _)| !window.is_alone) {
            let promise = window.promise_of_scout();
            let mut add = |promise, way| all.push(Scout { promise, window: number, way });
            add(2 * promise + 1, Way::Down);
            if window.rivals.count_ones() > 1 {
                add(2 * promise - 1, Way::Up);
            }
            let n = if window.promise >= SECONDS_MIN { N_SECONDS } else { 1 };
            for &other in seconds.iter().filter(|&&it| window.has_second(at(&windows, it))).take(n)
            {
                add(2 * promise.min(at(&windows, other).promise), Way::With(other));
            }
            if window.is_between() {
                add(2 * promise.saturating_sub(3), Way::Behind);
            }
        }
        // Stable: of equals, the one that comes first in the run.
        all.sort_by_key(|scout| Reverse(scout.promise));
        all.truncate(N_LISTED_MAX);
        Scouts { all, windows, n_threads, n_learned: 0 }
    }

    /// The plan of the first run.
    pub(crate) fn base() -> Plan {
        Plan { observe: Observe { operations: true, ..Observe::default() }, ..Plan::default() }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.all.len().min(N_SCOUTS_MAX)
    }

    /// Whether all were executed.
    pub(crate) fn is_over(&self) -> bool {
        self.n_learned >= self.len()
    }

    /// Takes in the run of one of them: those whose second thread does not come to its window are left
    /// out, since their runs would be the same (S4).
    pub(crate) fn learn(&mut self, index: usize, run: &Run) {
        self.n_learned = index + 1;
        let Some(&Scout { window, way: Way::Down, .. }) = self.all.get(index) else { return };
        let windows = &self.windows;
        self.all.retain(|it| match it.way {
            Way::With(other) if it.window == window => comes_to(run, at(windows, other).fall()),
            _ => true,
        });
    }

    /// How many bytes they take beside their own size.
    pub(crate) fn memory(&self) -> usize {
        self.all.capacity() * size_of::<Scout>() + self.windows.capacity() * size_of::<Window>()
    }

    /// The plan of one of them.
    pub(crate) fn plan(&self, index: usize) -> Plan {
        let Scout { window, way, .. } = self.all[index];
        let window = at(&self.windows, window);
        let mut order = Vec::with_capacity(self.n_threads as usize + 2);
        let mut falls = vec![window.fall()];
        if way != Way::Behind {
            order.extend([0, window.thread]); // The first thread starts the others.
        }
        match way {
            Way::Down | Way::Up => self.extend(&mut order, window, way == Way::Up),
            Way::With(other) => {
                order.push(at(&self.windows, other).thread);
                falls.push(at(&self.windows, other).fall());
            }
            Way::Behind => {}
        }
        Plan { policy: Policy::Ranked { order, falls }, ..Scouts::base() }
    }

    /// Behind the thread of a window come those that use the same, and then the others.
    fn extend(&self, order: &mut Vec<u32>, window: &Window, upwards: bool) {
        let (thread, n) = (window.thread, self.n_threads);
        let away = |by: u32| (thread + if upwards { by } else { n - by }) % n;
        let others = || (1..n).map(away).filter(|&other| other != 0);
        let is_rival = |other: &u32| window.rivals & bit(*other) != 0;
        order.extend(others().filter(is_rival));
        order.extend(others().filter(|other| !is_rival(other)));
    }
}

/// Whether a thread comes to a step while somebody else can go on.
fn comes_to(run: &Run, [thread, thing, nth]: [u32; 3]) -> bool {
    let mut things: SmallVec<[(u64, u32); 8]> = SmallVec::new();
    for point in 0..run.points().len() {
        if run.taken(point) != Choice::Thread(thread) {
            continue;
        }
        let noticed = |it: &&Operation| it.access != Access::Local;
        for step in of_thread(run.operations(point), thread).filter(noticed) {
            let number = things.iter().position(|it| it.0 == step.object);
            let number = number.unwrap_or(things.len());
            if number == things.len() {
                things.push((step.object, 0));
            }
            if (number as u32, things[number].1) == (thing, nth) {
                return run.alternatives(point).len() > 1;
            }
            things[number].1 += 1;
        }
    }
    false
}

/// Windows in which a second thread can be preempted (S2), the best ones and their last steps first.
fn seconds(all: &[Window]) -> SmallVec<[Number; 24]> {
    let numbers = all.iter().zip(0..).filter(|(window, _)| window.promise >= SECOND_MIN);
    let mut seconds: SmallVec<_> = numbers.map(|(_, number)| number).collect();
    seconds.sort_by_key(|&number| Reverse((at(all, number).promise, at(all, number).nth)));
    seconds
}

fn at(windows: &[Window], number: Number) -> &Window {
    &windows[usize::from(number)]
}
