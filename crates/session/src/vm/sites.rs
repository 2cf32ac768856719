//! Where a finding of a C program is: the accesses of a race, or where threads were at the end.

use raddle_finding::{Failure, Location, Object, ObjectKind, Site};
use raddle_vm::{Machine, Outcome};

use super::ending;

/// Where the threads were at the end.
pub(super) fn outcome(failure: &Failure, machine: &Machine) -> (Vec<Site>, Vec<Object>) {
    match machine.outcome() {
        Some(Outcome::Deadlock(blocked)) => {
            let site = |one: &raddle_vm::Blocked| {
                let place = ending::blocked_place(machine, one);
                Site::new(format!("waits for {}", one.object), place.as_str().into())
                    .by_thread(machine.thread_name(one.thread))
            };
            let locks = blocked.iter().filter(|one| one.holder.is_some());
            let lock = |one: &raddle_vm::Blocked| Object::new(ObjectKind::Lock, one.object.clone());
            (blocked.iter().map(site).collect(), locks.map(lock).collect())
        }
        Some(Outcome::Fault(fault)) => {
            let frames = fault.stack.iter().filter(|frame| !frame.library).enumerate();
            let site = |(depth, frame): (usize, &raddle_vm::FrameSite)| {
                let role = if depth == 0 { failure.kind.name() } else { "called from" };
                let function = &machine.program().function(frame.site.function).name;
                let place: Location = ending::site_text(machine, frame.site).as_str().into();
                Site::new(role, place.in_function(function.to_string()))
                    .by_thread(machine.thread_name(fault.thread))
            };
            (frames.map(site).collect(), Vec::new())
        }
        _ => (failure.sites(), Vec::new()),
    }
}
