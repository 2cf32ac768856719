//! Settles what lines of STD text leave open, once all of them are read.

use crate::events::Events;
use crate::format::Syntax;
use crate::id::EventId;
use crate::names::Names;
use crate::op::{Kind, ObjectClass, Op};

/// What `begin` and `end` mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum BeginEnd {
    /// The start and the end of the thread, if every `begin` comes before and every `end` after
    /// all else that its thread does; otherwise transactions.
    #[default]
    Auto,
    /// The begin and the end of a transaction.
    Transaction,
    /// The start and the end of the thread.
    Thread,
}

/// Replaces the ids of `children` by threads.
///
/// A fork that names no acting thread, as in `T9|fork(12)|2`, means the thread whose name has the
/// prefix of the forking thread's name: `T12`.
pub(super) fn name_children(
    events: &mut Events,
    children: &Names,
    family: &[EventId],
) -> Result<(), (EventId, Syntax)> {
    let mut resolved = vec![None; children.len()];
    for &event in family {
        let child = events.objects[event.index()];
        let thread = match resolved[child as usize] {
            Some(thread) => thread,
            None => {
                let name = children.get(child).unwrap_or("");
                let parent = events.tables.thread(events.thread(event)).to_owned();
                let thread = resolve(&mut events.tables.threads, name, &parent);
                let thread = thread.map_err(|syntax| (event, syntax))?;
                *resolved[child as usize].insert(thread)
            }
        };
        events.objects[event.index()] = thread;
    }
    Ok(())
}

fn resolve(threads: &mut Names, name: &str, parent: &str) -> Result<u32, Syntax> {
    if let Some(thread) = threads.find(name) {
        return Ok(thread);
    }
    let is_number = !name.is_empty() && name.bytes().all(|b| b.is_ascii_digit());
    let prefix = if is_number { parent.trim_end_matches(|c: char| c.is_ascii_digit()) } else { "" };
    let thread = threads.intern(format!("{prefix}{name}").as_bytes())?;
    if thread as usize >= Events::MAX_THREADS {
        return Err(Syntax::TooManyThreads);
    }
    Ok(thread)
}

/// Gives `begin` and `end` their meaning; answers with it, if there are any.
pub(super) fn begin_end(events: &mut Events, asked: BeginEnd) -> Option<BeginEnd> {
    if events.tables.transactions.is_empty() {
        return None;
    }
    let are_threads = match asked {
        BeginEnd::Thread => true,
        BeginEnd::Transaction => false,
        BeginEnd::Auto => enclose_threads(events),
    };
    if !are_threads {
        return Some(BeginEnd::Transaction);
    }
    let (begin, _) = Op::Begin.encode();
    let (end, _) = Op::End.encode();
    for (code, object) in events.codes.iter_mut().zip(&mut events.objects) {
        if code.kind().class() == ObjectClass::Transaction {
            *code = if code.kind() == Kind::TxBegin { begin } else { end };
            *object = 0;
        }
    }
    events.tables.transactions = Names::default();
    Some(BeginEnd::Thread)
}

/// True if every `begin` comes before and every `end` after all else that its thread does.
pub(super) fn enclose_threads(events: &Events) -> bool {
    let mut acted = vec![false; events.tables.threads.len()];
    let mut ended = vec![false; events.tables.threads.len()];
    events.iter().all(|event| {
        let thread = event.thread.index();
        match event.op {
            Op::TxBegin { .. } => !acted[thread] && !ended[thread],
            Op::TxEnd { .. } => {
                ended[thread] = true;
                true
            }
            _ => {
                acted[thread] = true;
                !ended[thread]
            }
        }
    })
}
