//! What is ruled out, and by which orders: infeasible cores, for reports.
//!
//! In: accesses that neither a common lock nor the order keeps apart, and why they cannot race. Out: a list for
//! the statistics of a report, in words.

use raddle_causality::{Cause, Edge};
use raddle_predict::{Prediction, Race, Reason, RuledOut};
use raddle_trace::{CellId, EventId, Op, Sequence, Trace, format};
use serde_json::{Value, json};

/// How many are listed.
const LISTED: usize = 200;

/// The first of those that are ruled out, for a report.
pub fn list(trace: &Trace, all: &[RuledOut]) -> Value {
    all.iter().take(LISTED).map(|one| item(trace, one)).collect()
}

fn item(trace: &Trace, ruled_out: &RuledOut) -> Value {
    let &RuledOut { first, second, ref reason } = ruled_out;
    let (why, core) = match reason {
        Reason::Ordered { event } => {
            let event = said(trace, *event);
            (format!("{event} must come first, but its thread stops before it"), &[][..])
        }
        Reason::Locked { acquires: (one, other) } => {
            let (one, other) = (said(trace, *one), said(trace, *other));
            (format!("both would hold the same lock: {one}; {other}"), &[][..])
        }
        Reason::Cycle(core) => {
            ("these orders leave no possible interleaving".to_owned(), &core[..])
        }
        _ => ("every interleaving was tried".to_owned(), &[][..]),
    };
    // The finding that it would be, had it a witness.
    let finding = Race { first, second, witness: Sequence::default() }.finding(trace);
    json!({
        "property": finding.property,
        "message": format!("{}, {} do not race", said(trace, first), said(trace, second)),
        "locations": finding.locations,
        "objects": finding.objects,
        "events": finding.events,
        "why": why,
        "core": core.iter().map(|edge| order(trace, edge)).collect::<Vec<_>>(),
    })
}

fn order(trace: &Trace, edge: &Edge) -> Value {
    let position = |event: EventId| trace.source.position(event);
    json!({
        "before": said(trace, edge.before),
        "after": said(trace, edge.after),
        "because": because(trace, edge.cause),
        "events": [position(edge.before), position(edge.after)],
    })
}

/// What happens, and where: `T1|acq(m) at a.c:3`.
fn said(trace: &Trace, event: EventId) -> String {
    let text = format::notation(trace, trace.thread(event), trace.op(event));
    let place = trace.location(event).and_then(|place| trace.tables.locations.get(place.0));
    match place.filter(|place| !place.is_empty()) {
        Some(place) => format!("{text} at {place}"),
        None => text,
    }
}

/// Why one comes before the other.
pub(super) fn because(trace: &Trace, cause: Cause) -> String {
    match cause {
        Cause::Asked => "threads stop right before the two accesses".to_owned(),
        Cause::Order => "this holds in every interleaving".to_owned(),
        Cause::Lock(lock) => {
            let name = trace.tables.locks.get(lock.0).unwrap_or("?");
            format!("only one thread at a time holds {name}")
        }
        Cause::View(cell) => format!("reads of {} see the same writes", variable(trace, cell)),
        Cause::Match => "a wait begins before the notify that ends it".to_owned(),
    }
}

fn variable(trace: &Trace, cell: CellId) -> &str {
    let access = trace.accesses(cell).first().map(|&event| trace.op(event));
    match access {
        Some(Op::Read { var, .. } | Op::Write { var, .. } | Op::ReadModifyWrite { var, .. }) => {
            trace.tables.variables.get(var.0).unwrap_or("?")
        }
        _ => "?",
    }
}
