//! What a thread does if it runs alone, and the rounds that this shows (rules P1 to P6 of `spin`).
//!
//! In: the state of the machine at a point, and the run so far. Out: whether the current thread
//! leaves its loop by itself; which points of its stretch lie in a round, marked in the run; who is
//! set aside. A thread runs alone on a second machine, so nothing of the run changes.

use raddle_explore::{Defect, Endless, Outcome as End, Run};
use raddle_finding::Choice;
use rustc_hash::{FxHashMap, FxHashSet};

use super::VmEngine;
use super::spin::{Mark, Met, Place, Spins, Why};
use crate::machine::Machine;
use crate::question::Question;
use crate::state::Snapshot;
use crate::thread::Stage;

/// After how many operations alone a thread is taken for endless (P5).
const ENDLESS: u64 = 1_000_000;

/// How long a stretch is when its thread is tried alone, in operations and in pauses of a thread that
/// computes.
const LONG: u32 = 64;
const LONG_COMPUTING: u32 = 8;

/// How many states of a stretch are looked back at, where they are known.
const N_LOOKED_AT: usize = 256;

/// In how many places a loop is looked for.
const N_PLACES: usize = 256;

/// The most states that are looked at when all answers to a thread's questions are tried.
const N_STATES_MAX: usize = 4096;

/// What a thread does if it runs alone from a state.
#[derive(Clone, Debug)]
pub(super) enum Alone {
    /// It ends, blocks or fails, or an answer to one of its questions lets it.
    Leaves,
    /// It comes to these states again and again.
    Cycles {
        states: Vec<u128>,
        /// Whether it changes something on the way.
        changes: bool,
    },
    /// It went on for so long that it is taken for endless.
    Endless {
        /// Whether it did nothing but compute.
        computes: bool,
        /// Where it was at first.
        places: Vec<Place>,
    },
}

/// How a run goes on after a look back at the stretch.
pub(super) enum Look {
    /// As it would.
    On,
    /// It ends like this.
    Ends(End),
    /// It begins again, and sets the thread aside where its first round ends.
    Again(Round),
}

/// What it means that a thread is left which could go on.
pub(super) enum Left {
    /// It is left within a round, and set aside for that, or it does not spin there.
    Within(Option<Why>),
    /// It has done a round, and is not offered.
    Over(Look),
}

/// A round of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Round {
    thread: u32,
    why: Why,
    /// Its first point, and the one at which it is over, or at which the thread was left.
    first: usize,
    end: usize,
    /// Whether it is over there.
    is_over: bool,
}

impl Round {
    /// Whether leaving a thread at a point is leaving it in this round.
    fn has(&self, thread: u32, point: usize) -> bool {
        self.thread == thread && (self.first..=self.end).contains(&point)
    }

    /// What there is of it in the first points of its run.
    pub(super) fn up_to(&self, n: usize) -> Option<Round> {
        let is_over = self.is_over && self.end <= n;
        (self.first < n).then(|| Round { end: self.end.min(n), is_over, ..*self })
    }
}

