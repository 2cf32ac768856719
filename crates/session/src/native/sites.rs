//! How a recorded run of a binary ended: where its threads are, and what they wait for.

use raddle_explore::Trouble;
use raddle_finding::{Location, Object, ObjectKind, Site};
use raddle_native::launch::Answer;
use raddle_native::recording::Native;
use raddle_native::symbol::Symbols;
use raddle_report::quantity::counted;
use raddle_trace::{EventId, Op, StackId, ThreadId};
use raddle_wire::{Blocked, Code, OutcomeKind};

use crate::decisive::place;
use crate::subject::places;

/// How a run ended.
#[derive(Default)]
pub(super) struct Ending {
    /// What to call it, if there is a better name than that of the search.
    pub(super) title: Option<String>,
    /// Why it ended, line by line.
    pub(super) why: Vec<String>,
    pub(super) locations: Vec<Site>,
    pub(super) objects: Vec<Object>,
    /// The threads that did what they must not: where, and what.
    pub(super) failing: Vec<(String, String, String)>,
    /// The threads that ask for a lock in vain: where, and which.
    pub(super) asking: Vec<(String, String, String)>,
}

/// Finds out how a run ended.
pub(super) fn ending(
    native: &Native,
    answer: &Answer,
    trouble: &Trouble,
    symbols: &mut Symbols,
) -> Ending {
    match answer.outcome {
        OutcomeKind::Deadlock => Ending {
            title: Some(format!("{} cannot go on", counted(answer.n_blocked as usize, "thread"))),
            ..blocked(native, answer, symbols)
        },
        OutcomeKind::Hang => blocked(native, answer, symbols),
        OutcomeKind::Exited => Ending { locations: places(trouble), ..Ending::default() },
        OutcomeKind::Livelock => livelock(native, trouble),
        _ => fault(native, answer, trouble, symbols),
    }
}

/// Nobody can go on: who waits for what.
fn blocked(native: &Native, answer: &Answer, symbols: &mut Symbols) -> Ending {
    let mut ending = Ending::default();
    for blocked in &answer.blocked {
        let awaited = awaited(blocked, native, symbols);
        let thread = thread_name(native, blocked.thread);
        let place = text(symbols, blocked.pc);
        let comma = if holder(blocked).is_some() { "," } else { "" };
        ending.why.push(format!("{thread} waits for {awaited}{comma} at {place}"));
        let what = match code(blocked) {
            Some(Code::Join) => thread_name(native, blocked.object as u32),
            Some(Code::Pass) => awaited,
            _ => object(blocked, symbols),
        };
        let site = Site::new(format!("waits for {what}"), place.as_str().into());
        ending.locations.push(site.by_thread(thread.clone()));
        if holder(blocked).is_some() {
            let lock = object(blocked, symbols);
            ending.objects.push(Object::new(ObjectKind::Lock, lock.clone()));
            ending.asking.push((thread, place, lock));
        }
    }
    ending
}

/// Every thread spins that can go on: it was last seen when it looked at something.
fn livelock(native: &Native, trouble: &Trouble) -> Ending {
    let events = &native.events;
    let mut ending = Ending::default();
    for thread in 0..events.tables.threads.len() as u32 {
        let mut all = (0..events.len() as u32).rev().map(EventId);
        let last = all.find(|&event| events.thread(event).0 == thread);
        let looks = |&event: &EventId| {
            events.code(event).is_access() || matches!(events.op(event), Op::TryFail { .. })
        };
        let Some(at) = last.filter(looks).and_then(|event| place(events, event)) else { continue };
        let thread = events.tables.thread(ThreadId(thread)).to_owned();
        ending.why.push(format!("{thread} spins at {at}"));
        ending.locations.push(Site::new("livelock", at.into()).by_thread(thread.clone()));
        ending.failing.push((thread, at.to_owned(), "spins".to_owned()));
    }
    if ending.locations.is_empty() {
        ending.locations = places(trouble);
    }
    ending
}

