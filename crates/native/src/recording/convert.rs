//! The conversion: records become events.
//!
//! In: the stream and its survey. Out: [`Native`]. The rules are those of the machine's recorder:
//!
//! - R1: a recursive lock is taken and given back once (the runtime only reports the outermost), and so is a lock that a
//!   thread takes again for reading.
//! - R2: `pthread_once` is a lock that is held while the function runs, and for a moment by those
//!   who come later, and a variable that the first one writes and the others read: they do not
//!   come first in any reordering. It is given back where an exception leaves the function.
//! - R3: an exchange that compares and fails is a read.
//! - R4: memory that is allocated where other memory was freed is other memory.
//! - R5: what orders threads behind the program's back (futexes, pipes) is an atomic variable:
//!   giving updates it, so that all givers are in a row, and taking reads it.
//! - R6: a sequentially consistent fence updates one variable that all of them share. Others order
//!   nothing that sequential consistency does not.
//! - R7: a call of a function that is meant to be atomic is a transaction. One that is left by the
//!   end of its thread ends there.
//! - R8: an event behind [`Code::Unordered`] is a guess. Equal reads of a stretch are all guesses or
//!   none: whatever ends a block of `merge` ends a stretch, too. So leaving some out loses none.
//! - R9: who takes a lock asks for it right before, unless it only tried; then the acquire says so.
//! - R10: a value belongs to the record right before it, which may be a read that is held back.
//! - R11: a variable on a stack is called what it is at the moment of the access, also if a read is held back.
//! - R12: what nobody can write is no variable. Compilers tell nothing of it, but functions of the C library read it.
//!
//! Unless everything is asked for, memory that one thread alone touches is left out, and so are
//! reads that say nothing new (see `thin`).

mod access;
mod call;
mod sync;
mod value;

use raddle_trace::{EventId, Events, LocationId, LockId, Op, RegionId, StackId, ThreadId, VarId};
use raddle_wire::{Code, Record, TextKind};
use rustc_hash::{FxHashMap, FxHashSet};

use super::atomic::Functions;
use super::names::Namer;
use super::stream::{Item, Stream};
use super::survey::{Survey, survey};
use super::thin::{Read, Thinner};
use super::{Native, Options, ReadError};
use crate::symbol::Symbols;
use call::Calls;
use value::Last;

/// Makes events of the records in so many bytes.
pub(super) fn convert(
    bytes: &[u8],
    options: Options<'_>,
    functions: Functions,
    symbols: &mut Symbols,
) -> Result<Native, ReadError> {
    let survey = survey(bytes, symbols);
    let mut events = Events::default();
    let namer = Namer::new(symbols, &survey.threads, &mut events.tables)?;
    let n_threads = survey.threads.all.len();
    let mut converter = Converter {
        survey: &survey,
        options,
        namer,
        events,
        positions: Vec::new(),
        woken: Vec::new(),
        thread: 0,
        n_done: vec![0; n_threads],
        calls: Calls::new(n_threads, options.stacks, functions),
        waits: FxHashMap::default(),
        requests: FxHashSet::default(),
        reads: FxHashMap::default(),
        runs: FxHashSet::default(),
        thinner: Thinner::new(),
        kept: Vec::new(),
        alloc: None,
        guesses: Vec::new(),
        is_guess: vec![false; n_threads],
        last: Last::Other,
        blocks: Vec::new(),
    };
    let mut stream = Stream::new(bytes);
    while stream.n_read() < survey.n_records {
        match stream.next() {
            Some(Item::Record(code, record)) => converter.record(code, record)?,
            Some(Item::Text(TextKind::Stack, text)) => converter.stack(text),
            Some(Item::Text(TextKind::Bytes, text)) => converter.block(text),
            Some(Item::Text(..)) => {}
            None => break,
        }
    }
    converter.end_stretch()?;
    let n_threads = survey.threads.all.len();
    let callers = (0..n_threads).map(|thread| converter.callers(thread)).collect();
    let about = match options.about {
        Some(address) => converter.namer.block(address, &mut converter.events.tables)?,
        None => None,
    };
    converter.namer.settle(&mut converter.events.tables)?;
    let mut named = |&at: &u64| Some((at, converter.namer.object(at, &converter.events.tables)?));
    let objects = options.objects.iter().filter_map(&mut named).collect();
    Ok(Native {
        callers,
        about: about.map(|(region, offset)| (RegionId(region), offset)),
        events: converter.events,
        positions: converter.positions,
        woken: converter.woken,
        threads: survey.threads.all.iter().map(|thread| thread.number).collect(),
        guesses: converter.guesses,
        libraries: converter.namer.take_libraries(),
        objects,
        locals: converter.namer.take_locals(),
        note: survey.note,
        unseen: survey.unseen.clone(),
    })
}

