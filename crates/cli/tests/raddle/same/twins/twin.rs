//! What a program has in C that its twin in Rust has otherwise, or does not have.

/// What is compared otherwise in a program.
#[derive(Default)]
pub(super) struct Twin {
    /// What its locks guard in C (W6).
    pub(super) guards: &'static [Guard],
    /// The variables of C, by how they begin, that are no variables in Rust (W7).
    pub(super) apart: &'static [&'static str],
}

/// What a lock guards.
pub(super) struct Guard {
    pub(super) lock: &'static str,
    /// The variable, by how it begins.
    pub(super) variable: &'static str,
    /// What it is at first, if it is the value of the lock in Rust; else values are not compared.
    pub(super) value: Option<&'static str>,
}

/// A lock whose value in Rust is a variable in C.
const fn value(lock: &'static str, variable: &'static str, value: &'static str) -> Guard {
    Guard { lock, variable, value: Some(value) }
}

/// A lock whose value in Rust is of another type than the variable in C.
const fn other(lock: &'static str, variable: &'static str) -> Guard {
    Guard { lock, variable, value: None }
}

/// Threads are given what they need: in C by the address of a variable of `main`.
const ARGUMENTS: &[&str] = &["main:"];
/// Tasks are numbers, and threads return which of them they ran; in C they count that.
const TASKS: &[&str] = &["deque.tasks[", "runs["];
/// A list in C is a vector, which is inside of the lock.
const LIST: &[&str] = &["table[0].first", "table[1].first", "heap@"];

const TWINS: [(&str, Twin); 16] = [
    ("bank_atomicity", guarded(&[value("account", "balance", "100")])),
    ("barrier_reuse", guarded(&[value("barrier.mutex", "barrier.n_arrived", "0")])),
    ("buffer_if", guarded(&[other("mutex", "full"), other("mutex", "slot")])),
    ("buffer_signal", guarded(&[other("mutex", "full"), other("mutex", "slot")])),
    ("dining_philosophers", apart(ARGUMENTS)),
    ("elevator", Twin { guards: &[other("mutex", "buttons")], apart: ARGUMENTS }),
    (
        "file_system",
        guarded(&[other("inode_locks[0]", "inodes[0]"), other("inode_locks[1]", "inodes[1]")]),
    ),
    ("peterson", apart(ARGUMENTS)),
    ("reader_writer", guarded(&[value("mutex", "readers", "0")])),
    ("rwlock_upgrade", guarded(&[value("gate", "visitors", "5")])),
    ("string_buffer", guarded(&[other("source.mutex", "source.length")])),
    ("transaction_manager", apart(LIST)),
    ("two_stage", guarded(&[value("price_lock", "price", "100"), value("tax_lock", "tax", "10")])),
    ("work_steal_1", apart(TASKS)),
    ("work_steal_2", apart(TASKS)),
    ("work_steal_3", apart(TASKS)),
];

const fn guarded(guards: &'static [Guard]) -> Twin {
    Twin { guards, apart: &[] }
}

const fn apart(apart: &'static [&'static str]) -> Twin {
    Twin { guards: &[], apart }
}

impl Twin {
    /// What is compared otherwise in the program of that name.
    pub(super) fn of(program: &str) -> Twin {
        TWINS.into_iter().find(|row| row.0 == program).map_or_else(Twin::default, |row| row.1)
    }
}
