//! Everything but accesses: locks, threads, waits, counts, allocations.

use raddle_trace::{CondId, EventId, LockId, LockMode, Op, Order, RegionId, ThreadId, WakeReason};
use raddle_wire::{Code, Record};

use super::access::order;
use super::{Converter, Done, Options};

impl Converter<'_> {
    pub(super) fn synchronise(&mut self, code: Code, record: Record) -> Done {
        match code {
            Code::Lock | Code::Unlock | Code::Request | Code::TryFail => self.lock(code, record),
            Code::Fork => {
                let child = self.thread_id(record.object());
                self.push(Op::Fork { child }, record).map(drop)
            }
            Code::Join => {
                let child = self.thread_id(record.object());
                self.push(Op::Join { child }, record).map(drop)
            }
            Code::Begin => self.push(Op::Begin, record).map(drop),
            Code::End => {
                self.leave_all(record)?;
                self.namer.frames.end(self.thread);
                self.push(Op::End, record).map(drop)
            }
            Code::Wait | Code::Wake | Code::Notify | Code::NotifyAll => self.wait(code, record),
            Code::OnceEnter | Code::OnceDone | Code::OncePass => self.once(code, record),
            Code::Order => {
                let tables = &mut self.events.tables;
                let var = self.namer.order(record.object(), self.survey, tables)?;
                let op = match record.extra() {
                    0 => Op::ReadModifyWrite { var, order: Order::AcqRel },
                    _ => Op::Read { var, order: Order::Acquire },
                };
                self.push(op, record)?;
                self.leave_once(record)
            }
            Code::Fence if order(record.extra()) == Order::SeqCst => {
                let var = self.namer.fence(&mut self.events.tables)?;
                self.push(Op::ReadModifyWrite { var, order: Order::SeqCst }, record).map(drop)
            }
            Code::Fence => Ok(()),
            Code::Alloc => {
                self.alloc = Some(record);
                Ok(())
            }
            Code::Free => self.free(record),
            _ => self.count(code, record),
        }
    }

    fn lock(&mut self, code: Code, record: Record) -> Done {
        let tables = &mut self.events.tables;
        let lock = LockId(self.namer.lock(record.object(), self.survey, tables)?);
        let mode = if record.extra() == 0 { LockMode::Exclusive } else { LockMode::Shared };
        let is_asked_for = self.requests.remove(&self.thread);
        if mode == LockMode::Shared && self.reads_again(code, lock) {
            return Ok(());
        }
        match code {
            Code::Request => _ = self.requests.insert(self.thread),
            // R9; who wakes up asks for its lock by waking up.
            Code::Lock
                if record.detail() == 0
                    && !is_asked_for
                    && !self.waits.contains_key(&self.thread) =>
            {
                // It comes before the lock, which was counted already.
                self.n_done[self.thread as usize] -= 1;
                self.push(Op::Request { lock, mode }, record)?;
                self.n_done[self.thread as usize] += 1;
            }
            _ => {}
        }
        let op = match code {
            Code::Lock => Op::Acquire { lock, mode, tried: record.detail() == 1 },
            Code::Unlock => Op::Release { lock, mode },
            Code::Request => Op::Request { lock, mode },
            _ => Op::TryFail { lock, mode },
        };
        self.push(op, record).map(drop)
    }

    /// Whether a thread has a lock for reading already, which it takes or gives back (R1).
    fn reads_again(&mut self, code: Code, lock: LockId) -> bool {
        let n_reads = self.reads.entry((self.thread, lock)).or_default();
        let before = *n_reads;
        match code {
            Code::Lock => *n_reads += 1,
            Code::Unlock => *n_reads = before.saturating_sub(1),
            _ => {}
        }
        match code {
            Code::Lock | Code::Request => before > 0,
            Code::Unlock => before > 1,
            _ => false,
        }
    }

    /// R2.
    fn leave_once(&mut self, record: Record) -> Done {
        if !self.runs.remove(&(self.thread, record.object())) {
            return Ok(());
        }
        let tables = &mut self.events.tables;
        let lock = LockId(self.namer.lock(record.object(), self.survey, tables)?);
        self.push(Op::Release { lock, mode: LockMode::Exclusive }, record).map(drop)
    }

    /// R2.
    fn once(&mut self, code: Code, record: Record) -> Done {
        let run = (self.thread, record.object());
        match code {
            Code::OnceEnter => _ = self.runs.insert(run),
            _ => _ = self.runs.remove(&run),
        }
        let tables = &mut self.events.tables;
        let lock = LockId(self.namer.lock(record.object(), self.survey, tables)?);
        let var = self.namer.done(record.object(), self.survey, tables)?;
        let mode = LockMode::Exclusive;
        if code != Code::OnceDone {
            self.push(Op::Acquire { lock, mode, tried: false }, record)?;
        }
        let done = match code {
            Code::OnceDone => self.push(Op::Write { var, order: Order::Release }, record)?,
            Code::OncePass => self.push(Op::Read { var, order: Order::Acquire }, record)?,
            _ => return Ok(()),
        };
        self.events.set_value(done, 1);
        self.push(Op::Release { lock, mode }, record).map(drop)
    }

    fn wait(&mut self, code: Code, record: Record) -> Done {
        let at = record.object();
        let cond = CondId(self.namer.condition(at, self.survey, &mut self.events.tables)?);
        match code {
            Code::Wait => {
                self.push(Op::Wait { cond }, record)?;
                self.waits.insert(self.thread, (at, None));
            }
            Code::Wake => self.wake(cond, record)?,
            Code::Notify => {
                let notify = self.push(Op::Notify { cond }, record)?;
                let number = u64::from(record.extra()).checked_sub(1);
                let woken = number.and_then(|number| self.survey.threads.id(number));
                let waits = woken.and_then(|thread| self.waits.get_mut(&thread));
                if let (Some(thread), Some(wait)) = (woken, waits.filter(|wait| wait.0 == at)) {
                    wait.1 = Some(notify);
                    self.woken.push((notify, ThreadId(thread)));
                }
            }
            _ => {
                let notify = self.push(Op::NotifyAll { cond }, record)?;
                let woken = |w: &&mut (u64, Option<EventId>)| w.0 == at && w.1.is_none();
                self.waits.values_mut().filter(woken).for_each(|wait| wait.1 = Some(notify));
            }
        }
        Ok(())
    }

    fn wake(&mut self, cond: CondId, record: Record) -> Done {
        let notify = self.waits.remove(&self.thread).and_then(|wait| wait.1);
        let reason = match (record.extra(), notify) {
            (0, Some(_)) => WakeReason::Notified,
            (0, None) => WakeReason::Spurious,
            _ => WakeReason::Timeout,
        };
        let wake = self.push(Op::Wake { cond, reason }, record)?;
        if let (WakeReason::Notified, Some(notify)) = (reason, notify) {
            self.events.set_waker(wake, notify);
        }
        Ok(())
    }

    /// Semaphores and barriers.
    fn count(&mut self, code: Code, record: Record) -> Done {
        let (at, tables) = (record.object(), &mut self.events.tables);
        let op = match code {
            Code::SemaphoreInit => {
                self.namer.forget(at);
                let semaphore = self.namer.semaphore(at, self.survey, tables)?;
                tables.set_initial(semaphore, record.count());
                return Ok(());
            }
            Code::BarrierInit => {
                self.namer.forget(at);
                let barrier = self.namer.barrier(at, self.survey, tables)?;
                tables.set_parties(barrier, record.count());
                return Ok(());
            }
            Code::Post => Op::Post { semaphore: self.namer.semaphore(at, self.survey, tables)? },
            Code::Take => Op::Take { semaphore: self.namer.semaphore(at, self.survey, tables)? },
            Code::Arrive => Op::Arrive { barrier: self.namer.barrier(at, self.survey, tables)? },
            Code::Leave => Op::Leave { barrier: self.namer.barrier(at, self.survey, tables)? },
            _ => return Ok(()),
        };
        self.push(op, record).map(drop)
    }

    /// The record after an allocation, which should say how long it is.
    pub(super) fn allocate(&mut self, code: Code, record: Record) -> Done {
        let Some(alloc) = self.alloc.take() else { return Ok(()) };
        let len = if code == Code::Extent { record.object() } else { 0 };
        let block = self.namer.allocate(alloc.object(), len, alloc.pc());
        self.region_event(block.start, len, alloc, |region| Op::Alloc { region })
    }

    fn free(&mut self, record: Record) -> Done {
        match self.namer.starting(record.object()) {
            Some(block) => {
                self.region_event(block.start, block.len, record, |region| Op::Free { region })
            }
            None => Ok(()),
        }
    }

    fn region_event(
        &mut self,
        start: u64,
        len: u64,
        record: Record,
        make: impl Fn(RegionId) -> Op,
    ) -> Done {
        let Options { locals, blocks, .. } = self.options;
        if !locals && !blocks && !self.survey.shadow.is_shared(start, len) {
            return Ok(());
        }
        let block = self.namer.starting(start);
        let region = self.namer.region(block, &mut self.events.tables)?;
        self.push(make(RegionId(region)), record).map(drop)
    }
}