impl VmEngine {
    /// The current thread has come to a point: has it done a round?
    ///
    /// Behind the prefix of a plan, which has `n_prefix` points, the run may end or begin again for that.
    /// Where the last run was the same (`is_copied`), so are its rounds.
    pub(super) fn look_back(
        &mut self,
        run: &mut Run,
        is_copied: bool,
        n_prefix: usize,
        enumerates: bool,
    ) -> Look {
        let stretch = self.spins.stretch;
        let thread = stretch.thread;
        let at = run.points().len();
        if stretch.n == 0 || self.machine.current() != thread || !can_go_on(&self.machine, thread) {
            return Look::On;
        }
        let ends_here = |it: &&Round| it.is_over && it.end == at && it.thread == thread;
        let before = self.rounds_before.iter().filter(|_| is_copied);
        if let Some(&round) = self.rounds_again.iter().chain(before).find(ends_here) {
            return self.set_aside(run, round);
        }
        if Defect::QuietSpins.is_there() && self.machine.n_idle(thread) >= 6 {
            let round = Round { thread, why: Why::Reads, first: at, end: at, is_over: true };
            return self.set_aside(run, round);
        }
        let place = self.machine.place_of(thread);
        let rests = self.rests(thread);
        let marks = [stretch.mark, stretch.rest];
        let met = marks.map(|mark| mark.filter(|mark| mark.place == place));
        let due = self.spins.is_due();
        let long = if is_paused(&self.machine, thread) { LONG_COMPUTING } else { LONG };
        let is_long = stretch.n == long;
        let observed = run.fingerprints.get(at).copied();
        if observed.is_none() && met == [None; 2] && !due && !rests && !is_long && !stretch.is_asked
        {
            return Look::On;
        }
        let state = observed.unwrap_or_else(|| self.machine.fingerprint());
        let n_clock = self.machine.state.counters.n_clock;
        let is_mark = |mark: Mark| mark.state == state && mark.n_clock == n_clock;
        let is_back = met.iter().flatten().any(|&mark| is_mark(mark));
        let n_prefix = if enumerates { n_prefix } else { usize::MAX };
        if is_back || n_clock == stretch.n_clock && self.was_there(run, state) {
            return self.close_round(run, n_prefix);
        }
        let again = rests && met[1].is_some();
        let mark = Some(Mark { place, state, n_clock });
        if due {
            self.spins.stretch.mark = mark;
        }
        if rests && !again {
            self.spins.stretch.rest = mark;
        }
        match at >= n_prefix && (is_long || again) {
            true => self.try_alone(run, n_prefix),
            false => Look::On,
        }
    }

    /// Whether the stretch has been in a state, as far as its states are known.
    fn was_there(&mut self, run: &Run, state: u128) -> bool {
        let at = run.points().len();
        let from = self.spins.stretch.start.max(at.saturating_sub(N_LOOKED_AT));
        if run.fingerprints.get(from..at).is_some_and(|states| states.contains(&state)) {
            return true;
        }
        let is_visited = self.spins.visited.contains(&state);
        if self.spins.stretch.is_asked && !is_visited {
            self.spins.visited.push(state);
        }
        is_visited
    }

    /// The thread begins a stretch: the state is noted if it rests there, as it will soon be left again.
    pub(super) fn begin_stretch(&mut self, run: &Run, point: usize) {
        let thread = self.spins.stretch.thread;
        let n_clock = self.machine.state.counters.n_clock;
        self.spins.stretch.n_clock = n_clock;
        if self.rests(thread) {
            let state = run.fingerprints.get(point).copied();
            let state = state.unwrap_or_else(|| self.machine.fingerprint());
            let place = self.machine.place_of(thread);
            self.spins.stretch.rest = Some(Mark { place, state, n_clock });
        }
    }

    /// The current thread is where it was (P1): it is set aside where its first round ended.
    fn close_round(&mut self, run: &mut Run, n_prefix: usize) -> Look {
        let Spins { stretch, .. } = &self.spins;
        let (thread, is_asked) = (stretch.thread, stretch.is_asked);
        let alone = self.alone(thread);
        let (states, changes) = match &alone {
            Alone::Cycles { states, changes } => (states, changes),
            // It was where it is, and was not asked anything on the way: it will be there again.
            Alone::Endless { .. } if !is_asked && self.others(thread).next().is_none() => {
                return Look::Ends(self.livelock("the only thread that can continue spins"));
            }
            Alone::Endless { .. } => return self.set_endless_aside(run, &alone, n_prefix),
            // Another answer lets it leave: what follows from here follows from the first visit.
            Alone::Leaves if run.points().len() >= n_prefix => return Look::Ends(End::Repeats),
            Alone::Leaves => return Look::On,
        };
        let why = why(*changes);
        let at = run.points().len();
        let first = self.cyclic(run, states).unwrap_or(at);
        let end = if is_asked { at } else { (first + states.len()).min(at) };
        let round = Round { thread, why, first, end, is_over: true };
        self.set_aside_or_redo(run, round, n_prefix)
    }

