//! Barriers, with `std`'s interface.

use std::panic::Location;

use crate::world::{Guard, Here, Kind, Pending, Slot, What};

/// A barrier, as [`std::sync::Barrier`].
#[derive(Debug)]
pub struct Barrier {
    slot: Slot,
    n_threads: usize,
}

/// Whether a thread was the last to arrive, as [`std::sync::BarrierWaitResult`].
#[derive(Debug)]
pub struct BarrierWaitResult(bool);

impl BarrierWaitResult {
    /// Whether this thread is the leader of its generation.
    pub fn is_leader(&self) -> bool {
        self.0
    }
}

impl Barrier {
    /// A barrier for this many threads.
    #[track_caller]
    pub const fn new(n: usize) -> Barrier {
        Barrier { slot: Slot::new(), n_threads: n }
    }

    /// Waits until as many threads have arrived as the barrier is for.
    #[track_caller]
    pub fn wait(&self) -> BarrierWaitResult {
        let (here, site) = (Here::get(), Location::caller());
        let object = self.slot.object(here, Kind::Barrier, || {});
        here.reach(Pending::open(What::Arrive, object, site));
        let generation = here.with(|world| {
            world.release(object);
            world.changed();
            let barrier = &mut world.objects[object as usize];
            barrier.count += 1;
            let generation = barrier.generation;
            let is_last = barrier.count as usize >= self.n_threads;
            if is_last {
                (barrier.count, barrier.generation) = (0, generation + 1);
                world.acquire(object);
            }
            world.see(is_last.into());
            (!is_last).then_some(generation)
        });
        if let Some(generation) = generation {
            here.reach(Pending::guarded(What::Leave, Guard::Passed(generation), object, site));
            here.with(|world| world.acquire(object));
        }
        BarrierWaitResult(generation.is_none())
    }
}
