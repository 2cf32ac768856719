//! What came of `raddle predict`: all that is printed, and the exit code that follows from it.

use raddle_finding::{Finding, Property, Verdict};
use raddle_predict::{Causes, Engine, Prediction};
use raddle_session::NOT_REPLAYED;
use raddle_session::predict::{Found, Plan, Shown, ruled_out, story_with_orders};
use raddle_trace::format::Loaded;
use serde_json::json;

use super::confirm::Confirmation;
use super::stats::Tables;
use crate::command::trace::input::Input;
use crate::context::Context;
use crate::exit::Exit;
use crate::program::binary::recording::Guide;
use crate::publish::Known;

/// The status of a finding that values rule out.
const RULED_OUT: &str = "ruled out: with its values, no interleaving of this run shows it";

/// The status of a finding whose witness needs an order that was not observed.
const GUESSED: &str = "uncertain: it depends on an order that is a guess";

/// All that is printed.
pub(super) struct Outcome<'a> {
    pub(super) input: &'a Input,
    pub(super) loaded: &'a Loaded,
    pub(super) plan: &'a Plan,
    pub(super) found: &'a Found,
    pub(super) tables: Option<Tables>,
    pub(super) confirmation: Option<Confirmation>,
    pub(super) guide: Option<&'a Guide>,
    pub(super) known: &'a Known,
    pub(super) causes: &'a Causes<'a>,
    pub(super) lists_ruled_out: bool,
}

impl Outcome<'_> {
    /// How the program did what was found, if it did.
    pub(super) fn shown(&self, prediction: &dyn Prediction) -> Option<&Shown> {
        self.confirmation.as_ref()?.confirmed.get(prediction, &self.loaded.trace)
    }

    /// The command that does it again, if the program did it.
    pub(super) fn replay(&self, prediction: &dyn Prediction) -> Option<String> {
        let replay = &self.confirmation.as_ref()?.replay;
        self.shown(prediction).map(|shown| replay(&shown.schedule))
    }

    /// What orders rule out, if that is to be listed.
    pub(super) fn ruled_out(&self) -> Option<serde_json::Value> {
        let races = self.found.of(Property::Race).filter(|_| self.lists_ruled_out)?;
        Some(ruled_out(&self.loaded.trace, races.ruled_out()))
    }

    /// Whether values rule out what was found.
    pub(super) fn is_ruled_out(&self, prediction: &dyn Prediction) -> bool {
        let trace = &self.loaded.trace;
        self.confirmation.as_ref().is_some_and(|it| it.confirmed.is_ruled_out(prediction, trace))
    }

    /// Whether what was found rests on an order that was not observed but guessed.
    pub(super) fn is_guess(&self, prediction: &dyn Prediction) -> bool {
        let Some(guide) = self.guide else { return false };
        let order: Vec<_> = prediction.witness().iter().chain(prediction.next()).collect();
        guide.rests_on_guess(&self.loaded.trace, &order)
    }

    /// Whether code that is not seen may order what was found, so that it may never happen.
    pub(super) fn is_in_doubt(&self, prediction: &dyn Prediction) -> bool {
        !self.unseen().is_empty() && self.shown(prediction).is_none()
    }

    /// The object files whose code is not seen and may order threads.
    fn unseen(&self) -> &[String] {
        self.guide.map_or(&[], Guide::unseen)
    }

    /// How many are neither suppressed nor known, and how many of those may never happen.
    pub(super) fn n_new(&self) -> (usize, usize) {
        let all = || self.found.predictions();
        let is_new =
            |it: &&dyn Prediction| self.known.is_empty() || self.known.is_new(&self.finding(*it));
        let n_new = match self.known.is_empty() {
            true => self.found.n_predictions(),
            false => all().filter(is_new).count(),
        };
        let n_in_doubt = match self.unseen() {
            [] => 0,
            _ => all().filter(is_new).filter(|&it| self.is_in_doubt(it)).count(),
        };
        (n_new, n_in_doubt)
    }

    /// The predictions of each property that are not suppressed.
    pub(super) fn by_property(
        &self,
    ) -> impl Iterator<Item = (Property, impl Iterator<Item = &dyn Prediction>)> {
        let is_shown = |prediction: &&dyn Prediction| {
            let finding = || prediction.finding(&self.loaded.trace);
            self.known.is_empty() || !self.known.is_suppressed(&finding())
        };
        let all = self.found.results.iter();
        all.map(move |(property, results)| (*property, results.predictions().filter(is_shown)))
    }

    /// A finding with all that is known of it but its story.
    pub(super) fn finding(&self, prediction: &dyn Prediction) -> Finding {
        let mut finding = prediction.finding(&self.loaded.trace);
        self.known.mark(&mut finding);
        let doubt;
        let status = match self.shown(prediction) {
            Some(shown) => {
                shown.mark(&mut finding);
                finding.replay = self.replay(prediction);
                None
            }
            None if self.is_ruled_out(prediction) => {
                finding.outcome = Some("ruled-out".to_owned());
                Some(RULED_OUT)
            }
            None if self.is_in_doubt(prediction) => {
                doubt = format!(
                    "in doubt: code in {} that is not instrumented may order the threads{}",
                    self.unseen().join(", "),
                    if self.confirmation.is_some() { "" } else { " (--confirm tries it)" }
                );
                Some(doubt.as_str())
            }
            None if self.confirmation.is_some() => Some(NOT_REPLAYED),
            None => None,
        };
        let is_open = finding.verdict < Verdict::Replayed && finding.outcome.is_none();
        let is_guess = is_open && self.is_guess(prediction);
        if is_guess || is_open && self.is_in_doubt(prediction) {
            finding.verdict = Verdict::NotRuledOutByBoth;
        }
        if let Some(status) = status.or(is_guess.then_some(GUESSED)) {
            finding.details.insert("status".to_owned(), json!(status));
        }
        finding
    }

    /// The same with its story.
    pub(super) fn with_story(
        &self,
        prediction: &dyn Prediction,
        engine: &mut Engine<'_>,
    ) -> Finding {
        let mut finding = self.finding(prediction);
        let (story, orders) = story_with_orders(&self.loaded.trace, prediction, engine);
        finding.story = Some(story);
        if !orders.is_empty() {
            finding.details.insert("orders".to_owned(), json!(orders));
        }
        finding
    }

    /// The exit code; `n_asked` is how many properties were named.
    pub(super) fn exit(&self, n_asked: Option<usize>, context: &Context) -> Exit {
        let asked_in_vain = n_asked == Some(self.found.skipped.len());
        let complete = self.found.is_decided()
            && self.loaded.loss.is_none()
            && !asked_in_vain
            && !context.interrupt.is_asked();
        let (n_new, n_in_doubt) = self.n_new();
        match complete && n_in_doubt == 0 {
            _ if n_new > n_in_doubt => Exit::Findings,
            true => Exit::Done,
            false => Exit::Incomplete,
        }
    }
}
