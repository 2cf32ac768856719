//! Memory errors in words, the same for every engine: what is wrong with which object of the heap, and where
//! that came from and went.
//!
//! In: a recorded run, and the name of the object. Out: sentences, and the places to look at.

use raddle_finding::Site;
use raddle_trace::{EventId, Events, Op, RegionId};

use crate::decisive::place;

/// What is said of memory that is used after it was freed.
pub fn used(object: &str) -> String {
    format!("use of {object} after it was freed")
}

/// What is said of memory that is freed again.
pub fn freed_twice(object: &str) -> String {
    format!("{object} is freed twice")
}

/// What is said of a free of something else than memory that was allocated.
pub fn never_allocated(object: &str) -> String {
    format!("free of {object}, which malloc did not return")
}

/// Where an object came from and went, as far as that was recorded.
#[derive(Clone, Debug, Default)]
pub struct Origins {
    allocated: Option<Site>,
    freed: Option<Site>,
}

impl Origins {
    /// Those of the memory with this name.
    pub fn of(events: &Events, object: &str) -> Origins {
        let Some(region) = events.tables.regions.find(object).map(RegionId) else {
            return Origins::default();
        };
        // What comes after the first free was not done.
        let first = |wanted: Op| {
            let mut all = (0..events.len() as u32).map(EventId);
            all.find(|&event| events.op(event) == wanted)
        };
        let site = |event: EventId, role: &str| {
            let thread = events.tables.thread(events.thread(event));
            Some(Site::new(role, place(events, event)?.into()).by_thread(thread))
        };
        Origins {
            allocated: first(Op::Alloc { region }).and_then(|event| site(event, "allocates it")),
            freed: first(Op::Free { region }).and_then(|event| site(event, "frees it")),
        }
    }

    /// Whether it was freed.
    pub fn is_freed(&self) -> bool {
        self.freed.is_some()
    }

    /// Line by line, for the head of a report.
    pub fn why(&self) -> Vec<String> {
        let said = [("allocated", &self.allocated), ("freed", &self.freed)];
        let line = |(what, site): (&str, &Option<Site>)| {
            Some(format!("{what} at {}", site.as_ref()?.location.name))
        };
        said.into_iter().filter_map(line).collect()
    }

    /// The places to look at.
    pub fn sites(self) -> Vec<Site> {
        self.allocated.into_iter().chain(self.freed).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_trace::format::sketch;

    #[test]
    fn what_was_freed_came_from_somewhere() {
        let events = sketch("T1 alloc m\nT1 fork T2\nT2 w x\nT2 free m").unwrap();
        let origins = Origins::of(&events, "m");
        assert_eq!(origins.why(), ["allocated at 1", "freed at 4"]);
        let sites: Vec<_> = origins.sites().iter().map(|site| site.thread.clone()).collect();
        assert_eq!(sites, [Some("T1".to_owned()), Some("T2".to_owned())]);
        assert!(Origins::of(&events, "n").why().is_empty());
    }
}
