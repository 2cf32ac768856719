//! What each property means, and what to do about it: the rules of a SARIF log.

use raddle_finding::Property;
use serde_sarif::sarif::{MultiformatMessageString, ReportingConfiguration, ReportingDescriptor};

/// A property as a rule.
pub(super) fn rule(property: Property) -> ReportingDescriptor {
    let (meaning, advice) = (meaning(property), advice(property));
    let help = MultiformatMessageString::builder()
        .text(format!("{meaning} {advice}"))
        .markdown(format!("{meaning}\n\n{advice}\n\n{EVIDENCE}"));
    ReportingDescriptor::builder()
        .id(property.name())
        .name(name(property))
        .short_description(text(meaning))
        .full_description(text(format!("{meaning} {EVIDENCE}")))
        .help(help.build())
        .default_configuration(ReportingConfiguration::builder().level("error").build())
        .build()
}

fn text(text: impl Into<String>) -> MultiformatMessageString {
    MultiformatMessageString::builder().text(text).build()
}

const EVIDENCE: &str =
    "The code flow is an interleaving that shows it, one thread flow for each thread.";

/// What a property means, in a sentence.
fn meaning(property: Property) -> &'static str {
    match property {
        Property::Race => {
            "Two accesses to the same memory are not ordered, and at least one of them writes."
        }
        Property::Atomicity => {
            "A block that is meant to be atomic is interleaved with other accesses."
        }
        Property::Deadlock => "Threads wait for each other and can never continue.",
        Property::Livelock => "Threads run forever without making progress.",
        Property::LostWakeup => "A notification can come before the wait that needs it.",
        Property::Determinism => "A read can see different writes in different interleavings.",
        Property::Assertion => "An assertion of the program can fail.",
        Property::Crash => "The program can crash or use memory wrongly.",
        Property::Serializability => "No sequential execution has this outcome.",
        _ => "A value can leave its range.",
    }
}

/// What usually helps, in a sentence or two.
fn advice(property: Property) -> &'static str {
    match property {
        Property::Race => "Guard both accesses with the same lock, or make them atomic.",
        Property::Atomicity => {
            "Hold one lock over all accesses that belong together, or read and write in one atomic step."
        }
        Property::Deadlock => {
            "Take locks in the same order everywhere, and hold none while waiting for another thread."
        }
        Property::Livelock => "Wait with a condition variable instead of retrying in a loop.",
        Property::LostWakeup => {
            "Change the awaited condition while holding the lock of the wait, and wait in a loop \
             that checks it."
        }
        Property::Determinism => {
            "If the result must not depend on it, order the writes before the read."
        }
        Property::Assertion | Property::Crash => {
            "Follow the interleaving to the first step at which a thread sees a state that it does not expect, \
             and make the steps around it one critical section."
        }
        Property::Serializability => {
            "Make each iteration independent of the others, or state what may differ with if(*)."
        }
        _ => "Check the value where it is used, or order the writes to it.",
    }
}

/// A name for people, which is not the identity once more.
fn name(property: Property) -> &'static str {
    match property {
        Property::Race => "DataRace",
        Property::Atomicity => "AtomicityViolation",
        Property::Deadlock => "ThreadsWaitForEver",
        Property::Livelock => "ThreadsSpinForEver",
        Property::LostWakeup => "MissedNotification",
        Property::Determinism => "NondeterministicRead",
        Property::Assertion => "AssertionFails",
        Property::Crash => "ProgramCrashes",
        Property::Serializability => "NotSerializable",
        _ => "ValueOutOfRange",
    }
}
