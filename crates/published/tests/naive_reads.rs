//! On small random traces the table of reads equals one that builds every graph from scratch.

use raddle_published::reads::{Witness, WitnessType, witness};
use raddle_published::{ReadTable, reads};
use raddle_trace::{CellId, EventId, LockMode, Op, Scope, Trace};

use crate::random::small_trace;

/// Reachability between the events of a trace, one word of bits a row.
#[derive(Clone)]
struct Reach(Vec<u64>);

impl Reach {
    fn has(&self, a: EventId, b: EventId) -> bool {
        self.0[a.index()] >> b.0 & 1 == 1
    }

    fn add(&mut self, a: EventId, b: EventId) {
        let new = self.0[b.index()] | 1 << b.0;
        for row in 0..self.0.len() {
            if row == a.index() || self.0[row] >> a.0 & 1 == 1 {
                self.0[row] |= new;
            }
        }
    }

    fn is_cyclic(&self) -> bool {
        (0..self.0.len()).any(|e| self.0[e] >> e & 1 == 1)
    }
}

type Pair<'a> = (&'a Scope, &'a Scope);

/// Ordered pairs of conflicting scopes of different threads.
fn pairs(trace: &Trace) -> impl Iterator<Item = Pair<'_>> {
    let pairs = trace.scopes().iter().flat_map(|a| trace.scopes().iter().map(move |b| (a, b)));
    pairs.filter(|(a, b)| {
        let exclusive = a.mode == LockMode::Exclusive || b.mode == LockMode::Exclusive;
        a.lock == b.lock && a.thread != b.thread && exclusive
    })
}

/// Adds what locks induce, until nothing changes or there is a cycle.
fn saturate(trace: &Trace, reach: &mut Reach) {
    let mut grew = true;
    while grew && !reach.is_cyclic() {
        grew = false;
        for (first, second) in pairs(trace) {
            let Some(end) = first.release() else { continue };
            let must = second.release().is_none_or(|r| reach.has(first.acquire, r));
            if must && !reach.has(end, second.acquire) {
                reach.add(end, second.acquire);
                grew = true;
            }
        }
    }
}

fn base(trace: &Trace, read: EventId) -> Reach {
    let mut reach = Reach(vec![0; trace.len()]);
    for event in trace.iter() {
        let own = trace.thread_events(event.thread);
        match trace.position(event.id) {
            0 => trace.fork_of(event.thread).into_iter().for_each(|f| reach.add(f, event.id)),
            at => reach.add(own[at as usize - 1], event.id),
        }
        if let Op::Join { child } = event.op {
            let last = trace.thread_events(child).last();
            last.into_iter().for_each(|&last| reach.add(last, event.id));
        }
        if trace.code(event.id).reads() && event.id != read {
            trace.writer(event.id).into_iter().for_each(|writer| reach.add(writer, event.id));
        }
    }
    for wait in trace.waits() {
        if let (Some(wake), Some(notify)) = (wait.wake, wait.notify) {
            reach.add(wait.wait, notify);
            reach.add(notify, wake);
        }
    }
    saturate(trace, &mut reach);
    reach
}

fn edges(w: &Witness) -> Option<Vec<(EventId, EventId)>> {
    let challenged = w.challenger.map(|c| (c, w.read));
    Some(match w.kind {
        WitnessType::ReadFirst => challenged.into_iter().chain([(w.read, w.writer?)]).collect(),
        WitnessType::Overwritten => {
            let c = w.challenger?;
            challenged.into_iter().chain(w.writer.map(|w| (w, c))).collect()
        }
        WitnessType::WriterAbsent => challenged.into_iter().collect(),
    })
}

