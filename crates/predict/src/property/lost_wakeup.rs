//! Lost wake-ups, as a property.

use raddle_finding::{Finding, Object, ObjectKind, Property, Verdict};
use raddle_trace::{EventId, Sequence, Trace};
use serde_json::{Value, json};

use super::{positions, site, thread, threads, witness};
use crate::analysis::{Analysis, Goal, Prediction, Results, Scope};
use crate::causes::Causes;
use crate::jobs::Job;
use crate::lost_wakeup::{LostNotifies, LostWakeup, LostWakeups, lost_wakeup_query, lost_wakeups};
use crate::query::Query;
use crate::refused::Refused;

impl Analysis for LostNotifies {
    fn property(&self) -> Property {
        Property::LostWakeup
    }

    fn unsupported(&self, trace: &Trace, _scope: Scope) -> Option<&'static str> {
        let has_none = trace.waits().iter().all(|wait| wait.notify.is_none());
        has_none.then_some("no wait was ended by a notify")
    }

    fn run(&self, causes: &Causes, scope: Scope, job: Job) -> Result<Box<dyn Results>, Refused> {
        let mut found = lost_wakeups(causes, scope.all, job)?;
        found.lost.sort_by_key(|lost| (lost.wait, lost.notify));
        Ok(Box::new(found))
    }
}

impl Results for LostWakeups {
    fn predictions(&self) -> Box<dyn Iterator<Item = &dyn Prediction> + '_> {
        Box::new(self.lost.iter().map(|lost| lost as &dyn Prediction))
    }

    fn n_predictions(&self) -> usize {
        self.lost.len()
    }

    fn n_unknown(&self) -> u64 {
        self.unknown.len() as u64
    }

    fn is_complete(&self) -> bool {
        self.is_complete
    }

    fn counts(&self, _trace: &Trace, scope: Scope) -> Value {
        json!({
            "candidates": self.n_candidates,
            "witnessed": self.lost.len(),
            "one_per": if scope.all { "wait" } else { "pair of locations" },
            "unknown": self.unknown.len(),
            "complete": self.is_complete,
        })
    }
}

impl Prediction for LostWakeup {
    fn property(&self) -> Property {
        Property::LostWakeup
    }

    fn finding(&self, trace: &Trace) -> Finding {
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

    fn witness(&self) -> &Sequence {
        &self.witness
    }

    fn goal(&self) -> Goal {
        Goal::NeverEnds(self.wait)
    }

    fn decisive(&self, _trace: &Trace) -> Vec<EventId> {
        vec![self.wait, self.notify]
    }

    fn query(&self, trace: &Trace) -> Option<Query> {
        Some(lost_wakeup_query(trace, self.wait))
    }
}
