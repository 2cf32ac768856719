//! Atomicity violations as findings.

use raddle_finding::{Finding, Property, Verdict};
use raddle_trace::{EventId, Trace};

use super::{act, positions, site, threads, variables, witness};
use crate::atomicity::Violation;

impl Violation {
    /// The violation as a finding, with positions of the input.
    pub fn finding(&self, trace: &Trace) -> Finding {
        let [first, remote, second] = self.events;
        let message = format!(
            "{}, {}, {}: not atomic ({})",
            act(trace, first, None),
            act(trace, remote, Some(first)),
            act(trace, second, Some(remote)),
            self.pattern(trace),
        );
        let sites = vec![
            site(trace, "first access", first),
            site(trace, "remote access", remote),
            site(trace, "second access", second),
        ];
        let objects = variables(trace, &self.events);
        let mut finding =
            Finding::new(Property::Atomicity, Verdict::Witnessed, message, sites, objects);
        finding.events = positions(trace, &self.events);
        finding.threads = threads(trace, &self.events);
        finding.witness = Some(witness(trace, &self.witness));
        finding
    }

    /// Which of the five patterns it is: `R-W-R`. A read-modify-write counts as the write, which
    /// fits whatever is around it.
    pub fn pattern(&self, trace: &Trace) -> String {
        let letter = |e: EventId| if trace.code(e).writes() { "W" } else { "R" };
        self.events.map(letter).join("-")
    }
}
