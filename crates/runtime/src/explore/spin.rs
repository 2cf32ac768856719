//! Spinning: which threads do the same for ever unless others change something.
//!
//! A *stretch* is a sequence of points at which one thread goes on and no other one runs. Within a stretch what a
//! thread does follows from its complete state ([`memory`](super::memory)), since no other thread runs and it has no
//! choices of its own. So a thread that comes back to a complete state would do that for ever: it *spins* there, and
//! at all points on the way. No number of repetitions has to be guessed.
//!
//! - S1: states are compared where a thread comes to a point with the registers and the innermost part of the stack
//!   that it had before in the stretch; at the next time if nothing changed in between, after some more otherwise. In
//!   a run that is drawn, from which nothing is claimed, only behind the first points of a stretch.
//! - S2: at each point of a round leaving the thread is free, from its first round on. That shows when the second is
//!   over: the points of the first are marked then, those of the second are taken back.
//! - S3: a thread that has done a round, or that a plan leaves where it spins, is set aside: it is not offered until
//!   another thread has changed something that the round reads or, if the round changes something and puts it back,
//!   has done anything. A thread that a plan leaves does a round first, which is not noted: it shows what is read.
//! - S4: if every thread that can go on is set aside, nothing will ever change: a livelock. If rounds change
//!   something, the threads go on in turn; a livelock is a joint state that comes again.
//! - S5: a thread that never comes back to a state is *taken* for endless after 1,000,000 operations alone, and its
//!   place is a condition of what the run shows. Such a trial is thrown away, and the run is made once more. The loop
//!   is known again by what does not change in a round: registers, stack, and what is only read.
//! - S6: time and what the kernel holds are no part of a state: states are only compared if the thread has not asked
//!   for either in between.
//!
//! In a child of an earlier run, whose plan leaves a thread before its round is over, the plan says where it spins
//! (`CHOICE_SPINS`): the host has that from the earlier run, in which the thread went on.

mod aside;
mod endless;
mod walk;

use core::cell::Cell;

use alloc::vec::Vec;
pub(super) use aside::Why;
use aside::{Asides, Touched};
use raddle_wire::board::{Model, PointFlags, PointRecord};
use raddle_wire::{Code, Defect, OutcomeKind};

use super::Explore;
use super::choose::{can_go_on, holds};
use super::memory::{self, Local};
use crate::outcome::{self, End};
use crate::state::{Shared, State};
use crate::thread::Thread;
use crate::{context, host, sched};

/// After how many operations alone a thread is taken for endless (S5).
const ENDLESS: u64 = 1_000_000;
/// How many points of a stretch are noted before it is tried whether it ends.
const LONG: u32 = 1 << 14;
/// How often a thread rests at one place before that is tried.
const RESTS: u32 = 64;
/// How many points of a stretch are not compared in a run that is drawn.
const DRAWN_ALONE: u32 = 8;
/// So many visits after a mark are compared with it.
const WINDOW: u32 = 8;

/// Where a thread last rested: before a yield, a sleep or in a wait that can run out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Rest {
    fingerprint: u64,
    /// How often in a row it came there like that.
    n_same: u32,
    place: u64,
    /// How often it came to that place.
    n_there: u32,
}

/// A point of the stretch.
#[derive(Clone, Copy, Debug)]
struct Visit {
    fingerprint: u64,
    place: u64,
    stamp: u64,
    point: u32,
}

/// A state that later ones are compared with.
#[derive(Clone, Copy, Debug)]
struct Mark {
    fingerprint: u64,
    key: u128,
    stamp: u64,
    n_changes: u64,
    n_own: u64,
    clock: u64,
    n_clock: u64,
    n_calls: u64,
    /// How many events of the stretch there were before.
    n_events: u64,
    /// How many points, alternatives and operations were noted before it.
    noted: (u32, u32, u32),
    /// Which visit of the stretch it is; none if the stretch begins there, so that the round that follows is its first.
    visit: Option<usize>,
    n_left: u32,
}

/// Points at which one thread goes on.
#[derive(Clone, Copy, Debug, Default)]
struct Stretch {
    n_events: u64,
    n_points: u32,
    /// How often the thread has changed something on its own stack, which is part of what is compared anyway.
    n_own: u64,
    /// Whether a mark was not met again although nothing had changed.
    has_missed: bool,
}

