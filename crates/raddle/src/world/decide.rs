//! Who goes on: what is open at a point, what is taken, and what is noted of it.
//!
//! - E1: leaving a thread that could go on is a preemption, unless it yields, sleeps or spins.
//! - E2: which waiter is notified and whether a time runs out are points of their own, and free.
//! - E3: behind the prefix of the plan its policy decides; by default the thread goes on or, if it
//!   cannot, the next one does.
//! - E4: a thread that spins (`spin`) is not offered until something has changed.
//! - E5: as far as an execution repeats the last one, its points are known. They are not described
//!   again, but what threads announce must be the same: otherwise the program depends on something
//!   that nobody here controls.
//! - E6: if nobody looks at the points of a run that passes, they are not described. Who goes on is
//!   the same.

use std::ptr;
use std::sync::atomic::Ordering;

use raddle_explore::{Outcome, Point, Scene};
use raddle_finding::Choice;

use super::row::Move;
use super::table::path;
use super::teardown::unwind;
use super::{Announced, Here, NONE, Pending, Site, Watched, World};

impl Announced {
    /// Whether it is the same; the same place has one address in a process.
    #[inline]
    fn is(&self, other: &Announced) -> bool {
        self.thread == other.thread
            && self.what == other.what
            && self.object == other.object
            && std::ptr::eq(self.site, other.site)
    }
}

/// Who can be chosen at a point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    n: u32,
    /// Where among them the current thread is, and the first one behind it.
    mine: u32,
    next: u32,
}

impl Open {
    /// Nobody so far.
    pub(super) const NOBODY: Open = Open { n: 0, mine: NONE, next: NONE };

    #[inline(always)]
    fn add(&mut self, thread: u32, current: u32) {
        if thread == current {
            self.mine = self.n;
        } else if thread > current && self.next == NONE {
            self.next = self.n;
        }
        self.n += 1;
    }
}

impl Here {
    /// The current thread is about to do something: returns when it is to be done.
    ///
    /// Inlined so that the parts of `pending` are written where they belong, one by one: as a whole
    /// they would be read back before they have arrived in memory. And so that the thread gives way
    /// in the function that goes on behind it (`Move::make`).
    #[inline(always)]
    pub(crate) fn reach(self, pending: Pending) {
        let me = self.current();
        let mut next = self.with(|world| {
            world.me().pending = pending;
            world.arrive()
        });
        while next != Move::Stay {
            // SAFETY: it is the move of this thread, and was decided just now.
            unsafe { next.make() };
            next = self.with(|world| world.next_move(me));
        }
        if self.with(|world| world.is_followed) && self.follow() {
            unwind();
        }
    }

    /// What few executions have: threads that unwind, and steps that are told. Whether this one unwinds.
    #[cold]
    fn follow(self) -> bool {
        if self.with(|world| world.n_dropping > 0) {
            self.watch(Watched::Counts); // A value does something when its last reference is gone.
        }
        let unwinds = self.must_unwind(self.current());
        if !unwinds {
            self.with(World::tell);
        }
        unwinds
    }
}

impl World {
    /// The current thread has announced what it does next: decides.
    #[inline(never)]
    fn arrive(&mut self) -> Move {
        if self.trial.is_none() {
            let next = self.arrive_among_all();
            if self.trial.is_none() {
                return next;
            }
        }
        self.arrive_alone()
    }

    #[inline(always)]
    fn arrive_among_all(&mut self) -> Move {
        let me = self.current;
        if self.is_torn {
            return Move::Stay;
        }
        let Pending { what, guard, object, site, .. } = self.threads[me as usize].pending;
        self.note_guard(guard, object);
        if self.observe.operations {
            self.describe(me);
        }
        if self.follows_rule {
            self.step();
            if self.trial.is_some() || self.is_over {
                return self.next_move(me);
            }
        } else if self.patience != u32::MAX {
            self.tire(what, site);
        } else if self.is_stuck_for_long() {
            self.go_on_by_rule();
        }
        if self.is_drawn() {
            self.draw(site);
        } else {
            self.decide_noted();
        }
        self.next_move(me)
    }

