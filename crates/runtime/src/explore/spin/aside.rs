//! Threads that are set aside, and what each waits for (S3).

use core::cell::Cell;

use alloc::vec::Vec;
use raddle_wire::Defect;
use raddle_wire::board::{CHOICE_ENDLESS, CHOICE_RESTORES, PointFlags};

use super::MIX;
use crate::state::Shared;
use crate::thread::Thread;

/// Why a thread is set aside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) enum Why {
    /// Its round changes nothing.
    Reads,
    /// It changes something and puts it back.
    Restores,
    /// It is taken for endless.
    Endless,
}

impl Why {
    /// As a plan says it.
    pub(in super::super) fn of_choice(word: u32) -> Why {
        match word {
            _ if word & CHOICE_ENDLESS != 0 => Why::Endless,
            _ if word & CHOICE_RESTORES != 0 => Why::Restores,
            _ => Why::Reads,
        }
    }

    pub(in super::super) fn flag(self) -> u16 {
        match self {
            Why::Reads => 0,
            Why::Restores => PointFlags::RESTORES,
            Why::Endless => PointFlags::ENDLESS,
        }
    }
}

/// What a round reads, as ranges of addresses; none if that is everything.
#[derive(Clone, Debug)]
pub(super) struct Touched(pub(super) Option<Vec<(u64, u64)>>);

impl Touched {
    pub(super) const NOTHING: Touched = Touched(Some(Vec::new()));
    pub(super) const EVERYTHING: Touched = Touched(None);

    pub(super) fn add(&mut self, start: u64, len: u64) {
        const N_MAX: usize = 32;
        let Some(ranges) = &mut self.0 else { return };
        let range = (start, start.saturating_add(len.max(1)));
        if !ranges.contains(&range) {
            ranges.push(range);
        }
        if ranges.len() > N_MAX {
            self.0 = None;
        }
    }

    pub(super) fn overlaps(&self, start: u64, len: u64) -> bool {
        let end = start.saturating_add(len);
        self.0.as_ref().is_none_or(|ranges| ranges.iter().any(|it| it.0 < end && start < it.1))
    }
}

/// A thread that is set aside.
#[derive(Clone, Debug)]
struct Aside {
    thread: u32,
    why: Why,
    /// Another thread goes on.
    is_over: bool,
    reads: Touched,
}

/// The threads that are set aside.
pub(super) struct Asides {
    all: Shared<Vec<Aside>>,
    /// Whether there is any: asked at every access.
    any: Cell<bool>,
}

impl Asides {
    pub(super) const fn new() -> Asides {
        Asides { all: Shared::new(Vec::new()), any: Cell::new(false) }
    }

    pub(super) fn any(&self) -> bool {
        self.any.get()
    }

    pub(super) fn has(&self, thread: &Thread) -> bool {
        self.why(thread).is_some()
    }

    /// Why a thread is set aside, if it is.
    #[inline]
    pub(super) fn why(&self, thread: &Thread) -> Option<Why> {
        if !self.any.get() {
            return None;
        }
        self.all.with(|all| all.iter().find(|one| one.thread == thread.number).map(|one| one.why))
    }

    /// Sets a thread aside until what its round reads changes.
    pub(super) fn put(&self, thread: &Thread, why: Why, reads: Touched) {
        self.all.with(|all| {
            all.retain(|one| one.thread != thread.number);
            all.push(Aside { thread: thread.number, why, is_over: false, reads });
        });
        self.any.set(true);
    }

    /// Keeps some of those that are set aside.
    fn keep(&self, keeps: impl FnMut(&Aside) -> bool) {
        if self.any.get() {
            let any = self.all.with(|all| {
                all.retain(keeps);
                !all.is_empty()
            });
            self.any.set(any);
        }
    }

    pub(super) fn clear(&self) {
        self.keep(|_| false);
    }

    /// The running thread has changed something: who reads that can go on again.
    #[inline]
    pub(super) fn changed(&self, address: u64, len: u64) {
        let waits = |why| why == Why::Restores && !Defect::RestoringWaits.is_there();
        self.keep(|one| waits(one.why) || !one.reads.overlaps(address, len));
    }

    /// A thread takes a step: those whose rounds restore something may go on after it.
    pub(super) fn step(&self, thread: &Thread) {
        if self.any.get() && !Defect::RestoringWaits.is_there() {
            self.all.with(|all| {
                let others = |one: &&mut Aside| one.thread != thread.number;
                let changers = all.iter_mut().filter(others).filter(|it| it.why == Why::Restores);
                changers.for_each(|one| one.is_over = true);
            });
        }
    }

    /// The step is done: who waited for any step can go on again.
    pub(super) fn release(&self) {
        self.keep(|one| !one.is_over);
    }

    /// A thread that is set aside goes on.
    pub(super) fn take_up(&self, thread: &Thread) {
        self.keep(|one| one.thread != thread.number);
    }

    /// Whether rounds of those that are set aside change something.
    pub(super) fn any_restores(&self) -> bool {
        self.any.get() && self.all.with(|all| all.iter().any(|one| one.why == Why::Restores))
    }

    /// Who is set aside and why, mixed into a number.
    pub(super) fn fingerprint(&self, begin: u64) -> u64 {
        self.all.with(|all| {
            let mut bits: Vec<_> = all.iter().map(|one| (one.thread, one.why as u32)).collect();
            bits.sort_unstable();
            bits.iter().fold(begin, |bits, one| {
                (bits ^ u64::from(one.0) << 8 ^ u64::from(one.1)).wrapping_mul(MIX)
            })
        })
    }
}
