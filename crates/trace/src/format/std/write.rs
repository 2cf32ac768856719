//! Writing STD text.
//!
//! A wait is written as RAPID's dialects log it: `rel(m) wait(c) … acq(m)`, without its wake-up,
//! where reading the text gives the same events back; otherwise as `wait.pre(c)` and `wake(c)`.

use std::borrow::Cow;
use std::io::{self, Write};

use rustc_hash::{FxHashMap, FxHashSet};

use super::settle;
use crate::format::{Monitor, notation, report_write};
use crate::id::{BarrierId, EventId, SemaphoreId};
use crate::index::Wait;
use crate::op::{Kind, ObjectClass, Op, WakeReason};
use crate::tables::Tables;
use crate::trace::Trace;

/// What STD text cannot say, by how often it was left out or changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Loss {
    /// Values of accesses that were left out.
    pub values: u64,
    /// Call stacks that were left out.
    pub stacks: u64,
    /// Names in which `|`, `%`, or a line break was written as `%` and two digits.
    pub escaped_names: u64,
    /// Variables whose piece of memory was left out.
    pub ranges: u64,
    /// Initial counts of semaphores, and numbers of parties of barriers, that were left out and
    /// that a reader will not find by itself.
    pub counts: u64,
}

impl Loss {
    /// True if the text says all.
    pub fn is_none(&self) -> bool {
        *self == Loss::default()
    }
}

/// Writes a trace; answers with what could not be written.
pub fn write(trace: &Trace, out: &mut dyn Write, monitor: &mut dyn Monitor) -> io::Result<Loss> {
    const CHUNK: usize = 1 << 16;
    let plan = Plan::new(trace);
    let names = Escaped::new(&trace.tables);
    let mut text = Vec::with_capacity(2 * CHUNK);
    for e in (0..trace.len() as u32).map(EventId) {
        if !plan.hidden.contains(&e) {
            line(trace, &names, e, &plan.name(trace, e), &mut text);
        }
        if let Some(&wait) = plan.after.get(&e) {
            line(trace, &names, wait, "wait", &mut text);
        }
        if text.len() > CHUNK {
            out.write_all(&text)?;
            text.clear();
            report_write(monitor, u64::from(e.0))?;
        }
    }
    out.write_all(&text)?;
    let events = || (0..trace.len() as u32).map(EventId);
    Ok(Loss {
        values: events().filter(|&e| trace.value(e).is_some()).count() as u64,
        stacks: events().filter(|&e| trace.stack(e).is_some()).count() as u64,
        escaped_names: names.replaced.len() as u64,
        ranges: trace.tables.ranges().count() as u64,
        counts: n_lost_counts(trace),
    })
}

/// A reader takes the smallest initial count that explains the trace, and asks no barrier how many
/// it waits for.
fn n_lost_counts(trace: &Trace) -> u64 {
    let differs = |&semaphore: &SemaphoreId| {
        let mut balance = 0i64;
        let mut needed = 0;
        for &e in trace.semaphore_events(semaphore) {
            balance += if trace.code(e).kind() == Kind::Post { 1 } else { -1 };
            needed = needed.max(-balance);
        }
        trace.tables.initial(semaphore).is_some_and(|initial| i64::from(initial) != needed)
    };
    let semaphores = (0..trace.tables.semaphores.len() as u32).map(SemaphoreId).filter(differs);
    let barriers = (0..trace.tables.barriers.len() as u32).map(BarrierId);
    let known = barriers.filter(|&barrier| trace.tables.parties(barrier).is_some());
    (semaphores.count() + known.count()) as u64
}

fn line(trace: &Trace, names: &Escaped, e: EventId, operation: &str, text: &mut Vec<u8>) {
    let (code, object) = trace.op(e).encode();
    text.extend(names.get(ObjectClass::Thread, trace.thread(e).0));
    text.push(b'|');
    text.extend(operation.as_bytes());
    text.push(b'(');
    text.extend(names.get(code.kind().class(), object));
    text.extend(b")|");
    let location = trace.location(e).and_then(|l| trace.tables.locations.get(l.0));
    text.extend(location.map_or(&b""[..], |l| l.as_bytes()));
    text.push(b'\n');
}

/// Which waits are written in the short form, and where; how transactions are called.
#[derive(Default)]
struct Plan {
    /// `begin` and `end` would be taken for those of threads.
    explicit_transactions: bool,
    /// Waits and wake-ups that are not written in their place.
    hidden: FxHashSet<EventId>,
    /// Releases, and the wait that is written after each.
    after: FxHashMap<EventId, EventId>,
    /// Wake-ups that the last notify did not cause, and how many notifies later it was.
    ranks: FxHashMap<EventId, usize>,
}