/// A thread goes on alone, without being noted (S5).
#[derive(Clone, Copy, Debug)]
struct Trial {
    path: u64,
    n_events: u64,
    /// Where a copy was taken, once it has gone on for long enough.
    measured: Option<u64>,
}

/// How often a fingerprint came up in the stretch.
#[derive(Clone, Copy, Debug)]
struct Seen {
    stretch: u32,
    n: u32,
    fingerprint: u64,
    stamp: u64,
}

const N_SEEN: usize = 64;
const N_WAYS: usize = 2;

/// Who is set aside, and what the current stretch has been through.
pub(super) struct Spins {
    aside: Asides,
    n_steps: Cell<u64>,
    stretch: Cell<Stretch>,
    mark: Cell<Option<Mark>>,
    n_stretches: Cell<u32>,
    visits: Shared<Vec<Visit>>,
    seen: Shared<[[Seen; N_WAYS]; N_SEEN]>,
    /// Joint states in which every thread was set aside (S4).
    joint: Shared<Vec<u128>>,
    /// Joint states in which a thread was left while rounds change something, and how many steps there were before.
    met: Shared<Vec<(u128, u64)>>,
    /// Whether there is one.
    has_met: Cell<bool>,
    is_forced: Cell<bool>,
    /// Whether a thread was set aside by a guess.
    has_guessed: Cell<bool>,
    is_marked: Cell<bool>,
    has_walked: Cell<bool>,
    /// A round that a thread does before a plan leaves it.
    walk: Cell<Option<Mark>>,
    trial: Cell<Option<Trial>>,
    /// The running thread at a place that may belong to an endless loop.
    local: Shared<Option<Local>>,
    /// What the running thread has read and changed since a mark was set.
    touched: Shared<Touched>,
    wrote: Shared<Touched>,
    /// Loops that were taken for endless.
    endless: Shared<Vec<u64>>,
    /// How often the time was asked for, and how often the kernel was.
    n_clock: Cell<u64>,
}

impl Spins {
    pub(super) const fn new() -> Spins {
        const NEVER: Seen = Seen { stretch: 0, n: 0, fingerprint: 0, stamp: 0 };
        Spins {
            aside: Asides::new(),
            n_steps: Cell::new(0),
            stretch: Cell::new(Stretch { n_events: 0, n_points: 0, n_own: 0, has_missed: false }),
            mark: Cell::new(None),
            n_stretches: Cell::new(1),
            visits: Shared::new(Vec::new()),
            seen: Shared::new([[NEVER; N_WAYS]; N_SEEN]),
            joint: Shared::new(Vec::new()),
            met: Shared::new(Vec::new()),
            has_met: Cell::new(false),
            is_forced: Cell::new(false),
            has_guessed: Cell::new(false),
            is_marked: Cell::new(false),
            has_walked: Cell::new(false),
            walk: Cell::new(None),
            trial: Cell::new(None),
            local: Shared::new(None),
            wrote: Shared::new(Touched::NOTHING),
            touched: Shared::new(Touched::NOTHING),
            endless: Shared::new(Vec::new()),
            n_clock: Cell::new(0),
        }
    }

    /// The running thread has asked for the time.
    pub(super) fn asks_for_time(&self) {
        self.n_clock.set(self.n_clock.get() + 1);
    }

    /// The running thread has changed something on its own stack.
    pub(super) fn changed_own(&self) {
        let mut stretch = self.stretch.get();
        stretch.n_own += 1;
        self.stretch.set(stretch);
    }

    /// Whether each access has to be looked at: one may be what a thread that is set aside waits for, or belong to a
    /// round.
    pub(super) fn watches(&self) -> bool {
        self.aside.any() || self.is_marked.get()
    }

    fn set_mark(&self, mark: Option<Mark>) {
        self.mark.set(mark);
        self.look_closely();
    }

    /// Finds out whether each access of the running thread has to be looked at.
    fn look_closely(&self) {
        let is_local = self.local.with(|local| local.is_some());
        let is_marked = self.mark.get().is_some() || self.walk.get().is_some();
        self.is_marked.set(is_local || is_marked);
    }

