//! An interleaving as people see it: one column for each thread, one row for each event.
//!
//! In: a witness, the events in it that matter, and those that are about to happen behind it. Out: the
//! rows around these, at most 100 columns wide. The rest is shown as `… after 51,234 events`. More
//! threads than fit side by side are named in a column instead.

use std::collections::BTreeSet;

use raddle_trace::{EventId, Sequence, ThreadId, Trace, format};

use raddle_report::text::{cut_end, cut_start};
use raddle_session::predict::{Item, place};

use crate::output::Styles;
use crate::quantity::counted;
use raddle_report::sanitise::visible;

/// How many events are shown, unless more of them matter.
const ROWS: usize = 12;

/// How wide a line can be.
pub(super) const WIDTH: usize = 100;

/// How many threads have a column.
const COLUMNS: usize = 4;

/// The narrowest that a column becomes.
const NARROW: usize = 4;

enum Row {
    Event {
        event: EventId,
        is_decisive: bool,
    },
    /// Events that are not shown.
    Gap(String),
}

/// The lines of an interleaving.
pub(super) fn lines(trace: &Trace, item: Item, styles: &Styles) -> Vec<String> {
    let (witness, next) = (item.witness(), item.next());
    let decisive: Vec<usize> =
        item.decisive(trace).iter().filter_map(|&e| place(witness, e)).collect();
    let mut rows = rows(witness, &decisive);
    rows.extend(next.iter().map(|&event| Row::Event { event, is_decisive: true }));
    render(&rows, &Grid::new(trace, &rows), styles)
}

/// What is shown of a sequence: its end, or what is around some places.
fn rows(sequence: &Sequence, decisive: &[usize]) -> Vec<Row> {
    let n = sequence.len();
    let mut rows = Vec::new();
    let mut done = 0;
    for at in shown(n, decisive) {
        let hidden = at - done;
        if hidden > 0 {
            let after = if done == 0 { "after " } else { "" };
            rows.push(Row::Gap(format!("… {after}{}", counted(hidden, "event"))));
        }
        let event = sequence.iter_from(at).next();
        let is_decisive = decisive.contains(&at);
        rows.extend(event.map(|event| Row::Event { event, is_decisive }));
        done = at + 1;
    }
    if done < n {
        rows.push(Row::Gap(format!("… then {}", counted(n - done, "event"))));
    }
    rows
}

/// The places that are shown: the decisive ones with their neighbours, and what leads to the last.
fn shown(n: usize, decisive: &[usize]) -> BTreeSet<usize> {
    let around = |&at: &usize| at.saturating_sub(1)..(at + 2).min(n);
    let mut shown: BTreeSet<usize> = decisive.iter().flat_map(around).collect();
    let last = decisive.iter().max().map_or(n, |&last| last + 1);
    for at in (0..last).rev() {
        if shown.len() >= ROWS {
            break;
        }
        shown.insert(at);
    }
    shown
}

/// The cells of all rows, and how wide they are.
struct Grid {
    header: Vec<String>,
    /// One for each event, in the order of the rows.
    cells: Vec<Vec<String>>,
    widths: Vec<usize>,
}

impl Grid {
    fn new(trace: &Trace, rows: &[Row]) -> Grid {
        let events: Vec<EventId> = rows
            .iter()
            .filter_map(|row| match row {
                Row::Event { event, .. } => Some(*event),
                Row::Gap(_) => None,
            })
            .collect();
        let threads: BTreeSet<ThreadId> = events.iter().map(|&e| trace.thread(e)).collect();
        let threads: Vec<ThreadId> = threads.into_iter().collect();
        let folded = threads.len() > COLUMNS;
        let name = |&t: &ThreadId| visible(trace.tables.thread(t));
        let mut header: Vec<String> = match folded {
            true => vec!["thread".to_owned(), "operation".to_owned()],
            false => threads.iter().map(name).collect(),
        };
        header.extend(["where".to_owned(), "event".to_owned()]);
        let cells: Vec<Vec<String>> = events
            .iter()
            .map(|&e| {
                let thread = trace.thread(e);
                let operation = operation(trace, e);
                let mut cells = vec![String::new(); header.len() - 2];
                if folded {
                    cells = vec![name(&thread), operation];
                } else if let Some(column) = threads.iter().position(|&t| t == thread) {
                    cells[column] = operation;
                }
                cells.extend([location(trace, e), position(trace, e)]);
                cells
            })
            .collect();
        let widths = widths(&header, &cells);
        Grid { header, cells, widths }
    }

