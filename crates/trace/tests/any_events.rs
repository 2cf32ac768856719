//! Whatever events there are: normalising makes them well-formed, files give them back, and the
//! indexes equal what a naive search finds.
//!
//! `PROPTEST_CASES=100000 cargo test -p raddle-trace --test all any_events::` searches for longer.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use raddle_trace::check::{Mode, check};
use raddle_trace::format::{Options, rdl, read, read_raw};
use raddle_trace::{
    BarrierId, CondId, EventId, Events, Kind, LocationId, LockId, LockMode, Op, Order, Range,
    RegionId, SemaphoreId, ThreadId, Trace, TransactionId, VarId, WakeReason,
};

const N_THREADS: u32 = 4;
const N_OBJECTS: u32 = 2;

fn order(detail: u8) -> Order {
    use Order::*;
    [Plain, Relaxed, Acquire, Release, AcqRel, SeqCst][detail as usize % 6]
}

fn op(kind: Kind, detail: u8, thread: u32, n: u32) -> Op {
    let (order, child) = (order(detail), ThreadId(thread));
    let mode = if detail.is_multiple_of(2) { LockMode::Exclusive } else { LockMode::Shared };
    let reason =
        [WakeReason::Notified, WakeReason::Timeout, WakeReason::Spurious][detail as usize % 3];
    match kind {
        Kind::Read => Op::Read { var: VarId(n), order },
        Kind::Write => Op::Write { var: VarId(n), order },
        Kind::ReadModifyWrite => Op::ReadModifyWrite { var: VarId(n), order },
        Kind::Acquire => Op::Acquire { lock: LockId(n), mode, tried: detail % 4 > 1 },
        Kind::Release => Op::Release { lock: LockId(n), mode },
        Kind::Request => Op::Request { lock: LockId(n), mode },
        Kind::TryFail => Op::TryFail { lock: LockId(n), mode },
        Kind::Fork => Op::Fork { child },
        Kind::Join => Op::Join { child },
        Kind::Begin => Op::Begin,
        Kind::End => Op::End,
        Kind::Wait => Op::Wait { cond: CondId(n) },
        Kind::Wake => Op::Wake { cond: CondId(n), reason },
        Kind::Notify => Op::Notify { cond: CondId(n) },
        Kind::NotifyAll => Op::NotifyAll { cond: CondId(n) },
        Kind::Post => Op::Post { semaphore: SemaphoreId(n) },
        Kind::Take => Op::Take { semaphore: SemaphoreId(n) },
        Kind::Arrive => Op::Arrive { barrier: BarrierId(n) },
        Kind::Leave => Op::Leave { barrier: BarrierId(n) },
        Kind::TxBegin => Op::TxBegin { transaction: TransactionId(n) },
        Kind::TxEnd => Op::TxEnd { transaction: TransactionId(n) },
        Kind::Branch => Op::Branch,
        Kind::Assert => Op::Assert { holds: detail.is_multiple_of(2) },
        Kind::Alloc => Op::Alloc { region: RegionId(n) },
        Kind::Free => Op::Free { region: RegionId(n) },
    }
}

fn tables() -> Events {
    let mut events = Events::default();
    let tables = &mut events.tables;
    for t in 0..N_THREADS {
        tables.threads.intern(format!("T{t}").as_bytes()).expect("a short name");
    }
    let all = [
        &mut tables.variables,
        &mut tables.locks,
        &mut tables.conditions,
        &mut tables.semaphores,
        &mut tables.barriers,
        &mut tables.transactions,
        &mut tables.regions,
        &mut tables.locations,
    ];
    for names in all {
        for n in 0..N_OBJECTS {
            names.intern(format!("o{n}").as_bytes()).expect("a short name");
        }
    }
    events
}

prop_compose! {
    /// Any events at all, with a bias towards few kinds so that they have something to do with
    /// each other.
    fn any_events()(
        kinds in prop::sample::subsequence(Kind::ALL.to_vec(), 1..=8),
        steps in prop::collection::vec((0..N_THREADS, any::<prop::sample::Index>(), 0..6u8, 0..N_THREADS, 0..N_OBJECTS), 1..40),
        wakers in prop::collection::vec(any::<prop::sample::Index>(), 40),
        initial in prop::option::of(0..2u32),
        parties in prop::option::of(1..3u32),
        nested_locks in any::<bool>(),
        overlap in any::<bool>(),
    ) -> Case {
        let mut events = tables();
        if let Some(count) = initial {
            events.tables.set_initial(SemaphoreId(0), count);
        }
        if let Some(count) = parties {
            events.tables.set_parties(BarrierId(0), count);
        }
        if overlap {
            events.tables.set_range(VarId(0), Range { region: 0, offset: 0, size: 4 });
            events.tables.set_range(VarId(1), Range { region: 0, offset: 2, size: 4 });
        }
        events.claims.nested_locks = nested_locks;
        for (thread, kind, detail, other, object) in steps {
            let op = op(*kind.get(&kinds), detail, other, object);
            events.push(ThreadId(thread), op, Some(LocationId(object)));
        }
        for e in (0..events.len() as u32).map(EventId) {
            let notified = matches!(events.op(e), Op::Wake { reason: WakeReason::Notified, .. });
            if notified && e.0 > 0 {
                let notify = wakers[e.index()].index(e.index());
                events.set_waker(e, EventId(notify as u32));
            }
        }
        Case(events)
    }
}

/// Events that are shown in short when a test fails.
#[derive(Clone)]
struct Case(Events);

impl std::fmt::Debug for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for e in self.0.iter() {
            write!(f, "\n{} {:?} {:?}", e.thread.0, e.op, self.0.waker(e.id))?;
        }
        write!(f, "\n{:?}", self.0.claims)
    }
}

