//! Accesses and the heap.

use raddle_trace::{LocationId, Op, Order, RegionId, ThreadId, VarId};

use super::execution::Execution;
use super::program::{Spot, Target, Touch};

impl Execution<'_> {
    /// Accesses a variable, unless its lock is not held or it does not exist.
    #[inline]
    pub(super) fn access(
        &mut self,
        me: ThreadId,
        target: Target,
        touch: Touch,
        location: LocationId,
    ) {
        if let Some(var) = self.resolve(me, target) {
            self.touch(me, var, touch, location);
        }
    }

    /// An access where there is no room for anything else, or nothing else to do.
    ///
    /// It needs no lock that is not held, unless no thread can make such an access.
    pub(super) fn pad(&mut self, me: ThreadId) {
        let (spot, sites) = (Spot { offset: 0, skew: 0 }, &self.program.sites);
        let mut held = (0..self.config.depth as u8).map(|slot| Target::Home { slot, spot });
        if let Some(var) = self.resolve(me, Target::Own(spot)) {
            match self.chance(self.config.write) {
                true => self.touch(me, var, Touch::Write(Order::Plain), sites.write),
                false => self.touch(me, var, Touch::Read(Order::Plain), sites.read),
            }
        } else if let Some(var) = self.resolve(me, Target::Atomic(spot)) {
            self.touch(me, var, Touch::Read(Order::Acquire), sites.poll);
        } else if let Some(var) = held.find_map(|target| self.resolve(me, target)) {
            self.touch(me, var, Touch::Read(Order::Plain), sites.peek);
        } else if self.is_stuck() {
            self.touch(me, VarId(self.layout.n_atomic), Touch::Read(Order::Plain), sites.peek);
        }
    }

    /// Allocates a region and writes to it.
    pub(super) fn alloc(&mut self, me: ThreadId, location: LocationId) {
        let Some(region) = self.dead_regions.pop() else { return };
        self.live_regions.push(region);
        self.emit(me, Op::Alloc { region: RegionId(region) }, location);
        let var = self.layout.in_region(region);
        self.touch(me, var, Touch::Write(Order::Plain), LocationId(location.0 + 1));
    }

    /// Reads from a region, of this or another thread, and frees it.
    pub(super) fn free(&mut self, me: ThreadId, location: LocationId) {
        if self.live_regions.is_empty() {
            return;
        }
        let region = self.live_regions.swap_remove(self.rng.usize(..self.live_regions.len()));
        self.dead_regions.push(region);
        self.touch(me, self.layout.in_region(region), Touch::Read(Order::Plain), location);
        self.emit(me, Op::Free { region: RegionId(region) }, LocationId(location.0 + 1));
    }

    #[inline]
    fn resolve(&self, me: ThreadId, target: Target) -> Option<VarId> {
        let instance = self.threads[me.index()].instance;
        let nth = |spot: Spot, n: u32| {
            let element = instance.wrapping_add(spot.skew) % Spot::SIZE;
            (n > 0).then(|| (spot.offset + element) % n)
        };
        let layout = self.layout;
        let of_stripe =
            |stripe, spot| nth(spot, layout.n_home(stripe)).map(|nth| layout.home(stripe, nth));
        match target {
            Target::Own(spot) => nth(spot, layout.n_own(me)).map(|nth| layout.own(me, nth)),
            Target::Atomic(spot) => nth(spot, layout.n_atomic).map(VarId),
            Target::Home { slot, spot } => {
                self.hold(me, slot).and_then(|hold| of_stripe(hold.lock.0, spot))
            }
            Target::Open { group, spot } => of_stripe(group.base + instance % group.width, spot),
        }
    }

    #[inline]
    fn touch(&mut self, me: ThreadId, var: VarId, touch: Touch, location: LocationId) {
        let op = match touch {
            Touch::Read(order) => Op::Read { var, order },
            Touch::Write(order) => Op::Write { var, order },
            Touch::Update(order) => Op::ReadModifyWrite { var, order },
        };
        let event = self.emit(me, op, location);
        if let Some(value) = self.values.get_mut(var.index()) {
            match touch {
                Touch::Read(_) => {}
                Touch::Write(_) => *value = self.rng.u64(..256),
                Touch::Update(_) => *value = value.wrapping_add(1),
            }
            self.events.set_value(event, *value);
        }
    }
}