    /// A round ended at this point, or before it: then the run begins again, unless a plan wanted it otherwise.
    fn set_aside_or_redo(&mut self, run: &mut Run, round: Round, n_prefix: usize) -> Look {
        match round.end {
            end if end == run.points().len() => self.set_aside(run, round),
            // Where questions of the thread are points, too, its first round may not end where it seems to.
            end if end >= n_prefix && !self.rounds_again.contains(&round) => Look::Again(round),
            _ => self.set_aside(run, round),
        }
    }

    /// The first point of the stretch at which it is in one of some states, the one that comes next included.
    fn cyclic(&mut self, run: &Run, states: &[u128]) -> Option<usize> {
        let start = self.spins.stretch.start;
        let next = run.points().len();
        let mut first = None;
        if run.fingerprints.len() > next {
            first = (start..next).find(|&point| states.contains(&run.fingerprints[point]));
        } else {
            let mut point = start;
            self.retrace(run, start, next, |machine| {
                if first.is_none() && states.contains(&machine.fingerprint()) {
                    first = Some(point);
                }
                point += 1;
            });
        }
        first.or_else(|| states.contains(&self.machine.fingerprint()).then_some(next))
    }

    /// The round of the current thread is over: the thread is set aside, and leaving it was free on the way (P2, P3).
    fn set_aside(&mut self, run: &mut Run, round: Round) -> Look {
        self.mark(run, round);
        self.aside(run, run.points().len(), round.why)
    }

    /// Leaving the thread is free in a round of it, as far as the run has come (P2).
    fn mark(&mut self, run: &mut Run, round: Round) {
        self.rounds.push(round);
        if Defect::LeavingCosts.is_there() {
            return;
        }
        let (start, n) = (self.spins.stretch.start, run.points().len());
        run.spins(round.first.max(start + 1).min(n)..n);
    }

    /// Sets the current thread aside at a point (P3).
    pub(super) fn aside(&mut self, run: &mut Run, point: usize, why: Why) -> Look {
        let thread = self.spins.stretch.thread;
        self.spins.set_aside(thread, why);
        match why {
            Why::Reads => Look::On,
            Why::Taken | Why::Computes => {
                run.endless.push(self.endless_here(thread));
                Look::On
            }
            Why::Restores => self.meet(run, point),
        }
    }

    /// Where a thread is that is taken for endless.
    pub(super) fn endless_here(&self, thread: u32) -> Endless {
        let at = &self.machine.state.threads[thread as usize];
        let place = self.place(at.site_outside(&self.machine.image));
        Endless { place: place.name, operations: ENDLESS }
    }

    /// A thread is left in a round that changes something: if nothing leads out of its state, or if it was left there
    /// before and every thread that can go on had a turn since, nothing will ever come of it (P4).
    fn meet(&mut self, run: &Run, at: usize) -> Look {
        let state = self.machine.fingerprint();
        if self.is_hopeless(state) {
            return Look::Ends(self.livelock("every thread spins"));
        }
        let thread = self.spins.stretch.thread;
        let met = self.spins.met.iter().find(|met| met.state == state && met.thread == thread);
        let Some(since) = met.map(|met| met.point) else {
            self.spins.met.push(Met { state, thread, point: at });
            return Look::On;
        };
        // Every thread that could go on had a turn since, and none would have done something else with another answer.
        let had_a_turn = |choice: Choice| (since..at).any(|k| run.taken(k) == choice);
        let is_fair = |k: usize| match run.taken(k) {
            Choice::Thread(_) => run.alternatives(k).iter().all(|&other| had_a_turn(other)),
            _ => run.alternatives(k).len() == 1,
        };
        let mut able =
            self.machine.state.options.iter().filter(|&&it| can_go_on(&self.machine, it));
        match able.all(|&it| had_a_turn(Choice::Thread(it))) && (since..at).all(is_fair) {
            true => Look::Ends(self.livelock("every thread spins, and the same states recur")),
            false => Look::Ends(End::Repeats),
        }
    }

