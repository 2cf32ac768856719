//! Random traces with events of every kind.

use proptest::prelude::*;
use raddle_trace::check::Mode;
use raddle_trace::{
    BarrierId, CondId, EventId, Events, Kind, LockId, LockMode, Op, Order, Range, RegionId,
    SemaphoreId, ThreadId, Trace, TransactionId, VarId, WakeReason,
};

const N_THREADS: u32 = 4;
const N_OBJECTS: u32 = 2;

/// Kinds that have something to do with each other, so that not all is repaired away.
const FAMILIES: &[&[Kind]] = &[
    &[Kind::Read, Kind::Write, Kind::ReadModifyWrite],
    &[Kind::Acquire, Kind::Acquire, Kind::Release, Kind::Release, Kind::TryFail, Kind::Request],
    &[Kind::Wait, Kind::Wait, Kind::Notify, Kind::NotifyAll, Kind::Wake, Kind::Wake],
    &[Kind::Post, Kind::Take],
    &[Kind::Arrive, Kind::Leave],
    &[Kind::Fork, Kind::Join, Kind::Begin, Kind::End],
    &[Kind::TxBegin, Kind::TxEnd, Kind::Branch, Kind::Assert, Kind::Alloc, Kind::Free],
];

/// A trace that is shown in short when a test fails.
#[derive(Clone)]
pub(crate) struct Case(pub(crate) Trace);

impl std::fmt::Debug for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for e in self.0.iter() {
            write!(f, "\n{} T{} {:?} {:?}", e.id.0, e.thread.0, e.op, self.0.waker(e.id))?;
        }
        Ok(())
    }
}

/// One event before it is an event: thread, kind, detail, object or other thread.
type Draft = (u32, Kind, u8, u32);

fn op(kind: Kind, detail: u8, n: u32) -> Op {
    let order = if detail.is_multiple_of(2) { Order::Plain } else { Order::SeqCst };
    let mode = if detail.is_multiple_of(3) { LockMode::Shared } else { LockMode::Exclusive };
    let reason =
        [WakeReason::Notified, WakeReason::Notified, WakeReason::Timeout][detail as usize % 3];
    let (child, n) = (ThreadId(n), n % N_OBJECTS);
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
        Kind::Assert => Op::Assert { holds: true },
        Kind::Alloc => Op::Alloc { region: RegionId(n) },
        Kind::Free => Op::Free { region: RegionId(n) },
    }
}

fn named() -> Events {
    let mut events = Events::default();
    let tables = &mut events.tables;
    let objects = [
        &mut tables.variables,
        &mut tables.locks,
        &mut tables.conditions,
        &mut tables.semaphores,
        &mut tables.barriers,
        &mut tables.transactions,
        &mut tables.regions,
    ];
    for names in objects {
        for n in 0..N_OBJECTS {
            names.intern(format!("o{n}").as_bytes()).expect("a short name");
        }
    }
    for n in 0..N_THREADS {
        tables.threads.intern(format!("T{n}").as_bytes()).expect("a short name");
    }
    events
}

/// Adds an event; a wake-up is of the condition that its thread waits on and names a notify since.
fn add(events: &mut Events, (thread, kind, detail, n): Draft) {
    let thread = ThreadId(thread);
    let own = events.iter().filter(|e| e.thread == thread);
    let waited = own.filter_map(|e| match e.op {
        Op::Wait { cond } => Some((e.id, cond)),
        _ => None,
    });
    let waited = waited.last();
    let op = match (op(kind, detail, n), waited) {
        (Op::Wake { reason, .. }, Some((_, cond))) => Op::Wake { cond, reason },
        (op, _) => op,
    };
    let notifies: Vec<EventId> = notifies_since(events, waited).collect();
    let event = events.push(thread, op, None);
    if let (Op::Wake { .. }, false) = (op, notifies.is_empty()) {
        events.set_waker(event, notifies[detail as usize % notifies.len()]);
    }
}

fn notifies_since(
    events: &Events,
    waited: Option<(EventId, CondId)>,
) -> impl Iterator<Item = EventId> {
    let notifies = move |op: Op, (_, waited): (EventId, CondId)| match op {
        Op::Notify { cond } | Op::NotifyAll { cond } => cond == waited,
        _ => false,
    };
    let since = move |e: &raddle_trace::Event| {
        waited.is_some_and(|wait| wait.0 < e.id && notifies(e.op, wait))
    };
    events.iter().filter(since).map(|e| e.id)
}

fn any_draft(families: Vec<&'static [Kind]>) -> impl Strategy<Value = Draft> {
    let kinds = prop::sample::select(families.concat());
    (0..N_THREADS, kinds, 0..6u8, 0..N_THREADS)
}

fn any_drafts() -> impl Strategy<Value = Vec<Draft>> {
    prop::sample::subsequence(FAMILIES.to_vec(), 1..=4)
        .prop_flat_map(|families| prop::collection::vec(any_draft(families), 1..40))
}

prop_compose! {
    /// Random events, made well-formed.
    pub(crate) fn any_trace()(
        drafts in any_drafts(),
        initial in prop::option::of(0..2u32),
        parties in prop::option::of(1..4u32),
        overlap in any::<bool>(),
    ) -> Case {
        let mut events = named();
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
        drafts.into_iter().for_each(|draft| add(&mut events, draft));
        Case(Trace::new(events, Mode::Normalise).expect("everything has a name"))
    }
}
