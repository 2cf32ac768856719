//! Happens-before by definition: which event is before which, as a matrix.

use raddle_happens::Order;

use super::execution::{Event, N_PARTIES, What};

/// Which release sequences there are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    Cpp20,
    C11,
}

/// The relation of an execution, closed.
pub struct Relation {
    n: usize,
    pairs: Vec<bool>,
}

impl Relation {
    pub fn of(events: &[Event], rule: Rule) -> Relation {
        let n = events.len();
        let order = Execution { events, rule };
        let edge = |pair: usize| pair / n < pair % n && order.is_edge(pair / n, pair % n);
        let mut pairs: Vec<bool> = (0..n * n).map(edge).collect();
        for middle in 0..n {
            for from in (0..n).filter(|from| pairs[from * n + middle]).collect::<Vec<_>>() {
                for to in 0..n {
                    pairs[from * n + to] |= pairs[middle * n + to];
                }
            }
        }
        Relation { n, pairs }
    }

    pub fn has(&self, from: usize, to: usize) -> bool {
        self.pairs[from * self.n + to]
    }
}

struct Execution<'a> {
    events: &'a [Event],
    rule: Rule,
}

impl Execution<'_> {
    fn is_edge(&self, from: usize, to: usize) -> bool {
        use What::*;
        let (a, b) = (self.events[from], self.events[to]);
        if a.thread == b.thread || self.synchronises(from, to) {
            return true;
        }
        match (a.what, b.what) {
            (_, Join(child)) if child == a.thread => true,
            // Also if the child did nothing.
            (Fork(child), Join(ended)) if child == ended => true,
            (Fork(child), _) => child == b.thread,
            (Unlock(one, shared), Lock(other, too)) => {
                one == other && !(shared && too) && self.is_same_memory(one, from, to)
            }
            (Post(one), Take(other)) => one == other,
            (LeaveFor(other), TakeLeft) => other == b.thread,
            (Notify(woken), Wake(true)) => {
                woken == Some(b.thread) && self.is_first_notice(from, to)
            }
            (NotifyAll(condition), Wake(true)) => {
                let wait = self.wait_of(to);
                self.events[wait].what == Wait(condition) && self.is_first_notice(from, to)
            }
            (Arrive(one), Depart(other)) => {
                let arrived = |&index: &usize| {
                    let Event { thread, what } = self.events[index];
                    thread == b.thread && what == Arrive(other)
                };
                let last = (0..to).rev().find(arrived).expect("it arrived");
                one == other && self.round(from, one) == self.round(last, one)
            }
            _ => false,
        }
    }

    /// Where the wait began that ends here.
    fn wait_of(&self, wake: usize) -> usize {
        let thread = self.events[wake].thread;
        let is = |&index: &usize| {
            let event = self.events[index];
            event.thread == thread && matches!(event.what, What::Wait(_))
        };
        (0..wake).rev().find(is).expect("it waits before it wakes up")
    }

    /// Whether it is the first thing that wakes the thread that wakes up at `wake`.
    fn is_first_notice(&self, notice: usize, wake: usize) -> bool {
        let (wait, thread) = (self.wait_of(wake), self.events[wake].thread);
        let wakes = |event: &Event| match event.what {
            What::Notify(woken) => woken == Some(thread),
            What::NotifyAll(condition) => self.events[wait].what == What::Wait(condition),
            _ => false,
        };
        notice > wait && !self.events[wait..notice].iter().any(wakes)
    }

    /// Which round of a barrier an arrival belongs to.
    fn round(&self, arrival: usize, barrier: usize) -> usize {
        let is = |event: &&Event| event.what == What::Arrive(barrier);
        self.events[..arrival].iter().filter(is).count() / N_PARTIES
    }

    /// Whether an atomic operation or fence synchronises with another one.
    fn synchronises(&self, from: usize, to: usize) -> bool {
        let n = self.events.len();
        let heads = (from..n).filter(|&write| self.releases_with(from, write));
        let reads: Vec<usize> = (0..=to).filter(|&read| self.acquires_with(read, to)).collect();
        heads.into_iter().any(|head| {
            reads.iter().any(|&read| {
                self.source(read).is_some_and(|source| self.is_of_sequence(head, source))
            })
        })
    }

    /// Whether an event releases by an atomic write: it is that, or a fence before it.
    fn releases_with(&self, event: usize, write: usize) -> bool {
        let Some((_, order)) = self.write(write) else { return false };
        let Event { thread, what } = self.events[event];
        match what {
            What::Fence(fence) => releases(fence) && thread == self.events[write].thread,
            _ => event == write && order.is_some_and(releases),
        }
    }

    /// Whether an event acquires by an atomic read: it is that, or a fence behind it.
    fn acquires_with(&self, read: usize, event: usize) -> bool {
        let Some((_, order)) = self.read(read) else { return false };
        let Event { thread, what } = self.events[event];
        match what {
            What::Fence(fence) => acquires(fence) && thread == self.events[read].thread,
            _ => event == read && acquires(order),
        }
    }

    /// Whether a write is of the release sequence that an atomic write heads.
    fn is_of_sequence(&self, head: usize, write: usize) -> bool {
        let Some((location, Some(_))) = self.write(head) else { return false };
        if self.write(write).is_none_or(|(other, _)| other != location) || write < head {
            return false;
        }
        let is_modification = |index: usize| matches!(self.events[index].what, What::Modify(..));
        match self.rule {
            _ if !self.is_same_memory(location, head, write) => false,
            Rule::Cpp20 => {
                let before = || self.source(write).expect("a read-modify-write reads");
                write == head
                    || is_modification(write)
                        && self.source(write).is_some()
                        && self.is_of_sequence(head, before())
            }
            Rule::C11 => (head + 1..=write).all(|index| match self.write(index) {
                Some((other, order)) if other == location => {
                    let is_own = self.events[index].thread == self.events[head].thread;
                    is_modification(index) || is_own && order.is_some()
                }
                _ => true,
            }),
        }
    }

    /// The write that a read reads: the last one.
    fn source(&self, read: usize) -> Option<usize> {
        let (location, _) = self.read(read)?;
        let is = |&index: &usize| self.write(index).is_some_and(|(at, _)| at == location);
        (0..read).rev().find(is).filter(|&write| self.is_same_memory(location, write, read))
    }

    /// Whether a location and a lock are the same memory at two events.
    fn is_same_memory(&self, at: usize, from: usize, to: usize) -> bool {
        self.events[from..to].iter().all(|event| event.what != What::Renew(at))
    }

    /// The location of a write to one, and its order, if it is atomic.
    fn write(&self, index: usize) -> Option<(usize, Option<Order>)> {
        match self.events[index].what {
            What::Store(at, order) | What::Modify(at, order) => Some((at, Some(order))),
            What::Overwrite(at) => Some((at, None)),
            _ => None,
        }
    }

    fn read(&self, index: usize) -> Option<(usize, Order)> {
        match self.events[index].what {
            What::Load(at, order) | What::Modify(at, order) | What::Fail(at, order) => {
                Some((at, order))
            }
            _ => None,
        }
    }
}

fn acquires(order: Order) -> bool {
    [Order::Acquire, Order::AcqRel, Order::SeqCst].contains(&order)
}

fn releases(order: Order) -> bool {
    [Order::Release, Order::AcqRel, Order::SeqCst].contains(&order)
}
