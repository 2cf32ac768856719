//! The transition representation: what the front end makes of a program, and what the VM runs.
//!
//! A function is a list of three-address operations over registers; one operation is one
//! transition. A transition makes at most one access to memory that threads can share, so that
//! every interleaving of the program is an interleaving of its transitions. Locals whose address
//! is never taken are registers and cost no access; all others are [`Slot`]s.
//!
//! What the analyses need beside the operations is kept in tables: the source range of each
//! operation, the [`Statement`]s as a tree over contiguous ranges of operations, the names and
//! types of variables. [`Op::reads`] and [`Op::writes`] give the data flow through registers,
//! [`Op::access`] that through memory.

mod access;
pub mod arithmetic;
mod op;
mod primitive;
mod program;
mod show;
mod types;
mod verify;

pub use access::{Access, AccessKind};
pub use op::{Binary, Kind, Op, Operands, Place, Reg, Rmw, Size, Unary};
pub use primitive::{Math, Nondet, Primitive};
pub use program::{
    DataModel, Function, FunctionId, Global, GlobalId, Local, Program, Relocation, Slot, SlotId,
    Statement, StatementId, StatementKind, Switch, SwitchCase, Target,
};
pub use raddle_trace::Order;
pub use types::{Field, Type, TypeId, Types};
pub use verify::verify;
