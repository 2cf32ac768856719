//! Confirms findings on the program: it is steered along each witness.
//!
//! In: findings of a recording, and the program that was recorded. Out: which of them the program
//! did, with the command that does each again.

use std::ffi::OsString;

use raddle_finding::{Finding, Verdict};
use raddle_native::confirm::{Attempt, Confirmer, Witness};
use raddle_native::launch::Answer;
use raddle_native::recording::{Guide, Recording};
use raddle_native::target::{Output, Target};
use raddle_trace::{EventId, Trace};
use raddle_wire::{Flags, Step};
use rustc_hash::{FxHashMap, FxHashSet};
use tempfile::NamedTempFile;

use super::Property;
use super::find::{Found, Plan};
use super::item::Item;
use crate::command::native::launch::Launch;
use crate::command::trace::input::Input;
use crate::context::Context;
use crate::diagnostic::Diagnostic;
use crate::progress::Progress;

/// What the program did of what was predicted.
#[derive(Default)]
pub(super) struct Confirmed {
    shown: FxHashMap<(&'static str, Vec<EventId>), Shown>,
    /// Findings that values rule out, in every interleaving of the run.
    ruled_out: FxHashSet<(&'static str, Vec<EventId>)>,
    /// How many findings were tried.
    pub(super) n_tried: usize,
}

/// A finding that the program did.
pub(super) struct Shown {
    /// The command that does it again.
    pub(super) replay: String,
    outcome: &'static str,
    schedule: raddle_finding::Schedule,
}

impl Confirmed {
    /// The program did a finding.
    pub(super) fn add(&mut self, item: Item<'_>, trace: &Trace, shown: Shown) {
        self.shown.insert(key(item, trace), shown);
    }

    /// How the program did it, if it did.
    pub(super) fn get(&self, item: Item<'_>, trace: &Trace) -> Option<&Shown> {
        self.shown.get(&key(item, trace))
    }

    /// Values rule a finding out.
    pub(super) fn rule_out(&mut self, item: Item<'_>, trace: &Trace) {
        self.ruled_out.insert(key(item, trace));
    }

    /// Whether values rule a finding out.
    pub(super) fn is_ruled_out(&self, item: Item<'_>, trace: &Trace) -> bool {
        self.ruled_out.contains(&key(item, trace))
    }

    /// How many findings values rule out.
    pub(super) fn n_ruled_out(&self) -> usize {
        self.ruled_out.len()
    }

    /// How many findings the program did.
    pub(super) fn len(&self) -> usize {
        self.shown.len()
    }
}

impl Shown {
    /// How the program did it.
    pub(super) fn new(
        replay: String,
        outcome: &'static str,
        schedule: raddle_finding::Schedule,
    ) -> Shown {
        Shown { replay, outcome, schedule }
    }

    /// Marks a finding as done by the program.
    pub(super) fn mark(&self, finding: &mut Finding) {
        finding.verdict = Verdict::Replayed;
        finding.schedule = Some(self.schedule.clone());
        finding.outcome = Some(self.outcome.to_owned());
        finding.replay = Some(self.replay.clone());
    }
}

fn key(item: Item<'_>, trace: &Trace) -> (&'static str, Vec<EventId>) {
    (item.property().key(), item.decisive(trace))
}

/// Runs the program along every witness, as long as the plan has time.
pub(super) fn confirm(
    recording: &Recording,
    (trace, guide): (&Trace, &Guide),
    (found, plan): (&Found, &Plan),
    launch: &Launch,
    context: &Context,
) -> Result<Confirmed, Diagnostic> {
    let confirmer = Confirmer::new(recording, trace, guide);
    let steering = Steering { confirmer, trace, launch };
    let mut confirmed = Confirmed::default();
    let n = found.n_findings();
    let progress = Progress::analysing("confirming", context.shows_progress(), &context.interrupt);
    for item in found.items() {
        if context.interrupt.is_asked() || plan.is_late() {
            break;
        }
        progress.tasks(confirmed.n_tried, n, "");
        confirmed.n_tried += 1;
        if let Some(shown) = steering.try_item(item, context)? {
            confirmed.shown.insert(key(item, trace), shown);
        }
    }
    Ok(confirmed)
}

/// The recording that a trace was read from.
pub(super) fn recording(input: &Input) -> Result<Recording, Diagnostic> {
    Recording::open(&input.path).map_err(|error| {
        Diagnostic::error(format!("cannot read `{}`", input.name)).remark(error.to_string())
    })
}

/// The program that was recorded, or the one that was named.
pub(super) fn launch(recording: &Recording, command: &[OsString]) -> Result<Launch, Diagnostic> {
    let about = recording.about();
    let (command, directory) = match command {
        [] => (about.command.as_slice(), about.directory),
        command => (command, None),
    };
    let Some((name, arguments)) = command.split_first() else {
        return Err(Diagnostic::error("it is not known which program was recorded")
            .help("name it after --: raddle predict --confirm t.rdl -- ./program ARGS"));
    };
    let cannot = |error: &dyn std::error::Error| {
        Diagnostic::error("the program cannot be run").remark(error.to_string())
    };
    // A path is relative to where the program ran.
    let file = match &directory {
        Some(directory) if name.as_encoded_bytes().contains(&b'/') => {
            directory.join(name).into_os_string()
        }
        _ => name.clone(),
    };
    let mut target = Target::new(&file).map_err(|error| cannot(&error))?;
    // Programs look at their own name.
    target.invoked_as = Some(name.clone());
    target.arguments = arguments.to_vec();
    target.directory = directory;
    target.output = Output::Capture;
    Launch::new(target, false, false, Some(std::time::Duration::from_secs(60)))
}

struct Steering<'a> {
    confirmer: Confirmer<'a>,
    trace: &'a Trace,
    launch: &'a Launch,
}

impl Steering<'_> {
    fn try_item(&self, item: Item<'_>, context: &Context) -> Result<Option<Shown>, Diagnostic> {
        let (order, decisive) = (item.witness().iter().collect(), item.decisive(self.trace));
        let witness = match item.property() {
            Property::Deadlock => Witness::deadlock(order, decisive),
            _ => Witness::new(order, &item.next(), decisive),
        };
        let attempt = self.confirmer.attempt(&witness, |plan| self.run(plan, context))?;
        let Attempt { plan, answer, has_shown } = attempt;
        log::debug!(
            "{:?} along {:?}: {:?} ({}), {has_shown}",
            item.decisive(self.trace),
            self.launch.schedule(&plan)?.to_string(),
            answer.outcome,
            answer.message
        );
        if !has_shown {
            return Ok(None);
        }
        self.shown(&answer, &plan).map(Some)
    }

    /// Runs the program along a plan, with a recording of that.
    fn run(
        &self,
        plan: &[Step],
        context: &Context,
    ) -> Result<(Answer, Option<Recording>), Diagnostic> {
        let file = NamedTempFile::new()
            .map_err(|error| Diagnostic::error("cannot make a temporary file").because(&error))?;
        let mut request = self.launch.request(plan);
        request.recording = Some(file.path().to_owned());
        request.flags |= Flags::RECORD;
        let answer = self.launch.run(&request, context)?;
        Ok((answer, Recording::open(file.path()).ok()))
    }

    fn shown(&self, answer: &Answer, plan: &[Step]) -> Result<Shown, Diagnostic> {
        let schedule = self.launch.schedule(plan)?;
        let replay = self.launch.replay_command(&schedule.to_string());
        let outcome = crate::command::native::outcome_name(answer.outcome);
        Ok(Shown { replay, outcome, schedule })
    }
}
