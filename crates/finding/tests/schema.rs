//! The JSON Schema, the types and the documentation say the same.

use std::path::Path;

use boon::{Compiler, SchemaIndex, Schemas};
use raddle_finding::*;
use serde_json::{Value, json};

struct Schema {
    schemas: Schemas,
    index: SchemaIndex,
}

impl Schema {
    fn load() -> Self {
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        let json = serde_json::from_str(SCHEMA_JSON).expect("the schema is JSON");
        compiler.add_resource("findings.json", json).expect("the schema has a place");
        let index = compiler.compile("findings.json", &mut schemas).expect("the schema is one");
        Schema { schemas, index }
    }

    fn errors(&self, report: &Value) -> Option<String> {
        self.schemas.validate(report, self.index).err().map(|error| error.to_string())
    }
}

#[track_caller]
fn check_valid(report: &Report) {
    let json = serde_json::from_str(&report.to_json()).expect("a report is JSON");
    assert_eq!(Schema::load().errors(&json), None);
    assert_eq!(Report::from_json(&report.to_json()).expect("it is read back"), *report);
}

/// Sets one field of a valid report, by JSON pointer; `null` removes it.
#[track_caller]
fn check_near_miss(pointer: &str, value: Value) {
    let mut json: Value = serde_json::from_str(&full_report().to_json()).expect("it is JSON");
    let (parent, key) = pointer.rsplit_once('/').expect("a pointer has a slash");
    match json.pointer_mut(parent).expect("the parent exists") {
        Value::Object(fields) if value.is_null() => drop(fields.remove(key).expect("it is there")),
        Value::Object(fields) => drop(fields.insert(key.to_owned(), value)),
        Value::Array(items) => items[key.parse::<usize>().expect("an index")] = value,
        other => panic!("{other} has no fields"),
    }
    assert!(Schema::load().errors(&json).is_some(), "{pointer} went through");
}

fn sites() -> Vec<Site> {
    vec![
        Site::new("first access", Location::parse("push (src/queue.c:12:3)"))
            .at_event(4)
            .by_thread("T1"),
        Site::new("second access", Location::named("347")),
    ]
}

fn finding(property: Property, verdict: Verdict, events: &[i64]) -> Finding {
    let kinds = [
        ObjectKind::Variable,
        ObjectKind::Lock,
        ObjectKind::Condition,
        ObjectKind::Semaphore,
        ObjectKind::Barrier,
        ObjectKind::Thread,
    ];
    let objects = kinds.map(|kind| Object::new(kind, "head")).to_vec();
    let mut finding = Finding::new(property, verdict, "something", sites(), objects);
    finding.events = events.to_vec();
    if verdict.needs_witness() {
        finding.witness = Some(Reordering::new([0, 9, 4]).of_trace("51c0").into());
    }
    finding
}

/// Every action, every reason to leave a thread, all fields.
fn story() -> Story {
    let step = |&action: &Action| Step {
        thread: 1,
        action,
        object: Some(0),
        place: Some(0),
        value: Some("-3".into()),
        found: Some("-4".into()),
    };
    let reasons = [
        Leaving::Preempted { number: 1 },
        Leaving::Waits { awaited: "m".into() },
        Leaving::GaveWay,
        Leaving::Spins,
    ];
    let switch = |(before, why)| Switch { before, thread: 0, why };
    Story {
        title: Some("a better name".into()),
        why: vec!["in main".into()],
        threads: vec!["main".into(), "T1".into()],
        objects: vec![Object::new(ObjectKind::Lock, "m")],
        places: vec![Location::parse("push (queue.c:12:3)")],
        steps: Action::ALL.iter().map(step).collect(),
        decisive: vec![1, 2],
        switches: (1..).zip(reasons).map(switch).collect(),
        pending: 2,
        omitted: vec![(1, 5000)],
    }
}

