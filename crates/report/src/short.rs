//! One line for each finding, as compilers write them: for editors and problem matchers.

use std::fmt::Write;

use raddle_finding::{Report, Verdict};

use crate::sanitise::visible;

/// Lines like `bank.c:56: error: assertion: balance == 120 [1f00…]`.
pub fn render(report: &Report) -> String {
    let mut text = String::new();
    for finding in &report.findings {
        let place = finding.locations.first().map(|site| &site.location);
        let at = match place.map(|place| (&place.file, place.line, place.column)) {
            Some((Some(file), Some(line), Some(column))) => format!("{file}:{line}:{column}"),
            Some((Some(file), Some(line), None)) => format!("{file}:{line}"),
            _ => place.map_or(report.input.name.clone(), |place| place.name.clone()),
        };
        let level = if finding.verdict >= Verdict::Witnessed { "error" } else { "warning" };
        let (at, message) = (visible(&at), visible(&finding.message));
        let (property, fingerprint) = (finding.property, finding.fingerprint);
        let _ = writeln!(text, "{at}: {level}: {property}: {message} [{fingerprint}]");
    }
    text
}
