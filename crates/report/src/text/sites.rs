//! The places of a finding that has events of a trace, one line each: role, place, thread, event.

use raddle_finding::{Finding, Site};

use super::{WIDTH, cut_end, cut_start};
use crate::sanitise::visible;

/// How wide roles, places and threads may be.
const LIMITS: [usize; 3] = [26, 32, 20];

/// The lines; none for a finding of a program, whose story has them.
pub(super) fn text(finding: &Finding) -> String {
    let sites = &finding.locations;
    if sites.iter().all(|site| site.event.is_none()) {
        return String::new();
    }
    let rows: Vec<[String; 3]> = sites.iter().map(cells).collect();
    let widths = [0, 1, 2].map(|column| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.max().unwrap_or(0).min(LIMITS[column])
    });
    let line = |([role, place, thread], site): (&[String; 3], &Site)| {
        let [roles, places, threads] = widths;
        let event = site.event.map_or(String::new(), |event| format!("event {event}"));
        let line = format!(
            "  {:<roles$}  {:<places$}  {:<threads$}  {event}",
            cut_end(role, roles),
            cut_start(place, places),
            cut_end(thread, threads),
        );
        format!("{}\n", cut_end(line.trim_end(), WIDTH))
    };
    rows.iter().zip(sites).map(line).collect()
}

fn cells(site: &Site) -> [String; 3] {
    let thread = site.thread.as_deref().unwrap_or("");
    [visible(&site.role), visible(&site.location.to_string()), visible(thread)]
}
