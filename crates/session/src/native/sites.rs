//! How a recorded run of a binary ended: where its threads are, and what they wait for.

use raddle_finding::{Failure, FailureKind, Location, Object, ObjectKind, Site};
use raddle_native::launch::Answer;
use raddle_native::recording::Native;
use raddle_native::symbol::{self, Frame, Symbols};
use raddle_trace::{EventId, Op, ThreadId};
use raddle_wire::{Blocked, Code, OutcomeKind};

use crate::decisive::place;
use crate::ending as words;
use crate::memory::{self, Origins};

/// How a run ended.
#[derive(Default)]
pub(super) struct Ending {
    /// What to call it, if there is a better name than that of the search.
    pub(super) title: Option<String>,
    /// Why it ended, line by line.
    pub(super) why: Vec<String>,
    pub(super) locations: Vec<Site>,
    pub(super) objects: Vec<Object>,
    /// The thread that ended the run because of what it read.
    pub(super) looking: Option<ThreadId>,
    /// Where the memory that it is about came from and went.
    pub(super) origins: Origins,
    /// The threads that did what they must not: where, and what.
    pub(super) failing: Vec<(String, String, String)>,
    /// The threads that ask for a lock in vain: where, and which.
    pub(super) asking: Vec<(String, String, String)>,
}

/// Finds out how a run ended.
pub(super) fn ending(
    native: &Native,
    answer: &Answer,
    failure: &Failure,
    symbols: &mut Symbols,
) -> Ending {
    match answer.outcome {
        OutcomeKind::Deadlock => Ending {
            title: Some(words::deadlock(answer.n_blocked as usize)),
            ..blocked(native, answer, symbols)
        },
        OutcomeKind::Hang => blocked(native, answer, symbols),
        OutcomeKind::Exited => Ending { locations: failure.sites(), ..Ending::default() },
        OutcomeKind::Livelock => livelock(native, failure),
        _ => fault(native, answer, failure, symbols),
    }
}

/// No thread can go on: which waits for what.
fn blocked(native: &Native, answer: &Answer, symbols: &mut Symbols) -> Ending {
    let mut ending = Ending::default();
    for blocked in &answer.blocked {
        let awaited = awaited(blocked, native, symbols);
        let thread = thread_name(native, blocked.thread);
        let place = text(symbols, blocked.pc);
        ending.why.push(words::waits(&thread, &awaited, holder(blocked).is_some(), &place));
        let what = match code(blocked) {
            Some(Code::Join) => thread_name(native, blocked.object as u32),
            Some(Code::Pass) => awaited,
            _ => object(blocked, native, symbols),
        };
        let site = Site::new(format!("waits for {what}"), place.as_str().into());
        ending.locations.push(site.by_thread(thread.clone()));
        if holder(blocked).is_some() {
            let lock = object(blocked, native, symbols);
            ending.objects.push(Object::new(ObjectKind::Lock, lock.clone()));
            ending.asking.push((thread, place, lock));
        }
    }
    ending
}

/// Every thread spins that can go on: it was last seen when it looked at something.
fn livelock(native: &Native, failure: &Failure) -> Ending {
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
        ending.locations = failure.sites();
    }
    ending
}

/// One thread did what it must not.
fn fault(native: &Native, answer: &Answer, failure: &Failure, symbols: &mut Symbols) -> Ending {
    let thread = thread_name(native, answer.thread);
    // The C library aborts, which is no place of the program: the thread was seen last near that.
    let mut frames = frames(native, answer, symbols).into_iter();
    let (place, function) = match answer.pc {
        0 => (last_place(native, answer.thread), None),
        pc => match frames.next() {
            Some(frame) => (frame.name, frame.function),
            None => (text(symbols, pc), None),
        },
    };
    let callers: Vec<_> = frames.collect();
    let inner = words::fault(function.as_deref(), &place, &thread);
    let location: Location = place.as_str().into();
    let location = match function {
        Some(function) => location.in_function(function),
        None => location,
    };
    let called = callers.iter().map(|place| match &place.function {
        Some(function) => format!("called from {function} at {}", place.name),
        None => format!("called from {}", place.name),
    });
    let why: Vec<_> = std::iter::once(inner).chain(called).collect();
    let site = Site::new(failure.kind.name(), location).by_thread(thread.clone());
    let outer = callers
        .iter()
        .map(|place| Site::new("called from", place.clone()).by_thread(thread.clone()));
    let locations = std::iter::once(site).chain(outer).collect();
    let (wrong, origins) = wrong(native, answer, symbols);
    let what = match (failure.kind, &wrong) {
        (FailureKind::Assertion, _) => "the assertion fails".to_owned(),
        (_, Some(wrong)) => wrong.clone(),
        _ => failure.message.clone(),
    };
    let failing = vec![(thread, place, what)];
    let thread = native.threads.iter().position(|&other| other == answer.thread);
    let looking = thread.filter(|_| answer.outcome == OutcomeKind::Assertion);
    let looking = looking.map(|thread| ThreadId(thread as u32));
    Ending { title: wrong, why, locations, looking, origins, failing, ..Ending::default() }
}