    /// The other threads that can go on and are not set aside.
    fn others(&self, thread: u32) -> impl Iterator<Item = u32> + '_ {
        let options = self.machine.state.options.iter().copied();
        options.filter(move |&other| {
            other != thread && can_go_on(&self.machine, other) && !self.spins.is_aside(other)
        })
    }

    /// The stretch is long, or its thread rests where it has rested before: is it endless (P5)?
    fn try_alone(&mut self, run: &mut Run, n_prefix: usize) -> Look {
        let thread = self.spins.stretch.thread;
        let alone = self.alone(thread);
        let Alone::Endless { computes, .. } = alone else { return Look::On };
        if computes && self.others(thread).next().is_none() {
            return Look::On;
        }
        self.set_endless_aside(run, &alone, n_prefix)
    }

    /// A thread is taken for endless, if it has done a round (P5).
    fn set_endless_aside(&mut self, run: &mut Run, alone: &Alone, n_prefix: usize) -> Look {
        let at = run.points().len();
        match self.round(run, alone).filter(|round| round.end <= at) {
            Some(round) => self.set_aside_or_redo(run, round, n_prefix),
            None => Look::On,
        }
    }

    /// The round that the current thread is in, or comes to.
    fn round(&mut self, run: &Run, alone: &Alone) -> Option<Round> {
        let (start, thread) = (self.spins.stretch.start, self.spins.stretch.thread);
        let at = run.points().len();
        match alone {
            Alone::Leaves => None,
            Alone::Endless { computes: true, .. } => {
                Some(Round { thread, why: Why::Computes, first: start, end: at, is_over: true })
            }
            Alone::Endless { places: later, .. } => {
                let mut places = Vec::new();
                self.retrace(run, start, at, |machine| places.push(machine.place_of(thread)));
                places.extend(later);
                let (first, n) = first_round(&places)?;
                let first = start + first;
                Some(Round { thread, why: Why::Taken, first, end: first + n, is_over: true })
            }
            Alone::Cycles { states, changes } => {
                let why = why(*changes);
                let first = self.cyclic(run, states)?;
                Some(Round { thread, why, first, end: first + states.len(), is_over: true })
            }
        }
    }

    /// A plan leaves the current thread at the point that comes next, though it could go on: finds out whether it
    /// spins there, and why leaving it sets it aside. If it has done a whole round, it is not even offered.
    pub(super) fn judge(&mut self, run: &mut Run) -> Option<Why> {
        let round = self.round_here(run)?;
        let at = run.points().len();
        if round.why == Why::Computes {
            return (self.spins.stretch.n == LONG_COMPUTING).then(|| {
                let _ = self.set_aside(run, round);
                Why::Computes
            });
        }
        match round.end == at && !self.spins.stretch.is_asked {
            true => drop(self.set_aside(run, round)),
            false => self.mark(run, Round { end: at, is_over: false, ..round }),
        }
        Some(round.why)
    }

    /// The same behind the prefix of a plan, where no plan wanted the thread to go on for more than a round.
    pub(super) fn leave(&mut self, run: &mut Run, n_prefix: usize) -> Left {
        let round = self.round_here(run).filter(|round| round.why != Why::Computes);
        let Some(round) = round else { return Left::Within(None) };
        let at = run.points().len();
        if round.end <= at && !self.spins.stretch.is_asked {
            return Left::Over(self.set_aside_or_redo(run, round, n_prefix));
        }
        self.mark(run, Round { end: at, is_over: false, ..round });
        Left::Within(Some(round.why))
    }

    /// The round of the current thread, if it spins at the point that comes next, or computes.
    fn round_here(&mut self, run: &Run) -> Option<Round> {
        let alone = self.alone(self.spins.stretch.thread);
        let at = run.points().len();
        self.round(run, &alone).filter(|round| round.why == Why::Computes || round.first <= at)
    }

    /// Why leaving the current thread at a point of the last run, which is one of this run, too, sets it aside.
    pub(super) fn judged(&mut self, point: usize) -> Option<Why> {
        let thread = self.spins.stretch.thread;
        let round = *self.rounds_before.iter().find(|round| round.has(thread, point))?;
        self.rounds.push(Round { end: point, is_over: false, ..round });
        Some(round.why).filter(|&why| why != Why::Computes)
    }

    /// The run ends at the last point, at which the current thread could go on: marks the points of its stretch at which
    /// it spins (P2).
    pub(super) fn settle(&mut self, run: &mut Run) {
        let (current, stretch) = (self.machine.current(), self.spins.stretch);
        let is_its_own = stretch.n > 0 && stretch.thread == current;
        let goes_on = !self.spins.is_aside(current) && can_go_on(&self.machine, current);
        let alone = match self.machine.question() {
            Some(Question::Thread(_)) if is_its_own && goes_on => self.alone(current),
            Some(Question::Thread(_)) | None => return,
            Some(_) if is_its_own => self.asked_alone().0,
            Some(_) => return,
        };
        let at = run.points().len() - 1;
        let round = self.round(run, &alone);
        if let Some(round) = round.filter(|it| it.why != Why::Computes && it.first <= at) {
            self.mark(run, Round { end: at, is_over: false, ..round });
        }
    }

    /// Whether a thread that can go on rests: a yield, a sleep, or a wait that runs out when it goes on.
    fn rests(&self, thread: u32) -> bool {
        self.yields(thread) || !self.machine.is_gate_open(thread)
    }

    /// Visits the states before some points of a run.
    fn retrace(&mut self, run: &Run, from: usize, to: usize, mut visit: impl FnMut(&Machine)) {
        let mut machine = self.second();
        machine.reset();
        for (point, choice) in run.choices().take(to).enumerate() {
            if point >= from {
                visit(&machine);
            }
            machine.take(choice, &mut ());
        }
        self.second = Some(machine);
    }

    /// What the current thread does alone, which is asked something, and whether it comes to a point among threads.
    pub(super) fn asked_alone(&mut self) -> (Alone, bool) {
        let mut machine = self.second();
        machine.state.clone_from(&self.machine.state);
        let mut solo = Solo::new(self.machine.current(), &mut self.endless);
        let alone = solo.every_answer(&mut machine);
        let acts = solo.acts;
        self.second = Some(machine);
        (alone, acts)
    }

    /// A second machine, in any state.
    pub(super) fn second(&mut self) -> Machine {
        let mut machine = self.second.take().unwrap_or_else(|| self.machine.clone());
        machine.image = self.machine.image.clone();
        machine
    }

    /// Lets a thread run alone from the state of the machine.
    pub(super) fn alone(&mut self, thread: u32) -> Alone {
        let mut machine = self.second();
        machine.state.clone_from(&self.machine.state);
        machine.state.counters.n_steps = 0;
        let alone = Solo::new(thread, &mut self.endless).run(&mut machine);
        self.second = Some(machine);
        alone
    }
}

