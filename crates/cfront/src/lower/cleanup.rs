//! The attribute `cleanup`: a function that is called when a variable goes out of scope.

use super::ctype::Type;
use super::value::Lvalue;
use super::{Lowered, Lowering, rc, unsupported};
use crate::ast::{Attribute, Expr};
use crate::source::Span;

/// A variable that is cleaned up.
#[derive(Clone, Debug)]
pub(super) struct Cleanup<'a> {
    /// The depth of its scope.
    depth: usize,
    place: Lvalue,
    function: &'a Expr,
}

/// The function that cleans up, if the attributes name one.
pub(super) fn function_of(attributes: &[Attribute]) -> Option<&Expr> {
    let attribute = attributes.iter().find(|found| &*found.name == "cleanup")?;
    attribute.arguments.first()
}

impl<'a> Lowering<'a> {
    /// From here on the variable has to be cleaned up.
    pub(super) fn add_cleanup(&mut self, place: Lvalue, function: &'a Expr) {
        self.cleanups.push(Cleanup { depth: self.scopes.depth(), place, function });
    }

    /// Cleans up all variables in scopes deeper than this one; they stay in scope.
    pub(super) fn clean_up(&mut self, depth: usize) -> Lowered<()> {
        let deeper: Vec<_> =
            self.cleanups.iter().rev().take_while(|one| one.depth > depth).cloned().collect();
        for Cleanup { place, function, .. } in deeper {
            let address = self.address_of_place(&place);
            let pointer = super::value::Value::new(Type::Pointer(rc(place.ty)), address);
            self.call_value(function, pointer)?;
        }
        Ok(())
    }

    /// Leaves the scopes deeper than this one.
    pub(super) fn end_cleanups(&mut self, depth: usize) -> Lowered<()> {
        let done = if self.builder.ended() { Ok(()) } else { self.clean_up(depth) };
        self.cleanups.retain(|one| one.depth <= depth);
        done
    }

    /// A jump that may leave scopes is refused while something would have to be cleaned up.
    pub(super) fn refuse_with_cleanups(&self, span: Span) -> Lowered<()> {
        match self.cleanups.is_empty() {
            true => Ok(()),
            false => unsupported(span, "`goto` where variables have the attribute `cleanup`"),
        }
    }
}
