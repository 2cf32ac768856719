//! How a run of a C program ended, in words.

use raddle_cfront::ir::Primitive;
use raddle_vm::{Blocked, Doing, Fault, FrameSite, Machine, Outcome, Question, Site};

use crate::ending;

/// Where the object of a fault was allocated and freed.
pub fn origins(machine: &Machine, fault: &Fault) -> Vec<String> {
    use raddle_vm::FaultKind::{DoubleFree, UseAfterFree};
    let (allocated, freed) = match &fault.kind {
        UseAfterFree { allocated, freed, .. } | DoubleFree { allocated, freed, .. } => {
            (*allocated, *freed)
        }
        _ => (None, None),
    };
    let said = [("allocated", allocated), ("freed", freed)];
    let said = said.into_iter().filter_map(|(what, site)| Some((what, site?)));
    said.map(|(what, site)| format!("{what} at {}", site_text(machine, site))).collect()
}

/// Where a thread that cannot go on is.
pub fn blocked_place(machine: &Machine, blocked: &Blocked) -> String {
    let stack = machine.stack(blocked.thread);
    let own = stack.iter().find(|frame| !frame.library);
    site_text(machine, own.map_or(blocked.pending.site, |frame| frame.site))
}

/// The threads that can go on, with the lines that they are in.
pub fn spinning(machine: &Machine) -> Vec<(String, String)> {
    let threads = match machine.question() {
        Some(Question::Thread(threads)) => threads.to_vec(),
        _ => vec![machine.current()],
    };
    let place = |thread: u32| {
        let frame = machine.stack(thread).into_iter().find(|frame| !frame.library);
        frame.map_or("?".to_owned(), |frame| site_text(machine, frame.site))
    };
    threads.iter().map(|&thread| (machine.thread_name(thread), place(thread))).collect()
}

/// Why the run ended as it did, line by line; nothing if there is nothing to say.
pub fn why(machine: &Machine) -> Vec<String> {
    match machine.outcome() {
        Some(Outcome::Deadlock(blocked)) => blocked.iter().map(|one| waits(machine, one)).collect(),
        Some(Outcome::Fault(fault)) => {
            let frames = fault.stack.iter().filter(|frame| !frame.library).enumerate();
            let said = frames.map(|(depth, frame)| match depth {
                0 => {
                    let function = &machine.program().function(frame.site.function).name;
                    let thread = machine.thread_name(fault.thread);
                    let at = site_text(machine, frame.site);
                    ending::fault(Some(function), &at, &thread)
                }
                _ => called(machine, frame),
            });
            said.chain(origins(machine, fault)).collect()
        }
        _ => Vec::new(),
    }
}

/// Who waits for what, and where.
pub fn waits(machine: &Machine, blocked: &Blocked) -> String {
    let name = machine.thread_name(blocked.thread);
    let at = blocked_place(machine, blocked);
    let object = &blocked.object;
    let (awaited, is_held) = match (blocked.pending.doing, blocked.holder) {
        (Doing::Primitive(Primitive::ThreadJoin | Primitive::ThreadTimedJoin), _) => {
            (format!("the end of {object}"), false)
        }
        (_, Some(holder)) => (format!("{object}, held by {}", machine.thread_name(holder)), true),
        (_, None) => (object.clone(), false),
    };
    ending::waits(&name, &awaited, is_held, &at)
}

/// Where a function was called.
pub fn called(machine: &Machine, frame: &FrameSite) -> String {
    let function = &machine.program().function(frame.site.function).name;
    format!("called from {function} at {}", site_text(machine, frame.site))
}

/// Where a site is in the sources.
pub fn span(machine: &Machine, site: Site) -> Option<raddle_cfront::source::Span> {
    let functions = &machine.program().functions;
    functions.get(site.function.0 as usize)?.spans.get(site.op as usize).copied()
}

/// `file:line` of a site.
pub fn site_text(machine: &Machine, site: Site) -> String {
    let Some(span) = span(machine, site) else { return "?".to_owned() };
    let location = machine.program().sources.locate(span.start);
    format!("{}:{}", location.file, location.line)
}
