//! Each rule with a witness that breaks it and the near miss that obeys it, and what holds for any
//! witness.

mod any_trace;
mod claims;
mod prefixes;
mod properties;
mod rules;

use raddle_referee::{Claim, judge, reordering};
use raddle_trace::check::Mode;
use raddle_trace::format::sketch;
use raddle_trace::{EventId, Events, Range, Sequence, Trace, VarId};

/// What is expected of a witness that is in order.
const ACCEPTED: &str = "";

/// The witness, which lists positions in the trace, is `ACCEPTED` for the claim, or refused with a
/// rule and an event: `S3 4`. Without a claim it only has to be a reordering.
#[track_caller]
fn check(text: &str, claim: Option<Claim>, witness: &[u32], expected: &str) {
    check_in(&trace(text), claim, witness, expected);
}

#[track_caller]
fn check_in(trace: &Trace, claim: Option<Claim>, witness: &[u32], expected: &str) {
    let witness = sequence(witness);
    let answer = match &claim {
        None => reordering(trace, &witness, &[]),
        Some(claim) => judge(trace, claim, &witness),
    };
    let found = match &answer {
        Ok(()) => ACCEPTED.to_owned(),
        Err(objection) => match objection.event() {
            None => objection.rule().to_string(),
            Some(event) => format!("{} {}", objection.rule(), event.0),
        },
    };
    assert_eq!(found, expected, "{answer:?}");
    if let Err(objection) = answer
        && let Some(place) = objection.place()
    {
        assert_eq!(witness.iter().nth(place), objection.event(), "{objection}");
    }
}

fn sequence(positions: &[u32]) -> Sequence {
    positions.iter().copied().map(EventId).collect()
}

fn trace(text: &str) -> Trace {
    checked(sketch(text).expect("the text is a sketch"))
}

/// A trace of `x`, which consists of `lo` and `hi`; they occur in the text in this order.
fn overlapping(text: &str) -> Trace {
    let mut events = sketch(text).expect("the text is a sketch");
    for (var, offset, size) in [(0, 0, 8), (1, 0, 4), (2, 4, 4)] {
        events.tables.set_range(VarId(var), Range { region: 0, offset, size });
    }
    checked(events)
}

fn checked(events: Events) -> Trace {
    Trace::new(events, Mode::Strict).expect("the trace is well-formed")
}
