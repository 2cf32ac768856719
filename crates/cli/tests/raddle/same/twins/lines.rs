//! What a report shows of its first finding, line by line, without what differs between C and Rust (W1 to W8).

use raddle_finding::{
    Action, Finding, Leaving, Object, ObjectKind, Property, Report, Step, Story, Switch,
};

use super::guard::inside;
use super::twin::Twin;
use crate::same::normal::Names;

/// The language of a program.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    C,
    Rust,
}

/// A step of a story, with the names of what it is about.
#[derive(Clone)]
pub(super) struct Row {
    pub(super) thread: String,
    pub(super) action: Action,
    pub(super) object: String,
    pub(super) value: Option<String>,
    pub(super) found: Option<String>,
    pub(super) is_decisive: bool,
    /// Who was left before it, and why.
    pub(super) left: Vec<String>,
}

/// The first finding of a document.
pub(super) fn lines(document: &str, language: Language, twin: &Twin) -> String {
    let one_word = |text: String, n| text.replace(&format!("thread {n}"), &format!("thread#{n}"));
    let report = Report::from_json(&(1..9).fold(document.to_owned(), one_word)).unwrap(); // W1
    let finding = &report.findings[0];
    let story = finding.story.as_ref().unwrap();
    let mut rows = rows(story);
    let first = rows.iter().position(|row| row.action == Action::Fork).unwrap();
    rows.drain(..first); // W4
    let is_apart = |row: &Row| twin.apart.iter().any(|it| row.object.starts_with(it));
    if language == Language::C {
        rows = inside(without(rows, is_apart), twin.guards); // W6, W7
    }
    let of_one: Vec<_> = rows.iter().map(|row| is_of_one(row, &rows)).collect();
    let mut of_one = of_one.into_iter();
    rows = without(rows, |_| of_one.next() == Some(true)); // W8
    let values = twin.guards.iter().any(|guard| guard.value.is_some());
    let mut lines = head(finding, story);
    lines.extend(rows.iter().flat_map(|row| row.lines(values)));
    if language == Language::Rust {
        lines.extend(finding.causes.iter().map(|cause| format!("caused by: {}", cause.message))); // W3
    }
    normal(&lines, story)
}

/// The lines without names and places.
fn normal(lines: &[String], story: &Story) -> String {
    let is_thread = |object: &&Object| object.kind == ObjectKind::Thread;
    let (threads, objects): (Vec<_>, Vec<_>) = story.objects.iter().partition(is_thread);
    let objects: Vec<_> = objects.iter().map(|object| object.name.as_str()).collect();
    let started = threads.iter().map(|object| object.name.as_str());
    let threads: Vec<_> = story.threads.iter().map(String::as_str).chain(started).collect();
    let mut names = Names::new(&objects, &threads);
    let words = |line: &String| {
        let words = line.split_whitespace().filter_map(|word| names.normal(word));
        words.collect::<Vec<_>>().join(" ") + "\n"
    };
    lines.iter().map(words).collect()
}

/// What stands above the story.
fn head(finding: &Finding, story: &Story) -> Vec<String> {
    let mut title = story.title.as_ref().unwrap_or(&finding.message).as_str();
    if finding.property == Property::Assertion && title.starts_with("assertion ") {
        title = "assertion"; // W5
    }
    let mut lines = vec![format!("{}: {title}", finding.property)];
    let others = ["called from ", "left: ", "right: "]; // W1, W5
    let is_own = |line: &&String| !others.iter().any(|other| line.starts_with(other));
    for line in story.why.iter().filter(is_own) {
        let line = match line.strip_prefix("in ") {
            Some(line) => line.split_once(' ').unwrap().1,
            None => line,
        };
        lines.push(line.replace(", thread ", ", ")); // W1
    }
    let [minimal, switches] = ["minimal", "switches"].map(|key| finding.details[key].clone());
    let preemptions = finding.preemptions.unwrap();
    lines.push(format!("preemptions: {preemptions}, {minimal}, switches: {switches}"));
    let own = finding.locations.iter().filter(|site| site.role != "called from"); // W1
    lines.extend(own.map(|site| format!("{} : {}", site.thread.as_ref().unwrap(), site.role)));
    lines
}

/// All steps of a story.
fn rows(story: &Story) -> Vec<Row> {
    assert!(story.omitted.is_empty(), "a story of the corpus is shown as a whole");
    (0..).zip(&story.steps).map(|(n, step)| row(story, n, step)).collect()
}

fn row(story: &Story, n: u32, step: &Step) -> Row {
    let object = step.object.map(|object| story.objects[object as usize].name.clone());
    let left = story.switches.iter().filter(|switch| switch.before == n);
    Row {
        thread: story.threads[step.thread as usize].clone(),
        action: step.action,
        object: object.unwrap_or_default(),
        value: step.value.as_deref().map(number),
        found: step.found.as_deref().map(number),
        is_decisive: story.decisive.contains(&n),
        left: left.filter_map(|switch| leaving(story, switch)).collect(),
    }
}

/// W2
fn number(value: &str) -> String {
    match value {
        "false" => "0".to_owned(),
        "true" => "1".to_owned(),
        value => value.to_owned(),
    }
}

fn leaving(story: &Story, switch: &Switch) -> Option<String> {
    let thread = &story.threads[switch.thread as usize];
    match &switch.why {
        Leaving::Preempted { number } => Some(format!("{thread} is interrupted: {number}")),
        Leaving::Waits { awaited } => Some(format!("{thread} waits for {awaited}")),
        Leaving::Spins => Some(format!("{thread} spins")),
        _ => None,
    }
}

/// Whether a step is an access to a variable that only one thread accesses.
fn is_of_one(row: &Row, rows: &[Row]) -> bool {
    let is_access = |row: &Row| matches!(row.action, Action::Read | Action::Write | Action::Change);
    let others = rows.iter().filter(|other| is_access(other) && other.object == row.object);
    is_access(row) && others.into_iter().all(|other| other.thread == row.thread)
}

/// The steps without some; who was left before one of these is left before the next.
fn without(rows: Vec<Row>, mut is_gone: impl FnMut(&Row) -> bool) -> Vec<Row> {
    let mut left = Vec::new();
    let mut rest = Vec::new();
    for mut row in rows {
        row.left.splice(0..0, std::mem::take(&mut left));
        match is_gone(&row) {
            true => left = row.left,
            false => rest.push(row),
        }
    }
    rest
}

impl Row {
    /// The step in words, behind who was left before it.
    fn lines(&self, has_values: bool) -> Vec<String> {
        let Row { thread, action, object, value, found, is_decisive, left } = self;
        let mark = if *is_decisive { "▶ " } else { "" };
        let mut line = format!("{thread} : {mark}{}", action.phrase().replacen("{}", object, 1));
        let is_lock = matches!(action, Action::Lock | Action::LockShared | Action::Unlock);
        if let Some(value) = value.as_ref().filter(|_| has_values || !is_lock) {
            let found = found.as_ref().map_or_else(String::new, |found| format!("{found} -> "));
            line += &format!(" = {found}{value}");
        }
        left.iter().cloned().chain([line]).collect()
    }
}
