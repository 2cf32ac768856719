//! Reorderings: some events of a trace in another order.
//!
//! In: positions in the input trace, one by one or as spans of consecutive ones. Out: the same, and
//! JSON. Most of a long witness is the beginning of the trace as it was observed, so positions are
//! kept as spans; the JSON lists the events of a short one and the spans of a long one.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// Up to this many events, the JSON lists each of them.
const LISTED: u64 = 1000;

/// Some events of a trace in another order; events that the witness does not need are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "Json", try_from = "Json")]
pub struct Reordering {
    /// The identity hash of the trace that the positions belong to.
    pub trace: Option<String>,
    /// Not empty, and none continues the one before it.
    spans: Vec<Range<u64>>,
    len: u64,
}

impl Reordering {
    /// These 0-based positions in this order, each at most once, of a trace that goes unnamed.
    pub fn new(events: impl IntoIterator<Item = u64>) -> Self {
        let span = |event: u64| {
            assert!(event < u64::MAX, "no trace has so many events");
            event..event + 1
        };
        Self::from_spans(events.into_iter().map(span))
    }

    /// The positions in these spans, in this order.
    pub fn from_spans(spans: impl IntoIterator<Item = Range<u64>>) -> Self {
        let mut reordering = Reordering::default();
        spans.into_iter().for_each(|span| reordering.push(span));
        reordering
    }

    /// The same reordering, bound to the trace with this identity hash.
    pub fn of_trace(mut self, identity: impl Into<String>) -> Self {
        self.trace = Some(identity.into());
        self
    }

    /// How many events there are.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// True without any event.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// The positions, in the order in which the events happen.
    pub fn events(&self) -> impl Iterator<Item = u64> {
        self.spans.iter().cloned().flatten()
    }

    /// The same as spans of consecutive positions, as few as there can be.
    pub fn spans(&self) -> impl ExactSizeIterator<Item = Range<u64>> {
        self.spans.iter().cloned()
    }

    fn push(&mut self, span: Range<u64>) {
        if span.is_empty() {
            return;
        }
        self.len = self.len.saturating_add(span.end - span.start);
        match self.spans.last_mut() {
            Some(last) if last.end == span.start => last.end = span.end,
            _ => self.spans.push(span),
        }
    }
}

/// What stands in the JSON: `events`, or `spans` and `length`.
#[derive(Serialize, Deserialize)]
struct Json {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    events: Option<Vec<u64>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    spans: Option<Vec<(u64, u64)>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    length: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    trace: Option<String>,
}

impl From<Reordering> for Json {
    fn from(reordering: Reordering) -> Self {
        let json = Json { events: None, spans: None, length: None, trace: None };
        if reordering.len <= LISTED {
            let events = Some(reordering.events().collect());
            return Json { events, trace: reordering.trace, ..json };
        }
        let spans = reordering.spans.iter().map(|span| (span.start, span.end)).collect();
        let length = Some(reordering.len);
        Json { spans: Some(spans), length, trace: reordering.trace, ..json }
    }
}

impl TryFrom<Json> for Reordering {
    type Error = String;

    fn try_from(json: Json) -> Result<Self, String> {
        let reordering = match (json.events, json.spans, json.length) {
            (Some(events), None, None) => listed(&events)?,
            (None, Some(spans), Some(length)) => spanned(&spans, length)?,
            (Some(_), Some(_), _) => return Err("it has both `events` and `spans`".to_owned()),
            (Some(_), None, Some(_)) => return Err("`length` belongs to `spans`".to_owned()),
            (None, Some(_), None) => return Err("`spans` without `length`".to_owned()),
            (None, None, _) => return Err("it has neither `events` nor `spans`".to_owned()),
        };
        Ok(Reordering { trace: json.trace, ..reordering })
    }
}

fn listed(events: &[u64]) -> Result<Reordering, String> {
    match events.contains(&u64::MAX) {
        true => Err(format!("{} is not a position", u64::MAX)),
        false => Ok(Reordering::new(events.iter().copied())),
    }
}

