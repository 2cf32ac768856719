//! Virtual time: what `std::time` has, the same in every execution of a schedule.
//!
//! Time passes when a thread sleeps or waits for some time and that runs out. A thread that looks at the
//! clock again and again while nothing happens sees it go faster and faster, so that loops until a
//! deadline end.

use std::ops::{Add, AddAssign, Sub, SubAssign};

pub use std::time::Duration;

use crate::world::{Here, World};

/// A moment, as [`std::time::Instant`]: nanoseconds since the beginning of the execution.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Instant(u64);

impl Instant {
    /// Now.
    #[track_caller]
    pub fn now() -> Instant {
        Instant(Here::get().with(World::look_at_clock))
    }

    /// The time elapsed since then.
    #[track_caller]
    pub fn elapsed(&self) -> Duration {
        Instant::now() - *self
    }

    /// The time since another moment; zero if that is later.
    pub fn duration_since(&self, earlier: Instant) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }

    /// The time since another moment; `None` if that is later.
    pub fn checked_duration_since(&self, earlier: Instant) -> Option<Duration> {
        self.0.checked_sub(earlier.0).map(Duration::from_nanos)
    }

    /// As [`Instant::duration_since`].
    pub fn saturating_duration_since(&self, earlier: Instant) -> Duration {
        self.duration_since(earlier)
    }

    /// Later by some time, if there is such a moment.
    pub fn checked_add(&self, time: Duration) -> Option<Instant> {
        self.0.checked_add(u64::try_from(time.as_nanos()).ok()?).map(Instant)
    }

    /// Earlier by some time, if there is such a moment.
    pub fn checked_sub(&self, time: Duration) -> Option<Instant> {
        self.0.checked_sub(u64::try_from(time.as_nanos()).ok()?).map(Instant)
    }
}

impl Add<Duration> for Instant {
    type Output = Instant;

    fn add(self, time: Duration) -> Instant {
        self.checked_add(time).expect("there is such a moment")
    }
}

impl AddAssign<Duration> for Instant {
    fn add_assign(&mut self, time: Duration) {
        *self = *self + time;
    }
}

impl Sub<Duration> for Instant {
    type Output = Instant;

    fn sub(self, time: Duration) -> Instant {
        self.checked_sub(time).expect("there is such a moment")
    }
}

impl SubAssign<Duration> for Instant {
    fn sub_assign(&mut self, time: Duration) {
        *self = *self - time;
    }
}

impl Sub<Instant> for Instant {
    type Output = Duration;

    fn sub(self, other: Instant) -> Duration {
        self.duration_since(other)
    }
}

impl World {
    /// The moment after some time.
    pub(crate) fn after(&self, time: Duration) -> u64 {
        self.now.saturating_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))
    }
}
