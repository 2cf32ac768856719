//! The detector against brute force: the graph of what happens before what, its closure, and every
//! pair of accesses.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::format;
use std::string::String;
use std::vec;
use std::vec::Vec;

use proptest::prelude::*;
use raddle_happens::Touch;
use raddle_wire::RaceRecord;

use super::maker::{Maker, N_PARTIES};
use super::stream::{ATOMIC, Event, What, tell};
use crate::race::Races;

/// Everything about a stream, from its events alone.
struct Graph<'a> {
    events: &'a [Event],
    /// Whether release sequences are those of C11, not those of C++20.
    by_c11: bool,
    /// Per event, which others happen before it.
    before: Vec<Vec<bool>>,
}

impl<'a> Graph<'a> {
    fn new(events: &'a [Event], by_c11: bool) -> Graph<'a> {
        let mut graph = Graph { events, by_c11, before: Vec::new() };
        for to in 0..events.len() {
            let mut before = vec![false; events.len()];
            for from in (0..to).filter(|&from| graph.is_edge(from, to)) {
                before[from] = true;
                for (mark, &earlier) in before.iter_mut().zip(&graph.before[from]) {
                    *mark |= earlier;
                }
            }
            graph.before.push(before);
        }
        graph
    }

    fn is_edge(&self, from: usize, to: usize) -> bool {
        let (a, b) = (self.events[from], self.events[to]);
        if a.thread == b.thread || self.is_sequence_edge(from, to) {
            return true;
        }
        use What::*;
        match (a.what, b.what) {
            // Also if the child did nothing.
            (Fork(child), Join(ended)) if child == ended => true,
            (Fork(child), _) => child == b.thread,
            (_, Join(child)) => child == a.thread,
            (Unlock(x), Lock(y) | LockShared(y)) => x == y && self.same_memory(x, from, to),
            (UnlockShared(x), Lock(y)) => x == y && self.same_memory(x, from, to),
            (Notify(_, Some(woken)), Woken(_)) => {
                woken == b.thread && from > self.last(to, |what| matches!(what, Wait(_)))
            }
            (NotifyAll(_), Woken(_)) => {
                let wait = self.last(to, |what| matches!(what, Wait(_)));
                from > wait && self.is_first_notice(wait, from, b.thread)
            }
            (Arrive(_), Leave(_)) => {
                let arrived = self.last(to, |what| matches!(what, Arrive(_)));
                self.round(from) == self.round(arrived)
            }
            (Unlock(x) | Post(x) | Give(x) | OnceDone(x), _) => {
                let y = match b.what {
                    Lock(y) | LockShared(y) | Take(y) | Get(y) | OnceEnter(y) | OncePass(y) => y,
                    _ => return false,
                };
                let is_init = |event: &Event| event.what == SemaphoreInit(x);
                let new = self.events[from..to].iter().any(is_init);
                x == y && self.same_memory(x, from, to) && !new
            }
            _ => false,
        }
    }

    /// The last event of the same thread before one.
    fn last(&self, to: usize, is: impl Fn(What) -> bool) -> usize {
        let thread = self.events[to].thread;
        let is =
            |&index: &usize| self.events[index].thread == thread && is(self.events[index].what);
        (0..to).rev().find(is).expect("it waits before it goes on")
    }

    /// Whether nobody has woken a thread that waits since `wait`, before `notice`.
    fn is_first_notice(&self, wait: usize, notice: usize, thread: u32) -> bool {
        self.events[wait + 1..notice].iter().all(|event| match event.what {
            What::Notify(_, woken) => woken != Some(thread),
            What::NotifyAll(_) => false,
            _ => true,
        })
    }

    /// Which round of the barrier an arrival belongs to.
    fn round(&self, arrival: usize) -> usize {
        let is = |event: &&Event| matches!(event.what, What::Arrive(_));
        self.events[..arrival].iter().filter(is).count() / N_PARTIES
    }

    /// Whether the eight bytes around an address are the same memory at two events.
    fn same_memory(&self, address: u64, from: usize, to: usize) -> bool {
        let (first, last) = (address / 8 * 8, address / 8 * 8 + 7);
        let ends = |event: &Event| match event.what {
            What::Alloc(start, len) | What::Free(start, len) => {
                start <= last && start + len > first
            }
            _ => false,
        };
        !self.events[from..to].iter().any(ends)
    }

    /// Whether an atomic operation or fence synchronises with another one.
    fn is_sequence_edge(&self, from: usize, to: usize) -> bool {
        use What::*;
        let reads = match self.events[to].what {
            Load(_, order) | Update(_, order) | Miss(_, order) if acquires(order) => vec![to],
            Fence(order) if acquires(order) => self.relaxed_reads_before(to),
            _ => return false,
        };
        let mut heads = reads.iter().flat_map(|&read| self.heads(read));
        heads.any(|head| self.source(head) == Some(from))
    }

    fn relaxed_reads_before(&self, fence: usize) -> Vec<usize> {
        let is = |&index: &usize| {
            let relaxed = match self.events[index].what {
                What::Load(_, order) | What::Update(_, order) | What::Miss(_, order) => {
                    !acquires(order)
                }
                _ => false,
            };
            relaxed && self.events[index].thread == self.events[fence].thread
        };
        (0..fence).filter(is).collect()
    }

    /// The atomic writes whose release sequences have the write that is read.
    fn heads(&self, read: usize) -> Vec<usize> {
        let (What::Load(at, _) | What::Update(at, _) | What::Miss(at, _)) = self.events[read].what
        else {
            return Vec::new();
        };
        let writes: Vec<usize> = (0..read)
            .filter(|&index| self.same_memory(at, index, read))
            .filter(|&index| match self.events[index].what {
                What::Store(to, _) | What::Update(to, _) => to == at,
                What::Write(start, len) => (start..start + len).contains(&at),
                _ => false,
            })
            .collect();
        let is_plain = |index: usize| matches!(self.events[index].what, What::Write(..));
        let goes_on = |head: usize, index: usize| match self.events[index].what {
            What::Update(..) => true,
            What::Store(..) => self.by_c11 && self.events[index].thread == self.events[head].thread,
            _ => false,
        };
        let heads = writes.iter().enumerate().filter(|&(place, &head)| {
            !is_plain(head) && writes[place + 1..].iter().all(|&index| goes_on(head, index))
        });
        heads.map(|(_, &head)| head).collect()
    }

    /// What synchronises for the head of a release sequence: itself, or a fence before it.
    fn source(&self, head: usize) -> Option<usize> {
        let (What::Store(_, order) | What::Update(_, order)) = self.events[head].what else {
            return None;
        };
        if releases(order) {
            return Some(head);
        }
        let is_fence = |&index: &usize| {
            let Event { thread, what, .. } = self.events[index];
            thread == self.events[head].thread
                && matches!(what, What::Fence(order) if releases(order))
        };
        (0..head).rev().find(is_fence)
    }

    fn touch(&self, index: usize) -> Option<(u64, u64, Touch)> {
        Some(match self.events[index].what {
            What::Read(start, len) => (start, len, Touch::Read),
            What::Write(start, len) => (start, len, Touch::Write),
            What::Load(at, _) | What::Miss(at, _) => (at, ATOMIC, Touch::AtomicRead),
            What::Store(at, _) | What::Update(at, _) => (at, ATOMIC, Touch::AtomicWrite),
            What::Free(start, len) => (start, len, Touch::Free),
            _ => return None,
        })
    }

    /// The bytes at which two events race.
    fn race(&self, from: usize, to: usize) -> Vec<u64> {
        let (Some(a), Some(b)) = (self.touch(from), self.touch(to)) else { return Vec::new() };
        let reads = |touch| matches!(touch, Touch::Read | Touch::AtomicRead);
        let atomic = |touch| matches!(touch, Touch::AtomicWrite | Touch::AtomicRead);
        let harmless = reads(a.2) && reads(b.2) || atomic(a.2) && atomic(b.2);
        let same_thread = self.events[from].thread == self.events[to].thread;
        if harmless || same_thread || self.before[to][from] {
            return Vec::new();
        }
        let bytes = a.0.max(b.0)..(a.0 + a.1).min(b.0 + b.1);
        bytes.filter(|&byte| self.same_memory(byte, from, to)).collect()
    }

    /// Whether a race that was told is one.
    fn is_race(&self, told: &RaceRecord) -> bool {
        let to = told.point as usize;
        let bytes = told.address..told.address + u64::from(told.n_bytes);
        (0..to).any(|from| {
            let common = self.race(from, to);
            let mut both = [from, to];
            both.sort_by_key(|&index| self.events[index].pc);
            let touches = both.map(|index| self.touch(index).map(|touch| touch.2 as u8));
            !common.is_empty()
                && both.map(|index| self.events[index].pc) == told.pcs
                && both.map(|index| self.events[index].thread) == told.threads
                && touches == told.touches.map(Some)
                && bytes.clone().all(|byte| common.contains(&byte))
        })
    }

    fn pairs(&self) -> BTreeSet<[u64; 2]> {
        let n = self.events.len();
        let all = (0..n).flat_map(|to| (0..to).map(move |from| (from, to)));
        let races = all.filter(|&(from, to)| !self.race(from, to).is_empty());
        races
            .map(|(from, to)| {
                let mut pcs = [self.events[from].pc, self.events[to].pc];
                pcs.sort_unstable();
                pcs
            })
            .collect()
    }
}

fn acquires(order: u16) -> bool {
    [1, 2, 4, 5].contains(&order)
}

fn releases(order: u16) -> bool {
    [3, 4, 5].contains(&order)
}

fn text(events: &[Event]) -> String {
    let line = |event: &Event| format!("{} {:#x} {:x?}\n", event.thread, event.pc, event.what);
    events.iter().map(line).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10000))]

    /// One detector for all cases, so that each begins on the tables of the last.
    #[test]
    fn the_races_are_those_of_brute_force(
        numbers in prop::collection::vec(any::<(u8, u8, u8, u8)>(), 1..90),
    ) {
        std::thread_local!(static RACES: RefCell<Races> = const { RefCell::new(Races::new()) });
        let events = Maker::stream(&numbers);
        let [newer, older] = [false, true].map(|by_c11| Graph::new(&events, by_c11));
        let by_both = older.pairs();
        RACES.with_borrow(|races| {
            prop_assert!(races.is_on() || races.begin(true));
            races.reset();
            (0..).zip(&events).for_each(|(index, &event)| tell(races, event, index));
            let found = races.found();
            let pairs: BTreeSet<_> = found.iter().map(|race| race.pcs).collect();
            prop_assert_eq!(pairs.len(), found.len(), "each pair once");
            prop_assert_eq!(pairs, newer.pairs(), "{}", text(&events));
            for race in found {
                let is_newer = race.ordered_by_c11 != 0;
                let graph = if is_newer { &newer } else { &older };
                prop_assert_eq!(by_both.contains(&race.pcs), !is_newer, "{}", text(&events));
                prop_assert!(graph.is_race(race), "{:?} in\n{}", race, text(&events));
            }
            prop_assert_eq!(races.n_forgotten(), 0);
            Ok(())
        })?;
    }
}
