//! Names: equal names share one text and one dense number.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::keyword::{self, KEYWORDS};
use crate::ast::Name;

/// The number of a name in its [`Names`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Symbol(u32);

impl Symbol {
    /// Of tokens that are no names.
    pub const NONE: Symbol = Symbol(u32::MAX);

    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The spelling of a keyword.
    pub fn keyword(self) -> &'static str {
        keyword::spelling(self)
    }
}

/// All names of a text; the keywords come first.
#[derive(Debug)]
pub struct Names {
    texts: Vec<Name>,
    symbols: FxHashMap<Box<[u8]>, Symbol>,
}

impl Names {
    /// The keywords alone.
    pub(super) fn new() -> Names {
        let mut names = Names { texts: Vec::new(), symbols: FxHashMap::default() };
        for (text, _) in KEYWORDS {
            names.intern(text.as_bytes());
        }
        names
    }

    /// The symbol of a name, which may be new. Bytes that are not UTF-8 are kept apart, but shown
    /// as replacement characters.
    pub(super) fn intern(&mut self, bytes: &[u8]) -> Symbol {
        if let Some(symbol) = self.symbols.get(bytes) {
            return *symbol;
        }
        let symbol = Symbol(self.texts.len() as u32);
        self.texts.push(Rc::from(String::from_utf8_lossy(bytes)));
        self.symbols.insert(bytes.into(), symbol);
        symbol
    }

    /// The text of a name.
    pub fn text(&self, symbol: Symbol) -> &Name {
        &self.texts[symbol.index()]
    }

    /// The symbol of a text, if it is one of the names.
    pub fn symbol(&self, text: &str) -> Option<Symbol> {
        self.symbols.get(text.as_bytes()).copied()
    }

    /// How many names there are.
    pub fn count(&self) -> usize {
        self.texts.len()
    }
}