/// Every property, every verdict, both witnesses, all fields.
fn full_report() -> Report {
    let mut report = Report::new(Input { identity: Some("51c0".into()), ..Input::named("q.std") });
    report.seed = Some(u64::MAX);
    for property in Property::ALL {
        let events: &[i64] = match property {
            Property::Race | Property::Deadlock => &[4, 9],
            Property::Atomicity => &[4, 7, 9],
            Property::Determinism => &[9, 4, INITIAL_WRITE],
            _ => &[],
        };
        report.findings.push(finding(property, Verdict::Witnessed, events));
    }
    for verdict in Verdict::LADDER {
        report.findings.push(finding(Property::Race, verdict, &[4, 9]));
    }
    for budget in [Budget::Time, Budget::Memory, Budget::Steps, Budget::Runs] {
        report.findings.push(finding(Property::Race, Verdict::Unknown(budget), &[4, 9]));
    }
    for number in 1..=3 {
        let mut read = finding(Property::Determinism, Verdict::Witnessed, &[9, 4, INITIAL_WRITE]);
        read.read_witness_type = ReadWitnessType::try_from(number).ok();
        report.findings.push(read);
    }
    let mut replayed = finding(Property::Crash, Verdict::Replayed, &[]);
    let schedule = "rs1:9f3ac2:0r5,1,0r2,w2,t+,s-,v-42,b+".parse::<Schedule>();
    replayed.witness = Some(schedule.expect("it is a schedule").into());
    replayed.replay = Some("raddle replay queue.c rs1:9f3ac2:0r5".into());
    replayed.threads = vec!["T1".into(), "T2".into()];
    replayed.occurrences = Some(3);
    replayed.details.insert("signal".into(), json!(11));
    replayed.story = Some(story());
    report.findings.push(replayed);
    let mut long = finding(Property::Race, Verdict::Witnessed, &[4, 9]);
    long.witness = Some(Reordering::from_spans([0..5000, 7000..7001]).of_trace("51c0").into());
    report.findings.push(long);
    report.skipped =
        vec![Skipped { property: Property::Atomicity, reason: "no transactions".into() }];
    report.repairs = vec![Repair {
        rule: "a release has its acquire".into(),
        event: Some(7),
        line: Some(8),
        action: "dropped".into(),
    }];
    let part = Excerpt { first: 12, lines: vec!["  head = node;".into()] };
    report.sources = vec![Source { file: "queue.c".into(), parts: vec![part] }];
    report.stats.insert("growth".into(), json!([[1, 12], [2, 15]]));
    report.stats.insert(
        "ranges".into(),
        json!({"assertions": [{"text": "assert at queue.c:9", "verdict": "proved"}]}),
    );
    let race = ["candidates", "lsa", "unordered", "mhb", "ucg", "witnessed", "unknown"];
    let race = race.into_iter().chain(["racy_events", "racy_locations"]);
    report.stats.insert("race".into(), race.map(|count| (count, 3)).collect::<Value>());
    for part in ["atomicity", "deadlock", "determinism", "lost_wakeup", "paper"] {
        report.stats.insert(part.into(), json!({"candidates": 3}));
    }
    report.timing.insert("total_s".into(), json!(0.25));
    report
}

/// Where the full report has the finding that was replayed.
fn replayed() -> usize {
    let of_crash =
        |finding: &Finding| finding.verdict == Verdict::Replayed && finding.replay.is_some();
    full_report().findings.iter().position(of_crash).expect("there is one")
}

#[test]
fn every_variant_of_everything_is_valid() {
    check_valid(&full_report());
}

#[test]
fn an_empty_report_is_valid() {
    check_valid(&Report::new(Input::named("q.std")));
}

#[test]
fn fields_of_later_releases_are_valid_and_ignored() {
    let mut json: Value = serde_json::from_str(&full_report().to_json()).expect("it is JSON");
    json["extra"] = json!(1);
    json["findings"][0]["locations"][0]["extra"] = json!([2]);
    json["findings"][0]["witness"]["extra"] = json!({});
    assert_eq!(Schema::load().errors(&json), None);
    assert_eq!(Report::from_json(&json.to_string()).expect("it is read"), full_report());
}