/// Whether a thread can go on by itself: what needs a spurious wake-up cannot.
pub(super) fn can_go_on(machine: &Machine, thread: u32) -> bool {
    machine.state.options.contains(&thread)
        && (machine.is_gate_open(thread) || machine.can_run_out(thread))
}

/// Whether a thread stopped although it only computes.
fn is_paused(machine: &Machine, thread: u32) -> bool {
    machine.state.threads[thread as usize].core.stage == Stage::Pause
}

/// A thread that runs alone.
struct Solo<'a> {
    thread: u32,
    n_operations: u64,
    /// Whether it did anything but compute.
    acts: bool,
    /// Whether it was asked something that has several answers.
    asked: bool,
    /// Where it was at first.
    places: Vec<Place>,
    /// What was found to be endless before: canonical states without what changed in a round.
    known: &'a mut FxHashSet<u128>,
}

impl Solo<'_> {
    fn new(thread: u32, known: &mut FxHashSet<u128>) -> Solo<'_> {
        Solo { thread, n_operations: 0, acts: false, asked: false, places: Vec::new(), known }
    }

    fn run(&mut self, machine: &mut Machine) -> Alone {
        let begin = machine.place_of(self.thread);
        self.places.push(begin);
        let form = machine.canonical();
        let (mut key, mut is_known) = (None, false);
        let mut mark: Option<(Place, u128, u64)> = None;
        let (mut n, mut next) = (0_u64, 1_u64);
        while self.n_operations < ENDLESS {
            if !self.step(machine) {
                return Alone::Leaves;
            }
            n += 1;
            let place = machine.place_of(self.thread);
            if key.is_none() && place == begin {
                let masked = masked(&form, &machine.canonical());
                is_known = masked.is_some_and(|key| self.known.contains(&key));
                key = Some(masked);
            }
            match self.places.len() < N_PLACES {
                true => self.places.push(place),
                false if is_known => break,
                false => {}
            }
            let n_clock = machine.state.counters.n_clock;
            let is_there = mark.is_some_and(|mark| mark.0 == place && mark.2 == n_clock);
            if is_there && mark.is_some_and(|mark| mark.1 == machine.fingerprint()) {
                return self.cycle(machine);
            }
            if n >= next {
                mark = Some((place, machine.fingerprint(), n_clock));
                next *= 2;
            }
        }
        self.known.extend(key.flatten());
        Alone::Endless { computes: !self.acts, places: std::mem::take(&mut self.places) }
    }

    /// Goes on to the next point of the thread; false if it leaves.
    fn step(&mut self, machine: &mut Machine) -> bool {
        if !self.is_ready(machine) {
            return false;
        }
        let paused = is_paused(machine, self.thread);
        self.acts |= !paused;
        let computed = if paused { machine.settings().n_steps_between_points } else { 1 };
        self.n_operations += computed;
        machine.take(Choice::Thread(self.thread), &mut ());
        while !matches!(machine.question(), Some(Question::Thread(_)) | None) {
            self.asked |= n_answers(machine) > 1;
            let choice = machine.default_choice().expect("there is a question");
            machine.take(choice, &mut ());
        }
        self.is_ready(machine)
    }

    fn is_ready(&self, machine: &Machine) -> bool {
        matches!(machine.question(), Some(Question::Thread(_))) && can_go_on(machine, self.thread)
    }

    /// The machine is in a state that comes again: collects the states up to there.
    fn cycle(&mut self, machine: &mut Machine) -> Alone {
        let (first, n_changes) = (machine.fingerprint(), machine.state.counters.n_changes);
        let mut states = vec![first];
        self.asked = false;
        loop {
            if !self.step(machine) {
                return Alone::Leaves;
            }
            let state = machine.fingerprint();
            if state == first {
                break;
            }
            states.push(state);
        }
        let changes = machine.state.counters.n_changes != n_changes;
        match self.asked && !Defect::OneAnswer.is_there() {
            true => self.every_answer(machine),
            false => Alone::Cycles { states, changes },
        }
    }

    /// The same with every answer to every question: it spins if no answer leads out, and it can come
    /// back from everywhere.
    fn every_answer(&mut self, machine: &mut Machine) -> Alone {
        let mut changes = false;
        let mut states = vec![machine.fingerprint()];
        let mut numbers = FxHashMap::from_iter([(states[0], 0)]);
        let mut before: Vec<Vec<usize>> = vec![Vec::new()];
        // The last one first: a way out is deep rather than near.
        let mut open = vec![(0, snapshot(machine))];
        while let Some((next, saved)) = open.pop() {
            machine.restore(&saved);
            let n_changes = machine.state.counters.n_changes;
            for choice in answers(machine, self.thread) {
                machine.restore(&saved);
                machine.take(choice, &mut ());
                changes |= machine.state.counters.n_changes != n_changes;
                let among_threads = matches!(machine.question(), Some(Question::Thread(_)));
                if machine.question().is_none() || among_threads && !self.is_ready(machine) {
                    return Alone::Leaves;
                }
                self.acts |= among_threads && !is_paused(machine, self.thread);
                let state = machine.fingerprint();
                let index = *numbers.entry(state).or_insert_with(|| {
                    states.push(state);
                    before.push(Vec::new());
                    open.push((states.len() - 1, snapshot(machine)));
                    states.len() - 1
                });
                before[index].push(next);
                if states.len() > N_STATES_MAX {
                    return Alone::Leaves;
                }
            }
        }
        match comes_back(&before) {
            true => Alone::Cycles { states, changes },
            false => Alone::Leaves,
        }
    }
}