    /// From here on it is noted what the running thread reads and changes.
    fn begin_round(&self) {
        self.touched.with(|touched| *touched = Touched::NOTHING);
        self.wrote.with(|wrote| *wrote = Touched::NOTHING);
    }

    /// Whether a thread is set aside.
    pub(super) fn is_aside(&self, thread: &Thread) -> bool {
        self.aside.has(thread)
    }

    /// Sets a thread aside (S3).
    pub(super) fn set_aside(&self, thread: &Thread, why: Why) {
        self.aside.put(thread, why, Touched::EVERYTHING);
    }

    /// The running thread has changed something: who reads that can go on again (S3).
    #[inline]
    pub(super) fn changed(&self, address: u64, len: u64) {
        self.aside.changed(address, len);
        if self.is_marked.get() {
            self.wrote.with(|wrote| wrote.add(address, len));
        }
    }

    /// The running thread reads something.
    #[inline]
    pub(super) fn touches(&self, address: u64, len: u64) {
        if self.is_marked.get() {
            self.touched.with(|touched| touched.add(address, len));
        }
    }

    /// Loops that were taken for endless in this run.
    pub(super) fn endless(&self, mut visit: impl FnMut(u64)) {
        self.endless.with(|endless| endless.iter().for_each(|&pc| visit(pc)));
    }

    /// Counts a fingerprint of this stretch: how often it came before, and what was the stamp then.
    fn count(&self, fingerprint: u64, stamp: u64) -> (u32, u64) {
        let stretch = self.n_stretches.get();
        self.seen.with(|seen| {
            let ways = &mut seen[fingerprint as usize % N_SEEN];
            let is_it = |one: &&mut Seen| one.stretch == stretch && one.fingerprint == fingerprint;
            if let Some(one) = ways.iter_mut().find(is_it) {
                let before = (one.n, one.stamp);
                (one.n, one.stamp) = (one.n + 1, stamp);
                return before;
            }
            // The one that came up least gives way.
            let n = |one: &&mut Seen| if one.stretch == stretch { one.n } else { 0 };
            if let Some(one) = ways.iter_mut().min_by_key(n) {
                *one = Seen { stretch, n: 1, fingerprint, stamp };
            }
            (0, 0)
        })
    }
}

/// A point that the running thread has come to, as far as registers and stack tell.
#[derive(Clone, Copy)]
struct Arrival {
    fingerprint: u64,
    stamp: u64,
}

impl Explore {
    /// The running thread has come to a point: has it done a round? True if it goes on without a choice.
    pub(super) fn arrive(&self, state: &State, me: &'static Thread) -> bool {
        let spins = &self.spins;
        spins.aside.release();
        if me.is_done.get() {
            return false;
        }
        let mut stretch = spins.stretch.get();
        let rests = rests(state, me);
        // Nothing is claimed from a run that is drawn, so a thread that gets far there is soon enough compared.
        let is_early = stretch.n_points < DRAWN_ALONE && !spins.is_marked.get();
        if is_early && !rests && !self.claims.get() {
            stretch.n_points += 1;
            spins.stretch.set(stretch);
            return false;
        }
        me.entry.set(context::entry());
        if let Some(trial) = spins.trial.get() {
            return self.try_on(state, me, trial);
        }
        if let Some(mark) = spins.walk.get() {
            return self.walk_on(state, me, mark);
        }
        stretch.n_points += 1;
        spins.stretch.set(stretch);
        let arrival = self.arrival(state, me, stretch.n_own);
        let visit = Visit {
            fingerprint: arrival.map_or(0, |it| it.fingerprint),
            place: place_of(me),
            stamp: arrival.map_or(0, |it| it.stamp),
            point: self.n_points.get(),
        };
        spins.visits.with(|visits| visits.push(visit));
        spins.touches(me.want.get().object, me.reach.get().max(16));
        if !can_go_on(state, me) {
            return false;
        }
        let n_there = if rests { rest_at(me, visit) } else { 0 };
        if let Some(arrival) = arrival {
            self.compare(state, me, arrival);
        }
        self.recognise(me, visit);
        // Whoever is tried leaves no trace, so there must be a way to make the run again.
        let is_long = stretch.n_points >= LONG && stretch.n_points.is_power_of_two();
        let rests = n_there >= RESTS && n_there.is_power_of_two();
        if !(is_long || rests) || spins.is_aside(me) {
            return false;
        }
        if !self.claims.get() {
            // Nothing is claimed from a run that is drawn: a guess will do.
            spins.has_guessed.set(true);
            spins.set_aside(me, Why::Endless);
            return false;
        }
        if self.is_free_to_try() {
            let path = self.path.get();
            spins.trial.set(Some(Trial { path, n_events: state.n_events.get(), measured: None }));
            return true;
        }
        false
    }

