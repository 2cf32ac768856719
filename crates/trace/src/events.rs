//! Events: the columns of a trace, unchecked.
//!
//! A reader or a recorder fills [`Events`]; [`crate::Trace`] checks and indexes them. Columns
//! that most traces lack (values, stacks) cost nothing while they are empty.

use crate::id::{EventId, LocationId, NONE, StackId, ThreadId};
use crate::op::{Op, OpCode, WakeReason};
use crate::source::Source;
use crate::tables::Tables;

/// One event, decoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event {
    /// Its position in the trace.
    pub id: EventId,
    /// Who did it.
    pub thread: ThreadId,
    /// What it did.
    pub op: Op,
    /// Where in the source.
    pub location: Option<LocationId>,
}

/// What the one who made the trace promises beyond well-formedness, and what is checked then.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Claims {
    /// Each thread releases its locks in the opposite order of taking them.
    pub nested_locks: bool,
}

/// The columns of a trace, one entry an event, with the tables they refer to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Events {
    pub(crate) codes: Vec<OpCode>,
    pub(crate) threads: Vec<ThreadId>,
    pub(crate) objects: Vec<u32>,
    pub(crate) locations: Vec<u32>,
    pub(crate) stacks: Vec<u32>,
    pub(crate) values: Values,
    /// Of read-modify-writes.
    pub(crate) found: Values,
    /// What accesses of many bytes read or wrote, ascending.
    pub(crate) blocks: Vec<(EventId, Box<[u8]>)>,
    /// Wake-ups and the notify that caused each, ascending.
    pub(crate) wakers: Vec<(EventId, EventId)>,
    /// Names and attributes.
    pub tables: Tables,
    /// Where the events stand in the input.
    pub source: Source,
    /// What is promised.
    pub claims: Claims,
}

/// Values of accesses; sparse in time, dense in memory from the first value on.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Values {
    pub(crate) words: Vec<u64>,
    pub(crate) known: Vec<u64>,
}

impl Events {
    /// How many bytes of an access are kept.
    pub const BLOCK_MAX: usize = 64;

    /// The largest number of events one trace can hold.
    pub const MAX_LEN: usize = (u32::MAX - 1) as usize;
    /// The largest number of threads one trace can have.
    pub const MAX_THREADS: usize = 1 << 16;

    /// How many events there are.
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// True without any event.
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// Makes room for `n` more events.
    pub fn reserve(&mut self, n: usize) {
        self.codes.reserve(n);
        self.threads.reserve(n);
        self.objects.reserve(n);
        self.locations.reserve(n);
    }

    /// Appends an event. There must be fewer than [`Events::MAX_LEN`].
    #[inline]
    pub fn push(&mut self, thread: ThreadId, op: Op, location: Option<LocationId>) -> EventId {
        let (code, object) = op.encode();
        self.push_raw(thread, code, object, location.map_or(NONE, |l| l.0))
    }

    #[inline]
    pub(crate) fn push_raw(
        &mut self,
        thread: ThreadId,
        code: OpCode,
        object: u32,
        location: u32,
    ) -> EventId {
        let id = EventId(self.codes.len() as u32);
        self.codes.push(code);
        self.threads.push(thread);
        self.objects.push(object);
        self.locations.push(location);
        id
    }

    /// The event at a position.
    #[inline]
    pub fn event(&self, id: EventId) -> Event {
        Event { id, thread: self.thread(id), op: self.op(id), location: self.location(id) }
    }

