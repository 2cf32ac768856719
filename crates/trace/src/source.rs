//! Source: where in the input an event came from.
//!
//! A reader may move, drop or add events. What people and reports speak of is the position in
//! the *input*, counted from 0 over its events, and for text formats the line.

use crate::id::{EventId, NONE};

/// Maps events back to positions and lines of the input.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Source {
    /// One entry an event; absent while event n is position n of the input.
    positions: Option<Vec<u32>>,
    /// One past the last of these positions.
    end: u32,
    lines: LineMap,
}

impl Source {
    /// A source whose events are those of the input, one for one.
    pub fn identity(lines: LineMap) -> Source {
        Source { positions: None, end: 0, lines }
    }

    /// True while event n is position n of the input, for all events.
    pub fn is_identity(&self) -> bool {
        self.positions.is_none()
    }

    /// One past the last position in the input that one of so many events has or had.
    pub fn end(&self, n_events: usize) -> usize {
        if self.is_identity() { n_events } else { self.end as usize }
    }

    /// The position in the input; `None` for an event that a repair or a reader added.
    pub fn position(&self, event: EventId) -> Option<u32> {
        match &self.positions {
            None => Some(event.0),
            Some(positions) => positions.get(event.index()).copied().filter(|&p| p != NONE),
        }
    }

    /// The line of the input, for text formats.
    pub fn line(&self, event: EventId) -> Option<u64> {
        self.lines.line(self.position(event)?)
    }

    /// The source after events were moved, dropped or added: `from[n]` is the old event that is
    /// now event n, or `None` for a new one.
    pub(crate) fn rearranged(&self, from: impl Iterator<Item = Option<EventId>>) -> Source {
        let positions: Vec<u32> =
            from.map(|old| old.and_then(|old| self.position(old)).unwrap_or(NONE)).collect();
        let last = positions.iter().copied().filter(|&position| position != NONE).max();
        let end = self.end.max(last.map_or(0, |last| last + 1));
        Source { positions: Some(positions), end, lines: self.lines.clone() }
    }

    /// Bytes of memory in use.
    pub fn memory(&self) -> usize {
        self.positions.as_ref().map_or(0, |p| 4 * p.capacity()) + 16 * self.lines.runs.capacity()
    }
}

/// Positions to lines, in runs of events that stand on consecutive lines.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LineMap {
    /// First position of the run, and its line.
    runs: Vec<(u32, u64)>,
}

impl LineMap {
    /// Says that the event at `position` stands on `line`; positions must ascend.
    #[inline]
    pub fn push(&mut self, position: u32, line: u64) {
        match self.runs.last() {
            Some(&(first, at)) if at + u64::from(position - first) == line => {}
            _ => self.runs.push((position, line)),
        }
    }

    /// The line of a position; `None` if the input has no lines.
    pub fn line(&self, position: u32) -> Option<u64> {
        let run = self.runs.partition_point(|&(first, _)| first <= position).checked_sub(1)?;
        let (first, line) = self.runs[run];
        Some(line + u64::from(position - first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_follow_gaps() {
        let mut map = LineMap::default();
        for (position, line) in [(0, 1), (1, 2), (2, 5), (3, 6)] {
            map.push(position, line);
        }
        assert_eq!(map.runs.len(), 2);
        assert_eq!([0, 1, 2, 3].map(|p| map.line(p)), [Some(1), Some(2), Some(5), Some(6)]);
        assert_eq!(LineMap::default().line(0), None);
    }

    #[test]
    fn moved_events_keep_their_position() {
        let source = Source::identity(LineMap::default());
        let moved = source.rearranged([Some(EventId(1)), None, Some(EventId(0))].into_iter());
        assert_eq!([0, 1, 2].map(|e| moved.position(EventId(e))), [Some(1), None, Some(0)]);
        assert!(source.is_identity() && !moved.is_identity());
        assert_eq!((source.end(5), moved.end(3)), (5, 2));
        assert_eq!(moved.rearranged([Some(EventId(2))].into_iter()).end(1), 2);
    }
}
