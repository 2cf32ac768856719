//! Tables as CSV (RFC 4180): one row a line, quotes where they are needed.

use ::csv::{Terminator, WriterBuilder};
use raddle_finding::{Finding, Report};
use serde_json::Value;

use crate::phrase;

/// Which table of a report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Table {
    /// A row for each finding.
    Findings,
    /// A row for each step of each story.
    Steps,
    /// A row for each bound of the search.
    Bounds,
    /// How the states grew.
    Growth,
    /// What each step of the analyses left.
    Funnel,
}

/// A table as text.
pub fn render(report: &Report, table: Table) -> String {
    let rows = match table {
        Table::Findings => findings(report),
        Table::Steps => steps(report),
        Table::Bounds => bounds(report),
        Table::Growth => growth(report),
        Table::Funnel => funnel(report),
    };
    text(&rows)
}

fn header(names: &[&str]) -> Vec<Vec<String>> {
    vec![names.iter().map(|name| (*name).to_owned()).collect()]
}

fn findings(report: &Report) -> Vec<Vec<String>> {
    let mut rows = header(&[
        "fingerprint",
        "property",
        "verdict",
        "message",
        "file",
        "line",
        "function",
        "threads",
        "preemptions",
        "replay",
    ]);
    let row = |finding: &Finding| {
        let place = finding.locations.first().map(|site| &site.location);
        vec![
            finding.fingerprint.to_string(),
            finding.property.to_string(),
            finding.verdict.name().to_owned(),
            finding.message.clone(),
            place.and_then(|place| place.file.clone()).unwrap_or_default(),
            place.and_then(|place| place.line).map_or(String::new(), |line| line.to_string()),
            place.and_then(|place| place.function.clone()).unwrap_or_default(),
            finding.threads.join(" "),
            finding.preemptions.map_or(String::new(), |n| n.to_string()),
            finding.replay.clone().unwrap_or_default(),
        ]
    };
    rows.extend(report.findings.iter().map(row));
    rows
}

fn steps(report: &Report) -> Vec<Vec<String>> {
    let mut rows = header(&[
        "fingerprint",
        "step",
        "thread",
        "action",
        "object",
        "value",
        "place",
        "decisive",
        "text",
    ]);
    for finding in &report.findings {
        let Some(story) = &finding.story else { continue };
        for (n, step) in (0..).zip(&story.steps) {
            let object = step.object.and_then(|at| story.objects.get(at as usize));
            let place = step.place.and_then(|at| story.places.get(at as usize));
            rows.push(vec![
                finding.fingerprint.to_string(),
                n.to_string(),
                story.threads[step.thread as usize].clone(),
                step.action.name().to_owned(),
                object.map_or(String::new(), |object| object.name.clone()),
                step.value.clone().unwrap_or_default(),
                place.map_or(String::new(), |place| place.name.clone()),
                u8::from(story.decisive.binary_search(&n).is_ok()).to_string(),
                phrase::step(story, step),
            ]);
        }
    }
    rows
}

fn bounds(report: &Report) -> Vec<Vec<String>> {
    let keys = ["bound", "executions", "cut", "states", "complete", "theorem_1"];
    let mut rows = header(&keys);
    if let Some(Value::Array(bounds)) = report.stats.get("bounds") {
        rows.extend(bounds.iter().map(|row| keys.iter().map(|key| plain(&row[*key])).collect()));
    }
    rows
}

fn growth(report: &Report) -> Vec<Vec<String>> {
    let mut rows = header(&["executions", "states"]);
    if let Some(Value::Array(points)) = report.stats.get("growth") {
        rows.extend(points.iter().map(|point| vec![plain(&point[0]), plain(&point[1])]));
    }
    rows
}

fn funnel(report: &Report) -> Vec<Vec<String>> {
    let keys = ["candidates", "lsa", "mhb", "asked", "ucg", "witnessed", "unknown"];
    let mut rows = header(&["property"]);
    rows[0].extend(keys.iter().map(|key| (*key).to_owned()));
    for (property, counts) in &report.stats {
        if counts.get("witnessed").is_some() {
            let cells = keys.iter().map(|key| plain(&counts[*key]));
            rows.push(std::iter::once(property.clone()).chain(cells).collect());
        }
    }
    rows
}

fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Rows as text.
fn text(rows: &[Vec<String>]) -> String {
    let mut writer = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(Vec::new());
    for row in rows {
        let cells = row.iter().map(|cell| harmless(cell));
        writer.write_record(cells).expect("all rows have the same length");
    }
    let bytes = writer.into_inner().expect("memory takes what is written");
    String::from_utf8(bytes).expect("cells are text")
}

/// A cell. One that a spreadsheet would take for a formula begins with a quote instead.
fn harmless(cell: &str) -> String {
    let is_formula = cell.starts_with(['=', '+', '@', '\t', '\r'])
        || cell.starts_with('-') && cell.parse::<f64>().is_err();
    if is_formula { format!("'{cell}") } else { cell.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_where_they_must_be() {
        let row = ["a,b", "say \"x\"", "plain", "=1+1", "-3", "-x"].map(str::to_owned);
        assert_eq!(text(&[row.to_vec()]), "\"a,b\",\"say \"\"x\"\"\",plain,'=1+1,-3,'-x\r\n");
    }
}