    /// A line; places lose their beginning if they are too long, everything else its end.
    fn line(&self, cells: &[String]) -> String {
        let last = cells.len() - 1;
        let mut line = String::new();
        for (n, (cell, &width)) in cells.iter().zip(&self.widths).enumerate() {
            let cell = if n + 1 == last { cut_start(cell, width) } else { cut_end(cell, width) };
            line.push_str(&match n == last {
                true => format!("{cell:>width$}"),
                false => format!("{cell:<width$}  "),
            });
        }
        line.trim_end().to_owned()
    }
}

fn render(rows: &[Row], grid: &Grid, styles: &Styles) -> Vec<String> {
    let (caution, dim) = (styles.caution, styles.dim);
    let mut cells = grid.cells.iter();
    let mut lines = vec![format!("    {dim}{}{dim:#}", grid.line(&grid.header))];
    for row in rows {
        lines.push(match row {
            Row::Gap(text) => format!("    {dim}{text}{dim:#}"),
            Row::Event { is_decisive, .. } => {
                let line = cells.next().map_or(String::new(), |cells| grid.line(cells));
                match is_decisive {
                    true => format!("  {caution}▶{caution:#} {line}"),
                    false => format!("    {line}"),
                }
            }
        });
    }
    lines
}

/// As wide as the text in each column, less where all together would not fit.
fn widths(header: &[String], cells: &[Vec<String>]) -> Vec<usize> {
    let width = |n: usize| {
        let column = cells.iter().map(|cells| cells[n].chars().count());
        column.chain([header[n].chars().count()]).max().unwrap_or(0)
    };
    let mut widths: Vec<usize> = (0..header.len()).map(width).collect();
    let room = WIDTH.saturating_sub(4 + 2 * (widths.len() - 1));
    while widths.iter().sum::<usize>() > room {
        // The numbers of events, in the last column, are short and stay whole.
        let n_cut = widths.len() - 1;
        match widths[..n_cut].iter_mut().max() {
            Some(widest) if *widest > NARROW => *widest -= 1,
            _ => break,
        }
    }
    widths
}

fn operation(trace: &Trace, e: EventId) -> String {
    let event = trace.event(e);
    let notation = format::notation(trace, event.thread, event.op);
    let thread = trace.tables.thread(event.thread).len();
    visible(notation.get(thread + 1..).unwrap_or(&notation))
}

fn location(trace: &Trace, e: EventId) -> String {
    visible(trace.location(e).and_then(|l| trace.tables.locations.get(l.0)).unwrap_or(""))
}

fn position(trace: &Trace, e: EventId) -> String {
    trace.source.position(e).map_or("added".to_owned(), |position| position.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(n: usize, decisive: &[usize], expected: &[usize]) {
        assert_eq!(shown(n, decisive).into_iter().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn without_anything_decisive_the_end_is_shown() {
        check(3, &[], &[0, 1, 2]);
        check(0, &[], &[]);
        check(100, &[], &(88..100).collect::<Vec<_>>());
    }

    #[test]
    fn decisive_events_have_their_neighbours() {
        let near: Vec<usize> = (43..52).collect();
        check(100, &[10, 50], &[vec![9, 10, 11], near].concat());
        check(2, &[0, 1], &[0, 1]);
    }
}
