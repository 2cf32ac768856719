//! The story of a run: who did what until another thread went on, and why that was.
//!
//! In: a recorded run, and where in it threads were switched. Out: the story as reports have it. Accesses
//! to variables that one thread alone uses are no part of it.

use raddle_finding::Leaving;
use raddle_report::story::{Reads, StoryBuilder};
use raddle_trace::{EventId, Events};

/// A switch: before the event with this number another thread was chosen.
#[derive(Clone, Debug)]
pub struct Switch {
    /// The number of the event.
    pub event: u32,
    /// The thread that went on until then.
    pub thread: String,
    /// Why it did not go on.
    pub why: Leaving,
}

/// Begins the story of a run. Switches are ascending; `kept` are the events that are left of all.
pub fn of_run(
    events: &Events,
    kept: &[EventId],
    switches: &[Switch],
    decisive: &[EventId],
) -> StoryBuilder {
    let mut builder = StoryBuilder::new();
    let mut switches = switches.iter().peekable();
    for (new, &old) in kept.iter().enumerate() {
        let event = EventId(new as u32);
        while let Some(switch) = switches.next_if(|switch| switch.event <= old.0) {
            builder.switch(&switch.thread, switch.why.clone());
        }
        builder.event(events, event, decisive.contains(&event), Reads::Observed);
    }
    switches.for_each(|switch| builder.switch(&switch.thread, switch.why.clone()));
    builder
}
