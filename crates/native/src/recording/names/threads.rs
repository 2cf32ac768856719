//! Names that are unique, and those of threads.

use raddle_trace::Names;
use rustc_hash::FxHashMap;

use super::{Full, Named};
use crate::recording::survey::Threads;
use crate::symbol::Symbols;

/// Interns a name, with a number if it is taken; `used` counts how often it was asked for.
pub(super) fn add_unique(names: &mut Names, name: &str, used: &mut u32) -> Named<u32> {
    loop {
        *used += 1;
        let unique = if *used == 1 { name.to_owned() } else { format!("{name}#{used}") };
        if names.find(&unique).is_none() {
            return names.intern(unique.as_bytes()).map_err(|_| Full);
        }
    }
}

/// Threads are called what the program calls them, or after their function, with a number.
pub(super) fn name(symbols: &Symbols, threads: &Threads, names: &mut Names) -> Named<()> {
    let mut used: FxHashMap<String, u32> = FxHashMap::default();
    for thread in &threads.all {
        let function = || thread.start.and_then(|start| symbols.function(start));
        let given = thread.name.clone().filter(|name| !name.is_empty());
        let unique = match (thread.number, given.or_else(function)) {
            (0, name) => name.unwrap_or_else(|| "main".to_owned()),
            (_, Some(name)) => {
                let n = used.entry(name.clone()).or_insert(0);
                *n += 1;
                format!("{name}#{n}")
            }
            (number, None) => format!("thread#{number}"),
        };
        // A program can call a thread what another one is called with its number.
        add_unique(names, &unique, &mut 0)?;
    }
    Ok(())
}