struct Converter<'a> {
    survey: &'a Survey,
    options: Options<'a>,
    namer: Namer<'a>,
    events: Events,
    positions: Vec<u64>,
    woken: Vec<(EventId, ThreadId)>,
    /// The current thread.
    thread: u32,
    /// Per thread, how many events that a schedule counts it has done.
    n_done: Vec<u64>,
    calls: Calls,
    /// Threads that have asked for a lock.
    requests: FxHashSet<u32>,
    /// How many times threads hold locks for reading.
    reads: FxHashMap<(u32, LockId), u32>,
    /// Which thread runs the function of which `pthread_once`.
    runs: FxHashSet<(u32, u64)>,
    /// Per waiting thread, its condition and the event that notified it.
    waits: FxHashMap<u32, (u64, Option<EventId>)>,
    thinner: Thinner<Kept>,
    kept: Vec<Read<Kept>>,
    /// An allocation whose extent comes next.
    alloc: Option<Record>,
    guesses: Vec<EventId>,
    /// Per thread, whether its next event is a guess.
    is_guess: Vec<bool>,
    last: Last,
    /// What reads of many bytes read that are held back.
    blocks: Vec<Box<[u8]>>,
}

/// What goes with a read that is held back.
#[derive(Clone, Copy)]
struct Kept {
    position: u64,
    stack: Option<StackId>,
    value: Option<u64>,
    /// Which of the blocks has its bytes.
    block: Option<u32>,
    /// What is read, if that may be something else by then.
    var: Option<VarId>,
    is_guess: bool,
}

type Done = Result<(), ReadError>;

impl Converter<'_> {
    /// The stack of the current thread; it may lie where that of another one was.
    fn stack(&mut self, text: &[u8]) {
        let word = |at: usize| {
            text.get(at..at + 8).map(|b| u64::from_le_bytes(b.try_into().expect("8 bytes")))
        };
        // What lies on the stack of the main thread is not told apart by an offset in it.
        if let (1.., Some(start), Some(end)) = (self.thread, word(0), word(8)) {
            self.namer.give(start, end.saturating_sub(start), self.thread);
        }
    }

    #[inline]
    fn record(&mut self, code: Code, record: Record) -> Done {
        if code.is_event() {
            self.n_done[self.thread as usize] += 1;
        }
        if self.alloc.is_some() {
            self.allocate(code, record)?;
        }
        if matches!(code, Code::Value | Code::Found) {
            self.value(code, record.value());
            return Ok(());
        }
        self.last = Last::Other;
        if !self.namer.frames.is_empty() && code.is_event() && record.pc() != 0 {
            self.namer.frames.does(self.thread, record.pc());
        }
        match code {
            Code::Read => self.read(record, record.detail().into()),
            // R12
            Code::ReadRange if self.namer.is_constant(record.object()) => Ok(()),
            Code::ReadRange => self.read(record, record.count()),
            Code::Write
            | Code::WriteRange
            | Code::AtomicLoad
            | Code::AtomicStore
            | Code::AtomicUpdate
            | Code::AtomicMiss => self.access(code, record),
            Code::Enter | Code::Exit | Code::Frame => self.call(code, record),
            Code::Switch => {
                self.end_stretch()?;
                self.thread = self.thread_id(record.object()).0;
                Ok(())
            }
            Code::Extent | Code::Text | Code::Footer | Code::Pass => Ok(()),
            Code::Unordered => {
                self.is_guess[self.thread as usize] = true;
                Ok(())
            }
            _ => {
                self.end_stretch()?;
                self.synchronise(code, record)
            }
        }
    }

    /// A thread that the survey has seen.
    fn thread_id(&self, number: u64) -> ThreadId {
        ThreadId(self.survey.threads.id(number).expect("the survey has seen all records"))
    }

    /// What goes with the next event of the current thread.
    #[inline]
    fn with(&mut self) -> Kept {
        let thread = self.thread as usize;
        let is_guess = std::mem::take(&mut self.is_guess[thread]);
        let (position, stack) = (self.n_done[thread], self.caller());
        Kept { position, stack, value: None, block: None, var: None, is_guess }
    }

    fn push(&mut self, op: Op, record: Record) -> Result<EventId, ReadError> {
        let with = self.with();
        self.append(op, record.pc(), with)
    }

    fn append(&mut self, op: Op, pc: u64, with: Kept) -> Result<EventId, ReadError> {
        if self.events.len() >= Events::MAX_LEN {
            return Err(ReadError::TooLong { limit: Events::MAX_LEN });
        }
        let tables = &mut self.events.tables;
        let location = self.namer.location(pc, tables).map(LocationId);
        let id = self.events.push(ThreadId(self.thread), op, location);
        self.positions.push(with.position);
        if with.is_guess {
            self.guesses.push(id);
        }
        if let Some(value) = with.value {
            self.events.set_value(id, value);
        }
        if let Some(block) = with.block.and_then(|block| self.blocks.get(block as usize)) {
            self.events.set_block(id, block);
        }
        if self.options.stacks {
            let stack = self.namer.stack(with.stack, pc, &mut self.events.tables);
            if let Some(stack) = stack {
                self.events.set_stack(id, stack);
            }
        }
        Ok(id)
    }
}
