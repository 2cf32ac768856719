//! Steps from the events of a trace.
//!
//! Events that say nothing to people (branches, the start of a thread) are no steps.

use raddle_finding::{Action, ObjectKind};
use raddle_trace::{EventId, Events, LockMode, ObjectClass, Op, VarId, WakeReason};

use super::bytes;
use super::{Does, StoryBuilder};

/// Where the value of an event comes from, if it reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reads {
    /// It reads what it read in the trace.
    Observed,
    /// It reads what another event wrote.
    Written(EventId),
    /// It reads something else.
    Unknown,
}

impl StoryBuilder {
    /// The next event happens.
    pub fn event(&mut self, events: &Events, event: EventId, is_decisive: bool, reads: Reads) {
        let Some((action, mut value)) = action(events, event) else { return };
        let mut found = found(events, event);
        if reads != Reads::Observed {
            let write = match reads {
                Reads::Written(write) => self::action(events, write),
                Reads::Observed | Reads::Unknown => None,
            };
            let written = write.and_then(|(_, value)| value);
            // What a change writes depends on what it finds.
            (value, found) = match action {
                Action::Change => (None, written),
                _ => (written, None),
            };
        }
        let thread = events.tables.thread(events.thread(event));
        let place = events.location(event).and_then(|l| events.tables.locations.get(l.0));
        let (object, place) = (object(events, event), place.unwrap_or(""));
        self.step(Does { thread, action, object, place, value, found, is_decisive });
    }

    /// A thread is about to acquire a lock, and cannot.
    pub fn blocks(&mut self, events: &Events, event: EventId) {
        let thread = events.tables.thread(events.thread(event));
        let place = events.location(event).and_then(|l| events.tables.locations.get(l.0));
        if let Some((_, lock)) = object(events, event) {
            self.ask(thread, place.unwrap_or(""), lock);
        }
    }
}

/// What an event does, and with which value; none if it is not worth a word.
fn action(events: &Events, event: EventId) -> Option<(Action, Option<String>)> {
    let value = |var: VarId| {
        let size = events.tables.range(var).map_or(8, |range| range.size);
        match events.block(event) {
            Some(block) => Some(bytes::text(block, size)),
            // That many bytes are no number.
            None if !matches!(size, 1 | 2 | 4 | 8) => None,
            None => events.value(event).map(|value| {
                let is_row =
                    is_row_of_bytes(events.tables.variables.get(var.0).unwrap_or(""), size);
                let bytes = &value.to_le_bytes()[..size as usize];
                let text = bytes::characters(bytes, true).filter(|_| is_row);
                text.unwrap_or_else(|| sized_text(value, size))
            }),
        }
    };
    let shared = |mode, one, other| if mode == LockMode::Shared { other } else { one };
    let plain = |action| Some((action, None));
    match events.op(event) {
        Op::Read { var, .. } => Some((Action::Read, value(var))),
        Op::Write { var, .. } => Some((Action::Write, value(var))),
        Op::ReadModifyWrite { var, .. } => Some((Action::Change, value(var))),
        Op::Acquire { mode, .. } => plain(shared(mode, Action::Lock, Action::LockShared)),
        Op::Release { .. } => plain(Action::Unlock),
        Op::Request { mode, .. } => plain(shared(mode, Action::Ask, Action::AskShared)),
        Op::TryFail { .. } => plain(Action::TryFail),
        Op::Fork { .. } => plain(Action::Fork),
        Op::Join { .. } => plain(Action::Join),
        Op::End => plain(Action::End),
        Op::Wait { .. } => plain(Action::Wait),
        Op::Wake { reason, .. } => plain(match reason {
            WakeReason::Notified => Action::Wake,
            WakeReason::Timeout => Action::WakeTimeout,
            WakeReason::Spurious => Action::WakeSpurious,
        }),
        Op::Notify { .. } => plain(Action::Signal),
        Op::NotifyAll { .. } => plain(Action::Broadcast),
        Op::Post { .. } => plain(Action::Post),
        Op::Take { .. } => plain(Action::Take),
        Op::Arrive { .. } => plain(Action::Arrive),
        Op::Leave { .. } => plain(Action::Leave),
        Op::Alloc { .. } => plain(Action::Alloc),
        Op::Free { .. } => plain(Action::Free),
        Op::TxBegin { .. } => plain(Action::Begin),
        Op::TxEnd { .. } => plain(Action::Commit),
        Op::Assert { holds: false } => plain(Action::AssertFail),
        Op::Begin | Op::Assert { .. } | Op::Branch => None,
    }
}

/// Whether a name is that of as many elements of an array as there are bytes: `title[0..4]`.
fn is_row_of_bytes(name: &str, size: u32) -> bool {
    let inside = name.strip_suffix(']').and_then(|name| name.rsplit_once('['));
    let ends = inside.and_then(|(_, inside)| inside.split_once(".."));
    let number = |text: &str| text.parse::<u64>().ok();
    let ends = ends.and_then(|(start, end)| Some((number(start)?, number(end)?)));
    ends.is_some_and(|(start, end)| end.checked_sub(start) == Some(size.into()))
}

/// What an event is about.
fn object(events: &Events, event: EventId) -> Option<(ObjectKind, &str)> {
    let op = events.op(event);
    if let Op::Fork { child } | Op::Join { child } = op {
        return Some((ObjectKind::Thread, events.tables.thread(child)));
    }
    let (code, object) = op.encode();
    let class = code.kind().class();
    let kind = match class {
        ObjectClass::Lock => ObjectKind::Lock,
        ObjectClass::Condition => ObjectKind::Condition,
        ObjectClass::Semaphore => ObjectKind::Semaphore,
        ObjectClass::Barrier => ObjectKind::Barrier,
        _ => ObjectKind::Variable,
    };
    let names = events.tables.names(class)?;
    Some((kind, names.get(object).unwrap_or("?")))
}

/// What a change found.
fn found(events: &Events, event: EventId) -> Option<String> {
    let Op::ReadModifyWrite { var, .. } = events.op(event) else { return None };
    events.found(event).map(|value| number_text(events, var, value))
}

fn number_text(events: &Events, var: VarId, value: u64) -> String {
    sized_text(value, events.tables.range(var).map_or(8, |range| range.size))
}

/// A value as people would write it: small negative numbers are more likely than huge ones.
fn sized_text(value: u64, size: u32) -> String {
    let bits = 8 * u64::from(size.min(8)).max(1);
    let signed = (value << (64 - bits)) as i64 >> (64 - bits);
    match signed {
        0.. if value > u64::from(u32::MAX) => format!("{value:#x}"),
        i64::MIN..=-1 if signed < -(1 << 31) => format!("{value:#x}"),
        small => small.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_in_a_row_that_are_bytes_are_told_by_their_number() {
        for (name, size, expected) in [
            ("title[0..4]", 4, true),
            ("ring.entries[1].text[2..10]", 8, true),
            ("marks[0..2]", 8, false),
            ("marks[1]", 4, false),
            ("total", 4, false),
            ("odd[4..0]", 4, false),
        ] {
            assert_eq!(is_row_of_bytes(name, size), expected, "{name}");
        }
    }

    #[test]
    fn numbers_are_signed_and_addresses_are_not() {
        let cases = [
            (150, 4, "150"),
            (u64::from(u32::MAX), 4, "-1"),
            (255, 1, "-1"),
            (u64::MAX, 8, "-1"),
            (0x1_0000_0000_0010, 8, "0x1000000000010"),
        ];
        for (value, size, text) in cases {
            assert_eq!(sized_text(value, size), text);
        }
    }
}
