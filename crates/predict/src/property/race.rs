//! Data races, as a property.

use raddle_finding::{Finding, Property, Verdict};
use raddle_trace::{EventId, Sequence, Trace};
use serde_json::{Value, json};

use super::{act, positions, site, threads, variables, witness};
use crate::analysis::{Analysis, Goal, Prediction, Results, Scope};
use crate::causes::Causes;
use crate::jobs::Job;
use crate::query::Query;
use crate::race::{DataRaces, Race, Races, RuledOut, race_query, races};
use crate::refused::Refused;

impl Analysis for DataRaces {
    fn property(&self) -> Property {
        Property::Race
    }

    fn unsupported(&self, _trace: &Trace, _scope: Scope) -> Option<&'static str> {
        None
    }

    fn run(&self, causes: &Causes, scope: Scope, job: Job) -> Result<Box<dyn Results>, Refused> {
        let mut found = races(causes, scope.all, job)?;
        found.races.sort_by_key(|race| (race.first, race.second));
        Ok(Box::new(found))
    }
}

impl Results for Races {
    fn predictions(&self) -> Box<dyn Iterator<Item = &dyn Prediction> + '_> {
        Box::new(self.races.iter().map(|race| race as &dyn Prediction))
    }

    fn n_predictions(&self) -> usize {
        self.races.len()
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
            "lsa": self.n_unprotected,
            "mhb": self.n_unsynchronised,
            "asked": self.n_asked,
            "ucg": self.n_consistent,
            "witnessed": self.races.len(),
            "one_per": if scope.all { "pair of accesses" } else { "pair of locations" },
            "unknown": self.unknown.len(),
            "racy_events": self.racy_events.len(),
            "racy_locations": self.n_racy_locations,
            "complete": self.is_complete,
        })
    }

    fn ruled_out(&self) -> &[RuledOut] {
        &self.ruled_out
    }
}

impl Prediction for Race {
    fn property(&self) -> Property {
        Property::Race
    }

    fn finding(&self, trace: &Trace) -> Finding {
        let (first, second) = (self.first, self.second);
        let (one, other) = (act(trace, first, None), act(trace, second, Some(first)));
        let message = format!("{one} and {other} race");
        let sites = vec![site(trace, "first access", first), site(trace, "second access", second)];
        let objects = variables(trace, &[first, second]);
        let mut finding = Finding::new(Property::Race, Verdict::Witnessed, message, sites, objects);
        finding.events = positions(trace, &[first, second]);
        finding.threads = threads(trace, &[first, second]);
        finding.witness = Some(witness(trace, &self.witness));
        finding
    }

    fn witness(&self) -> &Sequence {
        &self.witness
    }

    fn goal(&self) -> Goal {
        Goal::Meet(vec![self.first, self.second])
    }

    fn decisive(&self, _trace: &Trace) -> Vec<EventId> {
        vec![self.first, self.second]
    }

    fn query(&self, trace: &Trace) -> Option<Query> {
        Some(race_query(trace, self.first, self.second))
    }
}
