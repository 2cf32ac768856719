//! Traces with data flow: what S1 calls assignments and branches, and everything they belong to.
//!
//! In: events one after the other, from the recorder or from a test. Out: columns, and what
//! D2 needs to be looked up (`writes`).
//!
//! - There are no locals: the builder gets the earlier events that an event's locals come from (D1).
//! - Globals are variables that several threads use. Several of them can be read and written by one
//!   event, which S1 excludes and compare-and-swap needs.
//! - A transaction is a thread with all threads that it creates, or a piece of a thread that the
//!   program marks. Transactions form a tree; an event belongs to the innermost one.

use crate::statement::{Instance, InstanceId, Jump};

/// An event, by its place in the order of the trace.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EventId(pub u32);

impl EventId {
    /// As an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A global variable: memory that is accessed as one piece.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VariableId(pub u32);

/// A transaction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TransactionId(pub u32);

/// What an event is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EventKind {
    /// It computes, reads or writes something.
    Assign,
    /// It decides where the thread goes on.
    Branch,
}

/// A thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Thread {
    /// Who created it.
    pub parent: Option<u32>,
}

/// A transaction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Transaction {
    /// The one around it.
    pub parent: Option<TransactionId>,
    /// The thread that it is, or is a piece of.
    pub thread: u32,
}

/// An event that is about to be added.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    /// What it is.
    pub kind: EventKind,
    /// Who does it.
    pub thread: u32,
    /// The innermost transaction.
    pub transaction: TransactionId,
    /// The innermost execution of a list, and the position in it.
    pub at: Option<(InstanceId, u32)>,
    /// The innermost branch whose statement is not over (C1).
    pub control: Option<EventId>,
    /// Where it stands in the program; means something to its recorder.
    pub place: u32,
    /// The events that its locals come from (D1).
    pub locals: &'a [EventId],
    /// The globals it reads.
    pub reads: &'a [VariableId],
    /// The globals it writes.
    pub writes: &'a [VariableId],
}

const NONE: u32 = u32::MAX;

/// Lists of numbers, one behind the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rows {
    ends: Vec<u32>,
    items: Vec<u32>,
}

impl Default for Rows {
    fn default() -> Rows {
        Rows { ends: vec![0], items: Vec::new() }
    }
}

impl Rows {
    fn push(&mut self, row: impl Iterator<Item = u32>) {
        self.items.extend(row);
        self.ends.push(self.items.len() as u32);
    }

    pub(crate) fn row(&self, index: usize) -> &[u32] {
        &self.items[self.ends[index] as usize..self.ends[index + 1] as usize]
    }

    /// Rows of the items that `of` gives to each of `n` keys, in the order in which it gives them.
    pub(crate) fn sorted(n: usize, of: impl Fn(&mut dyn FnMut(u32, u32))) -> Rows {
        let mut ends = vec![0u32; n + 1];
        of(&mut |key, _| ends[key as usize + 1] += 1);
        for key in 0..n {
            ends[key + 1] += ends[key];
        }
        let mut next = ends.clone();
        let mut items = vec![0; ends[n] as usize];
        of(&mut |key, item| {
            let place = &mut next[key as usize];
            items[*place as usize] = item;
            *place += 1;
        });
        Rows { ends, items }
    }
}

/// A trace with data flow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// The threads, by number.
    pub threads: Vec<Thread>,
    /// The transactions, parents before children.
    pub transactions: Vec<Transaction>,
    /// Transactions in an order that holds whatever conflicts there are: pieces of one thread.
    pub order: Vec<(TransactionId, TransactionId)>,
    /// Executions of lists, parents before children.
    pub instances: Vec<Instance>,
    /// Jumps out of statements, in the order of instances.
    pub jumps: Vec<Jump>,
    /// Per global, whether the result of the program is in it.
    pub focus: Vec<bool>,
    /// Globals that belong to a library: conflicts about them are not shown.
    pub hidden: Vec<VariableId>,
    branches: Vec<bool>,
    thread_of: Vec<u32>,
    transaction_of: Vec<u32>,
    instance_of: Vec<u32>,
    position_of: Vec<u32>,
    control_of: Vec<u32>,
    place_of: Vec<u32>,
    locals: Rows,
    reads: Rows,
    writes: Rows,
}

