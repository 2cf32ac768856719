//! Accesses, and reads that are held back (see `thin`).

use raddle_trace::{EventId, Op, Order};
use raddle_wire::{Code, Record};

use super::value::Last;
use super::{Converter, Done, Kept};
use crate::recording::ReadError;
use crate::recording::thin::Read;

impl Converter<'_> {
    /// Whether bytes matter.
    #[inline]
    fn matters(&self, address: u64, size: u32) -> bool {
        size > 0 && (self.options.locals || self.survey.shadow.is_shared(address, size.into()))
    }

    #[inline]
    pub(super) fn read(&mut self, record: Record, size: u32) -> Done {
        if !self.matters(record.object(), size) {
            return Ok(());
        }
        let mut with = self.with();
        if self.namer.is_fleeting(record.object()) {
            let tables = &mut self.events.tables;
            with.var = Some(self.namer.variable(record.object(), size, self.survey, tables)?);
        }
        let read = Read { address: record.object(), size, pc: record.pc(), with };
        if self.options.locals {
            self.last = Last::Event(self.append_read(read)?);
            return Ok(());
        }
        if self.thinner.is_full() {
            self.end_stretch()?;
        }
        self.thinner.push(read);
        self.last = Last::Held;
        Ok(())
    }

    /// Names and appends what is kept of the reads that were held back.
    pub(super) fn end_stretch(&mut self) -> Done {
        if self.thinner.is_empty() {
            return Ok(());
        }
        let mut kept = std::mem::take(&mut self.kept);
        self.thinner.finish(&mut kept);
        for read in kept.drain(..) {
            self.append_read(read)?;
        }
        self.kept = kept;
        self.blocks.clear();
        Ok(())
    }

    fn append_read(&mut self, read: Read<Kept>) -> Result<EventId, ReadError> {
        let var = match read.with.var {
            Some(var) => var, // R11
            None => {
                let tables = &mut self.events.tables;
                self.namer.variable(read.address, read.size, self.survey, tables)?
            }
        };
        self.append(Op::Read { var, order: Order::Plain }, read.pc, read.with)
    }

    pub(super) fn access(&mut self, code: Code, record: Record) -> Done {
        let size = if code == Code::WriteRange { record.count() } else { record.detail().into() };
        let is_plain = matches!(code, Code::Write | Code::WriteRange);
        let matters = self.matters(record.object(), size);
        if matters || !is_plain {
            self.end_stretch()?;
        }
        if !matters {
            return Ok(());
        }
        let tables = &mut self.events.tables;
        let var = self.namer.variable(record.object(), size, self.survey, tables)?;
        let order = order(record.extra());
        let op = match code {
            Code::Write | Code::WriteRange => Op::Write { var, order: Order::Plain },
            Code::AtomicLoad => Op::Read { var, order },
            Code::AtomicStore => Op::Write { var, order },
            Code::AtomicUpdate => Op::ReadModifyWrite { var, order },
            _ => Op::Read { var, order: read_order(order) },
        };
        self.last = Last::Event(self.push(op, record)?);
        Ok(())
    }
}

/// A memory order of C by its number; what is no number of one is the strongest.
pub(super) fn order(number: u16) -> Order {
    match number {
        0 => Order::Relaxed,
        1 | 2 => Order::Acquire,
        3 => Order::Release,
        4 => Order::AcqRel,
        _ => Order::SeqCst,
    }
}

/// The order of an exchange that failed: only its reading half counts.
fn read_order(order: Order) -> Order {
    match order {
        Order::AcqRel => Order::Acquire,
        Order::Release => Order::Relaxed,
        other => other,
    }
}