    /// Chooses who goes on, or ends the execution.
    pub(crate) fn decide(&mut self) {
        if self.trial.is_some() {
            self.is_over = true;
        } else if self.is_drawn() {
            let site = self.me().pending.site;
            self.draw(site);
        } else {
            self.decide_noted();
        }
    }

    /// The same where the choice is not drawn: it is noted what it is taken from.
    fn decide_noted(&mut self) {
        if !self.announce() {
            return;
        }
        let at = self.at;
        if at < self.n_shared {
            return self.follow(self.prefix[at]);
        }
        if self.is_due(at) {
            return;
        }
        let planned = self.prefix.get(at).copied();
        let mut open = self.open(planned.is_some());
        if self.is_over {
            return;
        }
        if let Some(Choice::Thread(thread)) = planned
            && self.is_chosen(thread)
            && !self.run.opened().contains(&Choice::Thread(thread))
        {
            self.offer(&mut open, thread); // A schedule may come from elsewhere, and know more than E4.
        }
        if open.n == 0 {
            return self.nobody(planned);
        }
        self.choose(open, planned);
    }

    /// Whether the next choice is drawn, and nobody wants to know from what (E6).
    #[inline]
    fn is_drawn(&self) -> bool {
        // In front of the drawn ones are those of the prefix, behind them those that are too many.
        self.draws
            && self.n_aside == 0
            && self.at.wrapping_sub(self.prefix.len()) < self.n_drawn_max
    }

    /// Draws who goes on where the current thread has come to a site.
    #[inline]
    fn draw(&mut self, site: Site) {
        self.beat(site);
        let enabled = self.enabled_known();
        let n = enabled.n();
        if n == 0 {
            return self.nobody(None);
        }
        let taken = self.chooser.draw(n);
        self.at += 1;
        self.current = enabled.at(taken);
    }

    /// Does what the last execution did (E5).
    #[inline]
    fn follow(&mut self, choice: Choice) {
        match choice {
            Choice::Thread(thread) if self.is_chosen(thread) => self.go(thread),
            choice => self.diverge(Some(choice), None),
        }
    }

    fn is_chosen(&self, thread: u32) -> bool {
        thread < self.n_threads && self.is_enabled(thread)
    }

    /// Notes what was announced, and compares it with the last execution (E5).
    #[inline(always)]
    pub(super) fn announce(&mut self) -> bool {
        let pending = &self.threads[self.current as usize].pending;
        let Pending { what, object, site, .. } = *pending;
        self.beat(site);
        if !self.keeps_trail {
            return true;
        }
        let now = Announced { thread: self.current, what, object, site };
        let at = self.at;
        match self.trail.get_mut(at) {
            Some(before) if at < self.n_compared && !before.is(&now) => {
                let before = *before;
                self.diverge(None, Some(before));
                return false;
            }
            Some(before) => *before = now,
            None => self.trail.push(now),
        }
        true
    }

    /// Shows that it goes on.
    #[inline]
    fn beat(&self, site: Site) {
        let n_points = self.beat.n_points.load(Ordering::Relaxed);
        self.beat.n_points.store(n_points.wrapping_add(1), Ordering::Relaxed);
        self.beat.site.store(ptr::from_ref(site).cast_mut(), Ordering::Relaxed);
    }

    /// Shows how many threads there are.
    pub(crate) fn beat_threads(&self) {
        if self.beat.n_threads.load(Ordering::Relaxed) < self.n_threads {
            self.beat.n_threads.fetch_max(self.n_threads, Ordering::Relaxed);
        }
    }

    /// Ends the execution if it has gone on for long enough.
    #[inline]
    pub(super) fn is_due(&mut self, at: usize) -> bool {
        let outcome = if at >= self.n_points_max {
            Outcome::Cut
        } else if at >= self.rules.n_points_max {
            Outcome::Steps
        } else {
            return false;
        };
        self.end(outcome);
        true
    }