impl Plan {
    fn new(trace: &Trace) -> Plan {
        let explicit_transactions = settle::enclose_threads(trace);
        let mut plan = Plan { explicit_transactions, ..Plan::default() };
        for wait in trace.waits() {
            let rank = rank(trace, wait);
            match short_form(trace, wait).filter(|_| rank <= 1) {
                Some(release) => {
                    plan.hidden.insert(wait.wait);
                    plan.hidden.extend(wait.wake);
                    plan.after.insert(release, wait.wait);
                }
                None => plan.ranks.extend(wait.wake.map(|wake| (wake, rank))),
            }
        }
        plan
    }

    /// The name of an operation that is written in its place.
    fn name(&self, trace: &Trace, e: EventId) -> Cow<'static, str> {
        let code = trace.code(e);
        match code.kind() {
            Kind::Wait => "wait.pre".into(),
            Kind::Wake => match self.ranks.get(&e) {
                Some(&rank) if rank > 1 => format!("wake.{rank}").into(),
                _ => notation::name(code).into(),
            },
            Kind::TxBegin if self.explicit_transactions => "tx.begin".into(),
            Kind::TxEnd if self.explicit_transactions => "tx.end".into(),
            _ => notation::name(code).into(),
        }
    }
}

/// The release of a wait that can be written in the short form.
fn short_form(trace: &Trace, wait: &Wait) -> Option<EventId> {
    let thread = trace.thread(wait.wait);
    let release = EventId(wait.wait.0 + 1);
    let of_thread = |e: EventId| e.index() < trace.len() && trace.thread(e) == thread;
    let Op::Release { lock, .. } = Some(release).filter(|&r| of_thread(r)).map(|r| trace.op(r))?
    else {
        return None;
    };
    let Some(wake) = wait.wake else {
        let later = &trace.thread_events(thread)[trace.position(release) as usize + 1..];
        return later.iter().all(|&e| trace.code(e).kind() != Kind::Acquire).then_some(release);
    };
    let acquire = EventId(wake.0 - 1);
    let takes_back = matches!(trace.op(acquire), Op::Acquire { lock: l, .. } if l == lock);
    let notified = trace.code(wake).wake_reason() == WakeReason::Notified;
    let within = &trace.thread_events(thread)
        [trace.position(release) as usize + 1..trace.position(wake) as usize];
    let acquires = within.iter().filter(|&&e| trace.code(e).kind() == Kind::Acquire).count();
    (takes_back && of_thread(acquire) && notified && acquires == 1).then_some(release)
}

/// Counted from the wake-up back, the how-manieth notify by another thread caused it; 0 for none.
fn rank(trace: &Trace, wait: &Wait) -> usize {
    let (Some(wake), Some(notify)) = (wait.wake, wait.notify) else { return 0 };
    let thread = trace.thread(wait.wait);
    let by_others = |&e: &EventId| {
        let op = trace.op(e);
        let notifies =
            matches!(op, Op::Notify { cond } | Op::NotifyAll { cond } if cond == wait.cond);
        notifies && trace.thread(e) != thread
    };
    (notify.0..wake.0).map(EventId).filter(by_others).count()
}

/// Names without the characters that have a meaning in STD text.
struct Escaped<'a> {
    tables: &'a Tables,
    replaced: FxHashMap<(ObjectClass, u32), String>,
}

impl<'a> Escaped<'a> {
    fn new(tables: &'a Tables) -> Escaped<'a> {
        let mut replaced = FxHashMap::default();
        for class in CLASSES {
            let names = tables.names(class).into_iter().flat_map(|names| names.iter());
            for (id, name) in names.enumerate() {
                if name.contains(SPECIAL) {
                    replaced.insert((class, id as u32), escape(name));
                }
            }
        }
        Escaped { tables, replaced }
    }

    fn get(&self, class: ObjectClass, id: u32) -> &[u8] {
        if let Some(name) = self.replaced.get(&(class, id)).filter(|_| !self.replaced.is_empty()) {
            return name.as_bytes();
        }
        self.tables.names(class).and_then(|names| names.get(id)).unwrap_or("0").as_bytes()
    }
}

const SPECIAL: [char; 4] = ['|', '%', '\n', '\r'];

const CLASSES: [ObjectClass; 8] = [
    ObjectClass::Variable,
    ObjectClass::Lock,
    ObjectClass::Thread,
    ObjectClass::Condition,
    ObjectClass::Semaphore,
    ObjectClass::Barrier,
    ObjectClass::Transaction,
    ObjectClass::Region,
];

fn escape(name: &str) -> String {
    let escaped = |c: char| match SPECIAL.contains(&c) {
        true => format!("%{:02X}", c as u32),
        false => c.to_string(),
    };
    name.chars().map(escaped).collect()
}