/// Why a thread is set aside whose round changes something, or nothing (P3).
fn why(changes: bool) -> Why {
    match changes && !Defect::RestoringWaits.is_there() {
        true => Why::Restores,
        false => Why::Reads,
    }
}

pub(super) fn snapshot(machine: &Machine) -> Snapshot {
    let mut saved = Snapshot::new();
    machine.save(&mut saved);
    saved
}

/// Whether the first state can be reached from all others; `before` has the states before each.
fn comes_back(before: &[Vec<usize>]) -> bool {
    let mut reached = vec![false; before.len()];
    let mut open = vec![0];
    while let Some(index) = open.pop() {
        if !std::mem::replace(&mut reached[index], true) {
            open.extend(&before[index]);
        }
    }
    reached.into_iter().all(|reached| reached)
}

/// How many answers the question of the machine has.
fn n_answers(machine: &Machine) -> usize {
    match machine.question() {
        None => 0,
        Some(Question::Thread(ids) | Question::Waiter(ids)) => ids.len(),
        Some(Question::Timeout | Question::Spurious) => 2,
        Some(Question::Value { low, high }) => high.saturating_sub(low).saturating_add(1) as usize,
        Some(Question::Input(values)) => values.len(),
    }
}

/// The answers to the question of the machine, as far as they are a thread's own.
pub(super) fn answers(machine: &Machine, thread: u32) -> Vec<Choice> {
    match machine.question() {
        None => Vec::new(),
        Some(Question::Thread(_)) => vec![Choice::Thread(thread)],
        Some(Question::Waiter(ids)) => ids.iter().map(|&id| Choice::Waiter(id)).collect(),
        Some(Question::Timeout) => vec![Choice::Timeout(false), Choice::Timeout(true)],
        Some(Question::Spurious) => vec![Choice::Spurious(false), Choice::Spurious(true)],
        Some(Question::Value { low, high }) => {
            (low..=high).take(N_STATES_MAX).map(Choice::Value).collect()
        }
        Some(Question::Input(values)) => values.iter().map(|&value| Choice::Value(value)).collect(),
    }
}