    /// Notes who can be chosen.
    #[inline(always)]
    fn open(&mut self, is_planned: bool) -> Open {
        match self.enabled() {
            Some(enabled) if self.n_aside == 0 => {
                let mut open = Open::NOBODY;
                for thread in enabled {
                    self.note_open(&mut open, thread);
                }
                open
            }
            _ if self.follows_rule => self.open_others_than_aside(is_planned),
            _ => self.open_rested(),
        }
    }

    /// Notes one more who can be chosen.
    #[cold]
    pub(super) fn offer(&mut self, open: &mut Open, thread: u32) {
        self.note_open(open, thread);
    }

    #[inline(always)]
    fn note_open(&mut self, open: &mut Open, thread: u32) {
        open.add(thread, self.current);
        self.run.open(Choice::Thread(thread));
        if self.observe.operations {
            self.note(thread);
        }
    }

    #[inline(always)]
    fn choose(&mut self, open: Open, planned: Option<Choice>) {
        let current = self.current;
        let at = &self.threads[current as usize];
        let (what, is_aside) = (at.pending.what, at.is_aside);
        let is_ready = || at.is_live() && (at.pending.guard.is_open() || self.holds(current));
        let could_go_on = open.n > 1 && is_ready(); // Who is set aside may be left out of `open`.
        let gives_way = what.gives_way();
        let stays = could_go_on && !gives_way && !is_aside;
        // What is known of loops must not decide who goes on: the same plan is the same run.
        let preemptible = stays && !self.spins_here();
        let spinning = could_go_on && !gives_way && !preemptible;
        let default = if stays { open.mine } else { open.next };
        let default = if default == NONE { 0 } else { default as usize };
        let n = open.n as usize;
        let Some(taken) = self.pick(n, default, planned, stays) else { return };
        // Not copied: that would have to wait for bytes of it that nobody has written.
        let &Choice::Thread(thread) = &self.run.last_opened(n)[taken] else {
            unreachable!("threads were offered")
        };
        if self.observe.ends_only {
            self.run.truncate_opened(); // E6
            self.n_spins += u32::from(spinning && thread != current);
        } else {
            let (blocking, taken) = (self.can_block(thread), taken as u32);
            self.run.push(Point { current, preemptible, spinning, blocking, taken, history: 0 });
        }
        self.go(thread);
    }

    /// Which of the open choices is taken, of which there are so many; none if that ends the execution.
    #[inline(always)]
    pub(super) fn pick(
        &mut self,
        n: usize,
        default: usize,
        planned: Option<Choice>,
        preemptible: bool,
    ) -> Option<usize> {
        let open = self.run.last_opened(n);
        if let Some(choice) = planned {
            let index = open.iter().position(|&other| other == choice);
            if index.is_none() {
                self.diverge(planned, None);
            }
            return index;
        }
        let goes_on = match open[default] {
            Choice::Thread(thread) if n == 1 || preemptible => Some(thread),
            _ => None,
        };
        if self.chooser.takes_default(goes_on) {
            return Some(default);
        }
        let scene = Scene {
            alternatives: open,
            operations: self.run.pendings(),
            current: self.current,
            preemptible,
            default,
        };
        let taken = self.chooser.choose(&scene);
        if taken.is_none() {
            self.run.truncate_opened();
            let is_left = |world: &World, thread| {
                !world.is_enabled(thread) || world.threads[thread as usize].is_aside
            };
            self.note_left(is_left);
            self.end(Outcome::Known); // Everybody sleeps.
        }
        taken
    }

    #[inline]
    fn go(&mut self, thread: u32) {
        if self.tale.is_some() {
            self.portable.push(Choice::Thread(thread));
        }
        if self.follows_path {
            self.path = path(self.path, Choice::Thread(thread));
        }
        if self.threads[thread as usize].is_aside && self.follows_rule {
            self.bring_back(thread);
        }
        self.note_stretch(thread);
        self.at += 1;
        self.current = thread;
    }

    /// The first thread is about to begin.
    pub(crate) fn start(&mut self) {
        self.decide();
    }
}
