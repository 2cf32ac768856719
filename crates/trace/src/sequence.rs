//! Sequences: events in any order, stored as runs of consecutive ids.
//!
//! In: events one by one, or whole runs of them. Out: the same events in the same order. Most of a
//! long witness is the beginning of the trace in the observed order, which is one run, however long.
//!
//! Neighbours that continue each other are always one run and no run is empty, so that equal
//! sequences have equal runs.

use std::ops::Range;

use crate::id::EventId;

/// Events in some order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sequence {
    runs: Vec<Run>,
}

/// The events from `start` up to, not including, `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Run {
    start: u32,
    end: u32,
}

impl Sequence {
    /// Appends an event. The largest number is none of a trace ([`crate::Events::MAX_LEN`]).
    pub fn push(&mut self, event: EventId) {
        assert!(event.0 < u32::MAX, "no trace has so many events");
        self.push_run(event.0..event.0 + 1);
    }

    /// Appends consecutive events.
    pub fn push_run(&mut self, Range { start, end }: Range<u32>) {
        if start >= end {
            return;
        }
        match self.runs.last_mut() {
            Some(last) if last.end == start => last.end = end,
            _ => self.runs.push(Run { start, end }),
        }
    }

    /// How many events there are.
    pub fn len(&self) -> usize {
        self.runs().map(|run| run.len()).sum()
    }

    /// True without any event.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// The events.
    pub fn iter(&self) -> impl Iterator<Item = EventId> {
        self.iter_from(0)
    }

    /// The events from a place on; what comes before costs nothing but its runs.
    pub fn iter_from(&self, place: usize) -> impl Iterator<Item = EventId> {
        let mut before = place;
        let rest = move |run: Range<u32>| {
            let skipped = before.min(run.len());
            before -= skipped;
            run.start + skipped as u32..run.end
        };
        self.runs().flat_map(rest).map(EventId)
    }

    /// The runs: consecutive events, as many as there are in a row.
    pub fn runs(&self) -> impl ExactSizeIterator<Item = Range<u32>> {
        self.runs.iter().map(|run| run.start..run.end)
    }

    /// How many of the first events of the trace it begins with, in the observed order.
    pub fn prefix(&self) -> u32 {
        self.runs.first().filter(|run| run.start == 0).map_or(0, |run| run.end)
    }

    /// The events behind the prefix.
    pub fn tail(&self) -> impl Iterator<Item = EventId> {
        self.iter_from(self.prefix() as usize)
    }
}

impl Extend<EventId> for Sequence {
    fn extend<I: IntoIterator<Item = EventId>>(&mut self, events: I) {
        events.into_iter().for_each(|event| self.push(event));
    }
}

impl FromIterator<EventId> for Sequence {
    fn from_iter<I: IntoIterator<Item = EventId>>(events: I) -> Self {
        let mut sequence = Sequence::default();
        sequence.extend(events);
        sequence
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sequence(ids: &[u32]) -> Sequence {
        ids.iter().copied().map(EventId).collect()
    }

    fn ids(events: impl Iterator<Item = EventId>) -> Vec<u32> {
        events.map(|event| event.0).collect()
    }

    #[track_caller]
    fn check(events: &[u32], runs: &[(u32, u32)], prefix: u32, tail: &[u32]) {
        let sequence = sequence(events);
        let found: Vec<_> = sequence.runs().map(|run| (run.start, run.end)).collect();
        assert_eq!(found, runs);
        assert_eq!((sequence.len(), sequence.prefix()), (events.len(), prefix));
        assert_eq!(ids(sequence.tail()), tail);
    }

    #[test]
    fn neighbours_in_a_row_are_one_run() {
        check(&[], &[], 0, &[]);
        check(&[0, 1, 2], &[(0, 3)], 3, &[]);
        check(&[0, 1, 3, 4, 2], &[(0, 2), (3, 5), (2, 3)], 2, &[3, 4, 2]);
    }

    #[test]
    fn only_the_first_events_of_the_trace_are_a_prefix() {
        check(&[1, 2], &[(1, 3)], 0, &[1, 2]);
        check(&[1, 0, 1], &[(1, 2), (0, 2)], 0, &[1, 0, 1]);
    }

    #[test]
    fn an_event_can_occur_twice() {
        check(&[0, 0, 1], &[(0, 1), (0, 2)], 1, &[0, 1]);
    }

    #[test]
    fn runs_and_events_make_equal_sequences() {
        let mut runs = Sequence::default();
        for run in [0..2, 2..2, 2..4, 9..9, 7..8] {
            runs.push_run(run);
        }
        assert_eq!(runs, sequence(&[0, 1, 2, 3, 7]));
        assert!(Sequence::default().is_empty() && !runs.is_empty());
    }

    #[test]
    fn a_long_run_takes_no_time() {
        let mut long = Sequence::default();
        long.push_run(0..u32::MAX);
        long.push(EventId(7));
        assert_eq!((long.len(), ids(long.tail())), (u32::MAX as usize + 1, vec![7]));
    }

    proptest! {
        #[test]
        fn a_sequence_gives_its_events_back(
            events in prop::collection::vec(0u32..6, 0..30),
            place in 0usize..32,
        ) {
            let sequence = sequence(&events);
            prop_assert_eq!(&ids(sequence.iter()), &events);
            prop_assert_eq!(sequence.len(), events.len());
            prop_assert_eq!(sequence.is_empty(), events.is_empty());
            prop_assert_eq!(ids(sequence.iter_from(place)), &events[place.min(events.len())..]);
            let (prefix, tail) = events.split_at(sequence.prefix() as usize);
            prop_assert!((0..).zip(prefix).all(|(at, &event)| at == event));
            prop_assert_ne!(tail.first(), Some(&sequence.prefix()));
            prop_assert_eq!(ids(sequence.tail()), tail);
        }

        #[test]
        fn equal_events_are_equal_sequences_however_they_are_cut(
            runs in prop::collection::vec((0u32..6, 0u32..4), 0..10),
        ) {
            let mut by_run = Sequence::default();
            runs.iter().for_each(|&(start, n)| by_run.push_run(start..start + n));
            prop_assert_eq!(by_run.iter().collect::<Sequence>(), by_run);
        }
    }
}
