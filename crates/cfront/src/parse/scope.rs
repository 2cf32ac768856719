//! Which names are types.
//!
//! In: declarations as they are met. Out: whether a name is a typedef name here. A scope
//! remembers what it changed, so that leaving it costs no more than what it declared.

use crate::lex::Symbol;

pub(super) struct Scopes {
    /// For each symbol, whether it names a type now.
    is_type: Vec<bool>,
    /// What to restore, the latest last.
    changed: Vec<(Symbol, bool)>,
    /// How long `changed` was when each open scope began.
    open: Vec<usize>,
}

impl Scopes {
    pub(super) fn new(n_symbols: usize) -> Scopes {
        Scopes { is_type: vec![false; n_symbols], changed: Vec::new(), open: Vec::new() }
    }

    pub(super) fn is_type(&self, symbol: Symbol) -> bool {
        self.is_type.get(symbol.index()).copied().unwrap_or(false)
    }

    /// Declares a name in the innermost scope, as a type or as something else.
    pub(super) fn declare(&mut self, symbol: Symbol, is_type: bool) {
        let Some(state) = self.is_type.get_mut(symbol.index()) else { return };
        if *state != is_type {
            self.changed.push((symbol, *state));
            *state = is_type;
        }
    }

    pub(super) fn enter(&mut self) {
        self.open.push(self.changed.len());
    }

    pub(super) fn leave(&mut self) {
        let length = self.open.pop().expect("every scope that is left was entered");
        while self.changed.len() > length {
            let (symbol, was_type) = self.changed.pop().expect("it is longer than that");
            self.is_type[symbol.index()] = was_type;
        }
    }

    /// How many scopes are open; zero at file scope.
    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    /// Leaves scopes until so many are open, after an error.
    pub(super) fn leave_to(&mut self, depth: usize) {
        while self.open.len() > depth {
            self.leave();
        }
    }
}
