//! Loops that are taken for endless (R4 of [`round`](crate::round)): told, with their place.
//!
//! What such a thread did alone is on the board, point by point. Its round is the period of that; what
//! came after the first round is taken to be the same again, so nobody need be let in there.

use raddle_wire::board::{ENDLESS_MAX, EndlessRecord, PointRecord};

use super::Explore;
use crate::state::State;
use crate::thread::Thread;

/// Rounds are not longer than this.
const LENGTH_MAX: usize = 1024;

impl Explore {
    /// The loop of a thread is taken for endless after so many operations; how many points its round has.
    pub fn endless(&self, state: &State, me: &Thread, operations: u64) -> u64 {
        let n = self.n_endless.get() as usize;
        if n < ENDLESS_MAX {
            let record = EndlessRecord { pc: me.want.get().pc, operations };
            // SAFETY: the slot is the runtime's as long as the plan is not done.
            unsafe { (*self.slot(state)).endless[n] = record };
            self.n_endless.set(n as u32 + 1);
        }
        let points = self.at::<PointRecord>(state, self.layout.get().points(self.plan.get()));
        let n_points = self.n_points.get() as usize;
        // SAFETY: so many points were noted.
        let points = unsafe { core::slice::from_raw_parts_mut(points, n_points) };
        let is_own = |point: &&PointRecord| u32::from(point.current) == me.number;
        let n_alone = points.iter().rev().take_while(is_own).count();
        let alone = n_points - n_alone;
        let Some(length) = period(&points[alone..]) else { return 1 };
        self.close(state, points, alone + first(&points[alone..], length) + length);
        length as u64
    }

    /// Takes the alternatives of all points from a number on away, if it is known what was taken.
    fn close(&self, state: &State, points: &mut [PointRecord], from: usize) {
        if self.needs_operations.get() {
            return;
        }
        let n_closed: usize = points[from..].iter().map(|point| usize::from(point.n_open)).sum();
        let mut at = self.n_alternatives.get() as usize - n_closed;
        let mut to = at;
        let all = self.at::<u16>(state, self.layout.get().alternatives(self.plan.get()));
        for point in &mut points[from..] {
            // SAFETY: the alternatives of a point lie behind those of the one before.
            unsafe { all.add(to).write(all.add(at + usize::from(point.taken)).read()) };
            at += usize::from(point.n_open);
            to += 1;
            (point.n_open, point.taken) = (1, 0);
        }
        self.n_alternatives.set(to as u32);
    }
}

/// The period of what the last points are about, if they have one that was seen twice at least.
fn period(points: &[PointRecord]) -> Option<usize> {
    let last = &points[points.len().saturating_sub(LENGTH_MAX * 3)..];
    let repeats = |length: &usize| {
        last.iter().zip(&last[*length..]).all(|(one, other)| one.deed == other.deed)
    };
    (1..=last.len() / 3).find(repeats)
}

/// From which point on they have that period.
fn first(points: &[PointRecord], length: usize) -> usize {
    let differs = |index: &usize| points[*index].deed != points[*index + length].deed;
    (0..points.len() - length).rev().find(differs).map_or(0, |index| index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::borrow::ToOwned;
    use alloc::vec::Vec;

    fn points(deeds: &str) -> Vec<PointRecord> {
        let point = |deed: u8| PointRecord { deed: deed.into(), ..PointRecord::default() };
        deeds.bytes().map(point).collect()
    }

    #[track_caller]
    fn check(deeds: &str, expected: Option<(usize, usize)>) {
        let points = points(deeds);
        let found = period(&points).map(|length| (first(&points, length), length));
        assert_eq!(found, expected);
    }

    #[test]
    fn a_round_is_what_repeats_and_begins_where_it_first_did() {
        check("aaaa", Some((0, 1)));
        check("abababab", Some((0, 2)));
        check(&("xyz".to_owned() + &"aab".repeat(5000)), Some((3, 3)));
        check("abcd", None);
    }
}
