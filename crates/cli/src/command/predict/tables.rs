//! The tables of counts, for people.

use raddle_published::{Statistics, funnel};

use super::stats::{Tables, Witnesses};
use crate::output::Styles;
use crate::quantity::count as number;

/// The tables for people.
pub(super) fn text(tables: &Tables, styles: &Styles) -> String {
    let mut text = heading("Trace", styles) + &grid(&trace_rows(&tables.trace));
    let funnels = funnel_rows(tables);
    if funnels.len() > 1 {
        text += &(heading("Candidates, and what each analysis leaves of them", styles)
            + &grid(&funnels));
    }
    if let Some(reads) = &tables.reads {
        text += &heading("Witnesses of nondeterministic reads", styles);
        text += &grid(&read_rows(reads));
    }
    text
}

fn heading(title: &str, styles: &Styles) -> String {
    let heading = styles.heading;
    format!("\n{heading}{title}{heading:#}\n")
}

fn trace_rows(trace: &Statistics) -> Vec<Vec<String>> {
    let rows = [
        ("threads", trace.n_threads),
        ("events", trace.n_events),
        ("lock events", trace.n_lock_events),
        ("locks", trace.n_locks),
        ("wait/notify events", trace.n_wait_notify_events),
        ("condition variables", trace.n_conditions),
        ("read/write events", trace.n_read_write_events),
        ("shared variables", trace.n_shared_variables),
    ];
    rows.iter().map(|&(label, n)| vec![label.to_owned(), number(n)]).collect()
}

fn funnel_rows(tables: &Tables) -> Vec<Vec<String>> {
    let header = ["", "total", "lsa", "mhb", "ucg", "witnessed", "unknown"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    let parts = [("races", &tables.race), ("atomicity violations", &tables.atomicity)];
    for (label, part) in parts.into_iter().filter_map(|(label, part)| Some((label, part.as_ref()?)))
    {
        let funnel::Funnel { total, lsa, mhb, ucg, .. } = part.paper;
        let mut row = vec![label.to_owned() + incomplete(part.is_complete)];
        row.extend([total, lsa, mhb, ucg, part.witnessed, part.unknown].map(number));
        rows.push(row);
    }
    rows
}

fn read_rows(reads: &Witnesses) -> Vec<Vec<String>> {
    let paper = &reads.paper;
    let ratio = |n: Option<f64>| n.map_or("-".to_owned(), |n| format!("{n:.2}"));
    let power = |n: Option<f64>| n.map_or("-".to_owned(), |n| format!("2^{n:.1}"));
    let paper_only = |n: String| [n, String::new()];
    let both = |paper: u64, exact: u64| [number(paper), number(exact)];
    let header = [
        "paper".to_owned() + incomplete(paper.is_complete),
        "exact".to_owned() + incomplete(reads.is_complete),
    ];
    let rows = [
        ("", header),
        ("possible", both(paper.n_possible, reads.possible)),
        ("witness order graph has a cycle", paper_only(number(paper.n_cyclic))),
        ("no cycle, no choices", paper_only(number(paper.n_without_choices))),
        ("no cycle, choices", paper_only(number(paper.n_with_choices))),
        ("  choices", paper_only(number(paper.n_choices))),
        (
            "  possible choice graphs per witness",
            paper_only(power(paper.log2_possible_graphs_per_witness())),
        ),
        ("  explored choice graphs per witness", paper_only(ratio(paper.explored_per_witness()))),
        ("feasible", both(paper.n_feasible, reads.feasible)),
        ("infeasible", both(paper.n_infeasible, reads.infeasible())),
        ("given up, or unknown", both(paper.n_capped, reads.unknown)),
        ("graphs per possible witness", paper_only(ratio(paper.graphs_per_witness()))),
    ];
    let row =
        |(label, cells): (&str, [String; 2])| [label.to_owned()].into_iter().chain(cells).collect();
    rows.into_iter().map(row).collect()
}

fn incomplete(is_complete: bool) -> &'static str {
    if is_complete { "" } else { " (stopped)" }
}

/// Labels to the left, numbers to the right.
fn grid(rows: &[Vec<String>]) -> String {
    let n_columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |n: usize| {
        rows.iter().filter_map(|row| row.get(n)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..n_columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::from(" ");
        for (n, (cell, &width)) in row.iter().zip(&widths).enumerate() {
            line += &match n {
                0 => format!(" {cell:<width$}"),
                _ => format!("  {cell:>width$}"),
            };
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}