impl Trace {
    /// Adds an event behind all others.
    pub fn push(&mut self, event: &Event<'_>) -> EventId {
        let id = EventId(self.branches.len() as u32);
        let (instance, position) = event.at.map_or((NONE, 0), |(i, p)| (i.0, p));
        self.branches.push(event.kind == EventKind::Branch);
        self.thread_of.push(event.thread);
        self.transaction_of.push(event.transaction.0);
        self.instance_of.push(instance);
        self.position_of.push(position);
        self.control_of.push(event.control.map_or(NONE, |event| event.0));
        self.place_of.push(event.place);
        self.locals.push(event.locals.iter().map(|event| event.0));
        self.reads.push(event.reads.iter().map(|variable| variable.0));
        self.writes.push(event.writes.iter().map(|variable| variable.0));
        id
    }

    /// How many events it has.
    pub fn len(&self) -> usize {
        self.branches.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.branches.is_empty()
    }

    /// The events in order.
    pub fn events(&self) -> impl DoubleEndedIterator<Item = EventId> + use<> {
        (0..self.len() as u32).map(EventId)
    }

    /// Whether an event is a branch.
    pub fn is_branch(&self, event: EventId) -> bool {
        self.branches[event.index()]
    }

    /// Who did it.
    pub fn thread(&self, event: EventId) -> u32 {
        self.thread_of[event.index()]
    }

    /// The innermost transaction of an event.
    pub fn transaction(&self, event: EventId) -> TransactionId {
        TransactionId(self.transaction_of[event.index()])
    }

    /// The innermost execution of a list, and the position in it.
    pub fn at(&self, event: EventId) -> Option<(InstanceId, u32)> {
        let instance = self.instance_of[event.index()];
        (instance != NONE).then(|| (InstanceId(instance), self.position_of[event.index()]))
    }

    /// The innermost branch whose statement was not over.
    pub fn control(&self, event: EventId) -> Option<EventId> {
        let control = self.control_of[event.index()];
        (control != NONE).then_some(EventId(control))
    }

    /// Where it stands in the program.
    pub fn place(&self, event: EventId) -> u32 {
        self.place_of[event.index()]
    }

    /// The events that its locals come from.
    pub fn locals(&self, event: EventId) -> impl Iterator<Item = EventId> + '_ {
        self.locals.row(event.index()).iter().map(|&event| EventId(event))
    }

    /// The globals it reads.
    pub fn reads(&self, event: EventId) -> impl Iterator<Item = VariableId> + '_ {
        self.reads.row(event.index()).iter().map(|&variable| VariableId(variable))
    }

    /// The globals it writes.
    pub fn writes(&self, event: EventId) -> impl Iterator<Item = VariableId> + '_ {
        self.writes.row(event.index()).iter().map(|&variable| VariableId(variable))
    }

    /// The execution of a list.
    pub fn instance(&self, instance: InstanceId) -> &Instance {
        &self.instances[instance.0 as usize]
    }

    /// The jumps out of an execution of a list.
    pub fn jumps_of(&self, instance: InstanceId) -> &[Jump] {
        let start = self.jumps.partition_point(|jump| jump.instance < instance);
        let end = self.jumps.partition_point(|jump| jump.instance <= instance);
        &self.jumps[start..end]
    }

    /// Whether one of two threads is, or was created on behalf of, the other.
    pub fn are_kin(&self, one: u32, other: u32) -> bool {
        let comes_from = |mut thread: u32, ancestor: u32| {
            while thread != ancestor {
                let Some(parent) = self.threads[thread as usize].parent else { return false };
                thread = parent;
            }
            true
        };
        comes_from(one, other) || comes_from(other, one)
    }
}
