//! Atomicity violations, as a property.

use raddle_finding::{Finding, Property, Verdict};
use raddle_trace::{EventId, Sequence, Trace};
use serde_json::{Value, json};

use super::{act, positions, site, threads, variables, witness};
use crate::analysis::{Analysis, Goal, Prediction, Results, Scope};
use crate::atomicity::{
    Atomicity, TransactionSource, Violation, Violations, transactions, violations,
};
use crate::causes::Causes;
use crate::jobs::Job;
use crate::refused::Refused;

impl Analysis for Atomicity {
    fn property(&self) -> Property {
        Property::Atomicity
    }

    fn unsupported(&self, trace: &Trace, scope: Scope) -> Option<&'static str> {
        if !transactions(trace, scope.transactions).is_empty() {
            return None;
        }
        Some(match scope.transactions {
            TransactionSource::Marked => {
                "no transactions are marked; --transactions scopes treats lock scopes without a \
                 wait as transactions"
            }
            TransactionSource::LockScopes if trace.scopes().is_empty() => "no locks are taken",
            TransactionSource::LockScopes => "every lock scope contains a wait",
        })
    }

    fn run(&self, causes: &Causes, scope: Scope, job: Job) -> Result<Box<dyn Results>, Refused> {
        let blocks = transactions(causes.trace(), scope.transactions);
        Ok(Box::new(violations(causes, &blocks, scope.all, job)?))
    }
}

impl Results for Violations {
    fn predictions(&self) -> Box<dyn Iterator<Item = &dyn Prediction> + '_> {
        Box::new(self.violations.iter().map(|violation| violation as &dyn Prediction))
    }

    fn n_predictions(&self) -> usize {
        self.violations.len()
    }

    fn n_unknown(&self) -> u64 {
        self.unknown.len() as u64
    }

    fn is_complete(&self) -> bool {
        self.is_complete
    }

    fn counts(&self, _trace: &Trace, scope: Scope) -> Value {
        json!({
            "transactions": self.n_transactions,
            "candidates": self.n_candidates,
            "asked": self.n_asked,
            "ucg": self.n_consistent,
            "witnessed": self.violations.len(),
            "one_per": if scope.all { "triple of accesses" } else { "triple of locations" },
            "unknown": self.unknown.len(),
            "complete": self.is_complete,
        })
    }
}

impl Violation {
    /// Which of the five patterns it is: `R-W-R`. A read-modify-write counts as the write, which
    /// fits whatever is around it.
    pub fn pattern(&self, trace: &Trace) -> String {
        let letter = |e: EventId| if trace.code(e).writes() { "W" } else { "R" };
        self.events.map(letter).join("-")
    }
}

impl Prediction for Violation {
    fn property(&self) -> Property {
        Property::Atomicity
    }

    fn finding(&self, trace: &Trace) -> Finding {
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

    fn witness(&self) -> &Sequence {
        &self.witness
    }

    fn goal(&self) -> Goal {
        Goal::InOrder(self.events)
    }

    fn decisive(&self, _trace: &Trace) -> Vec<EventId> {
        self.events.into()
    }
}
