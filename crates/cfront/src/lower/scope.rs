//! Scopes: what the names of a program mean where they stand.

use rustc_hash::FxHashMap;

use super::ctype::{Int, Qualified, RecordId, Type};
use crate::ast::Name;
use crate::ir::{Reg, SlotId};
use crate::source::Span;

/// What an identifier stands for.
#[derive(Clone, Debug)]
pub(crate) enum Entity {
    /// A local in a register.
    Register { reg: Reg, ty: Qualified },
    /// A local in memory.
    Slot { slot: SlotId, ty: Qualified },
    /// A local of variable length, or a parameter that is a record: its address is in a register.
    Pointed { address: Reg, ty: Qualified },
    /// A global or a function.
    Symbol { symbol: SymbolId, ty: Qualified },
    /// A constant of an enumeration.
    Constant { value: i64, ty: Int },
    /// A type.
    Typedef(Qualified),
}

/// A global or a function of the program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct SymbolId(pub(crate) u32);

/// What a tag stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tag {
    Record { id: RecordId, union: bool },
    Enum { ty: Int },
}

/// The names declared in one block.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    pub(crate) names: FxHashMap<Name, (Entity, Span)>,
    pub(crate) tags: FxHashMap<Name, Tag>,
}

/// The blocks around a point of the program, the file's scope first.
#[derive(Clone, Debug)]
pub(crate) struct Scopes {
    stack: Vec<Scope>,
}

impl Scopes {
    /// With the names of the file.
    pub(crate) fn new(file: Scope) -> Scopes {
        Scopes { stack: vec![file] }
    }

    pub(crate) fn enter(&mut self) {
        self.stack.push(Scope::default());
    }

    pub(crate) fn leave(&mut self) -> Scope {
        self.stack.pop().expect("every scope that is left was entered")
    }

    /// Leaves all blocks, also those that an error left open, and gives the file's scope.
    pub(crate) fn leave_all(&mut self) -> Scope {
        self.stack.truncate(1);
        self.leave()
    }

    /// How many scopes there are.
    pub(crate) fn depth(&self) -> usize {
        self.stack.len()
    }

    /// Leaves the innermost scopes until so many are left.
    pub(crate) fn leave_to(&mut self, depth: usize) {
        self.stack.truncate(depth);
    }

    /// Whether this is the file's scope.
    pub(crate) fn is_file(&self) -> bool {
        self.stack.len() == 1
    }

    pub(crate) fn name(&self, name: &str) -> Option<&Entity> {
        self.stack.iter().rev().find_map(|scope| scope.names.get(name)).map(|found| &found.0)
    }

    pub(crate) fn tag(&self, name: &str) -> Option<Tag> {
        self.stack.iter().rev().find_map(|scope| scope.tags.get(name)).copied()
    }

    /// All names of objects, functions and constants that can be used here.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let all = self.stack.iter().flat_map(|scope| &scope.names);
        let values = all.filter(|(_, (entity, _))| !matches!(entity, Entity::Typedef(_)));
        values.map(|(name, _)| &**name)
    }

    /// What the innermost scope itself says of a name.
    pub(crate) fn own_name(&self, name: &str) -> Option<&(Entity, Span)> {
        self.innermost().names.get(name)
    }

    pub(crate) fn own_tag(&self, name: &str) -> Option<Tag> {
        self.innermost().tags.get(name).copied()
    }

    pub(crate) fn declare(&mut self, name: &Name, entity: Entity, span: Span) {
        self.innermost_mut().names.insert(name.clone(), (entity, span));
    }

    /// Declares in the file's scope, as implicit declarations of functions are.
    pub(crate) fn declare_in_file(&mut self, name: &Name, entity: Entity, span: Span) {
        self.stack[0].names.insert(name.clone(), (entity, span));
    }

    pub(crate) fn declare_tag(&mut self, name: &Name, tag: Tag) {
        self.innermost_mut().tags.insert(name.clone(), tag);
    }

    fn innermost(&self) -> &Scope {
        self.stack.last().expect("the file's scope is never left")
    }

    fn innermost_mut(&mut self) -> &mut Scope {
        self.stack.last_mut().expect("the file's scope is never left")
    }
}

impl Entity {
    /// The type of an object or function.
    pub(crate) fn ty(&self) -> Option<&Qualified> {
        match self {
            Entity::Register { ty, .. }
            | Entity::Slot { ty, .. }
            | Entity::Pointed { ty, .. }
            | Entity::Symbol { ty, .. } => Some(ty),
            Entity::Constant { .. } | Entity::Typedef(_) => None,
        }
    }
}

impl Qualified {
    /// Whether this type or an element of it is constant.
    pub(crate) fn is_constant(&self) -> bool {
        match &self.ty {
            Type::Array(element, _) => self.constant || element.is_constant(),
            _ => self.constant,
        }
    }
}
