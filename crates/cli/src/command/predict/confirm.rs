//! Confirms findings on the program: it is steered along each witness.
//!
//! In: findings of a recording, and the program that was recorded. Out: which of them the program
//! did. A run counts if it kept to the witness to its end and did there what was recorded there: the
//! same operations at the same places. A deadlock counts if the run ended in one.

use std::ffi::OsString;
use std::path::PathBuf;

use raddle_finding::{Finding, Verdict};
use raddle_native::launch::Answer;
use raddle_native::recording::{Guide, Recording};
use raddle_native::target::{Output, Target};
use raddle_trace::{EventId, Trace};
use raddle_wire::{Flags, OutcomeKind, Record, Step};
use rustc_hash::FxHashMap;
use tempfile::NamedTempFile;

use super::Property;
use super::find::Found;
use super::item::Item;
use crate::command::native::launch::Launch;
use crate::command::program::source::quoted;
use crate::command::trace::input::Input;
use crate::context::Context;
use crate::diagnostic::Diagnostic;
use crate::progress::Progress;

/// What the program did of what was predicted.
#[derive(Default)]
pub(super) struct Confirmed {
    shown: FxHashMap<(&'static str, Vec<EventId>), Shown>,
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
    /// How the program did it, if it did.
    pub(super) fn get(&self, item: Item<'_>, trace: &Trace) -> Option<&Shown> {
        self.shown.get(&key(item, trace))
    }

    /// How many findings the program did.
    pub(super) fn len(&self) -> usize {
        self.shown.len()
    }

    /// A finding with what is known of it now.
    pub(super) fn finding(&self, item: Item<'_>, trace: &Trace) -> Finding {
        let mut finding = item.finding(trace);
        if let Some(shown) = self.get(item, trace) {
            finding.verdict = Verdict::Replayed;
            finding.schedule = Some(shown.schedule.clone());
            finding.outcome = Some(shown.outcome.to_owned());
            finding.replay = Some(shown.replay.clone());
        }
        finding
    }
}

fn key(item: Item<'_>, trace: &Trace) -> (&'static str, Vec<EventId>) {
    (item.property().key(), item.decisive(trace))
}

/// Runs the program along every witness.
pub(super) fn confirm(
    input: &Input,
    (trace, guide): (&Trace, &Guide),
    found: &Found,
    command: &[OsString],
    context: &Context,
) -> Result<Confirmed, Diagnostic> {
    let unreadable = |error: &dyn std::error::Error| {
        Diagnostic::error(format!("cannot read `{}`", input.name)).remark(error.to_string())
    };
    let recording = Recording::open(&input.path).map_err(|error| unreadable(&error))?;
    let steering = Steering { recording, guide, trace, launch: launch(&input.path, command)? };
    let mut confirmed = Confirmed::default();
    let n = found.n_findings();
    let progress = Progress::analysing("confirming", context.shows_progress(), &context.interrupt);
    for item in found.items() {
        if context.interrupt.is_asked() {
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

/// The program that was recorded, or the one that was named.
fn launch(path: &std::path::Path, command: &[OsString]) -> Result<Launch, Diagnostic> {
    let about = Recording::open(path).map(|recording| recording.about()).unwrap_or_default();
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
    recording: Recording,
    guide: &'a Guide,
    trace: &'a Trace,
    launch: Launch,
}

impl Steering<'_> {
    fn try_item(&self, item: Item<'_>, context: &Context) -> Result<Option<Shown>, Diagnostic> {
        let is_deadlock = item.property() == Property::Deadlock;
        let mut order: Vec<_> = item.witness().iter().collect();
        let next = item.next();
        if !is_deadlock {
            order.extend(&next);
        }
        let before: &[EventId] = if is_deadlock { &next } else { &[] };
        let plan = self.guide.steer(self.trace, &order, before);
        let file = NamedTempFile::new()
            .map_err(|error| Diagnostic::error("cannot make a temporary file").because(&error))?;
        let mut request = self.launch.request(&plan);
        request.recording = Some(file.path().to_owned());
        request.flags |= Flags::RECORD;
        let answer = self.launch.run(&request, context)?;
        let did = follows(&answer.taken, &plan)
            && match is_deadlock {
                true => answer.outcome == OutcomeKind::Deadlock,
                false => self.is_same(item, &order, file.path()),
            };
        log::debug!(
            "{:?} along {:?}: {:?} ({}), {did}",
            item.decisive(self.trace),
            self.launch.schedule(&plan)?.to_string(),
            answer.outcome,
            answer.message
        );
        if !did {
            return Ok(None);
        }
        self.shown(&answer, &plan).map(Some)
    }

    /// Whether a run did at the decisive places what was recorded there. What the witness leaves
    /// out need not happen.
    fn is_same(&self, item: Item<'_>, order: &[EventId], run: &std::path::Path) -> bool {
        let Ok(run) = Recording::open(run) else { return false };
        let events = item.decisive(self.trace).into_iter().filter(|event| order.contains(event));
        let positions: Vec<_> =
            events.map(|event| self.guide.position(self.trace, event)).collect();
        let same = |pair: (&Option<Record>, &Option<Record>)| match pair {
            (Some(one), Some(other)) => one.code() == other.code() && one.pc() == other.pc(),
            _ => false,
        };
        let (observed, now) = (self.recording.events_at(&positions), run.events_at(&positions));
        observed.iter().zip(&now).all(same)
    }

    fn shown(&self, answer: &Answer, plan: &[Step]) -> Result<Shown, Diagnostic> {
        let schedule = self.launch.schedule(plan)?;
        let target = &self.launch.target;
        let is_elsewhere = |folder: &PathBuf| std::env::current_dir().ok().as_ref() != Some(folder);
        let mut replay = match target.directory.as_ref().filter(|folder| is_elsewhere(folder)) {
            Some(folder) => format!("cd {} && ", quoted(folder.as_os_str())),
            None => String::new(),
        };
        let name = target.invoked_as.as_deref().unwrap_or(target.program.as_os_str());
        replay.push_str(&format!("raddle replay {} {schedule}", quoted(name)));
        for (index, word) in target.words().enumerate() {
            replay.push_str(if index == 0 { " -- " } else { " " });
            replay.push_str(&quoted(word));
        }
        let outcome = crate::command::native::outcome_name(answer.outcome);
        Ok(Shown { replay, outcome, schedule })
    }
}

/// Whether a run began as planned.
fn follows(taken: &[Step], plan: &[Step]) -> bool {
    let Some((last, first)) = plan.split_last() else { return true };
    let Some((end, beginning)) = taken.get(..plan.len()).and_then(|taken| taken.split_last())
    else {
        return false;
    };
    beginning == first
        && end.kind == last.kind
        && end.value == last.value
        && end.times >= last.times
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_follows_a_plan_that_it_goes_beyond() {
        let plan = [Step::thread(0, 3), Step::thread(1, 2)];
        assert!(follows(&[Step::thread(0, 3), Step::thread(1, 5), Step::thread(0, 1)], &plan));
        assert!(!follows(&[Step::thread(0, 3), Step::thread(1, 1)], &plan));
        assert!(!follows(&[Step::thread(0, 4), Step::thread(1, 2)], &plan));
        assert!(!follows(&[Step::thread(0, 3)], &plan));
    }
}
