//! The end of the text: what was looked at, and what came of it.

use std::fmt::Write as _;

use raddle_finding as finding;
use raddle_predict::{Deadlocks, LostWakeups, Races, Reads, Violations};

use super::Outcome;
use super::confirm::Confirmation;
use super::show::wrap;
use crate::command::trace::repairs;
use crate::output::Styles;
use crate::quantity::{count, counted};
use raddle_report::sanitise::visible;

/// Repairs, then a paragraph for each property.
pub(super) fn text(outcome: &Outcome, styles: &Styles) -> String {
    let Outcome { input, loaded, found, .. } = outcome;
    let (heading, dim) = (styles.heading, styles.dim);
    let mut text = String::new();
    let list = repairs::lines(loaded.trace.repairs(), input.all);
    if !list.is_empty() {
        let _ = writeln!(text, "{heading}Repairs{heading:#}");
        list.iter().for_each(|line| text.push_str(&format!("  {line}\n")));
        text.push('\n');
    }
    let _ = writeln!(text, "{heading}{}{heading:#}", visible(&input.name));
    let paragraphs = Paragraphs { all: input.all, styles };
    text.extend(found.races.as_ref().map(|found| paragraphs.races(found)));
    text.extend(found.violations.as_ref().map(|found| paragraphs.violations(found)));
    let n_hidden = loaded.trace.repairs().iter().filter(|repair| repair.hides_wait).count();
    text.extend(found.deadlocks.as_ref().map(|found| paragraphs.deadlocks(found, n_hidden)));
    text.extend(found.lost_wakeups.as_ref().map(|found| paragraphs.lost_wakeups(found)));
    text.extend(found.reads.as_ref().map(|found| paragraphs.reads(found)));
    if let Some(Confirmation { confirmed, .. }) = &outcome.confirmation {
        let (n, tried) = (count(confirmed.n_shown()), count(confirmed.n_tried));
        let _ = write!(text, "  {n} of {tried} replayed on the program");
        match confirmed.n_ruled_out() {
            0 => text.push('\n'),
            out => {
                let _ = writeln!(text, ", {} ruled out by values", count(out));
            }
        }
    }
    for skipped in &found.skipped {
        let what = format!("{} were not checked:", plural(skipped.property));
        let reason = wrap(&skipped.reason, what.len() + 3).replace('\n', "\n  ");
        let _ = writeln!(text, "  {dim}{what}{dim:#} {reason}");
    }
    text
}

fn plural(property: finding::Property) -> &'static str {
    match property {
        finding::Property::Race => "races",
        finding::Property::Atomicity => "atomicity violations",
        finding::Property::Deadlock => "deadlocks",
        finding::Property::LostWakeup => "lost wake-ups",
        _ => "nondeterministic reads",
    }
}

/// What is known about the program as a whole.
pub(super) fn determinism_verdict(found: &Reads) -> String {
    let n = |n: u64, noun: &str| format!("{} {noun}{}", count(n), if n == 1 { "" } else { "s" });
    let mut parts = Vec::new();
    if !found.broken.is_empty() {
        let (broken, reads) = (count(found.broken.len()), n(found.n_reads, "read"));
        parts.push(format!("{broken} of {reads} can see another write"));
    }
    if found.n_broken_finals > 0 {
        let (broken, finals) = (count(found.n_broken_finals), n(found.n_finals, "final value"));
        parts.push(format!("{broken} of {finals} can differ"));
    }
    match found.is_nondeterministic() {
        Some(true) => format!("nondeterministic: {}", parts.join(", ")),
        Some(false) => "deterministic on this trace".to_owned(),
        None => "unknown whether it is deterministic".to_owned(),
    }
}

/// What the search for deadlocks covers, whatever it finds.
const ONLY_LOCKS: [&str; 2] = [
    "only lock cycles were checked: waits for conditions, semaphores, barriers and",
    "joins, for a thread's own locks and behind waiting writers are not covered",
];

struct Paragraphs<'a> {
    all: bool,
    styles: &'a Styles,
}