    /// A trial may begin: the plan has no more choices, it is not known how it ends, and this process can make the run
    /// once more.
    fn is_free_to_try(&self) -> bool {
        let is_behind = self.n_points.get() >= self.n_prefix.get();
        if self.model.get() == Model::Once {
            return false;
        }
        let is_known = || self.with_lore(|lore| lore.leaves(self.path.get())).unwrap_or(true);
        is_behind && !is_known()
    }

    fn arrival(&self, state: &State, me: &Thread, n_own: u64) -> Option<Arrival> {
        let end = stack_end(me);
        let (entry, want) = (me.entry.get(), me.want.get());
        if !context::is_of_call(&entry, want.pc, end) {
            return None;
        }
        let place = place_of(me);
        let rest = context::fingerprint(&entry, end) ^ me.operands.get().rotate_left(13);
        let fingerprint = (rest ^ place ^ want.object.rotate_left(7)).wrapping_mul(MIX);
        Some(Arrival { fingerprint, stamp: state.n_changes.get().wrapping_sub(n_own) })
    }

    /// Compares the state with the mark, or sets one (S1).
    fn compare(&self, state: &State, me: &'static Thread, arrival: Arrival) {
        let spins = &self.spins;
        let (n_before, stamp) = spins.count(arrival.fingerprint, arrival.stamp);
        if Defect::QuietSpins.is_there() && n_before >= 4 && stamp == arrival.stamp {
            return spins.set_aside(me, Why::Reads);
        }
        let mark = spins.mark.get();
        if let Some(mut mark) = mark.filter(|mark| mark.fingerprint == arrival.fingerprint) {
            if mark.is_comparable(self) && memory::key(state) == Some(mark.key) {
                return self.close_round(state, me, mark);
            }
            mark.n_left -= 1;
            spins.set_mark((mark.n_left > 0).then_some(mark));
            let mut stretch = spins.stretch.get();
            stretch.has_missed |= mark.n_left == 0 || mark.stamp == arrival.stamp;
            spins.stretch.set(stretch);
            return;
        }
        let n = n_before + 1;
        let is_still = n > 1 && stamp == arrival.stamp && !spins.stretch.get().has_missed;
        let is_due = is_still && mark.is_none_or(|mark| mark.stamp != arrival.stamp)
            || n >= 4 && n.is_power_of_two() && n.trailing_zeros().is_multiple_of(2);
        if is_due {
            let visit = spins.visits.with(|visits| visits.len() - 1);
            spins.begin_round();
            spins.set_mark(self.mark(state, arrival, Some(visit)));
        }
    }

    fn mark(&self, state: &State, arrival: Arrival, visit: Option<usize>) -> Option<Mark> {
        let noted = (self.n_points.get(), self.n_alternatives.get(), self.n_operations.get());
        Some(Mark {
            fingerprint: arrival.fingerprint,
            key: memory::key(state)?,
            stamp: arrival.stamp,
            n_changes: state.n_changes.get(),
            n_own: self.spins.stretch.get().n_own,
            clock: state.clock.get(),
            n_clock: self.spins.n_clock.get(),
            n_calls: n_calls(),
            n_events: state.n_events.get().saturating_sub(self.spins.stretch.get().n_events),
            noted,
            visit,
            n_left: WINDOW,
        })
    }

    /// A thread other than the current one goes on from here.
    pub(super) fn begin_stretch(&self, state: &State, next: &'static Thread) {
        let spins = &self.spins;
        spins.n_stretches.set(spins.n_stretches.get() + 1);
        spins.visits.with(Vec::clear);
        let n_events = state.n_events.get();
        spins.stretch.set(Stretch { n_events, ..Stretch::default() });
        spins.mark.set(None);
        let rest = next.rest.get();
        if rests(state, next)
            && rest.n_same > 0
            && let Some(arrival) = self.arrival(state, next, 0)
            && arrival.fingerprint == rest.fingerprint
        {
            spins.begin_round();
            spins.mark.set(self.mark(state, arrival, None));
        }
        spins.local.with(|local| *local = None);
        if self.is_endless_place(next.want.get().pc) && rests(state, next) {
            self.note_local(next, rest.place);
        }
        spins.look_closely();
    }

