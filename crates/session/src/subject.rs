//! What is searched: a program, the engines that run it, and what only its kind knows of a run.
//!
//! In: a finding of a search. Out: a [`Finding`] with its story, whatever the program is.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use raddle_explore::{Engine, EngineError, Failure, Found, Race};
use raddle_finding::{
    Finding, Object, Property, Restriction, Schedule, Site, Story, Verdict, Witness,
};
use serde_json::json;

use crate::assertion::Assertion;
use crate::error::Error;
use crate::exploration::Entry;
use crate::forecast::{Allowance, Forecast};
use crate::observer::Observer;

/// A program that can be searched.
pub trait Subject {
    /// What runs it.
    type Engine: Engine + Send;

    /// Creates `n` engines.
    fn engines(&self, n: usize) -> Result<Vec<Self::Engine>, Error>;

    /// Whether runs can be ended early. Where not, they have to be short: no clock is looked at while one
    /// is under way, and no thread is started for that.
    fn can_stop(&self) -> bool {
        true
    }

    /// Ends runs early when the flag is set, if that can be done.
    fn stop_when(&self, engine: &mut Self::Engine, stop: Arc<AtomicBool>);

    /// Runs a schedule of a search again; the points of the engine are those that it was found
    /// with. Ends early when `stop` is set.
    fn gather(
        &self,
        engine: &mut Self::Engine,
        schedule: &Schedule,
        failure: &Failure,
        stop: &Arc<AtomicBool>,
    ) -> Result<Gathered, Error>;

    /// Whether nothing but the schedule decides what it does.
    fn is_controlled(&self) -> bool;

    /// Whether its engines compare runs themselves, and fail where two differ that should not. Then no
    /// finding is doubted, and such an error ends the session, whatever was found before.
    fn compares_runs(&self) -> bool {
        false
    }

    /// A schedule of a search as others can replay it: with the accesses that are points. Runs nothing.
    fn as_found(&self, schedule: &Schedule, promoted: &[Race]) -> Schedule {
        let _ = promoted;
        schedule.clone()
    }

    /// Whether the schedule of a finding repeats it as it is, without the points that it was found with.
    fn is_portable(&self, found: &Found) -> bool {
        let _ = found;
        false
    }

    /// Why a search with these engines cannot go on.
    fn broken(&self, engines: &[Self::Engine], error: EngineError) -> Error;

    /// A line of a source file of the program, by its number from 1.
    fn line(&self, file: &str, line: u32) -> Option<String> {
        let _ = (file, line);
        None
    }

    /// What is known of its assertions without searching; none if nothing can be.
    fn assertions(&self) -> Option<Vec<Assertion>> {
        None
    }

    /// What a plain run predicts of others, within what is allowed; none if none can be recorded.
    fn forecast(
        &self,
        allowance: &Allowance,
        observer: &mut dyn Observer,
    ) -> Result<Option<Forecast>, Error> {
        let _ = (allowance, observer);
        Ok(None)
    }

    /// Makes a finding like those of a search of one that was predicted and replayed, as simple as there is
    /// time for; none if only its witness can be shown.
    fn adopt(&self, predicted: &Finding, stop: &Arc<AtomicBool>) -> Result<Option<Entry>, Error> {
        let _ = (predicted, stop);
        Ok(None)
    }

    /// What the result of a search with these engines depends on.
    fn terms(&self, engines: &[Self::Engine]) -> Terms {
        let _ = engines;
        Terms::default()
    }
}

/// What a run shows of a failure: what a finding is made of.
#[derive(Debug)]
pub struct Evidence {
    /// Repeats it, whatever the points are.
    pub schedule: Schedule,
    /// Whether the run showed the same failure again.
    pub is_replayed: bool,
    /// The hash of everything that happened, if there is one.
    pub hash: Option<u64>,
    /// One sentence for people, if that run knows better than the search.
    pub message: Option<String>,
    /// What the program did before that it must not, while it went on.
    pub after: Option<String>,
    /// The interleaving.
    pub story: Story,
    /// How many preemptions that run has, if it knows better than the search: those of samplers are not settled.
    pub preemptions: Option<u32>,
    /// Where it is.
    pub locations: Vec<Site>,
    /// Where else to look; which finding it is does not depend on it.
    pub background: Vec<Site>,
    /// What it is about.
    pub objects: Vec<Object>,
}

