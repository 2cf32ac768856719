//! Fingerprints: states that behave alike have equal ones.
//!
//! In: the state. Out: a hash of its canonical form. Objects that were made in the run are
//! renumbered in the order in which they are first reached: from globals in order, then from the
//! registers and locals of threads. A word of a pointer's size and alignment counts as a pointer
//! if it holds the address of such an object. Registers that are never read again do not count
//! (`liveness`). If the program computes with addresses (`bits`), the addresses themselves count
//! as well, and with them what decides which ones the next objects get. What cannot be reached is left out; freed objects
//! have a name and no contents. Output, time and numbers of steps do not count.

use std::cell::RefCell;

use xxhash_rust::xxh3::xxh3_128;

use crate::image::Image;
use crate::machine::Machine;
use crate::memory::{Life, Memory, flag};
use crate::races::Detector;
use crate::state::{Phase, State};
use crate::sync::SyncKind;
use crate::thread::{Gate, NEVER, NONE, Stage, Status, Thread};

/// What is used again from one fingerprint to the next.
#[derive(Default)]
struct Scratch {
    /// The canonical form so far.
    bytes: Vec<u8>,
    /// Per object, its new number; zero if it was not reached.
    names: Vec<u32>,
    /// The objects that were reached, in order.
    reached: Vec<u32>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

impl Machine {
    /// A hash of the canonical form of the state.
    pub fn fingerprint(&self) -> u128 {
        SCRATCH.with_borrow_mut(|scratch| self.form(scratch).hash())
    }

    /// The canonical form itself.
    pub(crate) fn canonical(&self) -> Vec<u8> {
        SCRATCH.with_borrow_mut(|scratch| self.form(scratch).scratch.bytes.clone())
    }

    /// A hash of the canonical form, and one of what a detector of races remembers of the objects in that form.
    pub(crate) fn fingerprints(&self, detector: &mut Detector) -> (u128, u64) {
        SCRATCH.with_borrow_mut(|scratch| {
            let form = self.form(scratch);
            (form.hash(), detector.recall(&self.state, |object| form.known(object)))
        })
    }

    fn form<'a>(&'a self, scratch: &'a mut Scratch) -> Form<'a> {
        let n_globals = self.image.program.globals.len() as u32;
        let first = self.image.first_object();
        let exact = self.image.keeps_addresses();
        let mut form = Form { image: &self.image, state: &self.state, first, exact, scratch };
        form.start();
        form.globals(n_globals);
        self.state.threads.iter().for_each(|thread| form.thread(thread));
        form.rest();
        form
    }
}

/// The canonical form as it is made.
struct Form<'a> {
    image: &'a Image,
    state: &'a State,
    /// The first object that was made in the run.
    first: u32,
    /// Whether addresses stay as they are.
    exact: bool,
    scratch: &'a mut Scratch,
}

