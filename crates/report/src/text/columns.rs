//! The interleaving, one column for each thread, one row for each step.
//!
//! In: a story. Out: rows with the place, what the step does in the column of its thread, and the line
//! of the source where there is room. Only one column of a row is used, so text may reach over those to
//! its right. With many threads each row names its thread instead.
//!
//! Long stories are told without the middle of long blocks and without early blocks; the steps that
//! decide and the scopes around them (`fold`) are always told.

use std::fmt::Write;

use raddle_finding::{Leaving, Report, Story};

use super::{Styles, WIDTH, cut_end, cut_start};
use crate::fold;
use crate::phrase;
use crate::quantity::counted;
use crate::sanitise::visible;

/// How many steps of a block are told.
const BLOCK: usize = 10;

/// How many blocks are told.
const BLOCKS: usize = 40;

/// How many threads have a column.
const COLUMNS: usize = 5;

/// How wide places and columns may be.
const PLACE: usize = 24;
const COLUMN: usize = 20;

/// The least of a line of the source that says something.
const SOURCE: usize = 10;

/// The rows.
pub(super) fn text(report: &Report, story: &Story, styles: &Styles) -> String {
    let shown = shown(story);
    let grid = Grid::new(story, &shown);
    let mut text = String::new();
    let dim = styles.dim;
    grid.write_header(&mut text, styles);
    let (mut switches, mut omitted) =
        (story.switches.iter().peekable(), story.omitted.iter().peekable());
    let (mut hidden, mut last, mut was_hidden) = (0, None, false);
    for (n, step) in (0..).zip(&story.steps) {
        while let Some((_, more)) = omitted.next_if(|(before, _)| *before <= n) {
            hidden += more;
        }
        while let Some(switch) = switches.next_if(|switch| switch.before <= n) {
            if !was_hidden || matches!(switch.why, Leaving::Preempted { .. }) {
                grid.write_gap(&mut text, &mut hidden, styles);
                grid.write_leaving(&mut text, switch.thread, &switch.why, styles);
            }
            last = None;
        }
        was_hidden = !shown[n as usize];
        if was_hidden {
            hidden += 1;
            continue;
        }
        last = last.filter(|_| hidden == 0);
        grid.write_gap(&mut text, &mut hidden, styles);
        let is_decisive = story.decisive.binary_search(&n).is_ok();
        let place = (step.thread, step.place);
        let is_told = last == Some(place) && !is_decisive;
        last = Some(place);
        let (at, source) = match is_told {
            true => (String::new(), String::new()),
            false => (phrase::place(story, step), source(report, story, step.place)),
        };
        let mark = match is_decisive {
            true => format!("{0}▶{0:#}", styles.caution),
            false => " ".to_owned(),
        };
        let at = cut_start(&visible(&at), grid.place);
        let does = visible(&phrase::step(story, step));
        let line = grid.line(step.thread, &does, &source);
        let row = format!("  {mark} {dim}{at:<0$}{dim:#}  {line}", grid.place);
        let _ = writeln!(text, "{}", row.trim_end());
    }
    grid.write_gap(&mut text, &mut hidden, styles);
    for switch in switches {
        grid.write_leaving(&mut text, switch.thread, &switch.why, styles);
    }
    text
}

/// Per step, whether it is told.
fn shown(story: &Story) -> Vec<bool> {
    let mut shown = fold::stays(story);
    let mut starts = vec![0];
    for (n, pair) in (1..).zip(story.steps.windows(2)) {
        if pair[0].thread != pair[1].thread {
            starts.push(n);
        }
    }
    starts.push(story.steps.len());
    let blocks: Vec<_> = starts.windows(2).map(|pair| pair[0]..pair[1]).collect();
    for block in &blocks[blocks.len().saturating_sub(BLOCKS)..] {
        let (start, end) = (block.start, block.end);
        let (head, tail) = match block.len() {
            ..=BLOCK => (end, end),
            _ => (start + BLOCK / 2, end - BLOCK / 2),
        };
        shown[start..head].fill(true);
        shown[tail..end].fill(true);
    }
    shown
}