#[test]
fn the_frame_is_checked() {
    check_near_miss("/schema", json!("raddle.findings/2"));
    check_near_miss("/schema", Value::Null);
    check_near_miss("/findings", Value::Null);
    check_near_miss("/tool/version", Value::Null);
    check_near_miss("/input/name", json!(7));
    check_near_miss("/seed", json!(-1));
    check_near_miss("/seed", json!("7"));
    check_near_miss("/timing", json!(0.5));
    check_near_miss("/stats/race/candidates", json!("3"));
    check_near_miss("/stats/race/racy_events", json!(-1));
    check_near_miss("/stats/paper", json!(3));
    check_near_miss("/stats/lost_wakeup", json!([]));
    check_near_miss("/repairs/0/rule", Value::Null);
    check_near_miss("/repairs/0/line", json!(0));
    check_near_miss("/skipped/0/property", json!("everything"));
}

#[test]
fn the_fields_of_a_finding_are_checked() {
    check_near_miss("/findings/0/fingerprint", json!("00AB"));
    check_near_miss("/findings/0/fingerprint", Value::Null);
    check_near_miss("/findings/0/property", json!("Race"));
    check_near_miss("/findings/0/verdict", json!("confirmed"));
    check_near_miss("/findings/0/events", Value::Null);
    check_near_miss("/findings/0/locations", Value::Null);
    check_near_miss("/findings/0/locations/0/line", json!(0));
    check_near_miss("/findings/0/locations/0/name", Value::Null);
    check_near_miss("/findings/0/locations/0/role", Value::Null);
    check_near_miss("/findings/0/objects/0/kind", json!("mutex"));
    check_near_miss("/findings/0/occurrences", json!(0));
}

#[test]
fn a_witnessed_finding_without_witness_is_not_valid() {
    check_near_miss("/findings/0/witness", Value::Null);
    check_near_miss(&format!("/findings/{}/witness", replayed()), Value::Null);
}

#[test]
fn the_witness_is_checked() {
    check_near_miss("/findings/0/witness/kind", json!("proof"));
    check_near_miss("/findings/0/witness/kind", json!("schedule"));
    check_near_miss("/findings/0/witness/events/0", json!(-1));
    let schedule = format!("/findings/{}/witness/schedule", replayed());
    for text in ["rs2:9f3ac2:0", "rs1:9f3ac2", "rs1:a b:0", "rs1:9f3ac2:0,", "rs1:9f3ac2:x"] {
        check_near_miss(&schedule, json!(text));
    }
}

#[test]
fn a_reordering_has_either_events_or_spans() {
    check_near_miss("/findings/0/witness/events", Value::Null);
    check_near_miss("/findings/0/witness/spans", json!([[0, 1]]));
    check_near_miss("/findings/0/witness/length", json!(3));
    let long = format!("/findings/{}/witness", full_report().findings.len() - 1);
    check_near_miss(&format!("{long}/events"), json!([0]));
    check_near_miss(&format!("{long}/spans"), Value::Null);
    check_near_miss(&format!("{long}/length"), Value::Null);
    for span in [json!([0]), json!([0, 1, 2]), json!([-1, 4]), json!(7)] {
        check_near_miss(&format!("{long}/spans/0"), span);
    }
}

#[test]
fn the_events_of_each_property_are_checked() {
    let index = |property| Property::ALL.iter().position(|&p| p == property).expect("it is listed");
    let events = |property| format!("/findings/{}/events", index(property));
    check_near_miss(&events(Property::Race), json!([4]));
    check_near_miss(&events(Property::Race), json!([INITIAL_WRITE, 9]));
    check_near_miss(&events(Property::Atomicity), json!([4, 9]));
    check_near_miss(&events(Property::Determinism), json!([9, 4]));
    check_near_miss(&events(Property::Determinism), json!([9, 4, -2]));
    check_near_miss("/findings/0/type", json!(1));
    let read = format!("/findings/{}/type", index(Property::Determinism));
    check_near_miss(&read, json!(4));
}

