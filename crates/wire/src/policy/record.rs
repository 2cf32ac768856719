//! Policies in shared memory: some numbers, and a list of numbers beside them.

use alloc::vec::Vec;

use super::Policy;
use crate::Plain;
use crate::board::LIST_MAX;
use crate::numbered::numbered;

/// Stands for no thread.
const NO_THREAD: u32 = u32::MAX;

numbered! {
    /// Which policy it is.
    pub enum PolicyCode: u32 {
        /// [`Policy::Continue`].
        Continue = 0,
        /// [`Policy::Random`].
        Random = 1,
        /// [`Policy::Pct`].
        Pct = 2,
        /// [`Policy::Pos`].
        Pos = 3,
        /// [`Policy::Walk`].
        Walk = 4,
        /// [`Policy::Awake`].
        Awake = 5,
        /// [`Policy::Pause`].
        Pause = 6,
        /// [`Policy::Ranked`].
        Ranked = 7,
    }
}

/// A policy but for its list.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
pub struct PolicyRecord {
    /// A [`PolicyCode`].
    code: u32,
    depth: u32,
    n_points: u32,
    /// Not 0 if `target` is an object.
    has_target: u32,
    seed: u64,
    target: u64,
    /// How many numbers of the list are steps, threads in an order, or threads that sleep.
    n_first: u32,
    /// How many of the numbers behind them are creators, or parts of falls.
    n_second: u32,
}

// SAFETY: ten numbers of 4 bytes, or pairs of them, without anything between them; any bits are such a record.
unsafe impl Plain for PolicyRecord {}

impl PolicyRecord {
    /// A policy, and its list. What is too long for a slot is cut.
    pub fn of(policy: &Policy) -> (PolicyRecord, Vec<u32>) {
        let mut record = PolicyRecord::default();
        let (mut first, mut second): (&[u32], _) = (&[], Vec::new());
        let code = match *policy {
            Policy::Continue => PolicyCode::Continue,
            Policy::Random { seed } => {
                record.seed = seed;
                PolicyCode::Random
            }
            Policy::Pct { seed, depth, n_points } => {
                record = PolicyRecord { seed, depth, n_points, ..record };
                PolicyCode::Pct
            }
            Policy::Pos { seed } => {
                record.seed = seed;
                PolicyCode::Pos
            }
            Policy::Walk { seed, target, ref n_steps, ref creators, n_points } => {
                let (has_target, target) = (target.is_some().into(), target.unwrap_or(0));
                record = PolicyRecord { seed, has_target, target, n_points, ..record };
                first = n_steps;
                second.extend(creators.iter().map(|creator| creator.unwrap_or(NO_THREAD)));
                PolicyCode::Walk
            }
            Policy::Pause { seed, target } => {
                record = PolicyRecord { seed, target, ..record };
                PolicyCode::Pause
            }
            Policy::Ranked { ref order, ref falls } => {
                first = order;
                second.extend(falls.as_flattened());
                PolicyCode::Ranked
            }
            Policy::Awake { ref asleep } => {
                first = asleep;
                PolicyCode::Awake
            }
        };
        let mut list = first[..first.len().min(LIST_MAX / 2)].to_vec();
        record.n_first = list.len() as u32;
        second.truncate(LIST_MAX / 2);
        record.n_second = second.len() as u32;
        list.extend(second);
        record.code = code as u32;
        (record, list)
    }

    /// How many numbers its list has.
    pub fn n_list(&self) -> usize {
        (self.n_first as usize + self.n_second as usize).min(LIST_MAX)
    }

    /// The policy, with its list; none if its number means nothing.
    pub fn policy(&self, list: &[u32]) -> Option<Policy> {
        let PolicyRecord { seed, depth, n_points, target, .. } = *self;
        let (first, second) = list.split_at_checked(self.n_first as usize)?;
        Some(match PolicyCode::from_number(self.code)? {
            PolicyCode::Continue => Policy::Continue,
            PolicyCode::Random => Policy::Random { seed },
            PolicyCode::Pct => Policy::Pct { seed, depth, n_points },
            PolicyCode::Pos => Policy::Pos { seed },
            PolicyCode::Pause => Policy::Pause { seed, target },
            PolicyCode::Awake => Policy::Awake { asleep: first.to_vec() },
            PolicyCode::Ranked => {
                Policy::Ranked { order: first.to_vec(), falls: second.as_chunks().0.to_vec() }
            }
            PolicyCode::Walk => {
                let creator = |&thread: &u32| (thread != NO_THREAD).then_some(thread);
                let creators = second.iter().map(creator).collect();
                let target = (self.has_target != 0).then_some(target);
                Policy::Walk { seed, target, n_steps: first.to_vec(), creators, n_points }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    #[test]
    fn policies_are_read_as_they_were_written() {
        let (seed, n_points) = (7, 40);
        let walk = |target| {
            let (n_steps, creators) = (vec![3, 4], vec![None, Some(0), Some(1)]);
            Policy::Walk { seed, target, n_steps, creators, n_points }
        };
        let policies = [
            Policy::Continue,
            Policy::Random { seed },
            Policy::Pct { seed, depth: 3, n_points },
            Policy::Pos { seed },
            walk(None),
            Policy::Awake { asleep: vec![1, 5] },
            Policy::Pause { seed, target: 9 },
            Policy::Ranked { order: vec![2, 0], falls: vec![[0, 1, 2], [3, 4, 5]] },
            walk(Some(0)),
        ];
        let mut codes = vec![];
        for policy in policies {
            let (record, list) = PolicyRecord::of(&policy);
            assert_eq!(record.n_list(), list.len());
            assert_eq!(record.policy(&list), Some(policy));
            codes.push(record.code);
        }
        let unseen = (0..64).find(|code| !codes.contains(code));
        assert_eq!(PolicyCode::from_number(unseen.unwrap_or(0)), None, "a policy is not tried");
    }
}
