//! The page: one file that needs nothing else.
//!
//! In: a report. Out: markup, looks and behaviour from `page/`, and the report as JSON inside. What comes
//! from outside is in that JSON alone, in which no `<` is left, and the page shows it as text nodes only.
//! A policy in the page forbids it to load anything.
//!
//! What is derived from stories is derived here, once: which steps stay when a story is folded, the spans
//! in which locks are held, and what orders what.

use raddle_finding::{Action, Finding, Report};
use serde_json::{Value, json};

use crate::{causal, fold, held};

const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/style.css");

/// The behaviour, in the order in which the parts need each other.
const SCRIPTS: [&str; 8] = [
    include_str!("page/element.js"),
    include_str!("page/model.js"),
    include_str!("page/specification.js"),
    include_str!("page/overview.js"),
    include_str!("page/lanes.js"),
    include_str!("page/graph.js"),
    include_str!("page/finding.js"),
    include_str!("page/main.js"),
];

/// The report as a page.
pub fn render(report: &Report) -> String {
    let phrases: serde_json::Map<String, Value> = Action::ALL
        .iter()
        .map(|action| (action.name().to_owned(), json!(action.phrase())))
        .collect();
    let data = json!({
        "report": report,
        "derived": report.findings.iter().map(derived).collect::<Vec<_>>(),
        "phrases": phrases,
    });
    // In this order: what is filled in is not looked at again.
    let mut page = String::new();
    let mut rest = PAGE;
    for (mark, content) in [
        ("/*STYLE*/", STYLE.to_owned()),
        ("/*DATA*/", inert(&data.to_string())),
        ("/*SCRIPT*/", format!("(() => {{\n\"use strict\";\n{}}})();\n", SCRIPTS.join("\n"))),
    ] {
        let (before, after) = rest.split_once(mark).expect("the page has its marks");
        page += before;
        page += &content;
        rest = after;
    }
    page + rest
}

/// What follows from a story.
fn derived(finding: &Finding) -> Value {
    let Some(story) = &finding.story else { return Value::Null };
    let stays = fold::stays(story);
    let stays: Vec<usize> = (0..stays.len()).filter(|&n| stays[n]).collect();
    let scopes = held::scopes(story);
    let scopes: Vec<_> = scopes.iter().map(|s| json!([s.thread, s.lock, s.from, s.to])).collect();
    let edges = causal::edges(finding, story);
    let edges: Vec<_> = edges.iter().map(|edge| json!([edge.from, edge.to, edge.kind])).collect();
    json!({ "stays": stays, "scopes": scopes, "edges": edges })
}

/// JSON that can stand inside a script: nothing in it ends the script, or a line.
fn inert(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => text += &format!("\\u{:04x}", c as u32),
            c => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_the_data_ends_the_script() {
        let hostile = "</script><script>alert(1)</script><!-- \u{2028}&";
        let text = inert(&json!(hostile).to_string());
        assert!(!text.contains(['<', '>', '&', '\u{2028}']), "{text}");
        assert_eq!(serde_json::from_str::<String>(&text).unwrap(), hostile);
    }
}
