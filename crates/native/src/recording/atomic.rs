//! Functions that are meant to be atomic: each call of one is a transaction.
//!
//! In: names, and the addresses where functions were entered. Out: which of the names each is. A
//! function is known by its name alone (`withdraw`), by its end (`Account::withdraw` of
//! `bank::Account::withdraw(int)`), or by all of it. Code that was inlined is entered nowhere.

use rustc_hash::FxHashMap;

use super::Recording;
use super::stream::{Item, Stream};
use crate::symbol::Symbols;
use raddle_wire::{Code, HEADER_LEN};

/// Functions by name, and what is known of addresses.
pub(super) struct Functions {
    names: Vec<String>,
    /// Which of the names is entered at an address.
    known: FxHashMap<u64, Option<usize>>,
}

impl Functions {
    pub(super) fn new(names: Vec<String>) -> Functions {
        Functions { names, known: FxHashMap::default() }
    }

    /// Whether there is nothing to look for.
    pub(super) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The name with a number.
    pub(super) fn name(&self, index: usize) -> &str {
        &self.names[index]
    }

    /// Which of the functions has this address in it.
    pub(super) fn at(&mut self, pc: u64, symbols: &mut Symbols) -> Option<usize> {
        let names = &self.names;
        *self.known.entry(pc).or_insert_with(|| {
            // The last frame is the function itself, those before it were inlined into it.
            let place = symbols.place(pc)?;
            let function = place.frames.last()?.function.as_ref()?;
            names.iter().position(|name| is_name_of(name, function))
        })
    }
}

impl Recording {
    /// The functions of these names that were never entered, as far as calls were recorded.
    pub fn never_entered(&self, names: &[String], symbols: &mut Symbols) -> Vec<String> {
        let mut functions = Functions::new(names.to_vec());
        let mut entered = vec![false; names.len()];
        for item in Stream::new(&self.bytes[HEADER_LEN..]) {
            if let Item::Record(Code::Enter, record) = item
                && let Some(index) = functions.at(record.pc(), symbols)
            {
                entered[index] = true;
            }
        }
        let missing = names.iter().zip(entered).filter(|(_, entered)| !entered);
        missing.map(|(name, _)| name.clone()).collect()
    }
}

/// Whether a user who writes `name` can mean a function.
fn is_name_of(name: &str, function: &str) -> bool {
    let is_end = |whole: &str| {
        whole.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with("::"))
    };
    let bare = function.split_once('(').map_or(function, |(bare, _)| bare);
    is_end(function) || is_end(bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_known_by_its_name_or_the_end_of_it() {
        let function = "bank::Account::withdraw(int)";
        for name in ["withdraw", "Account::withdraw", "bank::Account::withdraw", function] {
            assert!(is_name_of(name, function), "{name}");
        }
        for name in ["draw", "count::withdraw", "bank", "Account", ""] {
            assert!(!is_name_of(name, function), "{name}");
        }
        assert!(is_name_of("withdraw", "withdraw"));
    }
}
