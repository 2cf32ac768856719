//! The interleaving, one column for each thread, one row for each step.
//!
//! In: a story. Out: rows with the place, what the step does in the column of its thread, and the line
//! of the source where there is room. Only one column of a row is used, so text may reach over those to
//! its right. With many threads each row names its thread instead.
//!
//! On a terminal no row is wider than that: columns become narrower, down to [`NARROWEST`]; if that is not enough,
//! each row names its thread, and what is too long goes on in the next row.
//!
//! Long stories are shown without the middle of long blocks and without early blocks; the steps that
//! decide and the scopes around them (`fold`) are always shown.

use std::fmt::Write;

use raddle_finding::{Leaving, Report, Story};

use super::{Styles, WIDTH, cut_end, cut_start};
use crate::fold;
use crate::phrase;
use crate::quantity::counted;
use crate::sanitise::visible;

/// How many steps of a block are shown.
const BLOCK: usize = 10;

/// How many blocks are shown.
const BLOCKS: usize = 40;

/// How many threads have a column.
const COLUMNS: usize = 5;

/// How wide places and columns may be.
const PLACE: usize = 24;
const COLUMN: usize = 20;

const NARROWEST: usize = 6;

/// The least of a line of the source that says something.
const SOURCE: usize = 10;

/// The rows.
pub(super) fn text(report: &Report, story: &Story, styles: &Styles) -> String {
    let shown = shown(story);
    let grid = Grid::new(story, &shown, styles.width);
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
        let lines = grid.lines(step.thread, &does, &source);
        let (line, more) = lines.split_first().expect("there is a first line");
        let row = format!("  {mark} {dim}{at:<0$}{dim:#}  {line}", grid.place);
        let _ = writeln!(text, "{}", row.trim_end());
        let indent = grid.indent();
        more.iter().for_each(|line| _ = writeln!(text, "{:indent$}{line}", ""));
    }
    grid.write_gap(&mut text, &mut hidden, styles);
    for switch in switches {
        grid.write_leaving(&mut text, switch.thread, &switch.why, styles);
    }
    text
}

/// Per step, whether it is shown.
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
    /// How wide names of threads are, if each row has one.
    names: usize,
    /// How wide rows are behind the place; `None` if they may be as wide as it takes.
    room: Option<usize>,
}

/// What is in front of places and behind them.
const MARGIN: usize = 6;

impl Grid<'_> {
    fn new<'a>(story: &'a Story, shown: &[bool], width: Option<usize>) -> Grid<'a> {
        let steps = || story.steps.iter().zip(shown).filter(|(_, shown)| **shown).map(|(s, _)| s);
        let place = steps().map(|step| phrase::place(story, step).chars().count());
        let place = place.max().unwrap_or(0).min(width.map_or(PLACE, |width| PLACE.min(width / 4)));
        let room = width.map(|width| width.saturating_sub(MARGIN + place));
        let name = |n: usize| story.threads[n].chars().count();
        let phrase = |step| phrase::step(story, step).chars().count();
        let n = story.threads.len();
        let names = (0..n).map(name).max().unwrap_or(0);
        let names = names.min(room.map_or(COLUMN, |room| COLUMN.min(room / 3)));
        let mut widths: Vec<usize> = (0..n).map(name).collect();
        let mut phrases = vec![0; n];
        for step in steps() {
            let longest = &mut phrases[step.thread as usize];
            *longest = phrase(step).max(*longest);
        }
        for switch in &story.switches {
            let words = phrase::leaving(&switch.why).map_or(0, |words| words.chars().count() + 6);
            let longest = &mut phrases[switch.thread as usize];
            *longest = words.max(*longest);
        }
        let widest = steps().map(phrase).max().unwrap_or(0).min(2 * COLUMN);
        let named =
            Grid { story, place, columns: None, source: names + 2 + widest + 2, names, room };
        if n > COLUMNS {
            return named;
        }
        for step in steps() {
            let width = &mut widths[step.thread as usize];
            *width = (*width).max(phrase(step));
        }
        let fits = |grid: &Grid| {
            let columns = grid.columns.iter().flatten();
            let is_wide =
                |(at, longest): (&usize, &usize)| room.is_some_and(|room| at + longest > room);
            !columns.zip(&phrases).any(is_wide)
        };
        let narrowed = (NARROWEST..=COLUMN).rev().map(|column| {
            let (columns, source) = columns(&widths, column);
            Grid { columns: Some(columns), source, ..named }
        });
        let found = { narrowed }.find(fits);
        found.unwrap_or(named)
    }

    /// What stands in front of what threads do.
    fn indent(&self) -> usize {
        self.place + MARGIN
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
        let indent = self.indent();
        let _ = writeln!(text, "{:indent$}{heading}{}{heading:#}", "", header.trim_end());
    }

    /// What a thread does, in its column, and the source behind all columns, if there is room. Without columns what does
    /// not fit goes on in more lines.
    fn lines(&self, thread: u32, does: &str, source: &str) -> Vec<String> {
        let mut lines = match &self.columns {
            Some(columns) => vec![format!("{:1$}{does}", "", columns[thread as usize])],
            None => {
                let width = self.names;
                let name = cut_end(&visible(&self.story.threads[thread as usize]), width);
                let room = self.room.map_or(usize::MAX, |room| room.saturating_sub(width + 2));
                let mut name = [name].into_iter().chain(std::iter::repeat(String::new()));
                let mut named =
                    |part: String| format!("{:<width$}  {part}", name.next().unwrap_or_default());
                wrapped(does, room).into_iter().map(&mut named).collect()
            }
        };
        let width = lines[0].chars().count();
        let begin = self.source.max(width + 2);
        let room = self.room.unwrap_or(WIDTH - MARGIN - self.place).saturating_sub(begin);
        if !source.is_empty() && room >= SOURCE && lines.len() == 1 {
            lines[0] += &" ".repeat(begin - width);
            lines[0] += &cut_end(source, room);
        }
        lines
    }

    fn write_gap(&self, text: &mut String, hidden: &mut u64, styles: &Styles) {
        let n = std::mem::take(hidden);
        if n > 0 {
            let (dim, indent) = (styles.dim, self.indent());
            let steps = counted(n as usize, "step");
            let _ = writeln!(text, "{:indent$}{dim}… {steps}{dim:#}", "");
        }
    }

    fn write_leaving(&self, text: &mut String, thread: u32, why: &Leaving, styles: &Styles) {
        let Some(words) = phrase::leaving(why) else { return };
        let words = visible(&words);
        let (words, style) = match why {
            Leaving::Preempted { .. } => (format!("── {words} ──"), styles.caution),
            _ => (words, styles.dim),
        };
        let indent = self.indent();
        for line in self.lines(thread, &words, "") {
            let _ = writeln!(text, "{:indent$}{style}{line}{style:#}", "");
        }
    }
}