fn spanned(spans: &[(u64, u64)], length: u64) -> Result<Reordering, String> {
    if let Some((from, to)) = spans.iter().find(|(from, to)| from >= to) {
        return Err(format!("the span [{from}, {to}] is empty"));
    }
    let lengths = spans.iter().map(|(from, to)| u128::from(to - from));
    let sum = lengths.sum::<u128>();
    if sum != u128::from(length) {
        return Err(format!("the spans have {sum} events, not {length}"));
    }
    Ok(Reordering::from_spans(spans.iter().map(|&(from, to)| from..to)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(reordering: Reordering, expected: &str) {
        assert_eq!(serde_json::to_string(&reordering).unwrap(), expected);
        assert_eq!(serde_json::from_str::<Reordering>(expected).unwrap(), reordering);
    }

    #[track_caller]
    fn check_refused(json: &str, expected: &str) {
        let error = serde_json::from_str::<Reordering>(json).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    }

    #[test]
    fn a_short_one_lists_its_events() {
        check(Reordering::new([4, 0, 1]), r#"{"events":[4,0,1]}"#);
        check(Reordering::new([]).of_trace("51c0"), r#"{"events":[],"trace":"51c0"}"#);
    }

    #[test]
    fn a_long_one_lists_its_spans() {
        let long = Reordering::new((0..1000).chain([1002, 1001]));
        check(long.clone(), r#"{"spans":[[0,1000],[1002,1003],[1001,1002]],"length":1002}"#);
        check(
            long.of_trace("51c0"),
            r#"{"spans":[[0,1000],[1002,1003],[1001,1002]],"length":1002,"trace":"51c0"}"#,
        );
    }

    #[test]
    fn a_thousand_events_are_short_and_one_more_is_long() {
        let json = |n| serde_json::to_string(&Reordering::from_spans(Some(0..n))).unwrap();
        assert!(json(1000).starts_with(r#"{"events":[0,1,2,"#));
        assert_eq!(json(1001), r#"{"spans":[[0,1001]],"length":1001}"#);
    }

    #[test]
    fn either_form_is_read_whatever_the_length() {
        let short = r#"{"spans":[[4,5],[0,1],[1,2]],"length":3}"#;
        assert_eq!(serde_json::from_str::<Reordering>(short).unwrap(), Reordering::new([4, 0, 1]),);
        let events: Vec<u64> = (0..2000).collect();
        let long = serde_json::json!({"events": events});
        let read: Reordering = serde_json::from_value(long).unwrap();
        assert_eq!(read, Reordering::from_spans(Some(0..2000)));
    }

    #[test]
    fn exactly_one_form_is_there() {
        check_refused("{}", "it has neither `events` nor `spans`");
        check_refused(r#"{"length":3}"#, "it has neither `events` nor `spans`");
        check_refused(
            r#"{"events":[0],"spans":[[0,1]],"length":1}"#,
            "it has both `events` and `spans`",
        );
        check_refused(r#"{"events":[0],"length":1}"#, "`length` belongs to `spans`");
        check_refused(r#"{"spans":[[0,1]]}"#, "`spans` without `length`");
    }

    #[test]
    fn spans_fit_their_length() {
        check_refused(r#"{"spans":[[0,2]],"length":1}"#, "the spans have 2 events, not 1");
        check_refused(r#"{"spans":[[2,2]],"length":0}"#, "the span [2, 2] is empty");
        check_refused(r#"{"spans":[[3,2]],"length":0}"#, "the span [3, 2] is empty");
        check_refused(
            r#"{"spans":[[0,18446744073709551615],[0,2]],"length":1}"#,
            "the spans have 18446744073709551617 events, not 1",
        );
        check_refused(
            r#"{"events":[18446744073709551615]}"#,
            "18446744073709551615 is not a position",
        );
    }

    #[test]
    fn a_long_one_takes_no_time() {
        let long = Reordering::from_spans(Some(0..u64::MAX));
        check(long, r#"{"spans":[[0,18446744073709551615]],"length":18446744073709551615}"#);
    }

    proptest! {
        #[test]
        fn a_reordering_gives_its_events_back(
            events in prop::collection::vec(0u64..6, 0..30),
        ) {
            let reordering = Reordering::new(events.iter().copied());
            prop_assert_eq!(reordering.len(), events.len() as u64);
            prop_assert_eq!(reordering.is_empty(), events.is_empty());
            prop_assert_eq!(reordering.events().collect::<Vec<_>>(), events);
            prop_assert_eq!(Reordering::from_spans(reordering.spans()), reordering);
        }
    }
}
