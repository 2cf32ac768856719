//! Small random traces.

use proptest::prelude::*;
use raddle_trace::check::Mode;
use raddle_trace::{
    BarrierId, CondId, Events, LockId, LockMode, Op, Order, Range, SemaphoreId, ThreadId, Trace,
    VarId, WakeReason,
};

use crate::oracle::N_THREADS;

fn op(kind: u8, detail: u8, other: u32, n: u32) -> Op {
    let (var, order) =
        (VarId(n), if detail.is_multiple_of(2) { Order::Plain } else { Order::SeqCst });
    let mode = if detail.is_multiple_of(3) { LockMode::Shared } else { LockMode::Exclusive };
    match kind {
        0 => Op::Read { var, order },
        1 => Op::Write { var, order },
        2 => Op::ReadModifyWrite { var, order: Order::SeqCst },
        3 | 4 => Op::Acquire { lock: LockId(n), mode },
        5 | 6 => Op::Release { lock: LockId(n), mode },
        7 => Op::TryFail { lock: LockId(n), mode },
        8 => Op::Fork { child: ThreadId(other) },
        9 => Op::Join { child: ThreadId(other) },
        10 => Op::Wait { cond: CondId(n) },
        11 => Op::Wake { cond: CondId(n), reason: WakeReason::Notified },
        12 => Op::Notify { cond: CondId(n) },
        13 => Op::NotifyAll { cond: CondId(n) },
        14 => Op::Post { semaphore: SemaphoreId(n) },
        15 => Op::Take { semaphore: SemaphoreId(n) },
        16 => Op::Arrive { barrier: BarrierId(n) },
        _ => Op::Leave { barrier: BarrierId(n) },
    }
}

prop_compose! {
    /// Random events, made well-formed.
    pub(crate) fn small_trace()(
        kinds in prop::sample::subsequence((0..18u8).collect::<Vec<_>>(), 2..=7),
        steps in prop::collection::vec(
            (0..N_THREADS, any::<prop::sample::Index>(), 0..6u8, 0..N_THREADS, 0..2u32), 2..14),
        overlap in any::<bool>(),
    ) -> Trace {
        let mut events = Events::default();
        let tables = &mut events.tables;
        for n in 0..N_THREADS {
            tables.threads.intern(format!("T{n}").as_bytes()).expect("a short name");
        }
        for names in [&mut tables.variables, &mut tables.locks, &mut tables.conditions,
                      &mut tables.semaphores, &mut tables.barriers, &mut tables.regions] {
            for n in 0..2 {
                names.intern(format!("o{n}").as_bytes()).expect("a short name");
            }
        }
        for n in 0..2 {
            tables.set_parties(BarrierId(n), 2);
        }
        if overlap {
            tables.set_range(VarId(0), Range { region: 0, offset: 0, size: 4 });
            tables.set_range(VarId(1), Range { region: 0, offset: 2, size: 4 });
        }
        for (thread, kind, detail, other, n) in steps {
            let op = op(*kind.get(&kinds), detail, other, n);
            let e = events.push(ThreadId(thread), op, None);
            if let Op::Wake { cond, .. } = op {
                let notify = events.iter().filter(|n| match n.op {
                    Op::Notify { cond: c } | Op::NotifyAll { cond: c } => c == cond,
                    _ => false,
                }).last();
                if let Some(notify) = notify {
                    events.set_waker(e, notify.id);
                }
            }
        }
        Trace::new(events, Mode::Normalise).expect("names exist")
    }
}

/// A bounded number of cases unless the environment asks for more.
pub(crate) fn config() -> ProptestConfig {
    let default = ProptestConfig::default();
    ProptestConfig { cases: default.cases.max(2000), ..default }
}
