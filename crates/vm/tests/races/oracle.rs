//! Brute force: all executions up to a number of preemptions, and in each of them all pairs of
//! events, with happens-before as the closure of the edges between them. Edges are found pair by
//! pair from the texts of C11, C++20 and POSIX; nothing here counts time.

use std::collections::BTreeSet;

use raddle_cfront::ir::Order;
use raddle_finding::Choice;
use raddle_vm::{Event, Machine, Observer, Question, Snapshot, What};

use crate::races::support::{Found, settle};

/// What the oracle keeps of an event.
#[derive(Clone, Copy)]
struct Seen {
    thread: u32,
    site: u64,
    what: What,
    /// The size of the object that is freed.
    freed: u32,
}

#[derive(Clone, Default)]
struct Log(Vec<Seen>);

impl Observer for Log {
    fn event(&mut self, event: &Event<'_>) {
        let freed = match event.what {
            What::Free { object } => event.view.size(object),
            What::Branch { .. } | What::Alloc { .. } => return,
            _ => 0,
        };
        let site = u64::from(event.site.function.0) << 32 | u64::from(event.site.op);
        self.0.push(Seen { thread: event.thread, site, what: event.what, freed });
    }
}

/// Per number of preemptions, the races in executions with so many or fewer; none if there are more executions than
/// `limit`.
pub fn races(machine: &mut Machine, bound: usize, limit: usize) -> Option<Vec<Found>> {
    let mut search = Search { bound, left: limit, found: vec![Found::new(); bound + 1] };
    search.from(machine, 0, &mut Log::default());
    if search.left == 0 {
        return None;
    }
    for cost in 1..=bound {
        let cheaper = search.found[cost - 1].clone();
        search.found[cost].extend(cheaper);
        settle(&mut search.found[cost]);
    }
    Some(search.found)
}

struct Search {
    bound: usize,
    left: usize,
    found: Vec<Found>,
}

impl Search {
    fn from(&mut self, machine: &mut Machine, cost: usize, log: &mut Log) {
        if self.left == 0 {
            return;
        }
        let choices: Vec<(Choice, usize)> = match machine.question() {
            None => {
                self.left -= 1;
                let [newer, older] = [false, true].map(|by_c11| racing(&log.0, by_c11));
                let found = newer.into_iter().map(|sites| (sites, !older.contains(&sites)));
                self.found[cost].extend(found);
                settle(&mut self.found[cost]);
                return;
            }
            Some(Question::Thread(threads)) => {
                let current = machine.current();
                let stays = threads.contains(&current);
                let cost = |thread| usize::from(stays && thread != current);
                threads.iter().map(|&t| (Choice::Thread(t), cost(t))).collect()
            }
            Some(Question::Waiter(waiters)) => {
                waiters.iter().map(|&waiter| (Choice::Waiter(waiter), 0)).collect()
            }
            Some(other) => panic!("{other}"),
        };
        let mut saved = Snapshot::new();
        machine.save(&mut saved);
        let n_events = log.0.len();
        let left = self.bound - cost;
        for (choice, more) in choices.into_iter().filter(|&(_, more)| more <= left) {
            machine.answer(choice, log).unwrap();
            self.from(machine, cost + more, log);
            machine.restore(&saved);
            log.0.truncate(n_events);
        }
    }
}

fn racing(log: &[Seen], by_c11: bool) -> BTreeSet<[u64; 2]> {
    let mut before: Vec<Vec<bool>> = Vec::with_capacity(log.len());
    for later in 0..log.len() {
        let mut known = vec![false; log.len()];
        for earlier in (0..later).filter(|&earlier| is_edge(log, by_c11, earlier, later)) {
            known[earlier] = true;
            known.iter_mut().zip(&before[earlier]).for_each(|(to, &from)| *to |= from);
        }
        before.push(known);
    }
    let mut found = BTreeSet::new();
    for later in 0..log.len() {
        for earlier in 0..later {
            if conflict(&log[earlier], &log[later]) && !before[later][earlier] {
                let mut sites = [log[earlier].site, log[later].site];
                sites.sort_unstable();
                found.insert(sites);
            }
        }
    }
    found
}

/// Object, first byte, end, whether it writes, whether it is atomic.
fn access(seen: &Seen) -> Option<(u32, u32, u32, bool, bool)> {
    Some(match seen.what {
        What::Read { object, offset, size, order, .. } => {
            (object, offset, offset + size, false, order != Order::Plain)
        }
        What::Write { object, offset, size, order, .. } => {
            (object, offset, offset + size, true, order != Order::Plain)
        }
        What::Rmw { object, offset, size, value, .. } => {
            (object, offset, offset + size, value.is_some(), true)
        }
        What::Free { object } => (object, 0, seen.freed, true, false),
        _ => return None,
    })
}

