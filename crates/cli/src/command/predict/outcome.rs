//! What came of `raddle predict`: all that is printed, and the exit code that follows from it.

use raddle_finding::{Finding, Verdict};
use raddle_predict::Causes;
use raddle_session::predict::{Found, Item, Shown, ruled_out};
use raddle_trace::format::Loaded;

use super::confirm::Confirmation;
use super::stats::Tables;
use crate::command::native::recording::Guide;
use crate::command::trace::input::Input;
use crate::context::Context;
use crate::exit::Exit;
use crate::publish::Known;

/// All that is printed.
pub(super) struct Outcome<'a> {
    pub(super) input: &'a Input,
    pub(super) loaded: &'a Loaded,
    pub(super) found: &'a Found,
    pub(super) tables: Option<Tables>,
    pub(super) confirmation: Option<Confirmation>,
    pub(super) guide: Option<&'a Guide>,
    pub(super) known: &'a Known,
    pub(super) causes: &'a Causes<'a>,
    pub(super) shows_ruled_out: bool,
}

impl Outcome<'_> {
    /// How the program did what was found, if it did.
    pub(super) fn shown(&self, item: Item<'_>) -> Option<&Shown> {
        self.confirmation.as_ref()?.confirmed.get(item, &self.loaded.trace)
    }

    /// The command that does it again, if the program did it.
    pub(super) fn replay(&self, item: Item<'_>) -> Option<String> {
        let replay = &self.confirmation.as_ref()?.replay;
        self.shown(item).map(|shown| replay(&shown.schedule))
    }

    /// What orders rule out, if that is to be shown.
    pub(super) fn ruled_out(&self) -> Option<serde_json::Value> {
        let races = self.found.races.as_ref().filter(|_| self.shows_ruled_out)?;
        Some(ruled_out(&self.loaded.trace, &races.ruled_out))
    }

    /// Whether values rule out what was found.
    pub(super) fn is_ruled_out(&self, item: Item<'_>) -> bool {
        let trace = &self.loaded.trace;
        self.confirmation.as_ref().is_some_and(|it| it.confirmed.is_ruled_out(item, trace))
    }

    /// Whether what was found rests on an order that was not observed but guessed.
    pub(super) fn is_guess(&self, item: Item<'_>) -> bool {
        let Some(guide) = self.guide else { return false };
        let order: Vec<_> = item.witness().iter().chain(item.next()).collect();
        guide.rests_on_guess(&self.loaded.trace, &order)
    }

    /// What is neither suppressed nor known.
    pub(super) fn n_new(&self) -> usize {
        match self.known.is_empty() {
            true => self.found.n_findings(),
            false => {
                self.found.items().filter(|&item| self.known.is_new(&self.finding(item))).count()
            }
        }
    }

    /// Everything that is not suppressed.
    pub(super) fn items(&self) -> impl Iterator<Item = Item<'_>> {
        let is_shown = |item: &Item<'_>| {
            self.known.is_empty() || !self.known.is_suppressed(&item.finding(&self.loaded.trace))
        };
        self.found.items().filter(is_shown)
    }

    /// A finding with all that is known of it.
    pub(super) fn finding(&self, item: Item<'_>) -> Finding {
        let mut finding = item.finding(&self.loaded.trace);
        self.known.mark(&mut finding);
        match self.shown(item) {
            Some(shown) => {
                shown.mark(&mut finding);
                finding.replay = self.replay(item);
            }
            None if self.is_ruled_out(item) => finding.outcome = Some("ruled-out".to_owned()),
            None if self.is_guess(item) => finding.verdict = Verdict::NotRuledOutByBoth,
            None => {}
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
        match (self.n_new(), complete) {
            (0, true) => Exit::Done,
            (0, false) => Exit::Incomplete,
            _ => Exit::Findings,
        }
    }
}