/// One thread did what it must not.
fn fault(native: &Native, answer: &Answer, trouble: &Trouble, symbols: &mut Symbols) -> Ending {
    let thread = thread_name(native, answer.thread);
    // The C library aborts, which is no place of the program: the thread was seen last near that.
    let (place, function) = match answer.pc {
        0 => (last_place(native, answer.thread), None),
        pc => (text(symbols, pc), symbols.place(pc).and_then(|at| at.frame()?.function.clone())),
    };
    let inner = match &function {
        Some(function) => format!("in {function} at {place}, thread {thread}"),
        None => format!("at {place}, thread {thread}"),
    };
    let location: Location = place.as_str().into();
    let location = match function {
        Some(function) => location.in_function(function),
        None => location,
    };
    let callers = callers(native, answer.thread);
    let called = callers.iter().map(|place| format!("called from {place}"));
    let why = std::iter::once(inner).chain(called).collect();
    let site = Site::new(trouble.kind.as_str(), location).by_thread(thread.clone());
    let outer = callers
        .iter()
        .map(|place| Site::new("called from", place.as_str().into()).by_thread(thread.clone()));
    let locations = std::iter::once(site).chain(outer).collect();
    let what = match trouble.kind.as_str() {
        "assertion" => "the assertion fails".to_owned(),
        _ => trouble.message.clone(),
    };
    Ending { why, locations, failing: vec![(thread, place, what)], ..Ending::default() }
}

/// Where a thread did something last.
fn last_place(native: &Native, number: u32) -> String {
    let events = &native.events;
    let mut all = (0..events.len() as u32).rev().map(EventId);
    let last = all.find(|&event| native.threads[events.thread(event).index()] == number);
    last.and_then(|event| place(events, event)).unwrap_or("?").to_owned()
}

/// From where the function was called that a thread was in at the end, the innermost first.
fn callers(native: &Native, number: u32) -> Vec<String> {
    let tables = &native.events.tables;
    let thread = native.threads.iter().position(|&other| other == number);
    let stack = thread.and_then(|thread| *native.callers.get(thread)?);
    let outer = |&stack: &StackId| tables.frame(stack)?.caller;
    let place = |stack| tables.locations.get(tables.frame(stack)?.location).map(str::to_owned);
    std::iter::successors(stack, outer).filter_map(place).collect()
}

/// What a thread waits for, and who has it.
pub(super) fn awaited(blocked: &Blocked, native: &Native, symbols: &Symbols) -> String {
    match code(blocked) {
        Some(Code::Join) => {
            return format!("the end of {}", thread_name(native, blocked.object as u32));
        }
        Some(Code::Pass) => return "something outside of the program".to_owned(),
        _ => {}
    }
    let object = object(blocked, symbols);
    match holder(blocked) {
        Some(holder) => format!("{object}, held by {}", thread_name(native, holder)),
        None => object,
    }
}

/// Who has what a thread waits for. Who waits for a condition waits for its lock only afterwards.
fn holder(blocked: &Blocked) -> Option<u32> {
    match code(blocked) {
        Some(Code::Join | Code::Wake | Code::Pass) => None,
        _ => blocked.holder.checked_sub(1),
    }
}

fn code(blocked: &Blocked) -> Option<Code> {
    Code::from_number(blocked.code as u8)
}

fn object(blocked: &Blocked, symbols: &Symbols) -> String {
    symbols.object(blocked.object).unwrap_or_else(|| {
        let noun = match code(blocked) {
            Some(Code::Lock) => "the lock",
            Some(Code::Wake) => "the condition",
            Some(Code::Take) => "the semaphore",
            Some(Code::Leave) => "the barrier",
            _ => "what is",
        };
        format!("{noun} at {:#x}", blocked.object)
    })
}

fn thread_name(native: &Native, number: u32) -> String {
    let known = native.threads.iter().position(|&other| other == number);
    let name = known.map(|thread| native.events.tables.thread(ThreadId(thread as u32)).to_owned());
    name.unwrap_or_else(|| format!("thread {number}"))
}

fn text(symbols: &mut Symbols, pc: u64) -> String {
    let place = symbols.place(pc).and_then(|place| place.text());
    place.unwrap_or_else(|| "?".to_owned())
}