    /// A thread can go on at a point.
    pub(super) fn is_able(&self, thread: &Thread) {
        if self.spins.has_met.get() {
            thread.last_able.set(self.spins.n_steps.get() + 1);
        }
    }

    /// A point was noted at which a thread goes on.
    pub(super) fn took(&self, state: &State, me: &'static Thread, next: &'static Thread) {
        let spins = &self.spins;
        spins.n_steps.set(spins.n_steps.get() + 1);
        next.last_step.set(spins.n_steps.get());
        spins.aside.step(next);
        // Who goes on because no other thread can stays set aside.
        if !spins.is_forced.take() {
            spins.aside.take_up(next);
        }
        if !core::ptr::eq(me, next) {
            self.begin_stretch(state, next);
        }
    }

    /// The state is that of the mark (S2, S3).
    fn close_round(&self, state: &State, me: &'static Thread, mark: Mark) {
        let n_own = self.spins.stretch.get().n_own;
        let is_same = state.n_changes.get().wrapping_sub(n_own) == mark.stamp;
        let why = if is_same { Why::Reads } else { Why::Restores };
        // What the plan asked for stays.
        let takes_back = mark.visit.is_some() && mark.noted.0 >= self.n_prefix.get();
        if takes_back {
            self.n_points.set(mark.noted.0);
            self.n_alternatives.set(mark.noted.1);
            self.n_operations.set(mark.noted.2);
            state.clock.set(mark.clock);
        }
        self.put_counts_back(state, mark);
        self.free_rounds(me, why, mark, takes_back);
        self.spins.set_mark(None);
        let touched = |touched: &mut Touched| core::mem::replace(touched, Touched::NOTHING);
        let reads = self.spins.touched.with(touched);
        self.spins.aside.put(me, why, reads);
    }

    /// A round has changed nothing, in the end.
    fn put_counts_back(&self, state: &State, mark: Mark) {
        state.n_changes.set(mark.n_changes);
        let stretch = self.spins.stretch.get();
        self.spins.stretch.set(Stretch { n_own: mark.n_own, ..stretch });
    }

    /// A thread is left for another one while rounds change something: true if that has been so in the same joint state
    /// before, so that nothing new comes from here. If every thread that could go on since had a turn, that is a
    /// livelock (S4).
    pub(super) fn comes_again(&self, state: &State, me: &Thread, next: &Thread) -> bool {
        let spins = &self.spins;
        if core::ptr::eq(me, next) || !spins.aside.any_restores() {
            return false;
        }
        let Some(key) = memory::key(state) else { return false };
        let aside = spins.aside.fingerprint(u64::from(next.number));
        let (key, now) = (key ^ u128::from(aside), spins.n_steps.get());
        let since = spins.met.with(|met| {
            let before = met.iter().find(|it| it.0 == key).map(|it| it.1);
            if before.is_none() {
                met.push((key, now));
                spins.has_met.set(true);
            }
            before
        });
        let Some(since) = since else { return false };
        let mut able = state.all_threads().filter(|thread| thread.last_able.get() > since);
        if able.all(|thread| thread.last_step.get() > since) {
            self.livelock(state);
        }
        true
    }

    /// All threads spin: the place is that of the first one.
    fn livelock(&self, state: &State) -> ! {
        let first = state.all_threads().find(|thread| self.spins.is_aside(thread));
        let want = first.unwrap_or(state.current()).want.get();
        let end = End { kind: OutcomeKind::Livelock, pc: want.pc, address: want.object };
        outcome::finish(state, end, format_args!("every thread spins"))
    }

