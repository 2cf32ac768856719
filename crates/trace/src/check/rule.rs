//! The rules of a well-formed trace, by number, and what is said when one is broken.

use std::fmt;

use crate::events::Events;
use crate::id::EventId;

macro_rules! rules {
    ($($name:ident $code:literal $text:literal,)+) => {
        /// A rule of well-formed traces.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[non_exhaustive]
        pub enum Rule {
            $(#[doc = $text] $name,)+
        }

        impl Rule {
            /// Every rule.
            pub const ALL: &[Rule] = &[$(Rule::$name),+];

            /// Its short, stable name.
            pub fn code(self) -> &'static str {
                match self { $(Rule::$name => $code,)+ }
            }

            /// What it demands.
            pub fn text(self) -> &'static str {
                match self { $(Rule::$name => $text,)+ }
            }
        }
    };
}

rules! {
    KnownObject "X1" "every event refers to a thread and an object that exist",
    ForkFirst "F1" "a forked thread acts only after its fork",
    ForkOnce "F2" "a thread is forked at most once, and not by itself",
    JoinLast "J1" "a joined thread does not act after the join",
    JoinOnce "J2" "a thread is joined at most once, by another thread",
    JoinKnown "J3" "only a thread that was forked or has acted is joined",
    BeginFirst "B1" "begin is the first event of its thread",
    EndLast "B2" "end is the last event of its thread",
    Exclusion "M1" "a lock is taken only while no other thread holds it in a conflicting mode",
    Held "M2" "a lock is released by the thread that holds it, in the mode it is held",
    NotReentrant "M3" "a thread does not take a lock that it holds already",
    TryHeld "M4" "a try fails only on a lock that is held",
    RequestThenAcquire "M5" "after a request the thread's next event takes that lock or fails to",
    Nested "N1" "where nesting is claimed, the lock taken last is released first",
    OneWait "W1" "a waiting thread only gives up and takes back locks until it wakes up",
    WakeAfterWait "W2" "a wake-up follows a wait of the same thread on the same condition",
    Notified "W3" "a notified wake-up names a notify of that condition by another thread between wait and wake-up",
    NotifyWakesOne "W4" "a notify wakes at most one thread",
    CountAboveZero "S1" "a semaphore is taken only while its count is above zero",
    ArriveOnce "R1" "a thread at a barrier does nothing but leave it",
    LeaveAfterArrive "R2" "a thread leaves a barrier that it arrived at",
    AllArrived "R3" "a barrier is left only when all parties have arrived",
    TransactionsNest "T1" "a transaction's end closes the innermost open transaction of its thread",
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

/// Where an event stands in the input, and what it says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// Position in the input, counted from 0 over its events; `None` for an added event.
    pub position: Option<u32>,
    /// Line of the input, counted from 1, for text formats.
    pub line: Option<u64>,
    /// The event in STD notation, without its location.
    pub event: String,
}

impl Place {
    pub(crate) fn of(events: &Events, event: EventId) -> Place {
        Place {
            position: events.source.position(event),
            line: events.source.line(event),
            event: crate::format::notation(events, events.thread(event), events.op(event)),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, self.position) {
            (Some(line), _) => write!(f, "line {line}: ")?,
            (None, Some(position)) => write!(f, "event {position}: ")?,
            (None, None) => {}
        }
        write!(f, "`{}`", self.event)
    }
}

/// A rule was broken: the trace is rejected.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{place}: {detail} (rule {rule}: {})", rule.text())]
pub struct Violation {
    /// The rule.
    pub rule: Rule,
    /// The event that breaks it.
    pub place: Place,
    /// What is wrong here, with the names involved.
    pub detail: String,
}

/// What a repair did.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Action {
    /// The event was left out.
    Dropped,
    /// The event was added.
    Added,
    /// The event, or what the trace says of its object, was changed.
    Changed,
}

impl Action {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Action::Dropped => "dropped",
            Action::Added => "added",
            Action::Changed => "changed",
        }
    }
}

/// One change that made a trace well-formed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Repair {
    /// The rule that was broken.
    pub rule: Rule,
    /// What was done.
    pub action: Action,
    /// The event that was dropped, added or changed.
    pub place: Place,
    /// Why.
    pub detail: String,
    /// A thread may have waited for a lock here, and the repaired trace does not have that: deadlocks
    /// through it are not found.
    pub hides_wait: bool,
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Repair { rule, action, place, detail, hides_wait } = self;
        let hides = if *hides_wait { "; deadlocks through it are not found" } else { "" };
        write!(f, "{place}: {} ({rule}: {detail}){hides}", action.name())
    }
}