/// The events as text, independent of ids.
fn shown(events: &Events) -> Vec<String> {
    let show = |e: raddle_trace::Event| {
        let tables = &events.tables;
        let (code, object) = e.op.encode();
        let class = code.kind().class();
        let object = tables.names(class).and_then(|names| names.get(object)).unwrap_or("");
        format!("{} {code:?} {object} {:?}", tables.thread(e.thread), events.waker(e.id))
    };
    events.iter().map(show).collect()
}

/// Per read and cell of two bytes, the last write before it, found by looking back.
fn naive_writers(events: &Events) -> BTreeMap<(EventId, u64), Option<EventId>> {
    let accessed = |e: EventId| match events.op(e) {
        Op::Read { var, .. } => Some((var, true, false)),
        Op::Write { var, .. } => Some((var, false, true)),
        Op::ReadModifyWrite { var, .. } => Some((var, true, true)),
        _ => None,
    };
    let bytes = |var: VarId| match events.tables.range(var) {
        Some(range) => range.offset..range.offset + u64::from(range.size),
        None => 100 * (u64::from(var.0) + 1)..100 * (u64::from(var.0) + 1) + 1,
    };
    let mut writers = BTreeMap::new();
    for read in (0..events.len() as u32).map(EventId) {
        let Some((var, true, _)) = accessed(read) else { continue };
        for byte in bytes(var) {
            let writes =
                |&e: &EventId| accessed(e).is_some_and(|(v, _, w)| w && bytes(v).contains(&byte));
            let writer = (0..read.0).rev().map(EventId).find(writes);
            writers.insert((read, byte), writer);
        }
    }
    writers
}

/// The same from the index: each read's writers as a set.
fn writer_sets<K: Ord + Copy>(
    writers: impl IntoIterator<Item = (K, Option<EventId>)>,
) -> BTreeMap<K, Vec<Option<EventId>>> {
    let mut sets: BTreeMap<K, Vec<_>> = BTreeMap::new();
    for (read, writer) in writers {
        sets.entry(read).or_default().push(writer);
    }
    for set in sets.values_mut() {
        set.sort();
        set.dedup();
    }
    sets
}

fn config() -> ProptestConfig {
    let default = ProptestConfig::default();
    let persistence = FileFailurePersistence::WithSource("regressions");
    ProptestConfig {
        cases: default.cases.max(2000),
        failure_persistence: Some(Box::new(persistence)),
        ..default
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn normalised_events_are_well_formed(Case(events) in any_events()) {
        let (normalised, _) = check(events, Mode::Normalise).unwrap();
        let (again, repairs) = check(normalised.clone(), Mode::Normalise).unwrap();
        prop_assert!(repairs.is_empty(), "{repairs:?}");
        prop_assert_eq!(shown(&again), shown(&normalised));
        prop_assert!(check(normalised, Mode::Strict).is_ok());
    }

    #[test]
    fn strict_and_normalise_agree_on_what_is_well_formed(Case(events) in any_events()) {
        let strict = check(events.clone(), Mode::Strict);
        let (_, repairs) = check(events, Mode::Normalise).unwrap();
        match (strict, repairs.first()) {
            (Ok(_), repair) => prop_assert!(repair.is_none()),
            (Err(violation), Some(repair)) => prop_assert_eq!(violation.rule, repair.rule),
            (Err(violation), None) => prop_assert!(false, "{} is not repaired", violation),
        }
    }

    #[test]
    fn the_native_format_gives_events_back(Case(events) in any_events()) {
        let mut file = Vec::new();
        rdl::write(&events, &mut file, &mut ()).unwrap();
        let raw = read_raw(&file, Options::default()).unwrap();
        prop_assert!(raw.loss.is_none());
        prop_assert_eq!(raw.events, events);
    }

    #[test]
    fn text_gives_a_well_formed_trace_back(Case(events) in any_events()) {
        let trace = Trace::new(events, Mode::Normalise).unwrap();
        if trace.is_empty() {
            return Ok(());
        }
        let mut text = Vec::new();
        raddle_trace::format::std::write(&trace, &mut text, &mut ()).unwrap();
        let read = read(&text, Options::default()).unwrap();
        prop_assert_eq!(shown(&read.trace), shown(&trace));
    }

    #[test]
    fn indexes_equal_a_naive_search(Case(events) in any_events()) {
        let trace = Trace::new(events, Mode::Normalise).unwrap();
        let naive = naive_writers(&trace).into_iter().map(|((read, _), w)| (read, w));
        let reads = (0..trace.len() as u32).map(EventId).filter(|&e| trace.code(e).reads());
        let indexed = reads.flat_map(|e| trace.writers(e).into_iter().map(move |(_, w)| (e, w)));
        prop_assert_eq!(writer_sets(indexed), writer_sets(naive));

        for t in (0..N_THREADS).map(ThreadId) {
            let own: Vec<_> = (0..trace.len() as u32).map(EventId).filter(|&e| trace.thread(e) == t).collect();
            prop_assert_eq!(trace.thread_events(t), &own[..]);
            for (position, &e) in own.iter().enumerate() {
                prop_assert_eq!(trace.position(e) as usize, position);
            }
        }
        for scope in trace.scopes() {
            let Op::Acquire { lock, mode, .. } = trace.op(scope.acquire) else { panic!("no acquire") };
            let later = trace.thread_events(scope.thread).iter().copied().find(|&e| {
                e > scope.acquire && matches!(trace.op(e), Op::Release { lock: l, .. } if l == lock)
            });
            prop_assert_eq!((scope.release(), scope.mode), (later, mode));
        }
    }
}
