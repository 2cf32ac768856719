//! Where threads spin: what one run shows, another one has to know.
//!
//! Whether a thread spins at a point shows only in the run in which it goes on there (`runtime/src/explore/spin.rs`).
//! A plan that leaves it at that point is made from such a run. All engines of a search share what runs have shown, by
//! the choices before each point, so a plan can say where the threads that it leaves spin.

use std::sync::{Arc, Mutex, PoisonError};

use raddle_explore::Run;
use raddle_finding::Choice;
use raddle_wire::board::{CHOICE_ASIDE, CHOICE_ENDLESS, CHOICE_RESTORES, CHOICE_SPINS};
use rustc_hash::FxHashMap;

use super::choice_word;

/// A point at which the thread that ran spins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Spin {
    pub(super) point: usize,
    /// It has done a round, and is not offered.
    pub(super) is_aside: bool,
    /// It changes something in each round, and puts it back.
    pub(super) restores: bool,
    /// Its loop is taken for endless.
    pub(super) is_endless: bool,
}

impl Spin {
    fn bits(self) -> u32 {
        let bit = |bit: u32, on: bool| if on { bit } else { 0 };
        bit(CHOICE_ASIDE, self.is_aside)
            | bit(CHOICE_SPINS, !self.is_aside)
            | bit(CHOICE_RESTORES, self.restores)
            | bit(CHOICE_ENDLESS, self.is_endless)
    }
}

/// Where threads spin in the runs of a program.
#[derive(Clone, Debug, Default)]
pub struct Spins(Arc<Mutex<FxHashMap<u128, u32>>>);

/// Which points runs have: choices mean something only together with them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Points(Path);

impl Points {
    /// Runs have points at each access, or at these.
    pub(super) fn new(all: bool, sites: &[u64]) -> Points {
        let start = Path(u128::from(all));
        Points(sites.iter().fold(start, |path, &site| path.mix(site.into())))
    }
}

/// The choices before a point, as a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Path(u128);

impl Path {
    fn then(self, choice: Choice) -> Path {
        self.mix(choice_word(choice).map_or(u128::MAX, |word| u128::from(word) + 1))
    }

    fn mix(self, word: u128) -> Path {
        const FACTOR: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;
        Path((self.0 ^ word).wrapping_mul(FACTOR).rotate_left(47))
    }
}

impl Spins {
    fn with<T>(&self, act: impl FnOnce(&mut FxHashMap<u128, u32>) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The choices of a prefix, as the runtime has them: each says whether the thread that it leaves spins.
    pub(super) fn words(&self, points: Points, prefix: &[Choice]) -> Vec<u32> {
        let word = |&choice: &Choice| choice_word(choice).unwrap_or(u32::MAX);
        let mut words: Vec<_> = prefix.iter().map(word).collect();
        self.with(|known| {
            if known.is_empty() {
                return;
            }
            let mut path = points.0;
            for (word, &choice) in words.iter_mut().zip(prefix) {
                *word |= known.get(&path.0).copied().unwrap_or(0);
                path = path.then(choice);
            }
        });
        words
    }

    /// Takes in where threads spin in a run, and lets its beginning, of so many choices, say what is known of it.
    pub(super) fn learn(&self, points: Points, spins: &[Spin], n_prefix: usize, run: &mut Run) {
        self.with(|known| {
            if known.is_empty() && spins.is_empty() {
                return;
            }
            let last = spins.last().map_or(0, |spin| spin.point + 1);
            let end = last.max(n_prefix).min(run.points().len());
            let (mut path, mut spins) = (points.0, spins.iter().peekable());
            for point in 0..end {
                if let Some(spin) = spins.next_if(|spin| spin.point == point) {
                    known.insert(path.0, spin.bits());
                } else if known.get(&path.0).is_some_and(|bits| bits & CHOICE_SPINS != 0) {
                    run.spins(point..point + 1);
                }
                path = path.then(run.taken(point));
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use raddle_explore::Point;

    use super::*;

    fn run(choices: &[u32]) -> Run {
        let mut run = Run::new();
        for &thread in choices {
            run.open(Choice::Thread(thread));
            run.push(Point { preemptible: true, ..Point::default() });
        }
        run
    }

    #[test]
    fn a_plan_says_where_an_earlier_run_showed_spinning() {
        let (spins, points) = (Spins::default(), Points::new(false, &[]));
        let free = Spin { point: 1, is_aside: false, restores: false, is_endless: false };
        let shown = [free, Spin { point: 3, is_aside: true, restores: true, is_endless: false }];
        spins.learn(points, &shown, 0, &mut run(&[0, 1, 1, 2]));
        let prefix = |threads: &[u32]| {
            spins.words(
                points,
                &threads.iter().map(|&thread| Choice::Thread(thread)).collect::<Vec<_>>(),
            )
        };
        assert_eq!(prefix(&[0, 2]), [0, 2 | CHOICE_SPINS]);
        assert_eq!(prefix(&[0, 1, 1, 2])[3], 2 | CHOICE_ASIDE | CHOICE_RESTORES);
        assert_eq!(prefix(&[2, 2]), [2, 2], "other choices lead elsewhere");
        let mut other = run(&[0, 2, 0]);
        spins.learn(points, &[], 2, &mut other);
        assert!(!other.points()[1].preemptible && other.points()[1].spinning);
        assert!(other.points()[0].preemptible && other.points()[2].preemptible);
    }
}
