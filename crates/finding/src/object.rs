//! Objects: the variables, locks and other things that a finding is about.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A named thing that threads share.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Object {
    /// What kind of thing it is.
    pub kind: ObjectKind,
    /// Its name in the program or in the trace.
    pub name: String,
}

/// The kinds of things that threads share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ObjectKind {
    /// A memory location, or a group of them under one name.
    Variable,
    /// A mutex, a spin lock or a read-write lock.
    Lock,
    /// A condition variable or a monitor.
    Condition,
    /// A counting semaphore.
    Semaphore,
    /// A barrier.
    Barrier,
    /// A thread that is waited for.
    Thread,
}

impl Object {
    /// A thing of the given kind and name.
    pub fn new(kind: ObjectKind, name: impl Into<String>) -> Self {
        Object { kind, name: name.into() }
    }
}

impl ObjectKind {
    /// The name used in JSON and in text.
    pub const fn name(self) -> &'static str {
        match self {
            ObjectKind::Variable => "variable",
            ObjectKind::Lock => "lock",
            ObjectKind::Condition => "condition",
            ObjectKind::Semaphore => "semaphore",
            ObjectKind::Barrier => "barrier",
            ObjectKind::Thread => "thread",
        }
    }
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind, self.name)
    }
}

impl fmt::Display for ObjectKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_names_are_the_displayed_names() {
        use ObjectKind::*;
        for kind in [Variable, Lock, Condition, Semaphore, Barrier, Thread] {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.to_string());
        }
    }
}
