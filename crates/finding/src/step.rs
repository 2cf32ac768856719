//! Steps of a story: who does what, with what, where, and which value it is.
//!
//! In JSON a step is a short list: thread, action, object, place, value, found; what is none at its end
//! is left out.

use std::fmt;

use serde::de::{Error, SeqAccess, Visitor};
use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// One step of a story.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The thread, as a number in the story's list.
    pub thread: u32,
    /// What it does.
    pub action: Action,
    /// With what, as a number in the story's list.
    pub object: Option<u32>,
    /// Where, as a number in the story's list.
    pub place: Option<u32>,
    /// The value that is read or written, or what went wrong.
    pub value: Option<String>,
    /// The value that a change found.
    pub found: Option<String>,
}

macro_rules! actions {
    ($($(#[$doc:meta])* $variant:ident $name:literal $phrase:literal,)*) => {
        /// What a step does.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[non_exhaustive]
        pub enum Action {
            $($(#[$doc])* #[serde(rename = $name)] $variant,)*
        }

        impl Action {
            /// All of them.
            pub const ALL: &[Action] = &[$(Action::$variant,)*];

            /// The name in JSON.
            pub const fn name(self) -> &'static str {
                match self { $(Action::$variant => $name,)* }
            }

            /// What people read; `{}` stands for the object.
            pub const fn phrase(self) -> &'static str {
                match self { $(Action::$variant => $phrase,)* }
            }
        }
    };
}

actions! {
    /// Reads a variable.
    Read "read" "reads {}",
    /// Writes a variable.
    Write "write" "writes {}",
    /// Reads and writes a variable in one step.
    Change "change" "changes {}",
    /// Takes a lock.
    Lock "lock" "locks {}",
    /// Takes a lock beside other readers.
    LockShared "lock-shared" "locks {} for reading",
    /// Lets go of a lock.
    Unlock "unlock" "unlocks {}",
    /// Asks for a lock.
    Ask "ask" "asks for {}",
    /// Asks for a lock beside other readers.
    AskShared "ask-shared" "asks for {} for reading",
    /// Tries a lock that is taken.
    TryFail "try-fail" "fails to lock {}",
    /// Starts a thread.
    Fork "fork" "starts {}",
    /// Waits for the end of a thread.
    Join "join" "joins {}",
    /// The thread ends.
    End "end" "ends",
    /// Waits on a condition variable.
    Wait "wait" "waits on {}",
    /// Wakes up because of a notification.
    Wake "wake" "wakes up from {}",
    /// Wakes up because time is over.
    WakeTimeout "wake-timeout" "times out waiting on {}",
    /// Wakes up for no reason.
    WakeSpurious "wake-spurious" "wakes up spuriously from {}",
    /// Wakes one that waits.
    Signal "signal" "signals {}",
    /// Wakes all that wait.
    Broadcast "broadcast" "broadcasts {}",
    /// Adds to a semaphore.
    Post "post" "posts {}",
    /// Takes from a semaphore.
    Take "take" "takes {}",
    /// Comes to a barrier.
    Arrive "arrive" "arrives at {}",
    /// Goes on behind a barrier.
    Leave "leave" "leaves {}",
    /// Begins what is meant to be atomic.
    Begin "begin" "begins {}",
    /// Ends what is meant to be atomic.
    Commit "commit" "completes {}",
    /// Gets memory.
    Alloc "alloc" "allocates {}",
    /// Gives memory back.
    Free "free" "frees {}",
    /// Does something that has no action of its own; the value says what.
    Other "other" "",
    /// An assertion does not hold.
    AssertFail "assert-fail" "the assertion fails",
    /// Something else goes wrong; the value says what.
    Fail "fail" "",
}

impl Step {
    /// What a thread does, with nothing and nowhere.
    pub fn new(thread: u32, action: Action) -> Step {
        Step { thread, action, object: None, place: None, value: None, found: None }
    }
}

impl Serialize for Step {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Step { thread, action, object, place, value, found } = self;
        let n = match (object, place, value, found) {
            (_, _, _, Some(_)) => 6,
            (_, _, Some(_), None) => 5,
            (_, Some(_), None, None) => 4,
            (Some(_), None, None, None) => 3,
            (None, None, None, None) => 2,
        };
        let mut list = serializer.serialize_seq(Some(n))?;
        list.serialize_element(thread)?;
        list.serialize_element(action)?;
        if n > 2 {
            list.serialize_element(object)?;
        }
        if n > 3 {
            list.serialize_element(place)?;
        }
        if n > 4 {
            list.serialize_element(value)?;
        }
        if n > 5 {
            list.serialize_element(found)?;
        }
        list.end()
    }
}

impl<'de> Deserialize<'de> for Step {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(StepVisitor)
    }
}

struct StepVisitor;

impl<'de> Visitor<'de> for StepVisitor {
    type Value = Step;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of thread, action, object, place, value and what was found")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Step, A::Error> {
        let thread = list.next_element()?.ok_or_else(|| A::Error::custom("a step has a thread"))?;
        let action =
            list.next_element()?.ok_or_else(|| A::Error::custom("a step has an action"))?;
        let object = list.next_element()?.flatten();
        let place = list.next_element()?.flatten();
        let value = list.next_element()?.flatten();
        let found = list.next_element()?.flatten();
        // What later releases add.
        while list.next_element::<serde::de::IgnoredAny>()?.is_some() {}
        Ok(Step { thread, action, object, place, value, found })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(step: Step, expected: &str) {
        assert_eq!(serde_json::to_string(&step).unwrap(), expected);
        assert_eq!(serde_json::from_str::<Step>(expected).unwrap(), step);
    }

    #[test]
    fn what_is_none_at_the_end_is_left_out() {
        let step = Step::new(2, Action::End);
        check(step.clone(), r#"[2,"end"]"#);
        check(Step { object: Some(1), ..step.clone() }, r#"[2,"end",1]"#);
        check(Step { place: Some(7), ..step.clone() }, r#"[2,"end",null,7]"#);
        let value = Some("150".to_owned());
        check(Step { value: value.clone(), ..step.clone() }, r#"[2,"end",null,null,"150"]"#);
        let found = Some("50".to_owned());
        check(Step { value, found, ..step }, r#"[2,"end",null,null,"150","50"]"#);
    }

    #[test]
    fn what_later_releases_add_is_ignored_and_what_is_missing_is_not() {
        let step: Step = serde_json::from_str(r#"[0,"read",1,2,"3",null,{"new":[1]}]"#).unwrap();
        assert_eq!(step.action, Action::Read);
        assert!(serde_json::from_str::<Step>("[0]").is_err());
        assert!(serde_json::from_str::<Step>(r#"[0,"dance"]"#).is_err());
    }

    #[test]
    fn json_names_are_the_names() {
        for &action in Action::ALL {
            assert_eq!(serde_json::to_value(action).unwrap(), action.name());
        }
    }
}