/// What is wrong with the memory or the object that a run ended with, in words, if it is that.
pub fn what_is_wrong(native: &Native, answer: &Answer, symbols: &Symbols) -> Option<String> {
    wrong(native, answer, symbols).0
}

/// What is wrong with the memory or the object that a run ended with, if it is that, and where memory came
/// from and went.
fn wrong(native: &Native, answer: &Answer, symbols: &Symbols) -> (Option<String>, Origins) {
    let events = &native.events;
    let block = native.about.and_then(|(region, offset)| {
        let name = events.tables.regions.get(region.0)?;
        Some((name, offset, Origins::of(events, name)))
    });
    let (message, origins) = match (answer.outcome, block) {
        (OutcomeKind::UseAfterFree, Some((name, _, origins))) => (memory::used(name), origins),
        (OutcomeKind::BadFree, Some((name, _, origins))) if origins.is_freed() => {
            (memory::freed_twice(name), origins)
        }
        (OutcomeKind::BadFree, Some((name, offset, _))) => {
            (memory::never_allocated(&format!("{name}+{offset}")), Origins::default())
        }
        (OutcomeKind::BadFree, None) => {
            let local = native.objects.get(&answer.address).cloned();
            let name = local.or_else(|| symbols.data(answer.address, 1));
            let name = name.unwrap_or_else(|| format!("{:#x}", answer.address));
            (memory::never_allocated(&name), Origins::default())
        }
        (OutcomeKind::Misuse, Some((name, offset, _))) => {
            let name = if offset == 0 { name.to_owned() } else { format!("{name}+{offset}") };
            (symbol::misused(&answer.message, &name), Origins::default())
        }
        (OutcomeKind::Misuse, None) => {
            let message = match native.objects.get(&answer.address) {
                Some(name) => symbol::misused(&answer.message, name),
                None => symbols.misused(&answer.message, answer.address),
            };
            (message, Origins::default())
        }
        _ => return (None, Origins::default()),
    };
    (Some(message), origins)
}

/// Where a thread did something last.
fn last_place(native: &Native, number: u32) -> String {
    let events = &native.events;
    let mut all = (0..events.len() as u32).rev().map(EventId);
    let last = all.find(|&event| native.threads[events.thread(event).index()] == number);
    last.and_then(|event| place(events, event)).unwrap_or("?").to_owned()
}

/// The functions of the program that a thread was in at the end, the innermost first: what was
/// called, and what that was inlined into. If all are of libraries, these.
fn frames(native: &Native, answer: &Answer, symbols: &mut Symbols) -> Vec<Location> {
    let at = if answer.pc == 0 { None } else { symbols.place(answer.pc) };
    let inlined = at.as_ref().map_or(&[][..], |at| &at.frames);
    let thread = native.threads.iter().position(|&other| other == answer.thread);
    let callers = thread.and_then(|thread| native.callers.get(thread));
    let all = || inlined.iter().chain(callers.into_iter().flatten());
    let has_own = all().any(Frame::is_own);
    let location = |frame: &Frame| {
        let place: Location = frame.location()?.as_str().into();
        Some(match &frame.function {
            Some(function) => place.in_function(function.clone()),
            None => place,
        })
    };
    all().filter(|frame| !has_own || frame.is_own()).filter_map(location).collect()
}

/// What a thread waits for, and who has it.
pub(super) fn awaited(blocked: &Blocked, native: &Native, symbols: &Symbols) -> String {
    match code(blocked) {
        Some(Code::Join) => {
            return format!("the end of {}", thread_name(native, blocked.object as u32));
        }
        Some(Code::Pass) => return "something outside the program".to_owned(),
        _ => {}
    }
    let object = object(blocked, native, symbols);
    match holder(blocked) {
        Some(holder) => format!("{object}, held by {}", thread_name(native, holder)),
        None => object,
    }
}

/// Who has what a thread waits for. A thread that waits for a condition waits for its lock only afterwards.
fn holder(blocked: &Blocked) -> Option<u32> {
    match code(blocked) {
        Some(Code::Join | Code::Wake | Code::Pass) => None,
        _ => blocked.holder.checked_sub(1),
    }
}

fn code(blocked: &Blocked) -> Option<Code> {
    Code::from_number(blocked.code as u8)
}

fn object(blocked: &Blocked, native: &Native, symbols: &Symbols) -> String {
    let known = native.objects.get(&blocked.object).cloned();
    known.or_else(|| symbols.object(blocked.object)).unwrap_or_else(|| {
        let noun = match code(blocked) {
            Some(Code::Lock) => "the lock",
            Some(Code::Wake) => "the condition",
            Some(Code::Take) => "the semaphore",
            Some(Code::Leave) => "the barrier",
            _ => "the object",
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