fn source(report: &Report, story: &Story, place: Option<u32>) -> String {
    let place = place.and_then(|n| story.places.get(n as usize));
    let line = place.and_then(|place| report.line(place.file.as_deref()?, place.line?));
    let words: Vec<_> = line.unwrap_or_default().split_whitespace().collect();
    visible(&words.join(" "))
}

/// Where columns begin.
struct Grid<'a> {
    story: &'a Story,
    place: usize,
    /// Per thread, where its column begins behind the place; none if threads are named.
    columns: Option<Vec<usize>>,
    /// Where the source begins behind the place.
    source: usize,
}

impl Grid<'_> {
    fn new<'a>(story: &'a Story, shown: &[bool]) -> Grid<'a> {
        let steps = || story.steps.iter().zip(shown).filter(|(_, shown)| **shown).map(|(s, _)| s);
        let place = steps().map(|step| phrase::place(story, step).chars().count());
        let place = place.max().unwrap_or(0).min(PLACE);
        let name = |n: usize| story.threads[n].chars().count();
        let phrase = |step| phrase::step(story, step).chars().count();
        let n = story.threads.len();
        if n > COLUMNS {
            let names = (0..n).map(name).max().unwrap_or(0).min(COLUMN);
            let widest = steps().map(phrase).max().unwrap_or(0).min(2 * COLUMN);
            return Grid { story, place, columns: None, source: names + 2 + widest + 2 };
        }
        let mut widths: Vec<usize> = (0..n).map(|n| name(n).min(COLUMN)).collect();
        for step in steps() {
            let width = &mut widths[step.thread as usize];
            *width = (*width).max(phrase(step)).min(COLUMN);
        }
        let mut at = 0;
        let mut columns = Vec::new();
        for width in widths {
            columns.push(at);
            at += width + 2;
        }
        Grid { story, place, columns: Some(columns), source: at }
    }

    fn write_header(&self, text: &mut String, styles: &Styles) {
        let heading = styles.heading;
        let Some(columns) = &self.columns else { return };
        let mut header = String::new();
        for (name, (&at, next)) in self
            .story
            .threads
            .iter()
            .zip(columns.iter().zip(columns.iter().skip(1).chain([&self.source])))
        {
            let width = next - at;
            let name = cut_end(&visible(name), width.saturating_sub(2));
            header += &format!("{name:<width$}");
        }
        let indent = self.place + 6;
        let _ = writeln!(text, "{:indent$}{heading}{}{heading:#}", "", header.trim_end());
    }

    /// What a thread does, in its column, and the source behind all columns, if there is room.
    fn line(&self, thread: u32, does: &str, source: &str) -> String {
        let mut line = match &self.columns {
            Some(columns) => format!("{:1$}{does}", "", columns[thread as usize]),
            None => {
                let name = cut_end(&visible(&self.story.threads[thread as usize]), COLUMN);
                let names = self.story.threads.iter().map(|name| name.chars().count());
                let width = names.max().unwrap_or(0).min(COLUMN);
                format!("{name:<width$}  {does}")
            }
        };
        let width = line.chars().count();
        let begin = self.source.max(width + 2);
        let room = (WIDTH - 6).saturating_sub(self.place + begin);
        if !source.is_empty() && room >= SOURCE {
            line += &" ".repeat(begin - width);
            line += &cut_end(source, room);
        }
        line
    }

    fn write_gap(&self, text: &mut String, hidden: &mut u64, styles: &Styles) {
        let n = std::mem::take(hidden);
        if n > 0 {
            let (dim, indent) = (styles.dim, self.place + 6);
            let steps = counted(n as usize, "step");
            let _ = writeln!(text, "{:indent$}{dim}… {steps}{dim:#}", "");
        }
    }

    fn write_leaving(&self, text: &mut String, thread: u32, why: &Leaving, styles: &Styles) {
        let Some(words) = phrase::leaving(why) else { return };
        let words = visible(&words);
        let line = match why {
            Leaving::Preempted { .. } => {
                let line = self.line(thread, &format!("── {words} ──"), "");
                format!("{0}{line}{0:#}", styles.caution)
            }
            _ => format!("{0}{1}{0:#}", styles.dim, self.line(thread, &words, "")),
        };
        let indent = self.place + 6;
        let _ = writeln!(text, "{:indent$}{line}", "");
    }
}