    /// Marks the points of the stretch that lie in the round (S2), and forgets those that are taken back.
    fn free_rounds(&self, me: &Thread, why: Why, mark: Mark, takes_back: bool) {
        self.spins.visits.with(|visits| {
            let now = visits.len() - 1;
            let first = mark.visit.unwrap_or(0);
            if takes_back {
                // The state is that of the mark.
                visits[now].point = visits[first].point;
            } else {
                let between = &visits[first..now];
                between.iter().for_each(|visit| self.set_free(me, visit.point, why));
            }
            for index in (0..first).rev() {
                let (visit, later) = (visits[index], visits[index + now - first]);
                let is_unchanged = why == Why::Restores || visit.stamp == mark.stamp;
                let is_same = visit.fingerprint != 0 && visit.fingerprint == later.fingerprint;
                if !is_same || !is_unchanged {
                    break;
                }
                self.set_free(me, visit.point, why);
            }
            if takes_back {
                visits.truncate(first + 1);
            }
        });
    }

    /// Leaving a thread at a point is free.
    fn set_free(&self, me: &Thread, point: u32, why: Why) {
        if Defect::LeavingCosts.is_there() {
            return;
        }
        let points = host::at::<PointRecord>(self.layout.get().points(self.plan.get()));
        // SAFETY: a point that was noted in this run.
        let place = unsafe { points.add(point as usize) };
        // SAFETY: as above.
        let mut record = unsafe { place.read() };
        if u32::from(record.current) == me.number && record.flags & PointFlags::PREEMPTIBLE != 0 {
            record.flags &= !PointFlags::PREEMPTIBLE;
            record.flags |= PointFlags::SPINNING | why.flag();
            // SAFETY: as above; the host does not look before the run is over.
            unsafe { place.write(record) };
        }
    }

    /// What a point says of the current thread, if it is set aside there.
    pub(super) fn aside_flags(&self, me: &Thread) -> u16 {
        self.spins.aside.why(me).map_or(0, |why| PointFlags::ASIDE | why.flag())
    }

    /// Every thread that can go on is set aside (S4): the next one in turn goes on, or the run ends.
    pub(super) fn all_aside(&self, state: &State, me: &'static Thread) -> Option<u32> {
        let can = |thread: &&'static Thread| can_go_on(state, thread);
        let next = sched::in_turn(state, me).find(can)?;
        if self.spins.has_guessed.get() {
            self.spins.aside.clear();
            return Some(next.number);
        }
        let is_new = |key: u128| {
            self.spins.joint.with(|joint| {
                let is_new = !joint.contains(&key);
                joint.push(key);
                is_new
            })
        };
        let is_stuck = Defect::RestoringIsStuck.is_there() || !self.spins.aside.any_restores();
        if is_stuck || memory::key(state).is_some_and(|key| !is_new(key)) {
            self.livelock(state);
        }
        self.spins.is_forced.set(true);
        Some(next.number)
    }
}

impl Mark {
    /// Whether nothing was asked for in between that is no part of a state (S6).
    fn is_comparable(&self, explore: &Explore) -> bool {
        self.n_clock == explore.spins.n_clock.get() && self.n_calls == n_calls()
    }
}

const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

fn n_calls() -> u64 {
    host::control().n_syscalls.get()
}

/// Where a thread is: program counter, stack pointer, and what it wants to do.
fn place_of(thread: &Thread) -> u64 {
    let want = thread.want.get();
    let code = want.code.map_or(0, |code| code as u64);
    want.pc ^ thread.entry.get()[6].rotate_left(24) ^ code << 56
}

/// Where the frames of a thread begin.
fn stack_end(thread: &Thread) -> u64 {
    let base = thread.base.get();
    (if base != 0 { base } else { thread.stack_range.get().1 }) as u64
}

/// Notes that a thread rests; how often it did so there.
fn rest_at(me: &Thread, Visit { fingerprint, place, .. }: Visit) -> u32 {
    let rest = me.rest.get();
    let again = |is_same: bool, n: u32| if is_same { n + 1 } else { 1 };
    let n_same = again(fingerprint != 0 && fingerprint == rest.fingerprint, rest.n_same);
    let n_there = again(place == rest.place, rest.n_there);
    me.rest.set(Rest { fingerprint, n_same, place, n_there });
    n_there
}

/// Whether a thread that can go on gives way or waits for its time to run out.
fn rests(state: &State, thread: &Thread) -> bool {
    thread.gives_way.get() || !holds(state, thread) || thread.want.get().code == Some(Code::Pass)
}
