//! Composer: draws the code of functions, statement by statement.
//!
//! In: the knobs and the objects. Out: bodies in which locks and transactions are balanced, and
//! nested as the knobs say.

use fastrand::Rng;
use raddle_trace::{LockMode, Order, SemaphoreId, ThreadId, TransactionId};

use super::config::Config;
use super::layout::Layout;
use super::program::{Act, Group, Spot, Target, Touch};

/// Writes functions.
pub(super) struct Composer<'a> {
    config: &'a Config,
    layout: &'a Layout,
    rng: &'a mut Rng,
    body: Vec<Act>,
    /// The critical sections around the next statement.
    open: Vec<(Group, LockMode)>,
    /// What the statement before accessed, in the same section.
    last: Option<Target>,
    /// Statements to come.
    n_left: u32,
    n_transactions: u32,
}

impl<'a> Composer<'a> {
    pub(super) fn new(config: &'a Config, layout: &'a Layout, rng: &'a mut Rng) -> Composer<'a> {
        let (body, open) = (Vec::new(), Vec::new());
        Composer { config, layout, rng, body, open, last: None, n_left: 0, n_transactions: 0 }
    }

    /// How many transactions there are so far.
    pub(super) fn n_transactions(&self) -> u32 {
        self.n_transactions
    }

    /// The body of a new function.
    pub(super) fn function(&mut self) -> &[Act] {
        self.body.clear();
        self.last = None;
        self.n_left = self.rng.u32(6..=24);
        while self.n_left > 0 {
            self.statement();
        }
        &self.body
    }

    fn statement(&mut self) {
        self.n_left = self.n_left.saturating_sub(1);
        let more = self.n_left > 0;
        if more
            && self.chance(self.config.locking)
            && let Some(group) = self.free_group(self.config.locks)
        {
            self.section(group, false);
        } else if more && self.chance(self.config.transaction) {
            self.transaction();
        } else if self.chance(self.config.semaphore) {
            let semaphore = SemaphoreId(self.rng.u32(..self.layout.initials.len() as u32));
            let post = self.rng.bool();
            self.body.push(if post { Act::Post(semaphore) } else { Act::Take(semaphore) });
        } else if self.chance(self.config.alloc) {
            let act = if self.rng.bool() { Act::Alloc } else { Act::Free };
            self.body.push(act);
        } else {
            self.access();
        }
    }

    /// A critical section, with an access that it protects if `guards`.
    fn section(&mut self, group: Group, guards: bool) {
        let slot = self.open.len() as u8;
        let mode = self.mode();
        let only_try = self.chance(self.config.trylock);
        self.body.push(Act::Lock { slot, group, mode, only_try });
        self.open.push((group, mode));
        self.last = None;
        let waits = mode == LockMode::Exclusive && group.base < self.layout.n_conditions;
        if waits && slot == 0 && self.chance(self.config.wait) {
            self.body.push(Act::Wait { slot });
        }
        if guards {
            self.touch_home(slot);
        }
        for _ in 0..self.rng.u32(1..=4) {
            self.statement();
        }
        if waits && self.rng.bool() {
            let all = self.chance(self.config.notify_all);
            self.body.push(Act::Notify { slot, all });
        }
        self.open.pop();
        self.last = None;
        self.unlock(slot);
    }

    /// Ends a section; where locks need not be nested, perhaps before the one inside of it.
    fn unlock(&mut self, slot: u8) {
        let inner = self
            .body
            .last()
            .copied()
            .filter(|last| matches!(last, Act::Unlock { slot: inner } if *inner == slot + 1));
        match inner.filter(|_| !self.config.nested && self.rng.bool()) {
            None => self.body.push(Act::Unlock { slot }),
            Some(inner) => {
                self.body.pop();
                self.body.push(Act::Unlock { slot });
                self.touch_own();
                self.last = None;
                self.body.push(inner);
            }
        }
    }

    fn transaction(&mut self) {
        let label = TransactionId(self.n_transactions);
        self.n_transactions += 1;
        self.body.push(Act::Open(label));
        for _ in 0..self.rng.u32(1..=6) {
            self.statement();
        }
        self.body.push(Act::Close(label));
    }

    /// An access, often of what was accessed just before.
    fn access(&mut self) {
        if let Some(target) = self.last.filter(|_| self.rng.bool()) {
            return self.touch(target);
        }
        let layout = self.layout;
        if layout.n_shared() == 0 || self.has_own() && self.chance(self.config.local) {
            self.touch_own();
        } else if layout.n_plain == 0 || layout.n_atomic > 0 && self.chance(self.config.atomic) {
            let spot = self.spot(layout.n_atomic);
            self.touch(Target::Atomic(spot));
        } else if self.can_lock() && self.chance(self.config.protect) {
            self.guarded_access();
        } else {
            let group = self.group(0, self.n_guards());
            let spot = self.spot(layout.n_home(group.base));
            self.touch(Target::Open { group, spot });
        }
    }

    /// An access of a plain variable under its lock, which is taken if no fitting one is held.
    fn guarded_access(&mut self) {
        let guards = |slot: &usize| self.open[*slot].0.base < self.n_guards();
        let slots: Vec<usize> = (0..self.open.len()).filter(guards).collect();
        match (self.rng.choice(slots), self.free_group(self.n_guards())) {
            (Some(slot), _) => self.touch_home(slot as u8),
            (None, Some(group)) => self.section(group, true),
            (None, None) => self.touch_own(),
        }
    }

    fn touch_home(&mut self, slot: u8) {
        let base = self.open[slot as usize].0.base;
        let spot = self.spot(self.layout.n_home(base));
        self.touch(Target::Home { slot, spot });
    }

    fn touch_own(&mut self) {
        if self.has_own() {
            let spot = self.spot(self.layout.n_own(ThreadId(0)));
            self.touch(Target::Own(spot));
        }
    }

    fn touch(&mut self, target: Target) {
        let touch = self.draw_touch(target);
        self.body.push(Act::Access { target, touch });
        self.last = Some(target);
        if matches!(touch, Touch::Read(_)) && self.chance(self.config.branch) {
            self.body.push(Act::Branch);
        }
    }

    fn draw_touch(&mut self, target: Target) -> Touch {
        let writes = self.chance(self.config.write);
        match target {
            Target::Atomic(_) if !writes => Touch::Read(self.order(Order::Acquire)),
            Target::Atomic(_) if self.chance(self.config.update) => {
                Touch::Update(self.order(Order::AcqRel))
            }
            Target::Atomic(_) => Touch::Write(self.order(Order::Release)),
            Target::Home { slot, .. } if self.open[slot as usize].1 == LockMode::Shared => {
                Touch::Read(Order::Plain)
            }
            _ if writes => Touch::Write(Order::Plain),
            _ => Touch::Read(Order::Plain),
        }
    }

    /// Mostly the usual order.
    fn order(&mut self, usual: Order) -> Order {
        match self.rng.u8(..8) {
            0 | 1 => Order::Relaxed,
            2 => Order::SeqCst,
            _ => usual,
        }
    }

    fn mode(&mut self) -> LockMode {
        if self.chance(self.config.readers) { LockMode::Shared } else { LockMode::Exclusive }
    }

    /// Locks below `limit` that may be taken here.
    fn free_group(&mut self, limit: u32) -> Option<Group> {
        let outer = self.open.last().filter(|_| self.config.ordered);
        let low = outer.map_or(0, |(group, _)| group.base + group.width);
        let deeper = self.open.len() < self.config.depth as usize;
        (deeper && low < limit).then(|| self.group(low, limit))
    }

    /// Some of the locks from `low` on; those with low numbers are in higher demand.
    fn group(&mut self, low: u32, limit: u32) -> Group {
        let base = self.rng.u32(low..limit).min(self.rng.u32(low..limit));
        Group { base, width: self.rng.u32(1..=4).min(limit - base) }
    }

    fn spot(&mut self, n: u32) -> Spot {
        let n_parts = n.div_ceil(Spot::SIZE).max(1);
        Spot { offset: Spot::SIZE * self.rng.u32(..n_parts), skew: self.rng.u32(..Spot::SIZE) }
    }

    /// How many locks, or what stands for them, have variables; they are the first ones.
    fn n_guards(&self) -> u32 {
        self.layout.n_stripes.min(self.layout.n_plain)
    }

    fn can_lock(&self) -> bool {
        self.config.locks > 0 && self.config.depth > 0
    }

    fn has_own(&self) -> bool {
        self.layout.n_own(ThreadId(0)) > 0
    }

    fn chance(&mut self, probability: f64) -> bool {
        self.rng.f64() < probability
    }
}
