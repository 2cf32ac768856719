//! Steps in words.

use raddle_finding::{Leaving, Step, Story};

/// What a step does, in a few words.
pub(crate) fn step(story: &Story, step: &Step) -> String {
    let name = step.object.and_then(|n| story.objects.get(n as usize)).map_or("?", |o| &o.name);
    let mut text = step.action.phrase().replacen("{}", name, 1);
    if let Some(value) = &step.value {
        text += if text.is_empty() { "" } else { " = " };
        if let Some(found) = &step.found {
            text += &format!("{found} -> ");
        }
        text += value;
    }
    text
}

/// Why a thread does not go on, in a few words; none if that goes without saying.
pub(crate) fn leaving(why: &Leaving) -> Option<String> {
    match why {
        Leaving::Preempted { number } => Some(format!("interrupted here: preemption {number}")),
        Leaving::Waits { awaited } => Some(format!("waits for {awaited}")),
        Leaving::Spins => Some("spins".to_owned()),
        _ => None,
    }
}

/// Where a step is, without the directories of its file; empty if that is not known.
pub(crate) fn place(story: &Story, step: &Step) -> String {
    let place = step.place.and_then(|n| story.places.get(n as usize));
    let Some(place) = place else { return String::new() };
    match (place.file_name(), place.line) {
        (Some(file), Some(line)) => format!("{file}:{line}"),
        _ => place.name.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_finding::{Action, Object, ObjectKind};

    #[test]
    fn phrases_have_object_and_value() {
        let objects = vec![Object::new(ObjectKind::Variable, "a{}b")];
        let story = Story { objects, ..Story::default() };
        let check = |action, object, value: Option<&str>, expected: &str| {
            let value = value.map(str::to_owned);
            let one = Step { object, value, ..Step::new(0, action) };
            assert_eq!(step(&story, &one), expected);
        };
        check(Action::Read, Some(0), Some("7"), "reads a{}b = 7");
        check(Action::LockShared, Some(0), None, "locks a{}b for reading");
        check(Action::End, None, None, "ends");
        check(Action::Fail, None, Some("spins"), "spins");
        let change = Step { object: Some(0), ..Step::new(0, Action::Change) };
        let (value, found) = (Some("8".to_owned()), Some("7".to_owned()));
        assert_eq!(step(&story, &Step { value, found, ..change }), "changes a{}b = 7 -> 8");
    }
}
