//! Every form, read back by something that shares no code with what wrote it.

use crate::{official, samples};
use boon::{Compiler, Schemas};
use raddle_finding::{Report, SCHEMA_JSON};
use raddle_report::csv::Table;
use raddle_report::text::Styles;
use raddle_report::{Form, csv};
use serde_json::Value;

fn all() -> [Report; 4] {
    [samples::bank(), samples::predicted(), samples::hostile(), samples::long(2000)]
}

fn render(form: Form, report: &Report) -> String {
    form.render(report, &Styles::plain())
}

#[track_caller]
fn validate(schema: &str, json: &Value) {
    let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
    compiler.add_resource("schema.json", serde_json::from_str(schema).unwrap()).unwrap();
    let index = compiler.compile("schema.json", &mut schemas).unwrap();
    if let Err(error) = schemas.validate(json, index) {
        panic!("{error}");
    }
}

#[test]
fn json_is_valid_and_read_back() {
    for report in all() {
        let text = render(Form::Json, &report);
        validate(SCHEMA_JSON, &serde_json::from_str(&text).unwrap());
        assert_eq!(Report::from_json(&text).unwrap(), report);
    }
}

#[test]
fn sarif_is_valid() {
    let official = official::Sarif::new();
    for report in all() {
        let json: Value = serde_json::from_str(&render(Form::Sarif, &report)).unwrap();
        official.judge(&json).unwrap();
        let results = json["runs"][0]["results"].as_array().unwrap();
        assert_eq!(results.len(), report.findings.len());
        let rules = json["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
        for result in results {
            let rule = &rules[result["ruleIndex"].as_u64().unwrap() as usize];
            assert_eq!(rule["id"], result["ruleId"]);
        }
    }
}

#[test]
fn what_is_no_sarif_is_noticed() {
    let official = official::Sarif::new();
    let good: Value = serde_json::from_str(&render(Form::Sarif, &samples::bank())).unwrap();
    let cases: [(&str, Value); 5] = [
        ("/runs/0/results/0/level", "bad".into()),
        ("/runs/0/results/0/message", Value::Null),
        ("/runs/0/results/0/locations/0/physicalLocation/region/startLine", 0.into()),
        ("/runs/0/results/0/locations/0/physicalLocation/artifactLocation/uri", "a b".into()),
        ("/runs/0/tool/driver", serde_json::json!({})),
    ];
    for (pointer, value) in cases {
        let mut bad = good.clone();
        *bad.pointer_mut(pointer).unwrap() = value;
        assert!(official.judge(&bad).is_err(), "{pointer}");
    }
}

#[test]
fn sarif_shows_the_lines() {
    let json: Value = serde_json::from_str(&render(Form::Sarif, &samples::bank())).unwrap();
    let place = json.pointer("/runs/0/results/0/locations/0/physicalLocation").unwrap();
    assert_eq!(place["region"]["snippet"]["text"], "    assert(balance == 120);");
    assert_eq!(place["contextRegion"]["startLine"], 11);
    assert_eq!(place["artifactLocation"]["uriBaseId"], "%SRCROOT%");
}

#[test]
fn sarif_flows_tell_the_interleaving_in_order() {
    let json: Value = serde_json::from_str(&render(Form::Sarif, &samples::bank())).unwrap();
    let flows = json.pointer("/runs/0/results/0/codeFlows/0/threadFlows").unwrap();
    let mut steps = Vec::new();
    for flow in flows.as_array().unwrap() {
        for at in flow["locations"].as_array().unwrap() {
            let text = at.pointer("/location/message/text").unwrap().as_str().unwrap();
            steps.push((
                at["executionOrder"].as_u64().unwrap(),
                flow["id"].as_str().unwrap(),
                text,
            ));
        }
    }
    steps.sort_unstable();
    assert_eq!(steps.len(), 9);
    assert_eq!(steps[3], (3, "withdraw", "reads balance = 100"));
    assert_eq!(steps[8], (8, "main", "the assertion fails"));
}

#[test]
fn known_findings_are_unchanged_in_sarif_and_skipped_in_junit() {
    let mut report = samples::bank();
    report.findings[0].details.insert("known".into(), true.into());
    report.findings[1].details.insert("known".into(), false.into());
    let json: Value = serde_json::from_str(&render(Form::Sarif, &report)).unwrap();
    let state = |n: usize| json["runs"][0]["results"][n]["baselineState"].clone();
    assert_eq!((state(0), state(1)), ("unchanged".into(), "new".into()));
    let xml = render(Form::Junit, &report);
    let document = roxmltree::Document::parse(&xml).unwrap();
    let suite = document.descendants().find(|node| node.has_tag_name("testsuite")).unwrap();
    assert_eq!((suite.attribute("failures"), suite.attribute("skipped")), (Some("2"), Some("1")));
}

#[test]
fn junit_is_xml_whose_counts_are_right() {
    for report in all() {
        let xml = render(Form::Junit, &report);
        let document = roxmltree::Document::parse(&xml).unwrap();
        let count = |name: &str| document.descendants().filter(|n| n.has_tag_name(name)).count();
        let suite = document.descendants().find(|node| node.has_tag_name("testsuite")).unwrap();
        let said = |name: &str| suite.attribute(name).unwrap().parse::<usize>().unwrap();
        assert_eq!(said("tests"), count("testcase"));
        assert_eq!(said("failures"), count("failure"));
        assert_eq!(said("skipped"), count("skipped"));
        assert_eq!(count("failure"), report.findings.len());
    }
    let xml = render(Form::Junit, &samples::hostile());
    let document = roxmltree::Document::parse(&xml).unwrap();
    let case = document.descendants().find(|node| node.has_tag_name("testcase")).unwrap();
    assert!(case.attribute("name").unwrap().starts_with(samples::HOSTILE[0]));
}

#[test]
fn junit_has_only_characters_of_xml() {
    let mut report = samples::bank();
    report.findings[0].message = "a\u{fffe}b\u{ffff}c\u{1b}[1md".to_owned();
    let xml = render(Form::Junit, &report);
    let document = roxmltree::Document::parse(&xml).unwrap();
    let failure = document.descendants().find(|node| node.has_tag_name("failure")).unwrap();
    assert_eq!(failure.attribute("message"), Some("a\u{fffd}b\u{fffd}c\u{241b}[1md"));
    assert!(failure.text().unwrap().contains("a\u{fffd}b\u{fffd}c"));
    assert!(!xml.contains(['\u{fffe}', '\u{ffff}', '\u{1b}']));
}

/// What Perfetto needs: complete events with time and length, spans that end, arrows with two ends.
#[test]
fn perfetto_events_come_in_pairs() {
    for report in all() {
        let json: Value = serde_json::from_str(&render(Form::Perfetto, &report)).unwrap();
        let events = json["traceEvents"].as_array().unwrap();
        let of =
            |phase: &str| events.iter().filter(|event| event["ph"] == phase).collect::<Vec<_>>();
        let n_steps =
            report.findings.iter().filter_map(|f| f.story.as_ref()).map(|s| s.steps.len());
        assert_eq!(of("X").len(), n_steps.sum::<usize>());
        assert!(of("X").iter().all(|event| event["ts"].is_number() && event["dur"].is_number()));
        for (begin, end) in [("b", "e"), ("s", "f")] {
            let ids = |phase: &str| {
                let mut ids: Vec<_> =
                    of(phase).iter().map(|event| event["id"].to_string()).collect();
                ids.sort();
                ids
            };
            assert_eq!(ids(begin), ids(end));
            let all = ids(begin);
            assert!(all.windows(2).all(|pair| pair[0] != pair[1]), "an id is used twice");
        }
    }
}

#[test]
fn tables_have_equal_rows() {
    for table in [Table::Findings, Table::Steps, Table::Bounds, Table::Growth, Table::Funnel] {
        let rows = read_csv(&csv::render(&samples::hostile(), table));
        assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{table:?}: {rows:?}");
    }
    let rows = read_csv(&csv::render(&samples::bank(), Table::Steps));
    assert_eq!(rows.len(), 1 + 9 + 4 + 4);
    assert_eq!(rows[4][2..6], ["withdraw", "read", "balance", "100"]);
    let rows = read_csv(&csv::render(&samples::bank(), Table::Growth));
    assert_eq!(rows[5], ["87", "58"]);
}

/// A reader of RFC 4180.
fn read_csv(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut cell) = (Vec::new(), Vec::new(), String::new());
    let mut quoted = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => cell.extend(chars.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut cell)),
            '\r' if !quoted && chars.peek() == Some(&'\n') => {
                chars.next();
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            c => cell.push(c),
        }
    }
    rows
}

#[test]
fn text_never_acts_on_a_terminal() {
    for form in [Form::Text, Form::Short] {
        let text = render(form, &samples::hostile());
        assert!(!text.contains(['\u{1b}', '\u{202e}', '\0', '\u{2028}']), "{form:?}");
    }
}

#[test]
fn one_line_a_finding_is_as_compilers_write_it() {
    let text = render(Form::Short, &samples::bank());
    let first = text.lines().next().unwrap();
    assert!(first.starts_with("bank.c:13: error: assertion: assertion failed: balance == 120 ["));
    assert_eq!(text.lines().count(), 3);
}

#[test]
fn what_is_ruled_out_is_told_with_its_core() {
    let text = render(Form::Text, &samples::predicted());
    let (_, ruled_out) = text.split_once("ruled out: deposit|w(log) at bank.c:5").unwrap();
    let order = "deposit|rel(m) at bank.c:7 before withdraw|acq(m) at bank.c:4: only one thread";
    assert!(ruled_out.contains(order), "{text}");
}

#[test]
fn the_text_of_a_report() {
    insta::assert_snapshot!(render(Form::Text, &samples::bank()));
}
