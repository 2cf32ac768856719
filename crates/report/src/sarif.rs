//! SARIF 2.1.0: for code scanning. Each finding is a result; its interleaving is a code flow with one
//! thread flow for each thread, in execution order.

mod place;
mod rule;

use std::collections::BTreeMap;

use raddle_finding::{Finding, Location, Property, Report, Site, Story, Verdict};
use serde_json::Value;
use serde_sarif::sarif::{
    ArtifactLocation, CodeFlow, Invocation, Location as Place, Message, PropertyBag, Result,
    ResultLevel, Run, RunAutomationDetails, Sarif, ThreadFlow, ThreadFlowLocation, ToolComponent,
};

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
    let log = Sarif::builder()
        .schema("https://json.schemastore.org/sarif-2.1.0.json")
        .version("2.1.0")
        .runs([run(report, root)])
        .build();
    // Keys in the order of the alphabet, as in all other JSON.
    let log = serde_json::to_value(log).expect("all keys are text");
    format!("{log:#}\n")
}

fn run(report: &Report, root: &str) -> Run {
    let places = Places { report, root: root.trim_end_matches('/') };
    let mut used: Vec<Property> = report.findings.iter().map(|finding| finding.property).collect();
    used.sort_unstable();
    used.dedup();
    let result = |finding: &Finding| {
        let rule = used.iter().position(|&property| property == finding.property);
        result(&places, finding, rule.unwrap_or(0))
    };
    let tool = &report.tool;
    let driver = ToolComponent::builder()
        .name(&tool.name)
        .full_name(format!("{} {}", tool.name, tool.version))
        .version(&tool.version)
        .semantic_version(&tool.version)
        .rules(used.iter().map(|&property| rule::rule(property)).collect::<Vec<_>>())
        .build();
    // Results of different targets stand beside each other, and do not replace each other.
    let id = format!("{}/{}/", tool.name, report.input.name);
    let folder = Message::from("The folder in which the program was analysed.");
    let folder = ArtifactLocation::builder().description(folder).build();
    Run::builder()
        .tool(driver)
        .automation_details(RunAutomationDetails::builder().id(id).build())
        .invocations([Invocation::builder().execution_successful(true).build()])
        .original_uri_base_ids([(ROOT.to_owned(), folder)])
        .column_kind("unicodeCodePoints")
        .results(report.findings.iter().map(result).collect::<Vec<_>>())
        .build()
}

fn result(places: &Places<'_>, finding: &Finding, rule: usize) -> Result {
    let level = match finding.verdict {
        Verdict::Unknown(_) => ResultLevel::Note,
        verdict if verdict.needs_witness() => ResultLevel::Error,
        _ => ResultLevel::Warning,
    };
    let mut text = finding.message.clone();
    if let Some(replay) = &finding.replay {
        text += &format!("\nReplay: {replay}");
    }
    let first = finding.locations.first().map(|first| site(places, first));
    let verdict = BTreeMap::from([("verdict".to_owned(), finding.verdict.name().into())]);
    let mut result = Result::builder()
        .rule_id(finding.property.name())
        .rule_index(rule as i64)
        .level(level)
        .message(text.as_str())
        .locations(first.into_iter().collect::<Vec<_>>())
        .related_locations(related(places, finding))
        .partial_fingerprints([("raddle/1".to_owned(), finding.fingerprint.to_string())])
        .properties(PropertyBag::builder().additional_properties(verdict).build())
        .build();
    if let Some(story) = finding.story.as_ref().filter(|story| !story.steps.is_empty()) {
        result.code_flows = Some(vec![code_flow(places, story)]);
    }
    if let Some(known) = finding.details.get("known").and_then(Value::as_bool) {
        result.baseline_state = Some(if known { "unchanged" } else { "new" }.into());
    }
    result
}

/// The other places, then those of its causes, each once.
fn related(places: &Places<'_>, finding: &Finding) -> Vec<Place> {
    let mut related = Vec::new();
    let causes = finding.causes.iter().flat_map(|cause| &cause.locations);
    let others = finding.locations.iter().skip(1).chain(causes);
    for place in others.map(|other| site(places, other)) {
        if !related.contains(&place) {
            related.push(place);
        }
    }
    related
}

fn site(places: &Places<'_>, site: &Site) -> Place {
    let mut text = site.role.clone();
    if let Some(thread) = &site.thread {
        text = format!("{thread}: {text}");
    }
    places.location(&site.location, &text, true)
}

fn code_flow(places: &Places<'_>, story: &Story) -> CodeFlow {
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
        let at = ThreadFlowLocation::builder()
            .location(places.location(&place, &text, false))
            .execution_order(n as i64)
            .importance(if is_decisive { "essential" } else { "important" });
        flows[step.thread as usize].push(at.build());
    }
    let flows = flows.into_iter().zip(&story.threads).filter(|(steps, _)| !steps.is_empty());
    let flow = |(steps, thread): (Vec<_>, &String)| {
        ThreadFlow::builder().id(thread).locations(steps).build()
    };
    CodeFlow::builder().thread_flows(flows.map(flow).collect::<Vec<_>>()).build()
}
