//! Text for people: each finding with its lines and its interleaving, then what was covered.
//!
//! In: a report. Out: lines of at most some hundred characters. Names from outside are made visible, so
//! that none of them acts on a terminal.

mod columns;
mod counts;
mod coverage;
mod excerpt;
mod ruled_out;
mod sites;

use std::fmt::Write;

use anstyle::{AnsiColor, Effects, Style};
use raddle_finding::{Cause, Finding, Input, Report, Story, Verdict};
use serde_json::Value;

use crate::quantity::{counted, plural};
use crate::sanitise::visible;

/// How wide a line may be.
const WIDTH: usize = 112;

/// The looks of text.
#[derive(Clone, Copy, Debug)]
pub struct Styles {
    /// What the text is about.
    pub heading: Style,
    /// Good news.
    pub good: Style,
    /// Not so good news.
    pub caution: Style,
    /// Remarks.
    pub dim: Style,
    /// How wide the terminal is, if stories have to fit one.
    pub width: Option<usize>,
    /// Whether everything is said: fingerprints, theoretical bounds, which strategy searched.
    pub details: bool,
}

impl Styles {
    /// No looks at all.
    pub const fn plain() -> Styles {
        let none = Style::new();
        Styles { heading: none, good: none, caution: none, dim: none, width: None, details: false }
    }

    /// For a terminal.
    pub const fn coloured() -> Styles {
        let bold = Style::new().effects(Effects::BOLD);
        Styles {
            heading: bold,
            good: AnsiColor::Green.on_default().effects(Effects::BOLD),
            caution: AnsiColor::Yellow.on_default().effects(Effects::BOLD),
            dim: Style::new().effects(Effects::DIMMED),
            width: None,
            details: false,
        }
    }
}

/// The whole report.
pub fn render(report: &Report, styles: &Styles) -> String {
    let mut text = String::new();
    for finding in &report.findings {
        text += &self::finding(report, finding, styles);
    }
    text + &summary(report, styles)
}

/// What was covered, below the findings; of these, nothing but the report's own counts is looked at.
pub fn summary(report: &Report, styles: &Styles) -> String {
    match report.stats.get("exploration") {
        Some(exploration) => coverage::text(report, exploration, styles),
        None => counts::text(report, styles),
    }
}

/// One finding.
pub fn finding(report: &Report, finding: &Finding, styles: &Styles) -> String {
    let (caution, dim) = (styles.caution, styles.dim);
    let mut text = String::new();
    let story = finding.story.as_ref();
    let title = story.and_then(|story| story.title.as_ref()).unwrap_or(&finding.message);
    let property = finding.property;
    let title = wrap(&visible(title), property.name().len() + 2, 2);
    let _ = writeln!(text, "{caution}{property}{caution:#}: {title}");
    for line in story.iter().flat_map(|story| &story.why) {
        let _ = writeln!(text, "  {}", visible(line));
    }
    if let Some(line) = simplicity(finding) {
        let _ = writeln!(text, "  {dim}{line}{dim:#}");
    }
    text += &sites::text(finding);
    text += &excerpt::text(report, finding, styles);
    text.push('\n');
    match story.filter(|story| !story.steps.is_empty()) {
        Some(story) => text += &columns::text(report, story, styles),
        None if finding.schedule.is_some() || finding.preemptions.is_some() => {
            text += "  there was no time to run it again; its replay shows the interleaving\n";
        }
        None => {}
    }
    text += &ending(finding, styles);
    text
}

/// The interleaving alone, without lines of the source.
pub fn story(story: &Story, styles: &Styles) -> String {
    columns::text(&Report::new(Input::named("")), story, styles)
}

/// How simple the interleaving is, if a search has found that out.
fn simplicity(finding: &Finding) -> Option<String> {
    let preemptions = counted(finding.preemptions? as usize, "preemption");
    let is = |key: &str| finding.details.get(key) == Some(&Value::Bool(true));
    let minimal = if is("minimal") { ", the fewest possible" } else { "" };
    let switches = finding.details.get("switches").and_then(Value::as_u64).unwrap_or(0);
    let switches = plural(switches as usize, "switch", "switches");
    let untimely = match finding.details.get("simplified") {
        Some(Value::Bool(false)) => "; there was no time to simplify it further",
        _ => "",
    };
    Some(format!("{preemptions}{minimal}; {switches} in total{untimely}"))
}

