//! A whole trace in Chrome's format, written as it is being made.

use std::collections::BTreeMap;
use std::io::{self, Write};

use raddle_trace::{EventId, LockId, Op, ThreadId, Trace, format};
use serde_json::json;

use super::{List, named, scope, slice};

/// Writes a whole trace.
pub fn trace(trace: &Trace, out: &mut dyn Write) -> io::Result<()> {
    let mut out = List::new(out);
    for thread in 0..trace.n_threads() as u32 {
        let name = trace.tables.thread(ThreadId(thread));
        out.item(&named("thread_name", 1, thread, name))?;
    }
    let mut open: BTreeMap<(u32, LockId), u32> = BTreeMap::new();
    for n in 0..trace.len() as u32 {
        let event = trace.event(EventId(n));
        let thread = event.thread.0;
        let notation = format::notation(trace, event.thread, event.op);
        let name = notation.get(trace.tables.thread(event.thread).len() + 1..);
        let place = trace.location(EventId(n)).and_then(|l| trace.tables.locations.get(l.0));
        let args = json!({ "event": n, "place": place });
        out.item(&slice(1, thread, n, name.unwrap_or(&notation), "event", args))?;
        match event.op {
            Op::Acquire { lock, .. } => _ = open.insert((thread, lock), n),
            Op::Release { lock, .. } => {
                if let Some(from) = open.remove(&(thread, lock)) {
                    let name = trace.tables.locks.get(lock.0).unwrap_or("?");
                    let (begin, end) = scope((1, thread), name, from, from, n + 1);
                    out.item(&begin)?;
                    out.item(&end)?;
                }
            }
            _ => {}
        }
    }
    out.end()
}