/// A hash of what two canonical states have in common, if they have one shape.
fn masked(one: &[u8], other: &[u8]) -> Option<u128> {
    let same = |(a, b): (&u8, &u8)| if a == b { [1, *a] } else { [0, 0] };
    let bytes = || one.iter().zip(other).flat_map(same).collect::<Vec<u8>>();
    (one.len() == other.len()).then(|| xxhash_rust::xxh3::xxh3_128(&bytes()))
}

/// Where the first round begins in a sequence whose tail is periodic, and how long it is.
fn first_round(places: &[Place]) -> Option<(usize, usize)> {
    let n = places.len();
    let repeats = |p: usize, from: usize| (from..n - p).all(|k| places[k] == places[k + p]);
    let period = (1..=n / 3).find(|&p| repeats(p, n - 3 * p))?;
    let begin = (0..n - period).rev().take_while(|&k| places[k] == places[k + period]).last();
    Some((begin?, period))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_round_is_the_first_of_those_that_repeat() {
        let places = |text: &str| text.bytes().map(|b| (b.into(), 0, 0)).collect::<Vec<Place>>();
        assert_eq!(first_round(&places("xyababababab")), Some((2, 2)));
        assert_eq!(first_round(&places("aaaaaaaa")), Some((0, 1)));
        assert_eq!(first_round(&places("abcdefgh")), None);
    }

    #[test]
    fn all_states_must_lead_back() {
        assert!(comes_back(&[vec![1], vec![0]]));
        assert!(!comes_back(&[vec![0], vec![0]]));
    }

    #[test]
    fn what_differs_is_no_part_of_what_two_states_have_in_common() {
        assert_eq!(masked(b"abc", b"abd"), masked(b"abx", b"aby"));
        assert_ne!(masked(b"abc", b"abd"), masked(b"abc", b"abc"));
        assert_eq!(masked(b"ab", b"abc"), None);
    }
}
