//! Images: programs made ready to run.
//!
//! In: a program and settings. Out: for each transition whether it is a scheduling point, and the
//! state that runs start from: globals laid out and relocated, the arguments in memory, the first
//! thread before its first transition. Objects are numbered: globals, then functions, then all
//! others as they are made.

use std::sync::{Arc, OnceLock};

use raddle_cfront::ir::{
    Access, Function, FunctionId, GlobalId, Op, Order, Place, Primitive, Program, Target,
};

use crate::bits::{Looked, can_look};
use crate::inputs::Inputs;
use crate::interpret::enter;
use crate::liveness::Liveness;
use crate::memory::{Memory, ObjectKind, flag};
use crate::settings::{Points, Settings};
use crate::site::Site;
use crate::state::{Counters, State};
use crate::thread::{Core, NEVER, NONE, Status, Thread};

/// The transition is a point.
pub(crate) const POINT: u8 = 1;
/// The transition is a point if the object that it accesses is shared.
pub(crate) const CHECK: u8 = 2;
/// The transition may look at the bits of an address. What the library does with addresses is to follow them and to print
/// them.
pub(crate) const LOOKS: u8 = 4;

/// A program made ready to run.
#[derive(Debug)]
pub(crate) struct Image {
    pub(crate) program: Arc<Program>,
    pub(crate) settings: Settings,
    /// Per function and transition, whether it is a point.
    pub(crate) marks: Vec<Vec<u8>>,
    /// Per function, whether it is the library's and has whole atomic sections, which are its own
    /// business and no events.
    pub(crate) own_sections: Vec<bool>,
    /// Per global, its index among the thread-local ones.
    pub(crate) local_index: Vec<u32>,
    pub(crate) n_locals: usize,
    /// Per function, which registers matter where; found out when it is asked for.
    liveness: Vec<OnceLock<Liveness>>,
    /// What nondeterministic values without a range are.
    pub(crate) inputs: Inputs,
    /// Whether a run has computed with addresses.
    pub(crate) looked: Looked,
    /// Where runs start.
    pub(crate) initial: State,
}

impl Image {
    /// Prepares a program; none if its globals do not fit into the memory it may have.
    pub(crate) fn new(program: Arc<Program>, settings: &Settings) -> Option<Image> {
        let ids = (0..program.functions.len() as u32).map(FunctionId);
        let marks = ids.map(|id| marks(&program, id, settings)).collect();
        let mut local_index = vec![NONE; program.globals.len()];
        let thread_local = program.globals.iter().enumerate().filter(|(_, g)| g.thread_local);
        let mut n_locals = 0;
        for (global, _) in thread_local {
            local_index[global] = n_locals as u32;
            n_locals += 1;
        }
        let own_sections = program.functions.iter().map(has_own_sections).collect();
        let settings = settings.clone();
        let inputs = Inputs::new(&program);
        let initial = State::default();
        let liveness = program.functions.iter().map(|_| OnceLock::new()).collect();
        let mut image = Image {
            program,
            settings,
            marks,
            own_sections,
            local_index,
            n_locals,
            liveness,
            inputs,
            looked: Looked::default(),
            initial,
        };
        image.initial = image.start()?;
        Some(image)
    }

    pub(crate) fn function(&self, id: FunctionId) -> &Function {
        self.program.function(id)
    }

    /// Which registers of a function matter where.
    pub(crate) fn liveness(&self, id: FunctionId) -> &Liveness {
        self.liveness[id.0 as usize].get_or_init(|| Liveness::new(self.function(id)))
    }

    /// The object of a function.
    pub(crate) fn function_object(&self, id: FunctionId) -> u32 {
        self.program.globals.len() as u32 + id.0
    }

    /// The first object that is made in a run.
    pub(crate) fn first_object(&self) -> u32 {
        self.program.globals.len() as u32 + self.program.functions.len() as u32
    }

    /// Whether fingerprints keep addresses as they are.
    pub(crate) fn keeps_addresses(&self) -> bool {
        self.settings.exact_addresses || self.looked.site().is_some()
    }

    /// The function that an object is.
    pub(crate) fn object_function(&self, object: u32) -> Option<FunctionId> {
        let id = object.checked_sub(self.program.globals.len() as u32)?;
        (id < self.program.functions.len() as u32).then_some(FunctionId(id))
    }

    /// A thread's instance of a thread-local global, with its initial bytes.
    pub(crate) fn instance(&self, memory: &mut Memory, id: GlobalId, thread: u32) -> Option<u32> {
        let global = self.program.global(id);
        let number = memory.add(ObjectKind::ThreadLocal, global.size, global.align)?;
        let object = &mut memory.objects[number as usize];
        object.thread = thread;
        object.made = Site { function: FunctionId(id.0), op: 0 };
        object.flags = if global.library { flag::LIBRARY } else { 0 };
        self.initialise(memory, id, number);
        Some(number)
    }

    fn start(&self) -> Option<State> {
        let mut memory = Memory::new(self.program.data_model, self.settings.memory_max);
        self.lay_out(&mut memory)?;
        for id in (0..self.program.globals.len() as u32).map(GlobalId) {
            if !self.program.global(id).thread_local {
                self.initialise(&mut memory, id, id.0);
            }
        }
        let vector = self.arguments(&mut memory)?;
        let core = Core {
            status: Status::Running,
            stage: crate::thread::Stage::Begin,
            deadline: NEVER,
            start: self.program.main.0,
            ..Core::default()
        };
        let mut main = Thread { core, locals: vec![NONE; self.n_locals], ..Thread::default() };
        enter(self, &mut main, &mut memory, 0, self.program.start, &[], NONE).ok()?;
        let values = [self.settings.arguments.len() as u64, vector];
        let n = self.function(self.program.start).parameters.len().min(2);
        main.registers[..n].copy_from_slice(&values[..n]);
        let counters = Counters { n_running: 1, ..Counters::default() };
        let threads = vec![main];
        Some(State { threads, memory, options: vec![0], counters, ..State::default() })
    }