/// Where columns begin that are at most so wide, and where all of them end.
fn columns(widths: &[usize], widest: usize) -> (Vec<usize>, usize) {
    let mut at = 0;
    let begin = |width: &usize| {
        let begin = at;
        at += width.min(&widest) + 2;
        begin
    };
    (widths.iter().map(begin).collect(), at)
}

/// Text in lines that are at most so wide, cut between words where that is possible.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("there is a first line");
        let (used, more) = (line.chars().count(), word.chars().count());
        match used {
            0 => line.push_str(word),
            _ if used + 1 + more <= width => line.extend([" ", word]),
            _ => lines.push(word.to_owned()),
        }
    }
    lines.iter().flat_map(|line| pieces(line, width.max(1))).collect()
}

fn pieces(line: &str, width: usize) -> Vec<String> {
    let all: Vec<char> = line.chars().collect();
    match all.is_empty() {
        true => vec![String::new()],
        false => all.chunks(width).map(|piece| piece.iter().collect()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use raddle_finding::{Action, Input, Object, ObjectKind, Step};

    use super::*;

    /// A story of some threads, each of which writes a variable with a name of this length.
    fn story(n_threads: usize, name: usize) -> Story {
        let objects = vec![Object::new(ObjectKind::Variable, "x".repeat(name))];
        let threads = (0..n_threads).map(|n| format!("worker {n}")).collect();
        let write = |thread| Step { object: Some(0), ..Step::new(thread, Action::Write) };
        let steps = (0..n_threads as u32).map(write).collect();
        Story { objects, threads, steps, ..Story::default() }
    }

    fn shown(story: &Story, width: Option<usize>) -> String {
        text(&Report::new(Input::named("")), story, &Styles { width, ..Styles::plain() })
    }

    fn widest(text: &str) -> usize {
        text.lines().map(|line| line.chars().count()).max().unwrap_or(0)
    }

    #[test]
    fn columns_shrink_until_the_story_fits() {
        let story = story(5, 10);
        let (wide, narrow) = (shown(&story, None), shown(&story, Some(80)));
        assert!(widest(&wide) > 80 && widest(&narrow) <= 80, "{wide}{narrow}");
        assert!(narrow.lines().next().unwrap().contains("worker"), "it has columns: {narrow}");
        assert_eq!(shown(&story, Some(200)), wide);
    }

    #[test]
    fn what_fits_in_no_columns_names_its_threads() {
        let text = shown(&story(5, 30), Some(60));
        assert!(widest(&text) <= 60, "{text}");
        assert_eq!(text.matches("worker 3  writes").count(), 1, "{text}");
    }

    #[test]
    fn what_is_too_long_for_a_row_goes_on_in_the_next() {
        let text = shown(&story(2, 100), Some(40));
        assert!(widest(&text) <= 40, "{text}");
        assert_eq!(text.matches('x').count(), 200, "{text}");
    }

    #[test]
    fn words_stay_whole_where_they_can() {
        assert_eq!(wrapped("waits for the end", 9), ["waits for", "the end"]);
        assert_eq!(wrapped("abcdef gh", 4), ["abcd", "ef", "gh"]);
        assert_eq!(wrapped("", 4), [""]);
    }
}
