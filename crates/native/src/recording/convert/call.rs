//! Calls of functions: stacks of callers, and transactions (R7).

use raddle_trace::{Op, StackId, TransactionId};
use raddle_wire::{Code, Record};

use super::{Converter, Done};
use crate::recording::ReadError;
use crate::recording::atomic::Functions;
use crate::symbol::Frame;

/// Which function is called by which.
pub(super) struct Calls {
    /// Per thread, its open calls; empty if they were not asked for.
    open: Vec<Vec<Call>>,
    has_stacks: bool,
    functions: Functions,
}

/// A call that has not returned.
#[derive(Clone, Copy)]
struct Call {
    /// Where it returns to.
    pc: u64,
    /// The stack up to the call, if stacks are asked for.
    stack: Option<StackId>,
    /// The transaction that it is.
    transaction: Option<TransactionId>,
}

impl Calls {
    pub(super) fn new(n_threads: usize, has_stacks: bool, functions: Functions) -> Calls {
        let is_wanted = has_stacks || !functions.is_empty();
        let open = vec![Vec::new(); if is_wanted { n_threads } else { 0 }];
        Calls { open, has_stacks, functions }
    }

    /// The stack of the callers of the function that a thread is in.
    pub(super) fn caller(&self, thread: usize) -> Option<StackId> {
        self.open.get(thread)?.last()?.stack
    }

    /// Where the calls return to that a thread has not left, the innermost first.
    pub(super) fn returns(&self, thread: usize) -> impl Iterator<Item = u64> {
        let open = self.open.get(thread).filter(|_| self.has_stacks);
        open.into_iter().flatten().rev().map(|call| call.pc)
    }
}

impl Converter<'_> {
    /// A function is entered or left.
    pub(super) fn call(&mut self, code: Code, record: Record) -> Done {
        self.frame(code, record);
        if self.calls.open.is_empty() || code == Code::Frame {
            return Ok(());
        }
        if code == Code::Exit {
            return self.leave(record);
        }
        let caller = self.caller();
        let tables = &mut self.events.tables;
        let stack = match self.calls.has_stacks {
            true => self.namer.stack(caller, record.object(), tables),
            false => None,
        };
        let transaction = self.enter(record)?;
        let pc = record.object();
        self.calls.open[self.thread as usize].push(Call { pc, stack, transaction });
        Ok(())
    }

    /// What is on the stack of the current thread changes.
    fn frame(&mut self, code: Code, record: Record) {
        match code {
            Code::Enter => self.namer.frames.enter(self.thread, record),
            Code::Frame => self.namer.frames.place(self.thread, record),
            _ => self.namer.frames.leave(self.thread),
        }
    }

    /// The stack of the current function's callers.
    pub(super) fn caller(&self) -> Option<StackId> {
        self.calls.caller(self.thread as usize)
    }

    /// From where the function was called that a thread is in, the innermost first.
    pub(super) fn callers(&mut self, thread: usize) -> Vec<Frame> {
        let frames = |pc| self.namer.frames(pc);
        self.calls.returns(thread).flat_map(frames).collect()
    }

    /// Ends what the current thread has not left.
    pub(super) fn leave_all(&mut self, record: Record) -> Done {
        while self.calls.open.get(self.thread as usize).is_some_and(|open| !open.is_empty()) {
            self.leave(record)?;
        }
        Ok(())
    }

    fn enter(&mut self, record: Record) -> Result<Option<TransactionId>, ReadError> {
        let functions = &mut self.calls.functions;
        if functions.is_empty() {
            return Ok(None);
        }
        let Some(index) = self.namer.function(functions, record.pc()) else { return Ok(None) };
        let names = &mut self.events.tables.transactions;
        let id = names.intern(functions.name(index).as_bytes()).map_err(|_| ReadError::Names)?;
        let transaction = TransactionId(id);
        self.end_stretch()?;
        self.push(Op::TxBegin { transaction }, record)?;
        Ok(Some(transaction))
    }

    fn leave(&mut self, record: Record) -> Done {
        let call = self.calls.open[self.thread as usize].pop();
        let Some(transaction) = call.and_then(|call| call.transaction) else { return Ok(()) };
        self.end_stretch()?;
        self.push(Op::TxEnd { transaction }, record).map(drop)
    }
}
