//! Random small executions, such that no thread does what it cannot do.

use raddle_happens::Order;

/// What a thread does. Numbers are those of locations, locks, semaphores, conditions and threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    Access,
    Load(usize, Order),
    Store(usize, Order),
    Modify(usize, Order),
    /// A compare-exchange that fails, with its failure order.
    Fail(usize, Order),
    /// A plain write to an atomic location.
    Overwrite(usize),
    Fence(Order),
    Lock(usize, bool),
    Unlock(usize, bool),
    Post(usize),
    Take(usize),
    Fork(u32),
    Join(u32),
    Wait(usize),
    Wake(bool),
    Notify(Option<u32>),
    NotifyAll(usize),
    Arrive(usize),
    Depart(usize),
    LeaveFor(u32),
    TakeLeft,
    /// A location and a lock are other memory from here on.
    Renew(usize),
}

/// An event of an execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event {
    pub thread: u32,
    pub what: What,
}

pub const N_THREADS: usize = 4;
/// How many there are of each other kind.
pub const N: usize = 2;
/// How many a barrier waits for.
pub const N_PARTIES: usize = 2;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Status {
    Unborn,
    Running,
    /// On a condition, and whether somebody woke it.
    Waits(usize, bool),
    /// At a barrier, and whether it may leave.
    Arrived(usize, bool),
    Ended,
    Joined,
}

struct Maker {
    events: Vec<Event>,
    status: [Status; N_THREADS],
    /// Per lock, who has it, and for reading.
    holders: [Vec<(usize, bool)>; N],
    flavour: Flavour,
}

/// What there is most of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flavour {
    /// Everything.
    Mixed,
    /// Atomic operations on one location.
    Atomic,
    /// Locks, waits, barriers and the like.
    Blocking,
}

const ORDERS: [Order; 5] =
    [Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst];

/// Some execution. Atomic operations on few locations are most of it, and many of them relaxed.
pub fn random(random: &mut fastrand::Rng) -> Vec<Event> {
    let mut status = [Status::Unborn; N_THREADS];
    status[..random.usize(1..=N_THREADS)].fill(Status::Running);
    use Flavour::*;
    let flavour = [Mixed, Atomic, Atomic, Blocking][random.usize(..4)];
    let mut maker = Maker { events: Vec::new(), status, holders: Default::default(), flavour };
    for _ in 0..random.usize(4..40) {
        maker.step(random);
    }
    maker.events
}

impl Maker {
    fn push(&mut self, me: usize, what: What) {
        self.events.push(Event { thread: me as u32, what });
    }

    fn step(&mut self, random: &mut fastrand::Rng) {
        let me = random.usize(..N_THREADS);
        match self.status[me] {
            Status::Running => self.run(me, random),
            Status::Waits(_, woken) if woken || random.u8(..8) == 0 => {
                self.status[me] = Status::Running;
                self.push(me, What::Wake(woken && random.bool()));
            }
            Status::Arrived(barrier, true) => {
                self.status[me] = Status::Running;
                self.push(me, What::Depart(barrier));
            }
            _ => {}
        }
    }

    fn run(&mut self, me: usize, random: &mut fastrand::Rng) {
        let (at, other) = (random.usize(..N), random.usize(..N_THREADS));
        let at = if self.flavour == Flavour::Mixed { at } else { 0 };
        let order = if random.bool() { Order::Relaxed } else { ORDERS[random.usize(..5)] };
        let usual = random.u8(..8) > 0;
        let kind = match self.flavour {
            Flavour::Atomic if usual => random.u8(8..24),
            Flavour::Blocking if usual => random.u8(28..40),
            _ => random.u8(..40),
        };
        let what = match kind {
            0..=7 => What::Access,
            8..=12 => What::Load(at, order),
            13..=18 => What::Store(at, order),
            19..=22 => What::Modify(at, order),
            23 => What::Fail(at, order),
            24 if random.bool() => What::Overwrite(at),
            25..=27 => What::Fence(ORDERS[random.usize(..5)]),
            28 | 29 => return self.lock(me, at, random.bool()),
            30 => What::Post(at),
            31 => What::Take(at),
            32 => return self.life(me, other),
            33 if me != 0 && random.u8(..4) == 0 => {
                self.status[me] = Status::Ended;
                return;
            }
            34 => {
                self.status[me] = Status::Waits(at, false);
                What::Wait(at)
            }
            35 => return self.notify(me, at, random.bool().then_some(other)),
            36 => return self.arrive(me, at),
            37 => What::LeaveFor(other as u32),
            38 => What::TakeLeft,
            39 if random.bool() && self.holders[at].is_empty() => What::Renew(at),
            _ => return,
        };
        self.push(me, what);
    }

    fn lock(&mut self, me: usize, lock: usize, shared: bool) {
        if let Some(index) = self.holders[lock].iter().position(|&(holder, _)| holder == me) {
            let (_, shared) = self.holders[lock].remove(index);
            self.push(me, What::Unlock(lock, shared));
        } else if self.holders[lock].iter().all(|&(_, other)| shared && other) {
            self.holders[lock].push((me, shared));
            self.push(me, What::Lock(lock, shared));
        }
    }

    fn life(&mut self, me: usize, other: usize) {
        match self.status[other] {
            Status::Unborn => {
                self.status[other] = Status::Running;
                self.push(me, What::Fork(other as u32));
            }
            Status::Ended => {
                self.status[other] = Status::Joined;
                self.push(me, What::Join(other as u32));
            }
            _ => {}
        }
    }

    fn notify(&mut self, me: usize, condition: usize, one: Option<usize>) {
        let Some(one) = one else {
            for status in &mut self.status {
                if *status == Status::Waits(condition, false) {
                    *status = Status::Waits(condition, true);
                }
            }
            return self.push(me, What::NotifyAll(condition));
        };
        let woken = matches!(self.status[one], Status::Waits(_, false)).then_some(one as u32);
        if let Status::Waits(_, woken) = &mut self.status[one] {
            *woken = true;
        }
        self.push(me, What::Notify(woken));
    }

    fn arrive(&mut self, me: usize, barrier: usize) {
        self.status[me] = Status::Arrived(barrier, false);
        self.push(me, What::Arrive(barrier));
        let here = |status: &&mut Status| **status == Status::Arrived(barrier, false);
        if self.status.iter_mut().filter(here).count() == N_PARTIES {
            let all = self.status.iter_mut().filter(here);
            all.for_each(|status| *status = Status::Arrived(barrier, true));
        }
    }
}
