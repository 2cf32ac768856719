//! Programs: functions, globals and the tables beside them.

use std::sync::Arc;

use super::{Kind, Op, Operands, Reg, TypeId, Types};
use crate::source::{SourceMap, Span};

/// The sizes of `long` and of pointers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum DataModel {
    /// Both have 4 bytes.
    Ilp32,
    /// Both have 8 bytes.
    #[default]
    Lp64,
}

impl DataModel {
    /// The kind of a pointer.
    pub const fn pointer(self) -> Kind {
        match self {
            DataModel::Ilp32 => Kind::P32,
            DataModel::Lp64 => Kind::P64,
        }
    }
}

/// A function of the program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FunctionId(pub u32);

/// A global of the program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct GlobalId(pub u32);

/// A local of a function that lives in memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SlotId(pub u32);

/// A statement of a function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StatementId(pub u32);

/// A whole program, linked.
#[derive(Clone, Debug)]
pub struct Program {
    /// All functions that `main` can reach, by id.
    pub functions: Vec<Function>,
    /// All globals that they use, string literals among them, by id.
    pub globals: Vec<Global>,
    /// The types of globals and locals.
    pub types: Types,
    /// Where a run starts: the library's start-up function, which calls constructors and `main`
    /// with the number of arguments and the vector of arguments.
    pub start: FunctionId,
    /// What a new thread runs: the library's function that calls the thread's start function with
    /// its argument and ends the thread with its result.
    pub thread_start: FunctionId,
    /// The program's own `main`.
    pub main: FunctionId,
    /// The sizes of `long` and of pointers.
    pub data_model: DataModel,
    /// Where everything came from.
    pub sources: SourceMap,
    /// A hash of all preprocessed source texts but the embedded library's, and the data model.
    pub identity: u64,
}

impl Program {
    /// The function with this number.
    #[inline]
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.0 as usize]
    }

    /// The global with this number.
    #[inline]
    pub fn global(&self, id: GlobalId) -> &Global {
        &self.globals[id.0 as usize]
    }
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: Arc<str>,
    /// How each parameter is passed; records are passed as the address of a copy, and a function
    /// that returns a record has the address of where to put it as its first parameter.
    pub parameters: Vec<Kind>,
    /// Whether it takes more arguments than these.
    pub variadic: bool,
    /// How many registers a frame has.
    pub n_registers: u32,
    /// Locals that live in memory, from the call to the return.
    pub slots: Vec<Slot>,
    /// Locals that live in registers.
    pub locals: Vec<Local>,
    /// The transitions.
    pub code: Vec<Op>,
    /// The source range of each transition.
    pub spans: Vec<Span>,
    /// The innermost statement of each transition.
    pub statement_of: Vec<StatementId>,
    /// The statements, parents before children; the first is the body.
    pub statements: Vec<Statement>,
    /// The arguments of all calls.
    pub operands: Vec<Reg>,
    /// The tables of all switches.
    pub switches: Vec<Switch>,
    /// Whether it belongs to the embedded library: its frames are left out of what people see.
    pub library: bool,
    /// Its name in its declarator.
    pub span: Span,
}

impl Function {
    /// The registers of a call's arguments.
    #[inline]
    pub fn operands(&self, range: Operands) -> &[Reg] {
        &self.operands[range.start as usize..(range.start + range.len) as usize]
    }
}

/// A local in memory.
#[derive(Clone, PartialEq, Debug)]
pub struct Slot {
    /// Its name; empty for what the compiler needed.
    pub name: Arc<str>,
    /// How many bytes.
    pub size: u64,
    /// Its alignment.
    pub align: u32,
    /// Its type.
    pub ty: TypeId,
    /// Whether no other thread can know its address: it is only used by name.
    pub private: bool,
    /// Where it is declared.
    pub span: Span,
}

/// A local in a register.
#[derive(Clone, PartialEq, Debug)]
pub struct Local {
    /// Its name.
    pub name: Arc<str>,
    /// Where it lives.
    pub reg: Reg,
    /// Its type.
    pub ty: TypeId,
    /// The transitions in which it is in scope.
    pub scope: std::ops::Range<u32>,
    /// Where it is declared.
    pub span: Span,
}

/// What a statement is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names are C's")]
pub enum StatementKind {
    Body,
    Block,
    Declaration,
    Expression,
    If,
    Switch,
    While,
    DoWhile,
    For,
    Return,
    Jump,
    Label,
}

/// A statement: a contiguous range of transitions, its children's ranges within it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Statement {
    /// What it is.
    pub kind: StatementKind,
    /// The statement around it; none for the body.
    pub parent: Option<StatementId>,
    /// Its transitions.
    pub code: std::ops::Range<u32>,
    /// Where it stands.
    pub span: Span,
}

/// A switch: the first case that has the value decides.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Switch {
    /// Sorted by value, without overlap; values as registers of the switch's kind hold them, in
    /// signed order.
    pub cases: Vec<SwitchCase>,
    /// Where to go if no case has the value.
    pub default: u32,
}

/// One case, or a range of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SwitchCase {
    /// The smallest value.
    pub first: i64,
    /// The largest value.
    pub last: i64,
    /// Where to go.
    pub to: u32,
}

/// A global object; string literals and compound literals at file scope have generated names.
#[derive(Clone, PartialEq, Debug)]
pub struct Global {
    /// Its name.
    pub name: Arc<str>,
    /// How many bytes.
    pub size: u64,
    /// Its alignment.
    pub align: u32,
    /// The bytes it starts with; zeroes follow up to its size.
    pub bytes: Vec<u8>,
    /// Addresses that the bytes hold.
    pub relocations: Vec<Relocation>,
    /// Its type.
    pub ty: TypeId,
    /// Whether writing it is an error: `const` objects and string literals.
    pub constant: bool,
    /// Whether each thread has its own.
    pub thread_local: bool,
    /// Whether it belongs to the embedded library: accesses to it are no events.
    pub library: bool,
    /// Where it is declared.
    pub span: Span,
}

/// An address in the initial bytes of a global: pointer-sized, in the data model's size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Relocation {
    /// Where it stands.
    pub offset: u64,
    /// What it is the address of.
    pub target: Target,
    /// How many bytes further.
    pub addend: i64,
}

/// What an address belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// A global.
    Global(GlobalId),
    /// A function.
    Function(FunctionId),
}
