//! What threads and objects are called in stories: no two the same.
//!
//! An object has no name in Rust. It is called after its kind and the line where it was made, with as much
//! of the place as sets it apart from others.

use std::collections::BTreeMap;

use crate::world::{Object, World};

/// The names of an execution.
pub(crate) struct Names {
    threads: Vec<String>,
    objects: Vec<String>,
}

impl Names {
    pub(crate) fn new(world: &World) -> Names {
        let threads = (0..world.n_threads).map(|thread| world.thread_name(thread)).collect();
        let objects = &world.objects;
        let mut names: Vec<_> = objects.iter().map(short).collect();
        let again = repeated(&names);
        for (name, object) in names.iter_mut().zip(objects).filter(|(name, _)| again(name)) {
            *name += &format!(":{}", object.made.column());
        }
        Names { threads: numbered(threads), objects: numbered(names) }
    }

    pub(crate) fn thread(&self, thread: u32) -> &str {
        self.threads.get(thread as usize).map_or("?", String::as_str)
    }

    pub(crate) fn object(&self, object: u32) -> &str {
        self.objects.get(object as usize).map_or("?", String::as_str)
    }
}

/// An object, by kind and the line where it was made.
fn short(object: &Object) -> String {
    let file = object.made.file().rsplit('/').next().unwrap_or_default();
    format!("{}@{file}:{}", object.kind.word(), object.made.line())
}

/// Whether a name is there more than once.
fn repeated(names: &[String]) -> impl Fn(&str) -> bool + use<> {
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    names.iter().for_each(|name| *counts.entry(name.clone()).or_default() += 1);
    move |name| counts.get(name).is_some_and(|&n| n > 1)
}

/// The same, where those that are there more than once have numbers.
fn numbered(mut names: Vec<String>) -> Vec<String> {
    let again = repeated(&names);
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for name in names.iter_mut().filter(|name| again(name)) {
        let n = counts.entry(name.clone()).or_default();
        *n += 1;
        *name += &format!("#{n}");
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_there_once_stay() {
        let names = ["a", "b", "a"].map(str::to_owned).to_vec();
        assert_eq!(numbered(names), ["a#1", "b", "a#2"]);
    }
}
