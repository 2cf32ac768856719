//! SARIF 2.1.0: for code scanning. Each finding is a result; its interleaving is a code flow with one
//! thread flow for each thread, in execution order.

mod place;
mod rule;

use raddle_finding::{Finding, Location, Property, Report, Site, Story, Verdict};
use serde_json::{Value, json};

use crate::{fold, phrase};
use place::{Places, ROOT};

/// A story with more steps is shown without what does not matter.
const STEPS: usize = 500;

/// The report as SARIF text.
pub fn render(report: &Report) -> String {
    render_below(report, "")
}

/// The same, where files below this folder are named relative to it.
pub fn render_below(report: &Report, root: &str) -> String {
    let places = Places { report, root: root.trim_end_matches('/') };
    let mut used: Vec<Property> = report.findings.iter().map(|finding| finding.property).collect();
    used.sort_unstable();
    used.dedup();
    let result = |finding: &Finding| {
        let rule = used.iter().position(|&property| property == finding.property);
        result(&places, finding, rule.unwrap_or(0))
    };
    let tool = &report.tool;
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": tool.name,
                "fullName": format!("{} {}", tool.name, tool.version),
                "version": tool.version,
                "semanticVersion": tool.version,
                "rules": used.iter().map(|&property| rule::rule(property)).collect::<Vec<_>>(),
            }},
            // Results of different targets stand beside each other, and do not replace each other.
            "automationDetails": { "id": format!("{}/{}/", tool.name, report.input.name) },
            "invocations": [{ "executionSuccessful": true }],
            "originalUriBaseIds": {
                ROOT: { "description": { "text": "The folder in which the program was analysed." } },
            },
            "columnKind": "unicodeCodePoints",
            "results": report.findings.iter().map(result).collect::<Vec<_>>(),
        }],
    });
    format!("{log:#}\n")
}

fn result(places: &Places<'_>, finding: &Finding, rule: usize) -> Value {
    let level = match finding.verdict {
        Verdict::Unknown(_) => "note",
        verdict if verdict.needs_witness() => "error",
        _ => "warning",
    };
    let mut text = finding.message.clone();
    if let Some(replay) = &finding.replay {
        text += &format!("\nReplay: {replay}");
    }
    let first = finding.locations.first().map(|first| site(places, first));
    let mut result = json!({
        "ruleId": finding.property.name(),
        "ruleIndex": rule,
        "level": level,
        "message": { "text": text },
        "locations": first.into_iter().collect::<Vec<_>>(),
        "relatedLocations": related(places, finding),
        "partialFingerprints": { "raddle/1": finding.fingerprint.to_string() },
        "properties": { "verdict": finding.verdict.name() },
    });
    if let Some(story) = finding.story.as_ref().filter(|story| !story.steps.is_empty()) {
        result["codeFlows"] = json!([code_flow(places, story)]);
    }
    if let Some(known) = finding.details.get("known").and_then(Value::as_bool) {
        result["baselineState"] = json!(if known { "unchanged" } else { "new" });
    }
    result
}

/// The other places, then those of its causes, each once.
fn related(places: &Places<'_>, finding: &Finding) -> Vec<Value> {
    let mut related: Vec<Value> = Vec::new();
    let causes = finding.causes.iter().flat_map(|cause| &cause.locations);
    let others = finding.locations.iter().skip(1).chain(causes);
    for place in others.map(|other| site(places, other)) {
        if !related.contains(&place) {
            related.push(place);
        }
    }
    related
}

fn site(places: &Places<'_>, site: &Site) -> Value {
    let mut text = site.role.clone();
    if let Some(thread) = &site.thread {
        text = format!("{thread}: {text}");
    }
    places.location(&site.location, &text, true)
}

fn code_flow(places: &Places<'_>, story: &Story) -> Value {
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
            "location": places.location(&place, &text, false),
            "executionOrder": n,
            "importance": if is_decisive { "essential" } else { "important" },
        }));
    }
    let flows = flows.into_iter().zip(&story.threads).filter(|(steps, _)| !steps.is_empty());
    let flow = |(steps, thread): (Vec<Value>, &String)| json!({ "id": thread, "locations": steps });
    json!({ "threadFlows": flows.map(flow).collect::<Vec<_>>() })
}
