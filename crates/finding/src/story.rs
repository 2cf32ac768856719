//! Stories: the interleaving that shows a finding, step by step, as reports show it.
//!
//! In: what an engine or an analysis knows of one run. Out: plain data that a report can be made of
//! without the program or the trace. Names and places are listed once; steps refer to them by
//! number, so that a story of a hundred thousand steps stays small.
//!
//! Which locks a thread holds, and what orders what, follows from the steps and is not stored.

use serde::{Deserialize, Serialize};

use crate::location::Location;
use crate::object::Object;
use crate::step::Step;

/// The interleaving that shows a finding.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Story {
    /// What to call the finding, if there is a better name than its message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Why the run ended as it did, line by line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub why: Vec<String>,
    /// The threads, by name; steps refer to them.
    pub threads: Vec<String>,
    /// What steps are about; steps refer to them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub objects: Vec<Object>,
    /// Where steps are; steps refer to them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<Location>,
    /// What happens, in order.
    pub steps: Vec<Step>,
    /// The steps that decide, in ascending order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decisive: Vec<u32>,
    /// Where another thread goes on, and why, in ascending order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub switches: Vec<Switch>,
    /// So many steps at the end are about to happen: all of them next, or none if they are in vain.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub pending: u32,
    /// What is left out: before this step, so many steps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub omitted: Vec<(u32, u64)>,
}

/// A thread gave way to another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Switch {
    /// The first step after it; the number of all steps if there is none.
    pub before: u32,
    /// The thread that was left.
    pub thread: u32,
    /// Why it was left; its fields stand beside the others in the JSON.
    #[serde(flatten)]
    pub why: Leaving,
}

/// Why a thread does not go on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Leaving {
    /// It could have gone on: a preemption.
    Preempted {
        /// Which one, from 1.
        number: u32,
    },
    /// It has to wait.
    Waits {
        /// For what, in a few words.
        #[serde(rename = "for")]
        awaited: String,
    },
    /// It gave way by itself, or has ended.
    GaveWay,
    /// It spins.
    Spins,
}

/// Lines of a source file that a report shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// The file, as locations name it.
    pub file: String,
    /// Parts of it, in ascending order.
    pub parts: Vec<Excerpt>,
}

/// Consecutive lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excerpt {
    /// The number of the first line, from 1.
    pub first: u32,
    /// The lines, without their ends.
    pub lines: Vec<String>,
}

impl Story {
    /// How many preemptions it shows.
    pub fn n_preemptions(&self) -> u32 {
        let number = |switch: &Switch| match switch.why {
            Leaving::Preempted { number } => Some(number),
            _ => None,
        };
        self.switches.iter().filter_map(number).max().unwrap_or(0)
    }

    /// Whether every number refers to something, and lists that must ascend do.
    pub fn is_sound(&self) -> bool {
        let n_steps = self.steps.len() as u32;
        let below = |n: Option<u32>, len: usize| n.is_none_or(|n| (n as usize) < len);
        self.steps.iter().all(|step| {
            below(Some(step.thread), self.threads.len())
                && below(step.object, self.objects.len())
                && below(step.place, self.places.len())
        }) && self.decisive.iter().all(|&step| step < n_steps)
            && self.decisive.is_sorted()
            && self.switches.is_sorted_by_key(|switch| switch.before)
            && self.switches.iter().all(|switch| {
                switch.before <= n_steps && below(Some(switch.thread), self.threads.len())
            })
            && self.omitted.iter().all(|&(before, _)| before <= n_steps)
            && self.pending <= n_steps
    }
}

impl Source {
    /// A line, by its number from 1.
    pub fn line(&self, number: u32) -> Option<&str> {
        let part = self.parts.iter().rev().find(|part| part.first <= number)?;
        part.lines.get((number - part.first) as usize).map(String::as_str)
    }
}

fn is_zero(n: &u32) -> bool {
    *n == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::step::Action;

    fn story() -> Story {
        let step = Step::new(0, Action::End);
        Story { threads: vec!["main".to_owned()], steps: vec![step; 2], ..Story::default() }
    }

    #[test]
    fn numbers_that_lead_nowhere_are_noticed() {
        assert!(story().is_sound());
        let cases: [fn(&mut Story); 6] = [
            |story| story.steps[1].thread = 1,
            |story| story.steps[0].object = Some(0),
            |story| story.steps[0].place = Some(0),
            |story| story.decisive = vec![2],
            |story| story.decisive = vec![1, 0],
            |story| story.pending = 3,
        ];
        for change in cases {
            let mut story = story();
            change(&mut story);
            assert!(!story.is_sound(), "{story:?}");
        }
    }

    #[test]
    fn a_switch_is_one_flat_object() {
        let switch = Switch { before: 3, thread: 1, why: Leaving::Waits { awaited: "m".into() } };
        let json = serde_json::to_string(&switch).unwrap();
        assert_eq!(json, r#"{"before":3,"thread":1,"kind":"waits","for":"m"}"#);
        assert_eq!(serde_json::from_str::<Switch>(&json).unwrap(), switch);
    }

    #[test]
    fn lines_are_found_in_the_part_that_has_them() {
        let part = |first, lines: &[&str]| Excerpt {
            first,
            lines: lines.iter().map(|&line| line.to_owned()).collect(),
        };
        let parts = vec![part(3, &["c", "d"]), part(9, &["i"])];
        let source = Source { file: "a.c".to_owned(), parts };
        let cases = [(2, None), (3, Some("c")), (4, Some("d")), (5, None), (9, Some("i"))];
        for (number, line) in cases {
            assert_eq!(source.line(number), line);
        }
    }
}
