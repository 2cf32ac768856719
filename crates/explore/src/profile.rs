//! Profiles: what one run lets others expect.
//!
//! In: a run, with its operations if objects matter. Out: how many steps each thread takes, who
//! creates which, and which objects threads share. Other runs can differ, so it is a guess.

use std::collections::BTreeMap;

use raddle_finding::Choice;
use serde::{Deserialize, Serialize};

use crate::run::{Access, Run};

/// What runs are expected to be like.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Profile {
    /// How many points there are.
    pub(crate) n_points: u32,
    /// How many choices there are before another thread than the first one goes on.
    pub(crate) lead: u32,
    /// How many steps each thread takes.
    pub(crate) n_steps: Vec<u32>,
    /// The thread after whose step each thread could go on for the first time.
    pub(crate) creators: Vec<Option<u32>>,
    /// What at least two threads use and not all of them only read, in the order of numbers.
    pub(crate) shared: Vec<Shared>,
}

/// An object that threads share.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Shared {
    pub(crate) object: u64,
    /// How many operations of each thread are on it.
    pub(crate) n_steps: Vec<u32>,
}

impl Profile {
    pub(crate) fn of(run: &Run) -> Profile {
        let mut profile = Profile { n_points: run.points().len() as u32, ..Profile::default() };
        let mut objects: BTreeMap<u64, (Vec<u32>, bool)> = BTreeMap::new();
        let first = |choice: &Choice| *choice == Choice::Thread(0);
        profile.lead = run.choices().take_while(first).count() as u32;
        let mut exists = Vec::new();
        let mut last = None;
        for (point, choice) in run.choices().enumerate() {
            for &open in run.alternatives(point) {
                let Choice::Thread(thread) = open else { continue };
                if !std::mem::replace(at(&mut exists, thread), true) {
                    *at(&mut profile.creators, thread) = last;
                }
            }
            let Choice::Thread(thread) = choice else { continue };
            last = Some(thread);
            *at(&mut profile.n_steps, thread) += 1;
            let done = run.operations(point).iter().find(|operation| operation.thread == thread);
            if let Some(done) = done.filter(|done| done.access != Access::Local) {
                let (n_steps, changes) = objects.entry(done.object).or_default();
                *at(n_steps, thread) += 1;
                *changes |= done.access != Access::Read;
            }
        }
        let n_users = |n_steps: &[u32]| n_steps.iter().filter(|&&n| n > 0).count();
        objects.retain(|_, (n_steps, changes)| *changes && n_users(n_steps) > 1);
        let shared = |(object, (n_steps, _))| Shared { object, n_steps };
        profile.shared = objects.into_iter().map(shared).collect();
        profile
    }

    /// How many bytes it takes beside its own size.
    pub(crate) fn memory(&self) -> usize {
        let shared = |shared: &Shared| shared.n_steps.capacity() * size_of::<u32>();
        self.n_steps.capacity() * size_of::<u32>()
            + self.creators.capacity() * size_of::<Option<u32>>()
            + self.shared.capacity() * size_of::<Shared>()
            + self.shared.iter().map(shared).sum::<usize>()
    }
}

/// The entry of a thread.
fn at<T: Default + Clone>(entries: &mut Vec<T>, thread: u32) -> &mut T {
    let thread = thread as usize;
    if entries.len() <= thread {
        entries.resize(thread + 1, T::default());
    }
    &mut entries[thread]
}