impl Form<'_> {
    fn hash(&self) -> u128 {
        xxh3_128(&self.scratch.bytes)
    }

    /// The name of an object that was there from the start or was reached.
    fn known(&self, object: u32) -> Option<u64> {
        match self.scratch.names[object as usize] {
            _ if object < self.first => Some(object.into()),
            0 => None,
            name => Some(1 << 32 | u64::from(name)),
        }
    }

    fn start(&mut self) {
        let Scratch { bytes, names, reached } = &mut *self.scratch;
        bytes.clear();
        for object in reached.drain(..) {
            if let Some(name) = names.get_mut(object as usize) {
                *name = 0;
            }
        }
        names.resize(self.state.memory.objects.len(), 0);
    }

    fn put(&mut self, word: u64) {
        self.scratch.bytes.extend_from_slice(&word.to_le_bytes());
    }

    /// A word that may be a pointer.
    fn word(&mut self, word: u64) {
        let memory = &self.state.memory;
        if !memory.is_near(word, self.first) {
            return self.put(word);
        }
        match memory.resolve(word) {
            Some((object, offset)) => {
                let name = self.name(object);
                if self.exact {
                    self.put(word);
                }
                self.put(1 << 63 | u64::from(name) << 32 | u64::from(offset));
            }
            None => self.put(word),
        }
    }

    fn name(&mut self, number: u32) -> u32 {
        let Scratch { names, reached, .. } = &mut *self.scratch;
        let name = &mut names[number as usize];
        if *name == 0 {
            reached.push(number);
            *name = reached.len() as u32;
        }
        *name
    }

    fn globals(&mut self, n_globals: u32) {
        for number in 0..n_globals {
            if self.state.memory.object(number).flags & flag::CONSTANT == 0 {
                self.contents(number);
            }
        }
    }

    /// The bytes of an object, and the locks and the like among them.
    fn contents(&mut self, number: u32) {
        let memory: &Memory = &self.state.memory;
        let object = memory.object(number);
        let bytes = memory.bytes(number, 0, object.bound);
        let size = memory.pointer_size() as usize;
        let words = bytes.chunks_exact(size);
        let rest = words.remainder();
        // Most objects hold no pointer to what was made in the run, and stand as they are.
        if words.clone().any(|word| memory.is_near(wide(word), self.first)) {
            words.for_each(|word| self.word(wide(word)));
            self.scratch.bytes.extend_from_slice(rest);
        } else {
            self.scratch.bytes.extend_from_slice(bytes);
        }
        if object.flags & flag::SYNC != 0 {
            self.syncs(memory.address(number, 0), object.size);
        }
    }

    fn syncs(&mut self, start: u64, size: u32) {
        let syncs = &self.state.syncs;
        for &(address, index) in syncs.within(start, start + u64::from(size)) {
            let entry = syncs.get(index);
            if entry.kind == SyncKind::Unknown || entry.is_fresh() {
                continue; // Its bytes say it all.
            }
            let kind = entry.kind as u64 | u64::from(entry.flavour) << 8;
            self.put((address - start) << 32 | kind << 1 | u64::from(entry.destroyed));
            self.put(u64::from(entry.owner) << 32 | u64::from(entry.count));
            self.put(entry.parties.into());
            for reader in syncs.readers.iter().filter(|reader| reader.sync == index) {
                self.put(u64::from(reader.thread) << 32 | u64::from(reader.count));
            }
        }
    }

    fn thread(&mut self, thread: &Thread) {
        let core = &thread.core;
        let stage = u64::from(core.stage as u8) << 8 | u64::from(core.status as u8);
        let marks = u64::from(core.detached) << 16 | u64::from(core.signalled) << 17;
        self.put(stage | marks | u64::from(core.atomic) << 32);
        match core.status {
            Status::Gone => return,
            Status::Ended => return self.word(core.result),
            Status::New | Status::Running => {}
        }
        self.put(u64::from(core.deadline != NEVER));
        self.waiting(thread);
        for frame in &thread.frames {
            self.put(u64::from(frame.function.0) << 32 | u64::from(frame.pc));
            self.put(u64::from(frame.result) << 32 | u64::from(frame.slots));
        }
        self.registers(thread);
        for &object in thread.slots.iter().chain(&thread.locals) {
            let name = if object == NONE { 0 } else { self.name(object) };
            self.put(name.into());
            if self.exact && object != NONE {
                self.put(self.state.memory.address(object, 0));
            }
        }
        if self.exact {
            thread.spare.iter().for_each(|&object| self.put(object.into()));
        }
        self.scratch.bytes.extend_from_slice(&thread.buffer);
        self.put(thread.buffer.len() as u64);
    }

    /// The registers that may still be read. Those of a caller are what matters after the call,
    /// without the result.
    fn registers(&mut self, thread: &Thread) {
        let mut end = thread.registers.len();
        for (depth, frame) in thread.frames.iter().enumerate().rev() {
            let live = self.image.liveness(frame.function);
            let is_caller = depth + 1 < thread.frames.len();
            let op = if is_caller { frame.pc + 1 } else { frame.pc };
            let result = if is_caller { thread.frames[depth + 1].result } else { NONE };
            let values = &thread.registers[frame.registers as usize..end];
            for (register, &value) in values.iter().enumerate() {
                let register = register as u32;
                let matters = register != result && live.is_live(op, register);
                self.word(if matters { value } else { 0 });
            }
            end = frame.registers as usize;
        }
    }

    /// What a thread in the middle of an operation waits for.
    fn waiting(&mut self, thread: &Thread) {
        let core = &thread.core;
        if matches!(core.stage, Stage::Waiting | Stage::Reacquire) {
            let (cond, mutex) = (self.state.syncs.get(core.cond), self.state.syncs.get(core.mutex));
            self.word(cond.address);
            self.word(mutex.address);
            let reason = if core.stage == Stage::Reacquire { core.reason.0 as u64 } else { 0 };
            self.put(u64::from(core.held) << 8 | reason);
        }
        if let Gate::Passed(index, generation) = core.gate {
            self.put(u64::from(self.state.syncs.get(index).generation == generation));
        }
    }

    /// Objects in the order in which they are reached, and what else counts.
    fn rest(&mut self) {
        let mut next = 0;
        while let Some(&number) = self.scratch.reached.get(next) {
            next += 1;
            let object = *self.state.memory.object(number);
            let about = u64::from(object.kind as u8) << 8 | u64::from(object.life as u8);
            self.put(about << 32 | u64::from(object.size));
            if object.life == Life::Live {
                self.contents(number);
            }
        }
        if self.exact {
            self.state.memory.next_address().into_iter().for_each(|word| self.put(word));
        }
        let counters = &self.state.counters;
        self.put(counters.n_read as u64);
        if counters.phase != Phase::Thread {
            self.put(u64::from(counters.current));
            let phase = match counters.phase {
                Phase::Thread | Phase::Waiter => 1,
                Phase::Timeout => 2,
                Phase::Spurious => 3,
                Phase::Value { low, high } => 4 ^ (low as u64) << 3 ^ (high as u64) << 33,
                Phase::Over => 5,
                Phase::Input(set) => 6 ^ u64::from(set) << 3,
            };
            self.put(phase);
        }
    }
}

/// A word of 4 or 8 bytes.
fn wide(word: &[u8]) -> u64 {
    match word.try_into() {
        Ok(word) => u64::from_le_bytes(word),
        Err(_) => u32::from_le_bytes(word.try_into().expect("words have 4 or 8 bytes")).into(),
    }
}
