//! Examples as text: events separated by semicolons, and orders between them.

use raddle_predict::{Answer, Causes, Query, answer};
use raddle_referee::{Claim, judge};
use raddle_trace::check::Mode;
use raddle_trace::format::sketch;
use raddle_trace::{EventId, Trace};

/// An example, and where each event of its text stands in the trace.
pub(crate) struct Example {
    pub trace: Trace,
    pub at: Vec<EventId>,
}

impl Example {
    /// The text with orders `(before, after)` between its events. An order is a variable of its
    /// own, written right after the one and read right before the other.
    #[track_caller]
    pub(crate) fn new(text: &str, orders: &[(usize, usize)]) -> Example {
        let (mut lines, mut at) = (Vec::new(), Vec::new());
        for (n, event) in text.split(';').map(str::trim).enumerate() {
            let thread = event.split(' ').next().expect("a thread");
            let ordered = |op: &str, edge: usize| format!("{thread} {op} order{edge}");
            let edges = || orders.iter().enumerate();
            lines.extend(edges().filter(|(_, o)| o.1 == n).map(|(edge, _)| ordered("r", edge)));
            at.push(EventId(lines.len() as u32));
            lines.push(event.to_owned());
            lines.extend(edges().filter(|(_, o)| o.0 == n).map(|(edge, _)| ordered("w", edge)));
        }
        let events = sketch(&lines.join("\n")).expect("the text is a sketch");
        Example { trace: Trace::new(events, Mode::Strict).expect("it is well-formed"), at }
    }

    /// Whether one of the queries has a witness, which the referee accepts for the claim.
    #[track_caller]
    pub(crate) fn is_feasible(&self, claim: &Claim, queries: &[Query]) -> bool {
        let causes = Causes::new(&self.trace);
        let verdict = |query: &Query| match answer(&causes, query) {
            Answer::Witnessed(witness) => {
                judge(&self.trace, claim, &witness).expect("the witness is in order");
                true
            }
            Answer::Infeasible(_) => false,
            Answer::Unknown => panic!("{claim:?} is unknown"),
        };
        queries.iter().any(verdict)
    }
}
