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
//!
//! What a window is used for:
//!
//! - S1: the thread goes ahead of all others up to the window, then come those that use the same, and
//!   then it goes on.
//! - S2: the same, but another thread is preempted in the last of its own windows, and the first one
//!   goes on before it.
//! - S3: threads come in the order of the first run, so that the window is behind what others do.

mod window;

use std::cmp::Reverse;

use crate::plan::{Observe, Plan};
use crate::policy::Policy;
use crate::run::Run;
use window::{Window, bit, windows};

/// How many there are at most: each is as long as a run.
const N_SCOUTS_MAX: usize = 12;

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
}

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Scout {
    promise: u32,
    /// The number of its window.
    window: usize,
    way: Way,
}

/// What a window is used for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    /// S1; those that come next are numbered downwards from the thread, or upwards.
    Down,
    Up,
    /// S2, with the number of the other window.
    With(usize),
    /// S3
    Behind,
}

impl Scouts {
    /// Those that the first run suggests.
    pub(crate) fn of(run: &Run) -> Scouts {
        let (windows, n_threads) = windows(run);
        let mut all = Vec::with_capacity(4 * windows.len());
        for (number, window) in windows.iter().enumerate() {
            let promise = window.promise_of_scout();
            let mut add = |promise, way| all.push(Scout { promise, window: number, way });
            add(2 * promise + 1, Way::Down);
            if window.rivals.count_ones() > 1 {
                add(2 * promise - 1, Way::Up);
            }
            for (other, second) in seconds(window, &windows) {
                add(2 * promise.min(second), Way::With(other));
            }
            if window.is_between() {
                add(2 * promise.saturating_sub(3), Way::Behind);
            }
        }
        // Stable: of equals, the one that comes first in the run.
        all.sort_by_key(|scout| Reverse(scout.promise));
        all.truncate(N_SCOUTS_MAX);
        Scouts { all, windows, n_threads }
    }

    /// The plan of the first run.
    pub(crate) fn base() -> Plan {
        Plan { observe: Observe { operations: true, ..Observe::default() }, ..Plan::default() }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// How many bytes they take beside their own size.
    pub(crate) fn memory(&self) -> usize {
        self.all.capacity() * size_of::<Scout>() + self.windows.capacity() * size_of::<Window>()
    }

    /// The plan of one of them.
    pub(crate) fn plan(&self, index: usize) -> Option<Plan> {
        let &Scout { window, way, .. } = self.all.get(index)?;
        let window = &self.windows[window];
        let mut order = Vec::with_capacity(self.n_threads as usize + 2);
        let mut falls = vec![window.fall()];
        if way != Way::Behind {
            order.extend([0, window.thread]); // The first thread starts the others.
        }
        match way {
            Way::Down | Way::Up => self.extend(&mut order, window, way == Way::Up),
            Way::With(other) => {
                order.push(self.windows[other].thread);
                falls.push(self.windows[other].fall());
            }
            Way::Behind => {}
        }
        Some(Plan { policy: Policy::Ranked { order, falls }, ..Scouts::base() })
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

/// Windows in which a second thread is preempted (S2): their numbers, and what they promise.
fn seconds(window: &Window, all: &[Window]) -> impl Iterator<Item = (usize, u32)> {
    let is_second = |it: &Window| it.promise >= SECOND_MIN && bit(it.thread) & window.rivals != 0;
    let mut others: Vec<_> = (0..all.len()).filter(|&number| is_second(&all[number])).collect();
    others.sort_by_key(|&number| Reverse((all[number].promise, all[number].nth)));
    let n = if window.promise >= SECONDS_MIN { N_SECONDS } else { 1 };
    others.into_iter().take(n).map(|number| (number, all[number].promise))
}