/// S_choice by its definition.
fn choices<'a>(
    trace: &'a Trace,
    graph: &Reach,
    added: &[(EventId, EventId)],
) -> Vec<(Pair<'a>, EventId, EventId)> {
    let unordered = |&(a, b): &Pair| {
        a.acquire < b.acquire
            && a.release().is_some_and(|r| !graph.has(r, b.acquire))
            && b.release().is_some_and(|r| !graph.has(r, a.acquire))
    };
    let open: Vec<_> = pairs(trace)
        .filter(unordered)
        .map(|(a, b)| ((a, b), a.release().unwrap(), b.release().unwrap()))
        .collect();
    let mut walks = graph.clone();
    for &((a, b), a_end, b_end) in &open {
        walks.add(a_end, b.acquire);
        walks.add(b_end, a.acquire);
    }
    let walk = |a: EventId, b: EventId| a == b || walks.has(a, b);
    let is_choice = |&((a, b), a_end, b_end): &(Pair, EventId, EventId)| {
        added.iter().any(|&(y, x)| {
            walk(x, a_end) && walk(b.acquire, y) || walk(x, b_end) && walk(a.acquire, y)
        })
    };
    open.into_iter().filter(is_choice).collect()
}

/// Cyclic, d′, feasible.
fn naive(trace: &Trace, base: &Reach, w: &Witness) -> (bool, usize, Option<bool>) {
    const CYCLIC: (bool, usize, Option<bool>) = (true, 0, Some(false));
    let Some(edges) = edges(w) else { return CYCLIC };
    let added: Vec<_> = edges.into_iter().filter(|&(a, b)| !base.has(a, b)).collect();
    let mut graph = base.clone();
    added.iter().for_each(|&(a, b)| graph.add(a, b));
    saturate(trace, &mut graph);
    if graph.is_cyclic() {
        return CYCLIC;
    }
    let open = choices(trace, &graph, &added);
    if open.len() > 8 {
        return (false, open.len(), None);
    }
    let feasible = (0..1u32 << open.len()).any(|bits| {
        let mut graph = graph.clone();
        for (n, &((a, b), a_end, b_end)) in open.iter().enumerate() {
            match bits >> n & 1 {
                0 => graph.add(a_end, b.acquire),
                _ => graph.add(b_end, a.acquire),
            }
        }
        !graph.is_cyclic()
    });
    (false, open.len(), Some(feasible))
}

fn witnesses(trace: &Trace, read: EventId) -> Vec<Witness> {
    let (_, cell) = trace.op(read).encode();
    let writer = trace.writer(read);
    let writes = trace.accesses(CellId(cell)).iter().filter(|&&e| trace.code(e).writes());
    let all = writes.map(|&e| Some(e)).chain([None]).filter(|&c| c != writer);
    all.flat_map(|challenger| {
        WitnessType::ALL.map(|kind| Witness { kind, writer, read, challenger })
    })
    .collect()
}

/// Checks all witnesses of a trace; how many of them have choices.
fn check(trace: &Trace) -> u64 {
    let mut expected = ReadTable::default();
    for read in (0..trace.len() as u32).map(EventId).filter(|&e| trace.code(e).reads()) {
        let base = base(trace, read);
        for w in witnesses(trace, read) {
            let found = witness(trace, &[], &w);
            let (is_cyclic, n_choices, feasible) = naive(trace, &base, &w);
            assert_eq!((found.is_cyclic, found.n_choices), (is_cyclic, n_choices), "{w:?}");
            if feasible.is_some() {
                assert_eq!(found.feasible, feasible, "{w:?}");
            }
            expected.n_possible += 1;
            expected.n_cyclic += u64::from(is_cyclic);
            expected.n_with_choices += u64::from(n_choices > 0);
            expected.n_choices += n_choices as u64;
            expected.n_feasible += u64::from(found.feasible == Some(true));
        }
    }
    let found = reads(trace, &mut |_| true);
    assert!(found.is_complete);
    let counts =
        |t: &ReadTable| (t.n_possible, t.n_cyclic, t.n_with_choices, t.n_choices, t.n_feasible);
    assert_eq!(counts(&found), counts(&expected));
    expected.n_with_choices
}

#[test]
fn a_table_of_reads_equals_graphs_built_from_scratch() {
    let mut n_with_choices = 0;
    for seed in 0..400 {
        let (threads, events) = (2 + (seed % 4) as u32, 24 + (seed % 20) as usize);
        n_with_choices += check(&small_trace(seed, threads, events));
    }
    assert!(n_with_choices > 100, "only {n_with_choices} witnesses have choices");
}

#[test]
fn a_table_that_was_stopped_says_so() {
    assert!(!reads(&small_trace(1, 2, 30), &mut |_| false).is_complete);
}
