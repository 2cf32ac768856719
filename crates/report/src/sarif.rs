//! SARIF 2.1.0: for code scanning. Each finding is a result; its interleaving is a code flow with one
//! thread flow for each thread, in execution order.

use raddle_finding::{Finding, Location, Property, Report, Site, Story, Verdict};
use serde_json::{Value, json};

use crate::{fold, phrase};

/// A story with more steps is told without what does not matter.
const STEPS: usize = 500;

/// The report as SARIF text.
pub fn render(report: &Report) -> String {
    let mut used: Vec<Property> = report.findings.iter().map(|finding| finding.property).collect();
    used.sort_unstable();
    used.dedup();
    let result = |finding: &Finding| {
        let rule = used.iter().position(|&property| property == finding.property);
        result(finding, rule.unwrap_or(0))
    };
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": report.tool.name,
                "version": report.tool.version,
                "rules": used.iter().map(|&property| rule(property)).collect::<Vec<_>>(),
            }},
            "invocations": [{ "executionSuccessful": true }],
            "columnKind": "unicodeCodePoints",
            "results": report.findings.iter().map(result).collect::<Vec<_>>(),
        }],
    });
    format!("{log:#}\n")
}

/// What a property means, in a sentence.
pub(crate) fn meaning(property: Property) -> &'static str {
    match property {
        Property::Race => {
            "Two accesses to the same memory are not ordered, and one of them writes."
        }
        Property::Atomicity => "What is meant to be atomic is interleaved with other accesses.",
        Property::Deadlock => "Threads wait for each other and can never go on.",
        Property::Livelock => "Threads run for ever without getting anywhere.",
        Property::LostWakeup => "A notification can come before the wait that needs it.",
        Property::Determinism => "A read can see different writes in different interleavings.",
        Property::Assertion => "An assertion of the program can fail.",
        Property::Crash => "The program can crash or use memory wrongly.",
        Property::Serializability => "The outcome is that of no sequential execution.",
        _ => "A value can leave its range.",
    }
}

fn rule(property: Property) -> Value {
    json!({
        "id": property.name(),
        "shortDescription": { "text": meaning(property) },
        "defaultConfiguration": { "level": "error" },
    })
}

fn result(finding: &Finding, rule: usize) -> Value {
    let level = match finding.verdict {
        Verdict::Unknown(_) => "note",
        verdict if verdict.needs_witness() => "error",
        _ => "warning",
    };
    let mut text = finding.message.clone();
    if let Some(replay) = &finding.replay {
        text += &format!("\nReplay: {replay}");
    }
    let mut result = json!({
        "ruleId": finding.property.name(),
        "ruleIndex": rule,
        "level": level,
        "message": { "text": text },
        "locations": finding.locations.first().map(site).into_iter().collect::<Vec<_>>(),
        "relatedLocations": related(finding),
        "partialFingerprints": { "raddle/1": finding.fingerprint.to_string() },
        "properties": { "verdict": finding.verdict.name() },
    });
    if let Some(story) = finding.story.as_ref().filter(|story| !story.steps.is_empty()) {
        result["codeFlows"] = json!([code_flow(story)]);
    }
    if let Some(known) = finding.details.get("known").and_then(Value::as_bool) {
        result["baselineState"] = json!(if known { "unchanged" } else { "new" });
    }
    result
}

/// The other places, then those of its causes, each once.
fn related(finding: &Finding) -> Vec<Value> {
    let mut places: Vec<Value> = Vec::new();
    let causes = finding.causes.iter().flat_map(|cause| &cause.locations);
    for place in finding.locations.iter().skip(1).chain(causes).map(site) {
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places
}

fn site(site: &Site) -> Value {
    let mut text = site.role.clone();
    if let Some(thread) = &site.thread {
        text = format!("{thread}: {text}");
    }
    location(&site.location, &text)
}

fn location(place: &Location, text: &str) -> Value {
    let mut location = json!({ "message": { "text": text } });
    if let Some(file) = &place.file {
        let mut physical = json!({ "artifactLocation": { "uri": uri(file) } });
        if let Some(line) = place.line {
            physical["region"] = json!({ "startLine": line });
            if let Some(column) = place.column {
                physical["region"]["startColumn"] = json!(column);
            }
        }
        location["physicalLocation"] = physical;
    }
    if let Some(function) = &place.function {
        location["logicalLocations"] = json!([{ "name": function, "kind": "function" }]);
    } else if place.file.is_none() {
        location["logicalLocations"] = json!([{ "name": place.name }]);
    }
    location
}

fn code_flow(story: &Story) -> Value {
    let stays = match story.steps.len() {
        ..=STEPS => vec![true; story.steps.len()],
        _ => fold::stays(story),
    };
    let mut flows = vec![Vec::new(); story.threads.len()];
    for (n, step) in story.steps.iter().enumerate().filter(|&(n, _)| stays[n]) {
        let is_decisive = story.decisive.binary_search(&(n as u32)).is_ok();
        let text = phrase::step(story, step);
        let place = step.place.and_then(|place| story.places.get(place as usize));
        let place = place.cloned().unwrap_or_else(|| Location::named("?"));
        flows[step.thread as usize].push(json!({
            "location": location(&place, &text),
            "executionOrder": n,
            "importance": if is_decisive { "essential" } else { "important" },
        }));
    }
    let flows = flows.into_iter().zip(&story.threads).filter(|(steps, _)| !steps.is_empty());
    let flow = |(steps, thread): (Vec<Value>, &String)| json!({ "id": thread, "locations": steps });
    json!({ "threadFlows": flows.map(flow).collect::<Vec<_>>() })
}

/// A path as a URI: relative as it is, absolute as a file; what URIs do not allow is escaped.
fn uri(file: &str) -> String {
    let mut uri = String::new();
    if file.starts_with('/') {
        uri += "file://";
    }
    for byte in file.replace('\\', "/").bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'.' | b'_' | b'-' | b'~' => {
                uri.push(byte as char);
            }
            _ => uri += &format!("%{byte:02X}"),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_uris() {
        let cases = [
            ("src/a b.c", "src/a%20b.c"),
            ("/usr/x.c", "file:///usr/x.c"),
            ("ä:%.c", "%C3%A4%3A%25.c"),
        ];
        for (file, expected) in cases {
            assert_eq!(uri(file), expected);
        }
    }
}
