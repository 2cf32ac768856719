//! Findings: what was predicted, in the words of reports.

use raddle_finding::{
    Finding, Location, Object, ObjectKind, Property, Reordering, Site, Verdict, Witness,
};
use raddle_trace::{EventId, Kind, Sequence, Trace};

use crate::deadlock::Deadlock;
use crate::race::Race;

impl Race {
    /// The race as a finding, with positions of the input.
    pub fn finding(&self, trace: &Trace) -> Finding {
        let (first, second) = (self.first, self.second);
        let variable = variable(trace, first);
        let message = format!(
            "{} of {variable} by {} and {} of it by {} race",
            verb(trace, first),
            trace.tables.thread(trace.thread(first)),
            verb(trace, second),
            trace.tables.thread(trace.thread(second)),
        );
        let sites = vec![site(trace, "first access", first), site(trace, "second access", second)];
        let objects = vec![Object::new(ObjectKind::Variable, variable)];
        let mut finding = Finding::new(Property::Race, Verdict::Witnessed, message, sites, objects);
        finding.events = [first, second].iter().filter_map(|&e| position(trace, e)).collect();
        finding.threads =
            [first, second].map(|e| trace.tables.thread(trace.thread(e)).to_owned()).into();
        finding.witness = Some(reordering(trace, &self.witness));
        finding
    }
}

impl Deadlock {
    /// The deadlock as a finding, with positions of the input.
    pub fn finding(&self, trace: &Trace) -> Finding {
        let thread = |e: EventId| trace.tables.thread(trace.thread(e)).to_owned();
        let waits =
            self.blocked.iter().map(|&e| format!("{} waits for {}", thread(e), lock(trace, e)));
        let message = waits.collect::<Vec<_>>().join(", ");
        let sites =
            self.blocked.iter().map(|&e| site(trace, &format!("waits for {}", lock(trace, e)), e));
        let objects = self.blocked.iter().map(|&e| Object::new(ObjectKind::Lock, lock(trace, e)));
        let mut finding = Finding::new(
            Property::Deadlock,
            Verdict::Witnessed,
            message,
            sites.collect(),
            objects.collect(),
        );
        finding.events = self.blocked.iter().filter_map(|&e| position(trace, e)).collect();
        finding.threads = self.blocked.iter().map(|&e| thread(e)).collect();
        finding.witness = Some(reordering(trace, &self.witness));
        finding
    }
}

fn lock(trace: &Trace, acquire: EventId) -> &str {
    let (_, lock) = trace.op(acquire).encode();
    trace.tables.locks.get(lock).unwrap_or("?")
}

fn verb(trace: &Trace, access: EventId) -> &'static str {
    match trace.code(access).kind() {
        Kind::Read => "read",
        Kind::Write => "write",
        _ => "read-modify-write",
    }
}

fn variable(trace: &Trace, access: EventId) -> &str {
    let (_, var) = trace.op(access).encode();
    trace.tables.variables.get(var).unwrap_or("?")
}

fn site(trace: &Trace, role: &str, event: EventId) -> Site {
    let name = trace.location(event).and_then(|l| trace.tables.locations.get(l.0));
    let location = name.map_or_else(Location::unknown, Location::parse);
    let mut site = Site::new(role, location).by_thread(trace.tables.thread(trace.thread(event)));
    site.event = position(trace, event);
    site
}

fn position(trace: &Trace, event: EventId) -> Option<i64> {
    trace.source.position(event).map(i64::from)
}

/// Positions in the input; events that reading or repairing added have none and are left out.
fn reordering(trace: &Trace, witness: &Sequence) -> Witness {
    let positions = witness.iter().filter_map(|e| trace.source.position(e)).map(u64::from);
    let mut events: Vec<u64> = positions.collect();
    // A wake-up stands for the acquire before it.
    events.dedup();
    Reordering::new(events).into()
}
