//! Chrome's trace format, which Perfetto opens: of the stories of a report, or of a whole trace.
//!
//! Each finding is a process, each thread a track. A step takes one microsecond, at its place in the
//! interleaving; locks are spans of their own, and causality is arrows.

#[cfg(feature = "trace")]
mod whole;

use std::io::{self, Write};

use raddle_finding::{Finding, Location, Report, Story};
use serde_json::{Value, json};

use crate::causal::{self, EdgeKind};
use crate::{held, phrase};
#[cfg(feature = "trace")]
pub use whole::trace;

/// The stories of a report.
pub fn render(report: &Report) -> String {
    let mut bytes = Vec::new();
    let mut out = List::new(&mut bytes);
    let written = report.findings.iter().zip(1..).try_for_each(|(finding, process)| {
        finding.story.as_ref().map_or(Ok(()), |story| write(&mut out, finding, story, process))
    });
    written.and_then(|()| out.end()).expect("a vector takes everything");
    String::from_utf8(bytes).expect("JSON is UTF-8")
}

fn write(out: &mut List<'_>, finding: &Finding, story: &Story, process: u32) -> io::Result<()> {
    let name = format!("{} {}: {}", process, finding.property, finding.message);
    out.item(&named("process_name", process, 0, &name))?;
    for (thread, name) in (0..).zip(&story.threads) {
        out.item(&named("thread_name", process, thread, name))?;
    }
    for (n, step) in (0..).zip(&story.steps) {
        let is_decisive = story.decisive.binary_search(&n).is_ok();
        let category = if is_decisive { "decisive" } else { "step" };
        let place = step.place.and_then(|place| story.places.get(place as usize));
        let args =
            json!({ "step": n, "place": place.map(Location::to_string), "value": step.value });
        let name = phrase::step(story, step);
        out.item(&slice(process, step.thread, n, &name, category, args))?;
    }
    for (id, held) in (0..).zip(held::scopes(story)) {
        let name = held.lock.and_then(|lock| story.objects.get(lock as usize));
        let name = name.map_or("?", |lock| &lock.name);
        let end = held.to.map_or(story.steps.len() as u32, |to| to + 1);
        let (begin, end) = scope((process, held.thread), name, id, held.from, end);
        out.item(&begin)?;
        out.item(&end)?;
    }
    let orders = |edge: &causal::Edge| edge.from < edge.to && edge.kind != EdgeKind::Race;
    for (id, edge) in (0..).zip(causal::edges(finding, story).into_iter().filter(orders)) {
        let end = |phase: &str, at: u32| {
            let thread = story.steps[at as usize].thread;
            json!({
                "ph": phase, "id": format!("{process}.{id}"), "bp": "e", "cat": "causality",
                "name": edge.kind, "pid": process, "tid": thread, "ts": f64::from(at) + 0.4,
            })
        };
        out.item(&end("s", edge.from))?;
        out.item(&end("f", edge.to))?;
    }
    Ok(())
}

fn named(what: &str, process: u32, thread: u32, name: &str) -> Value {
    json!({ "ph": "M", "name": what, "pid": process, "tid": thread, "args": { "name": name } })
}

fn slice(process: u32, thread: u32, at: u32, name: &str, category: &str, args: Value) -> Value {
    json!({
        "ph": "X", "name": name, "cat": category, "pid": process, "tid": thread,
        "ts": at, "dur": 0.8, "args": args,
    })
}

/// The two ends of a span in which a thread holds a lock.
fn scope((process, thread): (u32, u32), name: &str, id: u32, from: u32, to: u32) -> (Value, Value) {
    let end = |phase: &str, at: f64| {
        json!({
            "ph": phase, "cat": "lock", "id": format!("{process}.{thread}.{id}"),
            "name": format!("holds {name}"), "pid": process, "tid": thread, "ts": at,
        })
    };
    (end("b", from.into()), end("e", f64::from(to) - 0.1))
}

/// A list of events that is written one by one.
struct List<'a> {
    out: &'a mut dyn Write,
    is_empty: bool,
}

impl List<'_> {
    fn new(out: &mut dyn Write) -> List<'_> {
        List { out, is_empty: true }
    }

    fn item(&mut self, event: &Value) -> io::Result<()> {
        let before = match std::mem::take(&mut self.is_empty) {
            true => "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n",
            false => ",\n",
        };
        write!(self.out, "{before}{event}")
    }

    fn end(&mut self) -> io::Result<()> {
        match self.is_empty {
            true => self.out.write_all(b"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[]}\n"),
            false => self.out.write_all(b"\n]}\n"),
        }
    }
}
