//! Semaphores, barriers and transactions.

use super::{Fault, Fix, Rule, Step};
use crate::events::Events;
use crate::id::{BarrierId, EventId, SemaphoreId, ThreadId, TransactionId};
use crate::op::Op;
use crate::tables::Tables;

/// A semaphore whose initial count is not known is given the smallest that explains the trace.
#[derive(Clone, Copy)]
struct Count {
    now: u32,
    initial: u32,
    declared: bool,
}

/// A barrier. Where the number of parties is not known, the first to leave shows that all were
/// there.
#[derive(Clone, Copy)]
struct Barrier {
    parties: Option<u32>,
    n_arrived: u32,
    /// Generations that are complete.
    n_complete: u32,
}

#[derive(Clone, Copy)]
struct Arrival {
    barrier: BarrierId,
    event: EventId,
    generation: u32,
}

pub(super) struct Blocks {
    counts: Vec<Count>,
    barriers: Vec<Barrier>,
    arrivals: Vec<Option<Arrival>>,
    transactions: Vec<Vec<TransactionId>>,
}

impl Blocks {
    pub(super) fn new(events: &Events) -> Blocks {
        let tables = &events.tables;
        let count = |s| {
            let declared = tables.initial(SemaphoreId(s));
            let initial = declared.unwrap_or(0);
            Count { now: initial, initial, declared: declared.is_some() }
        };
        let barrier =
            |b| Barrier { parties: tables.parties(BarrierId(b)), n_arrived: 0, n_complete: 0 };
        Blocks {
            counts: (0..tables.semaphores.len() as u32).map(count).collect(),
            barriers: (0..tables.barriers.len() as u32).map(barrier).collect(),
            arrivals: vec![None; tables.threads.len()],
            transactions: vec![Vec::new(); tables.threads.len()],
        }
    }

    #[inline]
    pub(super) fn is_idle(&self, thread: ThreadId) -> bool {
        self.arrivals[thread.index()].is_none()
    }

    /// The initial count of every semaphore.
    pub(super) fn initials(&self) -> Vec<(SemaphoreId, u32)> {
        self.counts.iter().enumerate().map(|(s, c)| (SemaphoreId(s as u32), c.initial)).collect()
    }

    pub(super) fn fault(&self, step: &Step, names: &Tables) -> Option<Fault> {
        let arrival = self.arrivals[step.thread.index()];
        let me = names.thread(step.thread);
        match (step.op, arrival) {
            (Op::Leave { barrier }, Some(arrival)) if arrival.barrier == barrier => {
                let complete = self.is_complete(&arrival);
                let detail = format!("{me} leaves before all have arrived");
                let fix = Fix::DropOther(arrival.event);
                (!complete).then_some(Fault { rule: Rule::AllArrived, detail, fix })
            }
            (Op::Leave { .. }, None) => {
                let detail = format!("{me} has not arrived");
                Some(Fault { rule: Rule::LeaveAfterArrive, detail, fix: Fix::Drop })
            }
            (_, Some(arrival)) => {
                let detail = format!("{me} has arrived and not left");
                let leave = Op::Leave { barrier: arrival.barrier };
                let fix = match self.is_complete(&arrival) {
                    true => Fix::Insert { before: step.id, thread: step.thread, op: leave },
                    false => Fix::DropOther(arrival.event),
                };
                Some(Fault { rule: Rule::ArriveOnce, detail, fix })
            }
            (Op::Take { semaphore }, None) => {
                let count = self.counts[semaphore.index()];
                let name = names.semaphores.get(semaphore.0).unwrap_or("?");
                let fix = Fix::RaiseInitial(semaphore);
                (count.now == 0 && count.declared).then(|| {
                    let detail = format!("the count of {name} is zero");
                    Fault { rule: Rule::CountAboveZero, detail, fix }
                })
            }
            (Op::TxEnd { transaction }, None) => {
                let innermost = self.transactions[step.thread.index()].last();
                (innermost != Some(&transaction)).then(|| {
                    let detail = format!("{me} has no such transaction open, or another inside it");
                    Fault { rule: Rule::TransactionsNest, detail, fix: Fix::Drop }
                })
            }
            _ => None,
        }
    }

    pub(super) fn commit(&mut self, step: &Step) {
        let me = step.thread.index();
        match step.op {
            Op::Post { semaphore } => {
                let count = &mut self.counts[semaphore.index()];
                count.now = count.now.saturating_add(1);
            }
            Op::Take { semaphore } => self.take(semaphore),
            Op::Arrive { barrier } => self.arrive(step, barrier),
            Op::Leave { barrier } => {
                let arrival = self.arrivals[me].take().expect("R2: it has arrived");
                let barrier = &mut self.barriers[barrier.index()];
                if arrival.generation == barrier.n_complete {
                    barrier.n_complete += 1;
                    barrier.n_arrived = 0;
                }
            }
            Op::TxBegin { transaction } => self.transactions[me].push(transaction),
            Op::TxEnd { .. } => {
                self.transactions[me].pop();
            }
            _ => {}
        }
    }

    pub(super) fn raise_initial(&mut self, semaphore: SemaphoreId) {
        let count = &mut self.counts[semaphore.index()];
        count.initial += 1;
        count.now += 1;
    }

    /// A thread's arrival at a barrier was dropped.
    pub(super) fn forget_arrival(&mut self, thread: ThreadId, op: Op) {
        if !matches!(op, Op::Arrive { .. }) {
            return;
        }
        if let Some(arrival) = self.arrivals[thread.index()].take() {
            let barrier = &mut self.barriers[arrival.barrier.index()];
            if arrival.generation == barrier.n_complete {
                barrier.n_arrived -= 1;
            }
        }
    }

    fn take(&mut self, semaphore: SemaphoreId) {
        if self.counts[semaphore.index()].now == 0 {
            self.raise_initial(semaphore);
        }
        self.counts[semaphore.index()].now -= 1;
    }

    fn arrive(&mut self, step: &Step, id: BarrierId) {
        let barrier = &mut self.barriers[id.index()];
        let generation = barrier.n_complete;
        barrier.n_arrived += 1;
        if barrier.parties == Some(barrier.n_arrived) {
            barrier.n_complete += 1;
            barrier.n_arrived = 0;
        }
        self.arrivals[step.thread.index()] =
            Some(Arrival { barrier: id, event: step.id, generation });
    }

    fn is_complete(&self, arrival: &Arrival) -> bool {
        let barrier = &self.barriers[arrival.barrier.index()];
        barrier.parties.is_none() || arrival.generation < barrier.n_complete
    }
}
