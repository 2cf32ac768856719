//! JUnit XML: for CI systems that show tests. Each finding is a test that fails, and the guarantee one that
//! passes, or that was skipped if nothing is guaranteed.

use std::time::Duration;

use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};
use raddle_finding::{Finding, Report};
use serde_json::Value;

use crate::sanitise::visible;
use crate::text::{self, Styles};

/// The report as XML.
pub fn render(report: &Report) -> String {
    let mut suite = TestSuite::new(shown(&report.input.name));
    let seconds = report.timing.get("total_s").and_then(Value::as_f64);
    suite.time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    suite.add_test_cases(report.findings.iter().map(|finding| case(report, finding)));
    suite.add_test_case(guarantee(report));
    let mut all = quick_junit::Report::new("raddle");
    all.add_test_suite(suite);
    all.to_string().expect("memory takes what is written")
}

fn case(report: &Report, finding: &Finding) -> TestCase {
    let place = finding.locations.first().map(|site| &site.location);
    let at = place.map_or(String::new(), |place| format!(" at {place}"));
    let name = format!("{}{at} [{}]", finding.message, finding.fingerprint);
    let mut case = TestCase::new(shown(&name), status(report, finding));
    case.set_classname(format!("raddle.{}", finding.property));
    if let Some(file) = place.and_then(|place| place.file.as_ref()) {
        case.extra.insert("file".into(), shown(file).into());
    }
    if let Some(line) = place.and_then(|place| place.line) {
        case.extra.insert("line".into(), line.to_string().into());
    }
    case
}

/// A failure, unless the finding is known.
fn status(report: &Report, finding: &Finding) -> TestCaseStatus {
    if finding.details.get("known") == Some(&Value::Bool(true)) {
        return skipped("known");
    }
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_type(finding.property.name());
    status.set_message(shown(&finding.message));
    status.set_description(xml(&text::finding(report, finding, &Styles::plain())));
    status
}

/// What is guaranteed.
fn guarantee(report: &Report) -> TestCase {
    let exploration = report.stats.get("exploration");
    let claim = exploration.and_then(|e| e.get("claim")).and_then(Value::as_str);
    let claim = claim.unwrap_or("every property that was asked for was decided");
    let is_complete = exploration.is_none_or(|e| e.get("complete") == Some(&Value::Bool(true)));
    let status = if is_complete { TestCaseStatus::success() } else { skipped("incomplete") };
    let mut case = TestCase::new(shown(claim), status);
    case.set_classname("raddle");
    case
}

fn skipped(why: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::skipped();
    status.set_message(why);
    status
}

/// A text in an attribute.
fn shown(text: &str) -> String {
    xml(&visible(text))
}

/// Text without the two characters that XML does not have and `quick-junit` lets through.
fn xml(text: &str) -> String {
    text.replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}
