//! What one recorded run of a binary foretells, for `raddle check`.
//!
//! In: a recording, and the program that was recorded. Out: findings, each with whether the program
//! did it when it was steered along its witness. Reads that may see another write are no findings
//! here: most programs have them and mean to.

use std::path::Path;
use std::time::Instant;

use raddle_finding::Finding;
use raddle_native::recording::Recording;
use raddle_predict::{Causes, Settings, TransactionSource};
use serde_json::json;

use super::confirm::confirm;
use super::find::{Plan, find};
use super::show::NOT_REPLAYED;
use super::{Property, check_threads, story};
use crate::command::native::launch::Launch;
use crate::command::native::recording;
use crate::context::Context;
use crate::diagnostic::Diagnostic;

/// What was foretold.
#[derive(Default)]
pub(crate) struct Forecast {
    pub(crate) all: Vec<Foreseen>,
    /// How many events were recorded.
    pub(crate) n_events: usize,
    /// Whether everything was decided within the time.
    pub(crate) is_complete: bool,
}

/// A finding that was predicted.
pub(crate) struct Foreseen {
    /// As reports have it.
    pub(crate) finding: Finding,
}

/// Predicts from a recording, and steers the program along each witness, until the deadline.
pub(crate) fn foresee(
    path: &Path,
    launch: &Launch,
    has_transactions: bool,
    n_workers: usize,
    deadline: Option<Instant>,
    context: &Context,
) -> Result<Forecast, Diagnostic> {
    let unreadable = |error: &dyn std::error::Error| {
        Diagnostic::error("the recorded run cannot be read").remark(error.to_string())
    };
    let (loaded, guide) = recording::open(path, context).map_err(|error| unreadable(&error))?;
    let recording = Recording::open(path).map_err(|error| unreadable(&error))?;
    let trace = &loaded.trace;
    check_threads(trace)?;
    let mut properties = vec![Property::Race, Property::Deadlock, Property::LostWakeup];
    properties.extend(has_transactions.then_some(Property::Atomicity));
    let plan = Plan {
        properties,
        is_explicit: false,
        transactions: TransactionSource::Marked,
        all: false,
        n_workers,
        deadline,
    };
    let _heeding = context.interrupt.heed();
    let found = find(&Causes::with(trace, Settings::default()), &plan, context)?;
    let confirmed = confirm(&recording, (trace, &guide), (&found, &plan), launch, context)?;
    let mut forecast = Forecast {
        all: Vec::new(),
        n_events: trace.len(),
        is_complete: found.is_decided() && confirmed.n_tried == found.n_findings(),
    };
    for (n, item) in found.items().enumerate() {
        let mut finding = item.finding(trace);
        let shown = confirmed.get(item, trace);
        match shown {
            Some(shown) => shown.mark(&mut finding),
            None if n < confirmed.n_tried => {
                finding.details.insert("status".to_owned(), json!(NOT_REPLAYED));
            }
            None => {}
        }
        finding.story = Some(story::story(trace, item));
        forecast.all.push(Foreseen { finding });
    }
    Ok(forecast)
}