fn conflict(a: &Seen, b: &Seen) -> bool {
    let (Some(one), Some(two)) = (access(a), access(b)) else { return false };
    let overlap = one.0 == two.0 && one.1 < two.2 && two.1 < one.2;
    a.thread != b.thread && overlap && (one.3 || two.3) && !(one.4 && two.4)
}

/// Whether the earlier event is directly before the later one.
fn is_edge(log: &[Seen], by_c11: bool, earlier: usize, later: usize) -> bool {
    let (a, b) = (&log[earlier], &log[later]);
    if a.thread == b.thread {
        return true;
    }
    match (a.what, b.what) {
        (What::Fork { child }, _) if child == b.thread => true,
        (_, What::Join { child }) if child == a.thread => true,
        (What::Release { address: l, shared: x }, What::Acquire { address: m, shared: y }) => {
            l == m && !(x && y)
        }
        (What::Post { address: s }, What::Take { address: t }) => s == t,
        (What::OnceEnd { address: o }, What::OncePassed { address: p }) => o == p,
        (What::Signal { woken, .. }, What::Wake { .. }) => {
            // The last wait of the thread that wakes up must be what the signal ended.
            let wait = |s: &Seen| s.thread == b.thread && matches!(s.what, What::Wait { .. });
            let last = log[..later].iter().rposition(wait).unwrap();
            woken == Some(b.thread) && last < earlier
        }
        _ => {
            let heads = synchronises_from(log, earlier);
            let tails = synchronises_to(log, later);
            heads.iter().any(|&head| tails.iter().any(|&tail| reads_from(log, by_c11, head, tail)))
        }
    }
}

fn is_release(order: Order) -> bool {
    matches!(order, Order::Release | Order::AcqRel | Order::SeqCst)
}

fn is_acquire(order: Order) -> bool {
    matches!(order, Order::Acquire | Order::AcqRel | Order::SeqCst)
}

/// The order of an atomic write.
fn write_order(seen: &Seen) -> Option<Order> {
    match seen.what {
        What::Write { order, .. } if order != Order::Plain => Some(order),
        What::Rmw { value: Some(_), order, .. } => Some(order),
        _ => None,
    }
}

/// The order of an atomic read.
fn read_order(seen: &Seen) -> Option<Order> {
    match seen.what {
        What::Read { order, .. } if order != Order::Plain => Some(order),
        What::Rmw { order, .. } => Some(order),
        _ => None,
    }
}

/// The writes whose readers synchronise with an event: itself, if it releases, or all atomic
/// writes after it, if it is a release fence.
fn synchronises_from(log: &[Seen], at: usize) -> Vec<usize> {
    let event = &log[at];
    match (event.what, write_order(event)) {
        (What::Fence { order }, _) if is_release(order) => {
            let after = (at + 1..log.len()).filter(|&x| log[x].thread == event.thread);
            after.filter(|&x| write_order(&log[x]).is_some()).collect()
        }
        (_, Some(order)) if is_release(order) => vec![at],
        _ => vec![],
    }
}

/// The reads by which an event synchronises: itself, if it acquires, or all atomic reads before
/// it, if it is an acquire fence.
fn synchronises_to(log: &[Seen], at: usize) -> Vec<usize> {
    let event = &log[at];
    match (event.what, read_order(event)) {
        (What::Fence { order }, _) if is_acquire(order) => {
            let before = (0..at).filter(|&x| log[x].thread == event.thread);
            before.filter(|&x| read_order(&log[x]).is_some()).collect()
        }
        (_, Some(order)) if is_acquire(order) => vec![at],
        _ => vec![],
    }
}

/// Whether a read sees a write, or one of the release sequence that the write heads or would head.
fn reads_from(log: &[Seen], by_c11: bool, head: usize, read: usize) -> bool {
    let (Some(place), Some(from)) = (access(&log[read]), access(&log[head])) else { return false };
    if head >= read || (place.0, place.1) != (from.0, from.1) {
        return false;
    }
    let here = |seen: &Seen| access(seen).is_some_and(|a| a.0 == place.0 && a.1 == place.1 && a.3);
    let goes_on = |seen: &Seen| {
        let by_head = by_c11 && seen.thread == log[head].thread && write_order(seen).is_some();
        by_head || matches!(seen.what, What::Rmw { .. })
    };
    let writes = log[head + 1..read].iter().filter(|seen| here(seen) || covers(seen, place));
    writes.into_iter().all(goes_on)
}

/// Whether a plain write covers a location.
fn covers(seen: &Seen, place: (u32, u32, u32, bool, bool)) -> bool {
    let covered = |a: (u32, u32, u32, bool, bool)| {
        a.0 == place.0 && (a.1..a.2).contains(&place.1) && a.3 && !a.4
    };
    access(seen).is_some_and(covered)
}
