//! Who goes on at a point: the plan, or the policy among those who can.

use core::sync::atomic::Ordering;

use alloc::vec::Vec;
use raddle_wire::OutcomeKind;
use raddle_wire::board::{CHOICE_ASIDE, CHOICE_BITS, CHOICE_SPINS, CHOICE_WAITER, PointFlags};
use raddle_wire::policy::{Alternatives, Scene};

use super::spin::Why;
use super::{Explore, Scratch, operation};
use crate::guard::{self, Guard};
use crate::outcome::{self, End};
use crate::state::State;
use crate::thread::Thread;
use crate::{external, host, sched, unseen};

/// Threads of which one is woken.
struct Waiters<'a>(&'a [u32]);

impl Alternatives for Waiters<'_> {
    fn n(&self) -> usize {
        self.0.len()
    }

    fn thread(&self, _index: usize) -> Option<u32> {
        None
    }
}

impl Explore {
    /// Who goes on at a point.
    pub fn choose(&self, state: &State, me: &'static Thread) -> &'static Thread {
        self.check(state);
        let planned = self.planned();
        external::settle(state, me);
        if let Some(planned) = planned.and_then(|word| state.thread(word & !CHOICE_BITS)) {
            external::settle(state, planned);
        }
        unseen::meet(state);
        sched::settle_own(state, me);
        if self.arrive(state, me) {
            return me;
        }
        let word = planned.unwrap_or(0);
        if word & (CHOICE_ASIDE | CHOICE_SPINS) != 0 && word & !CHOICE_BITS != me.number {
            let why = Why::of_choice(word);
            if !self.has_walked() && !self.spins.is_aside(me) && self.walks(state, me, why) {
                return me;
            }
            if word & CHOICE_ASIDE != 0 && !self.spins.is_aside(me) {
                self.leave_spinning(me, why);
            }
        }
        let mut scratch = self.scratch.with(core::mem::take);
        while !self.gather(state, me, &mut scratch.open) {}
        let (next, end) = self.take(state, me, planned, &mut scratch);
        self.scratch.with(|place| *place = scratch);
        match (next, end) {
            (Some(next), _) if self.enumerates.get() && self.comes_again(state, me, next) => {
                Lost::Known.tell(self, state)
            }
            (Some(next), _) => next,
            (None, Some(why)) => why.tell(self, state),
            (None, None) => outcome::deadlock(state),
        }
    }

    /// Which of the open threads is taken; why none is.
    fn take(
        &self,
        state: &State,
        me: &'static Thread,
        planned: Option<u32>,
        Scratch { open, operations }: &mut Scratch,
    ) -> (Option<&'static Thread>, Option<Lost>) {
        let word = planned.unwrap_or(0);
        let planned = planned.map(|word| word & !CHOICE_BITS);
        if let Some(planned) = planned
            && !open.contains(&planned)
        {
            // A schedule may come from other points, where the thread was not set aside.
            let can = state.thread(planned).is_some_and(|thread| can_go_on(state, thread));
            if !can {
                return (None, Some(Lost::Diverged(planned)));
            }
            open.push(planned);
        }
        if open.is_empty() {
            return (None, None);
        }
        let among = open.len() > 1 && open.contains(&me.number) && holds(state, me);
        let gives_way = me.gives_way.get();
        let spins = word & CHOICE_SPINS != 0;
        let preemptible = among && !gives_way && !spins;
        operations.clear();
        if self.needs_operations.get() {
            for thread in open.iter().filter_map(|&number| state.thread(number)) {
                operation::note(state, thread, operations);
            }
        }
        let taken = match planned {
            Some(planned) => open.iter().position(|&number| number == planned),
            None => {
                let default = default(state, me, open, preemptible);
                let current = me.number;
                let scene =
                    Scene { alternatives: &open[..], operations, current, preemptible, default };
                self.chooser.with(|chooser| chooser.as_mut().and_then(|c| c.choose(&scene)))
            }
        };
        let Some(taken) = taken else { return (None, Some(Lost::Known)) };
        let Some(next) = state.thread(open[taken]) else { return (None, None) };
        let blocking = !matches!(next.want.get().guard, Guard::Always);
        let flags = flag(PointFlags::PREEMPTIBLE, preemptible)
            | flag(PointFlags::SPINNING, among && !gives_way && spins)
            | flag(Why::of_choice(word).flag(), spins)
            | flag(PointFlags::BLOCKING, blocking)
            | self.aside_flags(me);
        self.note(state, me.number, open, taken, flags, operations);
        if spins && !core::ptr::eq(me, next) {
            self.leave_spinning(me, Why::of_choice(word));
        }
        self.took(state, me, next);
        (Some(next), None)
    }

    /// Which of several waiting threads is woken: in the order in which they began to wait.
    pub fn choose_waiter(&self, state: &State, waiters: &[u32]) -> u32 {
        if self.is_silent() {
            return waiters[0];
        }
        self.check(state);
        let me = state.current().number;
        let taken = match self.planned() {
            Some(planned) => {
                let wanted = |&waiter: &u32| waiter | CHOICE_WAITER == planned;
                match waiters.iter().position(wanted) {
                    Some(taken) => taken,
                    None => Lost::Diverged(planned).tell(self, state),
                }
            }
            None => {
                let alternatives = &Waiters(waiters);
                let scene = Scene {
                    alternatives,
                    operations: &[],
                    current: me,
                    preemptible: false,
                    default: 0,
                };
                self.chooser
                    .with(|chooser| chooser.as_mut().and_then(|c| c.choose(&scene)))
                    .unwrap_or(0)
            }
        };
        self.note(state, me, waiters, taken, PointFlags::WAITER, &[]);
        waiters[taken]
    }

    /// Before a point: whether the run may have one more.
    fn check(&self, state: &State) {
        let at = self.n_points.get();
        if self.n_points_max.get() != 0 && at >= self.n_points_max.get() {
            Lost::Cut.tell(self, state);
        }
        if self.board().stop.load(Ordering::Relaxed) != 0 {
            Lost::Stopped.tell(self, state);
        }
    }

    /// Collects who can be chosen, ascending. False if that has to be asked again.
    fn gather(&self, state: &State, me: &'static Thread, open: &mut Vec<u32>) -> bool {
        open.clear();
        let mut any = false;
        for thread in state.all_threads().filter(|thread| can_go_on(state, thread)) {
            any = true;
            self.is_able(thread);
            if !self.spins.is_aside(thread) {
                open.push(thread.number);
            }
        }
        if !open.is_empty() {
            return true;
        }
        if any && !external::any_but(state, |thread| self.spins.is_aside(thread)) {
            open.extend(self.all_aside(state, me));
            return true;
        }
        if !external::any(state) || guard::has_circle(state) {
            return true;
        }
        // No thread inside can go on: what is outside decides.
        if !external::wait(state, Some(external::patience(state))) {
            outcome::hang(state);
        }
        false
    }
}

/// Why a run cannot go on as planned.
enum Lost {
    Diverged(u32),
    Known,
    Cut,
    Stopped,
}

impl Lost {
    fn tell(self, explore: &Explore, state: &State) -> ! {
        let (kind, planned) = match self {
            Lost::Diverged(planned) => (OutcomeKind::Diverged, planned & !CHOICE_WAITER),
            Lost::Known => (OutcomeKind::Known, 0),
            Lost::Cut => (OutcomeKind::Cut, 0),
            Lost::Stopped => (OutcomeKind::Stopped, 0),
        };
        host::control().diverged_at.set(explore.n_points.get().into());
        let end = End { kind, pc: state.current().want.get().pc, address: planned.into() };
        outcome::finish(state, end, format_args!("thread {planned} cannot continue there"))
    }
}

fn flag(bit: u16, on: bool) -> u16 {
    if on { bit } else { 0 }
}

pub(super) fn holds(state: &State, thread: &Thread) -> bool {
    !thread.is_done.get() && thread.want.get().guard.holds(state, thread)
}

/// Whether a thread can go on, if only because its time runs out (X2).
pub(super) fn can_go_on(state: &State, thread: &Thread) -> bool {
    let want = thread.want.get();
    !thread.is_done.get()
        && (want.guard.holds(state, thread)
            || want.deadline != 0 && want.guard.lets_time_out(state))
}

/// What does not preempt and is as good as any: the current thread, or the next one that can go on,
/// or whose time runs out first.
fn default(state: &State, me: &Thread, open: &[u32], preemptible: bool) -> usize {
    let place = |number: u32| open.iter().position(|&other| other == number);
    if preemptible && let Some(place) = place(me.number) {
        return place;
    }
    let thread = |&number: &u32| state.thread(number);
    let ready = |number: &&u32| thread(number).is_some_and(|thread| holds(state, thread));
    let behind = || open.iter().filter(|&&number| number > me.number);
    let next = behind().find(ready).or_else(|| open.iter().find(ready));
    let deadline = |number: &&u32| thread(number).map_or(0, |thread| thread.want.get().deadline);
    let next = next.or_else(|| open.iter().min_by_key(deadline));
    next.and_then(|&number| place(number)).unwrap_or(0)
}
