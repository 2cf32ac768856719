//! Choices: the pairs of lock sections that a witness leaves unordered and that could matter.
//!
//! In: an acyclic witness order graph and its witness order edges. Out: the set S_choice. The pair
//! {i, j} of unordered conflicting sections is in it if, for a witness order edge (y, x), one of its
//! two edges lies on a walk from x to y over the edges of the graph and both edges of every
//! unordered pair.
//!
//! The paper shrinks each scope to one vertex first and leaves open what nested scopes become; here
//! walks go from event to event, so that what cannot close a cycle is not counted. Only witness
//! order edges that the base does not imply are looked at; the others add nothing.
//!
//! What a walk reaches is, in each thread, all from some event on. Of a thread the first section
//! that a walk can leave has the earliest unordered sections elsewhere, so the steps of a walk
//! need to look at one section per thread and lock, and mode.

use raddle_trace::EventId;

use super::order::{WitnessOrder, take_max, take_min};
use crate::sections::{NEVER, Row, Section};

/// Two unordered sections.
pub(super) type Pair = (Section, Section);

/// Per thread, the position of the first event that walks from an event reach.
pub(super) fn reached_from(order: &WitnessOrder, event: EventId) -> Vec<u32> {
    let mut reached = order.after(event);
    let mut done = Done::new(order);
    loop {
        let mut grew = false;
        for (lock, rows) in order.sections.locks().enumerate().filter(|(_, rows)| rows.len() > 1) {
            for row in rows {
                let from = reached[row.thread.index()];
                let left = row.sections.partition_point(|s| s.release < from);
                if done.is_new(lock, row, left) {
                    for section in firsts(row.sections[left..].iter()) {
                        grew |= step_forward(order, rows, section, &mut reached);
                    }
                }
            }
        }
        if !grew {
            return reached;
        }
    }
}

/// Per thread, how many events there are up to the last from which walks reach an event.
pub(super) fn reaching(order: &WitnessOrder, event: EventId) -> Vec<u32> {
    let mut reaching = order.before(event);
    let mut done = Done::new(order);
    loop {
        let mut grew = false;
        for (lock, rows) in order.sections.locks().enumerate().filter(|(_, rows)| rows.len() > 1) {
            for row in rows {
                let n = reaching[row.thread.index()];
                let entered = row.sections.partition_point(|s| s.acquire < n);
                if done.is_new(lock, row, entered) {
                    for section in firsts(row.sections[..entered].iter().rev()) {
                        grew |= step_back(order, rows, section, &mut reaching);
                    }
                }
            }
        }
        if !grew {
            return reaching;
        }
    }
}

/// Per lock and thread, from where steps were last taken; there is nothing new to be had there.
struct Done {
    n_threads: usize,
    at: Vec<usize>,
}

impl Done {
    fn new(order: &WitnessOrder) -> Done {
        let n_threads = order.trace.n_threads();
        Done { n_threads, at: vec![usize::MAX; order.trace.tables.locks.len() * n_threads] }
    }

    fn is_new(&mut self, lock: usize, row: &Row, at: usize) -> bool {
        let done = &mut self.at[lock * self.n_threads + row.thread.index()];
        std::mem::replace(done, at) != at
    }
}

/// The first section that ends, and the first exclusive one.
fn firsts<'a>(
    mut sections: impl Iterator<Item = &'a Section>,
) -> impl Iterator<Item = &'a Section> {
    let first = sections.find(|s| s.release != NEVER);
    let is_shared = first.is_some_and(|first| !first.exclusive);
    let other = if is_shared { sections.find(|s| s.exclusive && s.release != NEVER) } else { None };
    first.into_iter().chain(other)
}

fn step_forward(
    order: &WitnessOrder,
    rows: &[Row],
    section: &Section,
    reached: &mut [u32],
) -> bool {
    let before = order.before(section.begin(order.trace));
    let mut grew = false;
    for row in rows.iter().filter(|row| row.thread != section.thread) {
        let thread = row.thread.index();
        let other = row.first_ending(before[thread], section);
        if let Some(other) = other.filter(|other| other.acquire < reached[thread]) {
            take_min(reached, &order.after(other.begin(order.trace)));
            grew = true;
        }
    }
    grew
}

fn step_back(order: &WitnessOrder, rows: &[Row], section: &Section, reaching: &mut [u32]) -> bool {
    let after = order.after(section.end(order.trace));
    let mut grew = false;
    for row in rows.iter().filter(|row| row.thread != section.thread) {
        let thread = row.thread.index();
        let other = row.last_begun(after[thread], section);
        let is_late =
            |other: &&Section| other.release != NEVER && other.release >= reaching[thread];
        if let Some(other) = other.filter(is_late) {
            take_max(reaching, &order.before(other.end(order.trace)));
            grew = true;
        }
    }
    grew
}

/// The walks for one witness order edge (y, x): what x reaches and what reaches y.
struct Walks {
    reached: Vec<u32>,
    reaching: Vec<u32>,
}

impl Walks {
    /// True if a walk can go from the end of `from` to the beginning of `to`.
    fn pass(&self, from: &Section, to: &Section) -> bool {
        from.release >= self.reached[from.thread.index()]
            && to.acquire < self.reaching[to.thread.index()]
    }
}

/// S_choice for some witness order edges, in the order of locks, threads and acquires.
pub(super) fn choices(order: &WitnessOrder, witness: &[(EventId, EventId)]) -> Vec<Pair> {
    let trace = order.trace;
    let mut walks = Vec::new();
    for &(y, x) in witness {
        let reached = reached_from(order, x);
        if trace.position(y) >= reached[trace.thread(y).index()] {
            walks.push(Walks { reached, reaching: reaching(order, y) });
        }
    }
    let mut found = Vec::new();
    if !walks.is_empty() {
        for rows in order.sections.locks() {
            for (n, row) in rows.iter().enumerate() {
                let sections = row.sections.iter().filter(|s| s.release != NEVER);
                for one in sections {
                    pairs_of(order, &walks, one, &rows[n + 1..], &mut found);
                }
            }
        }
    }
    found
}

fn pairs_of(
    order: &WitnessOrder,
    walks: &[Walks],
    one: &Section,
    rows: &[Row],
    found: &mut Vec<Pair>,
) {
    let thread = one.thread.index();
    let is_near = |w: &Walks| one.release >= w.reached[thread] || one.acquire < w.reaching[thread];
    if rows.is_empty() || !walks.iter().any(is_near) {
        return;
    }
    let before = order.before(one.begin(order.trace));
    let after = order.after(one.end(order.trace));
    for row in rows {
        let other = row.thread.index();
        let first = row.sections.partition_point(|s| s.release < before[other]);
        let unordered = row.sections[first..].iter().take_while(|s| s.acquire < after[other]);
        for other in unordered.filter(|s| s.release != NEVER && s.excludes(one)) {
            if walks.iter().any(|w| w.pass(one, other) || w.pass(other, one)) {
                found.push((*one, *other));
            }
        }
    }
}
