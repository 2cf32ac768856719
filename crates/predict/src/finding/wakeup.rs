//! Lost wake-ups as findings.

use raddle_finding::{Finding, Object, ObjectKind, Property, Verdict};
use raddle_trace::Trace;

use super::{positions, site, thread, threads, witness};
use crate::lost_wakeup::LostWakeup;

impl LostWakeup {
    /// The lost wake-up as a finding, with positions of the input.
    pub fn finding(&self, trace: &Trace) -> Finding {
        let (wait, notify) = (self.wait, self.notify);
        let (_, cond) = trace.op(wait).encode();
        let cond = trace.tables.conditions.get(cond).unwrap_or("?");
        let message = format!(
            "the wait of {} on {cond} can miss the notify of {} and never end",
            thread(trace, wait),
            thread(trace, notify),
        );
        let sites = vec![site(trace, "wait", wait), site(trace, "notify", notify)];
        let objects = vec![Object::new(ObjectKind::Condition, cond)];
        let mut finding =
            Finding::new(Property::LostWakeup, Verdict::Witnessed, message, sites, objects);
        finding.events = positions(trace, &[wait, notify]);
        finding.threads = threads(trace, &[wait, notify]);
        finding.witness = Some(witness(trace, &self.witness));
        finding
    }
}