impl Paragraphs<'_> {
    /// The verdict, and below it the counts.
    fn paragraph(&self, verdict: String, complete: bool, lines: &[String]) -> String {
        let caution = self.styles.caution;
        let mut text = format!("  {verdict}\n");
        for line in lines {
            let _ = writeln!(text, "    {line}");
        }
        if !complete {
            let _ = writeln!(text, "    {caution}stopped before the end{caution:#}");
        }
        text
    }

    fn verdict(&self, n: usize, noun: &str, unit: [&str; 2], is_decided: bool) -> String {
        let Styles { good, caution, .. } = self.styles;
        match (n, is_decided) {
            (0, true) => format!("{good}no {noun}{good:#}"),
            (0, false) => format!("no {noun} found, but not everything is decided"),
            (n, _) => {
                let unit = unit[usize::from(self.all)];
                format!("{caution}{}{caution:#}, one per {unit}", counted(n, noun))
            }
        }
    }

    fn races(&self, found: &Races) -> String {
        let is_decided = found.is_complete && found.unknown.is_empty();
        let unit = ["pair of locations", "pair of accesses"];
        let racy = match found.racy_events.len() {
            1 => "1 event races".to_owned(),
            n => format!("{} events race", count(n)),
        };
        let lines = [
            format!(
                "{}, {} not protected by a common lock, {} examined",
                counted(found.n_candidates as usize, "candidate"),
                count(found.n_unprotected),
                count(found.n_asked),
            ),
            format!("{racy} with an earlier event, {} unknown", count(found.unknown.len())),
        ];
        let verdict = self.verdict(found.races.len(), "race", unit, is_decided);
        self.paragraph(verdict, found.is_complete, &lines)
    }

    fn violations(&self, found: &Violations) -> String {
        let is_decided = found.is_complete && found.unknown.is_empty();
        let unit = ["triple of locations", "triple of accesses"];
        let line = format!(
            "{}, {}, {} examined, {} unknown",
            counted(found.n_transactions, "transaction"),
            counted(found.n_candidates as usize, "candidate"),
            count(found.n_asked),
            count(found.unknown.len()),
        );
        let n = found.violations.len();
        let verdict = self.verdict(n, "atomicity violation", unit, is_decided);
        self.paragraph(verdict, found.is_complete, &[line])
    }

    /// `n_hidden`: how many waits for locks repairs have left out.
    fn deadlocks(&self, found: &Deadlocks, n_hidden: usize) -> String {
        let is_decided = found.is_complete && found.n_unknown == 0;
        let unit = ["cycle of locations", "cycle of waits"];
        let mut lines = vec![format!(
            "{} in the lock order, {} examined, {} unknown",
            counted(found.n_cycles as usize, "cycle"),
            count(found.n_asked),
            count(found.n_unknown),
        )];
        lines.extend(ONLY_LOCKS.map(str::to_owned));
        if n_hidden > 0 {
            let waits = counted(n_hidden, "wait");
            lines
                .push(format!("repairs removed {waits} for a lock: deadlocks there are not found"));
        }
        let verdict = self.verdict(found.deadlocks.len(), "deadlock", unit, is_decided);
        self.paragraph(verdict, found.is_complete, &lines)
    }

    fn lost_wakeups(&self, found: &LostWakeups) -> String {
        let is_decided = found.is_complete && found.unknown.is_empty();
        let unit = ["pair of locations", "wait"];
        let waits = counted(found.n_candidates as usize, "wait");
        let line = format!("{waits} with a notify, {} unknown", count(found.unknown.len()));
        let verdict = self.verdict(found.lost.len(), "lost wake-up", unit, is_decided);
        self.paragraph(verdict, found.is_complete, &[line])
    }

    fn reads(&self, found: &Reads) -> String {
        let Styles { good, caution, .. } = self.styles;
        let style = if found.is_nondeterministic() == Some(false) { good } else { caution };
        let verdict = format!("{style}{}{style:#}", determinism_verdict(found));
        let unit = ["pair of locations of a read and a challenger", "triplet and type"];
        let line = format!(
            "{}, one per {}; {} unknown",
            counted(found.witnesses.len(), "finding"),
            unit[usize::from(self.all)],
            count(found.n_unknown),
        );
        self.paragraph(verdict, found.is_complete, &[line])
    }
}