#[test]
fn only_an_unknown_verdict_has_a_budget() {
    check_near_miss("/findings/0/budget", json!("time"));
    check_near_miss("/findings/0/verdict", json!("unknown"));
}

#[test]
fn the_documented_examples_are_valid() {
    let page = page("findings.md");
    let blocks = page.split("```json\n").skip(1);
    let examples: Vec<_> = blocks.filter_map(|block| block.split("\n```").next()).collect();
    assert!(!examples.is_empty(), "the page has no example");
    for example in examples {
        let json = serde_json::from_str(example).expect("an example is JSON");
        assert_eq!(Schema::load().errors(&json), None);
        let report = Report::from_json(example).expect("an example is a report");
        assert_eq!(report.to_json().trim_end(), example, "written back, it looks different");
        for finding in &report.findings {
            let places = finding.locations.iter().map(|site| &site.location);
            let fingerprint = Fingerprint::of(finding.property, places, &finding.objects);
            assert_eq!(finding.fingerprint, fingerprint, "{}", finding.message);
        }
    }
}

#[test]
fn every_field_is_documented() {
    let page = page("findings.md");
    let mut json: Value = serde_json::from_str(&full_report().to_json()).expect("it is JSON");
    // What is inside belongs to each analysis, not to the format.
    for free_form in ["stats", "timing"] {
        json[free_form] = json!({});
    }
    for finding in json["findings"].as_array_mut().expect("it is a list") {
        finding["details"] = json!({});
    }
    let mut names = Vec::new();
    collect_names(&json, &mut names);
    for name in names {
        assert!(page.contains(&format!("`{name}`")), "{name} is not documented");
    }
}

#[test]
fn the_documented_schedules_are_read_and_shortest() {
    let page = page("schedule.md");
    let words = page.split(|c: char| c.is_whitespace() || c == '`');
    let schedules: Vec<_> = words.filter(|word| word.starts_with("rs1:")).collect();
    assert!(schedules.len() > 3, "the page has too few examples");
    for text in schedules {
        assert_eq!(text.parse::<Schedule>().expect("it is a schedule").to_string(), text);
    }
}

/// The field names of objects, and the text of fields that have a fixed set of values.
fn collect_names(json: &Value, names: &mut Vec<String>) {
    match json {
        Value::Array(items) => items.iter().for_each(|item| collect_names(item, names)),
        Value::Object(fields) => {
            for (name, value) in fields {
                names.push(name.clone());
                let is_enum = ["property", "verdict", "budget", "kind"].contains(&name.as_str());
                names.extend(value.as_str().filter(|_| is_enum).map(str::to_owned));
                collect_names(value, names);
            }
        }
        _ => {}
    }
}

fn page(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/formats").join(name);
    std::fs::read_to_string(&path).expect("the page is there")
}

#[test]
fn a_story_that_is_none_is_not_valid() {
    let story = format!("/findings/{}/story", replayed());
    check_near_miss(&format!("{story}/steps/0"), json!([0]));
    check_near_miss(&format!("{story}/steps/0"), json!([0, "dance"]));
    check_near_miss(&format!("{story}/steps/0"), json!([-1, "read"]));
    check_near_miss(&format!("{story}/threads"), Value::Null);
    check_near_miss(
        &format!("{story}/switches/0"),
        json!({"before": 1, "thread": 0, "kind": "left"}),
    );
    check_near_miss("/sources/0/parts/0/first", json!(0));
}

#[test]
fn a_story_that_refers_to_nothing_is_refused() {
    let mut report = full_report();
    let story = report.findings[replayed()].story.as_mut().expect("it has one");
    story.steps[0].thread = 99;
    let error = Report::from_json(&report.to_json()).expect_err("there is no such thread");
    assert!(error.to_string().contains("refers to something that does not exist"), "{error}");
}
