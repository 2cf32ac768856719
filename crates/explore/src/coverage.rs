//! Coverage: what a search has seen, bound by bound.

use raddle_finding::Choice;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize, Serializer};

use crate::cache::table_memory;
use crate::run::{LeftOut, Run};

/// What was seen at one bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct BoundCoverage {
    /// The bound, if the strategy has any.
    pub bound: Option<u32>,
    /// How many executions were started at this bound.
    pub executions: u64,
    /// How many of them did not come to an end of the program.
    pub cut: u64,
    /// How many of these the engine could not follow any further.
    pub lost: u64,
    /// How many distinct states there were up to its last execution; none if they were not
    /// counted.
    pub states: Option<u64>,
    /// Whether these are all executions of this bound.
    pub complete: bool,
}

/// The largest numbers of all runs: what Table 1 of the paper has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Maxima {
    /// Threads that took a step: n.
    pub threads: u32,
    /// Steps of a run: K.
    pub steps: u32,
    /// Steps of a run that can block: B.
    pub blocking: u32,
    /// Preemptions of a run: c.
    pub preemptions: u32,
    /// Steps of one thread: k of Theorem 1.
    pub thread_steps: u32,
    /// Steps of one thread that can block: b of Theorem 1.
    pub thread_blocking: u32,
}

/// The states of all runs.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct States {
    #[serde(serialize_with = "sorted")]
    seen: FxHashSet<u128>,
}

impl States {
    /// Takes in the states of a run whose first `n_known` choices are those of an earlier one.
    pub(crate) fn add(&mut self, run: &Run, n_known: usize) {
        self.seen.extend(run.fingerprints.iter().skip(n_known));
    }

    pub(crate) fn len(&self) -> u64 {
        self.seen.len() as u64
    }

    pub(crate) fn memory(&self) -> usize {
        table_memory(self.seen.capacity())
    }
}

fn sorted<S: Serializer>(set: &FxHashSet<u128>, serializer: S) -> Result<S::Ok, S::Error> {
    let mut states: Vec<_> = set.iter().copied().collect();
    states.sort_unstable();
    serializer.collect_seq(states)
}

/// Counts the steps of runs.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Meter {
    pub(crate) maxima: Maxima,
    #[serde(skip)]
    /// Per thread of the run at hand: steps, and those that can block.
    threads: Vec<(u32, u32)>,
}

impl Meter {
    /// Whether there can be runs like that.
    pub(crate) fn is_sound(&self) -> bool {
        let Maxima { threads, steps, blocking, preemptions, thread_steps, thread_blocking } =
            self.maxima;
        let of_steps = [threads, blocking, preemptions, thread_steps, thread_blocking];
        steps < u32::MAX / 2 && of_steps.iter().all(|&n| n <= steps)
    }

    /// Takes in a run; answers with its free switches away from spinning threads.
    pub(crate) fn add(&mut self, run: &Run) -> u32 {
        self.threads.clear();
        let (mut preemptions, mut spins) = (0, 0);
        for (point, taken) in run.steps() {
            if taken != Choice::Thread(point.current) {
                preemptions += u32::from(point.preemptible);
                spins += u32::from(point.spinning);
            }
            let Choice::Thread(thread) = taken else { continue };
            if self.threads.len() <= thread as usize {
                self.threads.resize(thread as usize + 1, (0, 0));
            }
            let (steps, blocking) = &mut self.threads[thread as usize];
            *steps += 1;
            *blocking += u32::from(point.blocking);
        }
        let LeftOut { points, threads, spins: unseen } = run.left_out;
        let max = &mut self.maxima;
        let raise = |most: &mut u32, number: u32| *most = number.max(*most);
        let (mut n, mut steps, mut blocking) = (threads, points, 0);
        for &(of_thread, of_thread_blocking) in &self.threads {
            n += u32::from(of_thread > 0);
            steps += of_thread;
            blocking += of_thread_blocking;
            raise(&mut max.thread_steps, of_thread);
            raise(&mut max.thread_blocking, of_thread_blocking);
        }
        raise(&mut max.threads, n);
        raise(&mut max.steps, steps);
        raise(&mut max.blocking, blocking);
        raise(&mut max.preemptions, preemptions);
        spins + unseen
    }
}

/// Theorem 1: how many executions with c preemptions n threads of at most k steps, b of them
/// blocking, can have: C(nk, c)·(nb + c)!. None if that is more than 128 bits can hold.
pub fn theorem_1(n: u32, k: u32, b: u32, c: u32) -> Option<u128> {
    let (steps, c) = (u128::from(n) * u128::from(k), u128::from(c));
    let mut ways: u128 = 1;
    for i in 0..c {
        ways = ways.checked_mul(steps.saturating_sub(i))? / (i + 1);
        if ways == 0 {
            return Some(0);
        }
    }
    (1..=u128::from(n) * u128::from(b) + c).try_fold(ways, |product, i| product.checked_mul(i))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_of_theorem_1() {
        assert_eq!(theorem_1(2, 3, 1, 0), Some(2));
        assert_eq!(theorem_1(2, 3, 1, 2), Some(15 * 24));
        assert_eq!(theorem_1(2, 1, 0, 3), Some(0));
        assert_eq!(theorem_1(100, 100, 100, 2), None);
    }
}
