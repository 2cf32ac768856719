//! What a lock guards lies beside it in C, and inside of it in Rust (W6).
//!
//! In: the steps of a C program. Out: the same, as if what is guarded were the value of its lock: that is said where the
//! lock is taken and, if it was changed, given back. An access without the lock, which threads need not take once the
//! others have ended, takes it and gives it back.

use std::collections::BTreeMap;

use raddle_finding::Action;

use super::lines::Row;
use super::twin::Guard;

/// The steps with what is guarded inside of locks.
pub(super) fn inside(rows: Vec<Row>, guards: &[Guard]) -> Vec<Row> {
    let shared = rows.iter().filter(|row| row.action == Action::LockShared);
    let shared: Vec<_> = shared.map(|row| row.object.clone()).collect();
    let first = guards.iter().filter_map(|it| Some((it.lock.to_owned(), it.value?.to_owned())));
    let (values, open) = (first.collect(), Vec::new());
    let mut guarded = Guarded { rows: Vec::new(), open, values, shared };
    let mut left = Vec::new();
    for mut row in rows {
        row.left.splice(0..0, left.drain(..));
        let guard = guards.iter().find(|guard| row.object.starts_with(guard.variable));
        match (row.action, guard) {
            (Action::Read | Action::Write, Some(guard)) => left = guarded.access(row, guard.lock),
            _ => guarded.step(row),
        }
    }
    guarded.rows
}

/// The steps so far.
struct Guarded {
    rows: Vec<Row>,
    open: Vec<Section>,
    /// The values of locks, as far as they are compared.
    values: BTreeMap<String, String>,
    /// The locks that readers share.
    shared: Vec<String>,
}

/// Between taking a lock and giving it back.
struct Section {
    thread: String,
    lock: String,
    is_written: bool,
}

impl Guarded {
    /// A step that accesses nothing that is guarded.
    fn step(&mut self, mut row: Row) {
        match row.action {
            Action::Lock | Action::LockShared => {
                row.value = self.values.get(&row.object).cloned();
                let (thread, lock) = (row.thread.clone(), row.object.clone());
                self.open.push(Section { thread, lock, is_written: false });
            }
            Action::Unlock => {
                let is_its = |it: &Section| it.thread == row.thread && it.lock == row.object;
                let section = self.open.iter().rposition(is_its).map(|at| self.open.remove(at));
                let is_written = section.is_some_and(|section| section.is_written);
                row.value = self.values.get(&row.object).filter(|_| is_written).cloned();
            }
            _ => {}
        }
        self.rows.push(row);
    }

    /// An access to what a lock guards; who was left before it is left before the next step.
    fn access(&mut self, row: Row, lock: &str) -> Vec<String> {
        let is_write = row.action == Action::Write;
        let is_its = |it: &&mut Section| it.thread == row.thread && it.lock == lock;
        let Some(section) = self.open.iter_mut().rfind(is_its) else {
            self.alone(row, lock, is_write);
            return Vec::new();
        };
        section.is_written |= is_write;
        if let Some(value) = self.values.get_mut(lock) {
            let now = row.value.unwrap();
            assert!(is_write || *value == now, "{lock} is {value}, and {now} was read");
            *value = now;
        }
        row.left
    }

    /// An access in a section of its own.
    fn alone(&mut self, row: Row, lock: &str, is_write: bool) {
        let action = match self.shared.iter().any(|shared| shared == lock) && !is_write {
            true => Action::LockShared,
            false => Action::Lock,
        };
        let object = lock.to_owned();
        let (before, after) =
            (row.value.clone().filter(|_| !is_write), row.value.filter(|_| is_write));
        let thread = row.thread;
        let (found, is_decisive) = (None, false);
        let lock =
            Row { thread, action, object, value: before, found, is_decisive, left: row.left };
        let unlock = Row { action: Action::Unlock, value: after, left: Vec::new(), ..lock.clone() };
        self.rows.extend([lock, unlock]);
    }
}