impl Evidence {
    /// The finding.
    pub fn finding(self, property: Property, failure: &Failure) -> Finding {
        let verdict = if self.is_replayed { Verdict::Replayed } else { Verdict::Witnessed };
        let message = self.message.map(|message| failure.in_full(message));
        let message = message.unwrap_or_else(|| failure.message.clone());
        let mut finding = Finding::new(property, verdict, message, self.locations, self.objects);
        finding.locations.extend(self.background);
        for thread in finding.locations.iter().filter_map(|site| site.thread.as_ref()) {
            if !finding.threads.contains(thread) {
                finding.threads.push(thread.clone());
            }
        }
        finding.preemptions = self.preemptions;
        finding.witness = Some(Witness::Schedule { schedule: self.schedule.clone() });
        finding.schedule = Some(self.schedule);
        let mut story = self.story;
        if let Some(after) = self.after {
            finding.details.insert("after".to_owned(), json!(after));
            story.why.push(after);
        }
        finding.story = Some(story);
        if let Some(hash) = self.hash {
            finding.details.insert("event_hash".to_owned(), json!(format!("{hash:016x}")));
        }
        finding
    }
}

/// What became of a finding.
#[derive(Debug)]
pub enum Gathered {
    /// It was run again and recorded.
    Shown(Box<Finding>),
    /// There was no time to record it: the schedule that repeats it, whatever the points are.
    Scheduled(Schedule),
    /// There was no time for anything.
    Late,
    /// It shows again, and is nothing to report: an execution without end that goes on like this, but need not.
    Passes,
    /// It does not show again, for this reason.
    Lost(String),
}

/// A finding that does not show again.
#[derive(Clone, Debug)]
pub struct Unrepeated {
    /// What it was.
    pub failure: Failure,
    /// What showed it in the search.
    pub schedule: Schedule,
    /// What the other run did instead.
    pub why: String,
}

/// What a result depends on, as far as the kind of the program decides.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    /// Whether every access is a point.
    pub all_points: bool,
    /// How many accesses became points because they race.
    pub n_promoted: usize,
    /// Whether accesses are seen at all.
    pub is_blind: bool,
    /// What the kind of the program leaves out.
    pub restrictions: Vec<Restriction>,
    /// Why a run may have taken more steps than it may.
    pub limit: String,
    /// What else.
    pub more: Vec<String>,
    /// How processes run many plans, and why not in a faster way; none if there are none.
    pub model: Option<(&'static str, Option<String>)>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_explore::FailureKind;

    fn evidence() -> Evidence {
        Evidence {
            schedule: Schedule::new("9f3ac2".parse().unwrap()),
            is_replayed: true,
            hash: None,
            message: None,
            after: None,
            story: Story::default(),
            preemptions: None,
            locations: Vec::new(),
            background: Vec::new(),
            objects: Vec::new(),
        }
    }

    fn finding(evidence: Evidence) -> Finding {
        let failure = Failure::new(FailureKind::Crash, std::iter::empty(), "it crashes");
        evidence.finding(Property::Crash, &failure)
    }

    #[test]
    fn a_finding_is_replayed_if_its_evidence_is() {
        assert_eq!(finding(evidence()).verdict, Verdict::Replayed);
        let other = Evidence { is_replayed: false, ..evidence() };
        assert_eq!(finding(other).verdict, Verdict::Witnessed);
    }

    #[test]
    fn a_finding_says_what_its_evidence_says_or_what_the_search_said() {
        assert_eq!(finding(evidence()).message, "it crashes");
        let more = Evidence { message: Some("it crashes at 0".to_owned()), ..evidence() };
        assert_eq!(finding(more).message, "it crashes at 0");
    }

    #[test]
    fn threads_are_those_of_all_sites_once_each() {
        let site = |thread: &str| Site::new("", "a.c:1".into()).by_thread(thread);
        let locations = vec![site("b"), site("a"), Site::new("", "a.c:2".into())];
        let background = vec![site("b"), site("c")];
        let one = finding(Evidence { locations: locations.clone(), background, ..evidence() });
        assert_eq!(one.threads, ["b", "a", "c"]);
        assert_eq!(one.locations.len(), 5);
        // Which finding it is does not depend on where else to look.
        let alone = finding(Evidence { locations, ..evidence() });
        assert_eq!(one.fingerprint, alone.fingerprint);
    }

    #[test]
    fn what_went_before_is_a_detail_and_part_of_the_story() {
        let after = Evidence { after: Some("after a misuse".to_owned()), ..evidence() };
        let one = finding(Evidence { hash: Some(0xab), ..after });
        assert_eq!(one.details["after"], "after a misuse");
        assert_eq!(one.details["event_hash"], "00000000000000ab");
        assert_eq!(one.story.unwrap().why, ["after a misuse"]);
        let plain = finding(evidence());
        assert!(!plain.details.contains_key("after") && !plain.details.contains_key("event_hash"));
    }
}
