//! JUnit XML: for CI systems that show tests. Each finding is a test that fails, and the guarantee one that
//! passes, or that was skipped if nothing is guaranteed.

use std::fmt::Write;

use raddle_finding::{Finding, Report};
use serde_json::Value;

use crate::sanitise::visible;
use crate::text::{self, Styles};

/// The report as XML.
pub fn render(report: &Report) -> String {
    let exploration = report.stats.get("exploration");
    let claim = exploration.and_then(|e| e.get("claim")).and_then(Value::as_str);
    let is_complete = exploration.is_none_or(|e| e.get("complete") == Some(&Value::Bool(true)));
    let n_failures = report.findings.iter().filter(|finding| fails(finding)).count();
    let n_skipped = report.findings.len() - n_failures + usize::from(!is_complete);
    let counts = format!(
        "tests=\"{}\" failures=\"{n_failures}\" errors=\"0\" skipped=\"{n_skipped}\"",
        report.findings.len() + 1,
    );
    let name = attribute(&report.input.name);
    let seconds = report.timing.get("total_s").and_then(Value::as_f64);
    let time = seconds.map_or(String::new(), |seconds| format!(" time=\"{seconds:.3}\""));
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(xml, "<testsuites name=\"raddle\" {counts}>");
    let _ = writeln!(xml, "  <testsuite name=\"{name}\" {counts}{time}>");
    for finding in &report.findings {
        xml += &case(report, finding);
    }
    let claim = claim.unwrap_or("every property that was asked for was decided");
    let _ = write!(xml, "    <testcase classname=\"raddle\" name=\"{}\"", attribute(claim));
    xml += if is_complete { "/>\n" } else { "><skipped message=\"incomplete\"/></testcase>\n" };
    xml += "  </testsuite>\n</testsuites>\n";
    xml
}

/// Whether a finding is not known.
fn fails(finding: &Finding) -> bool {
    finding.details.get("known") != Some(&Value::Bool(true))
}

fn case(report: &Report, finding: &Finding) -> String {
    let place = finding.locations.first().map(|site| &site.location);
    let at = place.map_or(String::new(), |place| format!(" at {place}"));
    let mut xml = format!(
        "    <testcase classname=\"raddle.{}\" name=\"{}\"",
        finding.property,
        attribute(&format!("{}{at} [{}]", finding.message, finding.fingerprint)),
    );
    if let Some(place) = place {
        if let Some(file) = &place.file {
            let _ = write!(xml, " file=\"{}\"", attribute(file));
        }
        if let Some(line) = place.line {
            let _ = write!(xml, " line=\"{line}\"");
        }
    }
    xml.push('>');
    if fails(finding) {
        let message = attribute(&finding.message);
        let body = content(&text::finding(report, finding, &Styles::plain()));
        let _ = write!(
            xml,
            "\n      <failure type=\"{}\" message=\"{message}\">{body}</failure>\n    ",
            finding.property
        );
    } else {
        xml += "<skipped message=\"known\"/>";
    }
    xml + "</testcase>\n"
}

fn attribute(text: &str) -> String {
    content(&visible(text)).replace('"', "&quot;")
}

/// Characters that XML does not have are gone already: text comes with all of them visible.
fn content(text: &str) -> String {
    let safe = |c: char| {
        if matches!(c, '\u{fffe}' | '\u{ffff}') { char::REPLACEMENT_CHARACTER } else { c }
    };
    let text: String = text.chars().map(safe).collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
