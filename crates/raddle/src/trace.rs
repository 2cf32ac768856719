//! Executions as `.rdl` traces, for `raddle predict` and the reports.
//!
//! In: the recorded steps of an execution. Out: events that pass the strict check.
//!
//! - R1: threads, locks, waits, atomics and cells are what they are in any trace.
//! - R2: everything else (channels, barriers, parking, initialisation, tasks, counted references) is
//!   a read-modify-write of a variable: each sees the one before it, so a reordering keeps their
//!   order. That may hide what another order would show, but never shows what cannot be.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;
use std::sync::atomic::Ordering;

use raddle_trace::format::rdl;
use raddle_trace::{
    CondId, EventId, Events, LocationId, LockId, LockMode, NameError, Names, Op, Order, ThreadId,
    VarId, WakeReason,
};

use crate::world::{Came, Tale, Told, What, World};

/// Writes an execution.
pub(crate) fn write(path: &Path, world: &World, tale: &Tale) -> io::Result<()> {
    let mut recorder = Recorder { world, events: Events::default(), notified: Vec::new(), n: 1 };
    for step in &tale.steps {
        recorder.add(step).map_err(io::Error::other)?;
    }
    let mut out = BufWriter::new(File::create(path)?);
    rdl::write(&recorder.events, &mut out, &mut ()).map_err(io::Error::other)?;
    io::Write::flush(&mut out)
}

struct Recorder<'a> {
    world: &'a World,
    events: Events,
    /// Who waits on which condition, and the event that notified it.
    notified: Vec<(u32, u32, Option<EventId>)>,
    /// How many threads there are.
    n: u32,
}

impl Recorder<'_> {
    fn add(&mut self, step: &Told) -> Result<(), NameError> {
        let exclusive = LockMode::Exclusive;
        let mode = match step.what {
            What::ReadLock | What::TryReadLock | What::ReadUnlock => LockMode::Shared,
            _ => exclusive,
        };
        match step.what {
            What::Yield | What::SpinHint | What::Sleep | What::IsFinished => {}
            What::Begin => drop(self.push(step, Op::Begin)?),
            What::Exit => drop(self.push(step, Op::End)?),
            What::Spawn => {
                let child = self.thread(self.n)?;
                self.n += 1;
                self.push(step, Op::Fork { child })?;
            }
            What::Join | What::ScopeEnd => {
                let child = self.thread(step.object)?;
                self.push(step, Op::Join { child })?;
            }
            What::TryLock | What::TryReadLock if step.came == Came::Failed => {
                let lock = self.lock(step.object)?;
                self.push(step, Op::TryFail { lock, mode })?;
            }
            What::Lock | What::TryLock | What::ReadLock | What::TryReadLock => {
                let lock = self.lock(step.object)?;
                let tried = matches!(step.what, What::TryLock | What::TryReadLock);
                self.push(step, Op::Acquire { lock, mode, tried })?;
            }
            What::Unlock | What::ReadUnlock => {
                let lock = self.lock(step.object)?;
                self.push(step, Op::Release { lock, mode })?;
            }
            What::Wait => {
                let (cond, lock) = (self.condition(step.object)?, self.lock(step.mutex)?);
                self.push(step, Op::Wait { cond })?;
                self.push(step, Op::Release { lock, mode: exclusive })?;
                self.notified.push((step.thread, step.object, None));
            }
            What::Wake => self.wake(step)?,
            What::NotifyOne | What::NotifyAll => self.notify(step)?,
            _ => self.access(step)?,
        }
        Ok(())
    }

    fn access(&mut self, step: &Told) -> Result<(), NameError> {
        let var = self.variable(step)?;
        let order = order(step.order);
        let op = match step.what {
            What::CellRead => Op::Read { var, order: Order::Plain },
            What::CellWrite => Op::Write { var, order: Order::Plain },
            What::Load => Op::Read { var, order },
            What::Store => Op::Write { var, order },
            What::Modify if step.came == Came::Failed => Op::Read { var, order },
            What::Modify => Op::ReadModifyWrite { var, order },
            _ => Op::ReadModifyWrite { var, order: Order::AcqRel }, // R2
        };
        self.push(step, op).map(drop)
    }

    fn notify(&mut self, step: &Told) -> Result<(), NameError> {
        let cond = self.condition(step.object)?;
        let all = step.what == What::NotifyAll;
        let event =
            self.push(step, if all { Op::NotifyAll { cond } } else { Op::Notify { cond } })?;
        for (waiter, condition, by) in &mut self.notified {
            let is_woken = all || step.came == Came::Woke(*waiter);
            if *condition == step.object && by.is_none() && is_woken {
                *by = Some(event);
            }
        }
        Ok(())
    }

    fn wake(&mut self, step: &Told) -> Result<(), NameError> {
        let (cond, lock) = (self.condition(step.object)?, self.lock(step.mutex)?);
        let index = self.notified.iter().position(|(waiter, ..)| *waiter == step.thread);
        let by = index.and_then(|index| self.notified.remove(index).2);
        let reason = match (step.came, by) {
            (Came::TimedOut, _) => WakeReason::Timeout,
            (_, Some(_)) => WakeReason::Notified,
            (_, None) => WakeReason::Spurious,
        };
        self.push(step, Op::Acquire { lock, mode: LockMode::Exclusive, tried: false })?;
        let wake = self.push(step, Op::Wake { cond, reason })?;
        if let (WakeReason::Notified, Some(by)) = (reason, by) {
            self.events.set_waker(wake, by);
        }
        Ok(())
    }

    fn push(&mut self, step: &Told, op: Op) -> Result<EventId, NameError> {
        let thread = self.thread(step.thread)?;
        let place = format!("{}:{}", step.site.file(), step.site.line());
        let location = LocationId(self.events.tables.locations.intern(place.as_bytes())?);
        Ok(self.events.push(thread, op, Some(location)))
    }

    fn thread(&mut self, thread: u32) -> Result<ThreadId, NameError> {
        // Names need not be different, numbers are.
        let name = match self.world.thread_name(thread) {
            name if name.contains(&thread.to_string()) || thread == 0 => name,
            name => format!("{name} ({thread})"),
        };
        self.events.tables.threads.intern(name.as_bytes()).map(ThreadId)
    }

    fn lock(&mut self, object: u32) -> Result<LockId, NameError> {
        let name = self.name(object);
        intern(&mut self.events.tables.locks, &name).map(LockId)
    }

    fn condition(&mut self, object: u32) -> Result<CondId, NameError> {
        let name = self.name(object);
        intern(&mut self.events.tables.conditions, &name).map(CondId)
    }

    fn variable(&mut self, step: &Told) -> Result<VarId, NameError> {
        let name = match step.what {
            what if what.is_about_thread() => format!("token of {}", step.object),
            _ => self.name(step.object),
        };
        intern(&mut self.events.tables.variables, &name).map(VarId)
    }

    /// An object, by its kind, where it was made and its number.
    fn name(&self, object: u32) -> String {
        let it = &self.world.objects[object as usize];
        format!("{} {}:{} #{object}", it.kind.word(), it.made.file(), it.made.line())
    }
}

fn intern(names: &mut Names, name: &str) -> Result<u32, NameError> {
    names.intern(name.as_bytes())
}

fn order(order: Option<Ordering>) -> Order {
    match order {
        Some(Ordering::Relaxed) => Order::Relaxed,
        Some(Ordering::Acquire) => Order::Acquire,
        Some(Ordering::Release) => Order::Release,
        Some(Ordering::AcqRel) => Order::AcqRel,
        _ => Order::SeqCst,
    }
}