    fn lay_out(&self, memory: &mut Memory) -> Option<()> {
        for global in &self.program.globals {
            if global.thread_local {
                memory.add_bare(ObjectKind::Global)?;
                continue;
            }
            let number = memory.add(ObjectKind::Global, global.size, global.align)?;
            let object = &mut memory.objects[number as usize];
            object.flags |= if global.constant { flag::CONSTANT } else { 0 };
            object.flags |= if global.library { flag::LIBRARY } else { 0 };
        }
        for _ in &self.program.functions {
            memory.add_bare(ObjectKind::Function)?;
        }
        Some(())
    }

    /// Writes the initial bytes of a global into an object.
    fn initialise(&self, memory: &mut Memory, id: GlobalId, object: u32) {
        let global = self.program.global(id);
        let bytes = memory.bytes_mut(object, 0, global.size as u32);
        let n = global.bytes.len().min(bytes.len());
        bytes[..n].copy_from_slice(&global.bytes[..n]);
        bytes[n..].fill(0);
        for relocation in &global.relocations {
            let target = match relocation.target {
                Target::Global(id) => id.0,
                Target::Function(id) => self.function_object(id),
            };
            let address = memory.address(target, relocation.addend as u64);
            let kind = self.program.data_model.pointer();
            memory.write(object, relocation.offset as u32, kind, address);
        }
    }

    /// Puts the arguments into memory and answers with the address of their vector.
    fn arguments(&self, memory: &mut Memory) -> Option<u64> {
        let arguments = &self.settings.arguments;
        let size = memory.pointer_size();
        let n_bytes = (arguments.len() as u64 + 1) * u64::from(size);
        let vector = memory.add(ObjectKind::Argument, n_bytes, size)?;
        memory.bytes_mut(vector, 0, (arguments.len() as u32 + 1) * size).fill(0);
        for (index, text) in arguments.iter().enumerate() {
            let string = memory.add(ObjectKind::Argument, text.len() as u64 + 1, 1)?;
            let bytes = memory.bytes_mut(string, 0, text.len() as u32 + 1);
            bytes[..text.len()].copy_from_slice(text);
            bytes[text.len()] = 0;
            let address = memory.address(string, 0);
            memory.write(vector, index as u32 * size, self.program.data_model.pointer(), address);
        }
        Some(memory.address(vector, 0))
    }
}

fn has_own_sections(function: &Function) -> bool {
    let calls = |wanted: Primitive| {
        let is = |op: &Op| matches!(op, Op::Primitive { call, .. } if *call == wanted);
        function.code.iter().any(is)
    };
    function.library && calls(Primitive::AtomicBegin) && calls(Primitive::AtomicEnd)
}

/// Which transitions of a function are points.
fn marks(program: &Program, id: FunctionId, settings: &Settings) -> Vec<u8> {
    let function = program.function(id);
    let quiet = has_own_sections(function);
    let pointer_size = program.data_model.pointer().size();
    let mark = |(index, op): (usize, &Op)| {
        let site = Site { function: id, op: index as u32 };
        // What the library does for itself in one piece is nothing that others can notice.
        let own = quiet && matches!(op, Op::Primitive { call: Primitive::AtomicBegin, .. });
        if is_visible(op) && !own || settings.promoted.contains(&site) {
            return POINT;
        }
        match (op.access(), settings.points) {
            (Some(access), Points::All) => of_access(program, function, access),
            (None, Points::All) if frees(op) => POINT,
            _ if !function.library && can_look(op, pointer_size) => LOOKS,
            _ => 0,
        }
    };
    function.code.iter().enumerate().map(mark).collect()
}

/// Whether an operation ends the life of an object, which is an access to all of it.
fn frees(op: &Op) -> bool {
    matches!(op, Op::Primitive { call: Primitive::Free, .. })
}

fn of_access(program: &Program, function: &Function, access: Access) -> u8 {
    let shared = match access.place {
        Place::At(..) => return CHECK,
        Place::Global(id, _) => {
            let global = program.global(id);
            !global.constant && !global.library
        }
        Place::Slot(id, _) => !function.slots[id.0 as usize].private && !function.library,
    };
    if shared { POINT } else { 0 }
}

/// Whether other threads can notice the operation at once.
pub(crate) fn is_visible(op: &Op) -> bool {
    match *op {
        Op::Primitive { call, .. } => is_synchronisation(call),
        Op::Fence { .. } => false,
        _ => op.access().is_some_and(|access| access.order != Order::Plain),
    }
}

/// Whether a primitive is a scheduling point: all that threads synchronise with. Making a thread
/// is none: no other thread knows it before it starts.
fn is_synchronisation(call: Primitive) -> bool {
    use Primitive as P;
    !matches!(
        call,
        P::Malloc
            | P::Free
            | P::HeapSize
            | P::Abort
            | P::AssertFail
            | P::ReachError
            | P::Misuse
            | P::Unsupported
            | P::Assume
            | P::AtomicEnd
            | P::TransactionBegin
            | P::TransactionEnd
            | P::Write
            | P::Read
            | P::FormatDouble
            | P::ParseDouble
            | P::ThreadNew
            | P::ThreadSelf
            | P::Now
            | P::Math(_)
            | P::Nondet(_)
    )
}