/// What became of the finding, and how to see it again.
fn ending(finding: &Finding, styles: &Styles) -> String {
    let (caution, dim) = (styles.caution, styles.dim);
    let mut text = String::new();
    let was_searched = finding.preemptions.is_some();
    let detail = |key: &str| finding.details.get(key).and_then(Value::as_str);
    if was_searched && finding.story.is_some() && finding.verdict < Verdict::Replayed {
        let _ = writeln!(text, "  {caution}the replay did not reproduce it{caution:#}");
    }
    if let Some(status) = detail("status") {
        let _ = writeln!(text, "  {}", visible(status));
    }
    for cause in &finding.causes {
        let new = if is_new(finding, cause) { ", new" } else { "" };
        let _ = writeln!(text, "  {}{new}", visible(&part(cause, styles)));
        if let Some(replay) = &cause.replay {
            let _ = writeln!(
                text,
                "    {dim}replay the {} alone: {}{dim:#}",
                cause.property,
                visible(replay)
            );
        }
    }
    if finding.story.as_ref().is_some_and(|story| !story.steps.is_empty()) {
        text.push('\n');
    }
    match detail("event_hash") {
        Some(hash) => _ = writeln!(text, "  {dim}event hash {hash}{dim:#}"),
        None if styles.details => {
            _ = writeln!(text, "  {dim}fingerprint {}{dim:#}", finding.fingerprint);
        }
        None => {}
    }
    match (&finding.replay, &finding.witness) {
        (Some(replay), _) => _ = writeln!(text, "  replay: {}\n", visible(replay)),
        (None, Some(raddle_finding::Witness::Schedule { schedule })) => {
            let _ = writeln!(text, "  schedule found by the search: {schedule}\n");
        }
        // A blank line ends it, and there is one behind a story.
        _ if !matches!(&*text, "" | "\n") && !text.ends_with("\n\n") => text.push('\n'),
        _ => {}
    }
    text
}

/// Whether a cause is not in the baseline that the finding was compared with.
fn is_new(finding: &Finding, cause: &Cause) -> bool {
    let new = finding.details.get("new_causes").and_then(Value::as_array);
    let fingerprint = cause.fingerprint.to_string();
    new.is_some_and(|new| new.iter().any(|one| one.as_str() == Some(&*fingerprint)))
}

/// What a finding goes back to, in a line.
fn part(cause: &Cause, styles: &Styles) -> String {
    let Cause { property, locations, objects, fingerprint, .. } = cause;
    let objects: Vec<_> = objects.iter().map(|object| object.name.as_str()).collect();
    let places: Vec<_> = locations.iter().map(|site| site.location.to_string()).collect();
    let of = if objects.is_empty() { String::new() } else { format!(" on {}", objects.join(", ")) };
    let name = if styles.details { format!(" ({fingerprint})") } else { String::new() };
    format!("caused by the {property}{of} at {}{name}", places.join(" and "))
}

/// Text in lines that fit, if it has blanks to break at. The first begins behind so many characters, the others are
/// indented.
fn wrap(text: &str, before: usize, indent: usize) -> String {
    let mut wrapped = String::new();
    let mut at = before;
    for word in text.split(' ') {
        let width = word.chars().count();
        if at + 1 + width > WIDTH && !wrapped.is_empty() {
            let _ = write!(wrapped, "\n{:indent$}", "");
            at = indent;
        } else if !wrapped.is_empty() {
            wrapped.push(' ');
            at += 1;
        }
        wrapped.push_str(word);
        at += width;
    }
    wrapped
}

/// Text that is at most so wide, without its end if need be.
pub fn cut_end(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

/// Text that is at most so wide, without its beginning if need be.
pub fn cut_start(text: &str, width: usize) -> String {
    let n = text.chars().count();
    if n <= width {
        return text.to_owned();
    }
    ['…'].into_iter().chain(text.chars().skip(n + 1 - width.max(1))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_where_it_says_least() {
        assert_eq!(
            (cut_end("acq(lock)", 6), cut_end("short", 6)),
            ("acq(l…".into(), "short".into())
        );
        assert_eq!(cut_start("src/queue.c:12", 8), "…ue.c:12");
    }
}