    /// The events in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Event> {
        (0..self.len() as u32).map(|e| self.event(EventId(e)))
    }

    /// Who did it.
    #[inline]
    pub fn thread(&self, id: EventId) -> ThreadId {
        self.threads[id.index()]
    }

    /// The kind of the operation and its detail.
    #[inline]
    pub fn code(&self, id: EventId) -> OpCode {
        self.codes[id.index()]
    }

    /// The operation.
    #[inline]
    pub fn op(&self, id: EventId) -> Op {
        Op::decode(self.codes[id.index()], self.objects[id.index()])
    }

    /// Where in the source.
    #[inline]
    pub fn location(&self, id: EventId) -> Option<LocationId> {
        Some(self.locations[id.index()]).filter(|&l| l != NONE).map(LocationId)
    }

    /// Says where in the source it is.
    pub fn set_location(&mut self, id: EventId, location: LocationId) {
        self.locations[id.index()] = location.0;
    }

    /// The value read or written, if it was recorded; of a read-modify-write the one it wrote.
    pub fn value(&self, id: EventId) -> Option<u64> {
        self.values.get(id.index())
    }

    /// Records the value read or written.
    pub fn set_value(&mut self, id: EventId, value: u64) {
        self.values.set(id.index(), value);
    }

    /// The value that a read-modify-write found, if it was recorded.
    pub fn found(&self, id: EventId) -> Option<u64> {
        self.found.get(id.index())
    }

    /// Records the value that a read-modify-write found.
    pub fn set_found(&mut self, id: EventId, value: u64) {
        self.found.set(id.index(), value);
    }

    /// The first bytes that an access of many bytes read or wrote, if they were recorded. They exist while a run is
    /// described; files do not store them.
    pub fn block(&self, id: EventId) -> Option<&[u8]> {
        let at = self.blocks.binary_search_by_key(&id, |&(id, _)| id).ok()?;
        Some(&self.blocks[at].1)
    }

    /// Records the first bytes that an access of many read or wrote: no more than [`Events::BLOCK_MAX`] count.
    /// Events must be given in ascending order.
    pub fn set_block(&mut self, id: EventId, bytes: &[u8]) {
        assert!(self.blocks.last().is_none_or(|&(last, _)| last < id), "events with bytes ascend");
        self.blocks.push((id, bytes[..bytes.len().min(Events::BLOCK_MAX)].into()));
    }

    /// The call stack, if it was recorded.
    pub fn stack(&self, id: EventId) -> Option<StackId> {
        self.stacks.get(id.index()).copied().filter(|&s| s != NONE).map(StackId)
    }

    /// Records the call stack.
    pub fn set_stack(&mut self, id: EventId, stack: StackId) {
        if self.stacks.len() <= id.index() {
            self.stacks.resize(id.index() + 1, NONE);
        }
        self.stacks[id.index()] = stack.0;
    }

    /// The notify that caused a wake-up.
    pub fn waker(&self, wake: EventId) -> Option<EventId> {
        let at = self.wakers.binary_search_by_key(&wake, |&(wake, _)| wake).ok()?;
        Some(self.wakers[at].1)
    }

    /// Says which notify caused a wake-up. Wake-ups must be given in ascending order.
    pub fn set_waker(&mut self, wake: EventId, notify: EventId) {
        assert!(self.wakers.last().is_none_or(|&(last, _)| last < wake), "wake-ups ascend");
        self.wakers.push((wake, notify));
    }

    /// The events of a choice of positions, in the order given, with the same tables.
    ///
    /// Positions and lines still refer to the original input.
    pub fn select(&self, chosen: &[EventId]) -> Events {
        let mut selected = Events {
            tables: self.tables.clone(),
            claims: self.claims,
            source: self.source.rearranged(chosen.iter().copied().map(Some)),
            ..Events::default()
        };
        selected.reserve(chosen.len());
        for &old in chosen {
            selected.copy_from(self, old);
        }
        selected.wakers = self.renumbered_wakers(chosen);
        selected
    }

    /// Appends event `old` of another trace with the same tables, without its waker.
    pub(crate) fn copy_from(&mut self, from: &Events, old: EventId) -> EventId {
        let i = old.index();
        let new = self.push_raw(from.threads[i], from.codes[i], from.objects[i], from.locations[i]);
        if let Some(value) = from.value(old) {
            self.set_value(new, value);
        }
        if let Some(found) = from.found(old) {
            self.set_found(new, found);
        }
        if let Some(block) = from.block(old) {
            self.set_block(new, block);
        }
        if let Some(stack) = from.stack(old) {
            self.set_stack(new, stack);
        }
        new
    }

    /// The links between wake-ups and notifies after the events were rearranged.
    fn renumbered_wakers(&self, chosen: &[EventId]) -> Vec<(EventId, EventId)> {
        if self.wakers.is_empty() {
            return Vec::new();
        }
        let mut new_id = vec![NONE; self.len()];
        for (new, old) in chosen.iter().enumerate() {
            new_id[old.index()] = new as u32;
        }
        let link = |&(wake, notify): &(EventId, EventId)| {
            let (wake, notify) = (new_id[wake.index()], new_id[notify.index()]);
            (wake != NONE && notify != NONE).then_some((EventId(wake), EventId(notify)))
        };
        let mut wakers: Vec<_> = self.wakers.iter().filter_map(link).collect();
        wakers.sort_unstable();
        wakers
    }

    /// Drops the links of wake-ups that no notify caused.
    pub(crate) fn drop_idle_wakers(&mut self) {
        let mut wakers = std::mem::take(&mut self.wakers);
        wakers.retain(|&(wake, _)| {
            matches!(self.op(wake), Op::Wake { reason: WakeReason::Notified, .. })
        });
        self.wakers = wakers;
    }

    /// Gives back memory that was reserved and not used.
    pub(crate) fn shrink(&mut self) {
        self.codes.shrink_to_fit();
        self.threads.shrink_to_fit();
        self.objects.shrink_to_fit();
        self.locations.shrink_to_fit();
        self.stacks.shrink_to_fit();
        self.values.words.shrink_to_fit();
        self.found.words.shrink_to_fit();
    }

    /// Bytes of memory in use, tables aside.
    pub fn memory(&self) -> usize {
        self.codes.capacity()
            + 4 * (self.threads.capacity()
                + self.objects.capacity()
                + self.locations.capacity()
                + self.stacks.capacity())
            + self.values.memory()
            + self.found.memory()
            + 8 * self.wakers.capacity()
            + self.blocks.iter().map(|(_, bytes)| 24 + bytes.len()).sum::<usize>()
            + self.source.memory()
    }
}

impl Values {
    pub(crate) fn get(&self, index: usize) -> Option<u64> {
        let bit = self.known.get(index / 64)? >> (index % 64) & 1;
        (bit == 1).then(|| self.words[index])
    }

    pub(crate) fn set(&mut self, index: usize, value: u64) {
        if self.words.len() <= index {
            self.words.resize(index + 1, 0);
            self.known.resize(index / 64 + 1, 0);
        }
        self.words[index] = value;
        self.known[index / 64] |= 1 << (index % 64);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    fn memory(&self) -> usize {
        8 * (self.words.capacity() + self.known.capacity())
    }
}
