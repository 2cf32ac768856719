//! Virtual time.
//!
//! Clocks begin at what the system says and go on only when a thread sleeps, asks for the time or
//! computes for long: so a run does not depend on how fast the machine is. A thread that sleeps is
//! one whose time runs out when no other can go on, or when the schedule says so.

use core::cell::Cell;

use crate::given::Given;
use crate::guard::Guard;
use crate::pthread::error::EFAULT;
use crate::pthread::fail;
use crate::sched;
use crate::state::State;
use crate::sys;

point_hook! {
    2, clock_gettime => get;
    2, gettimeofday => get_time_of_day;
    1, time => seconds;
    2, nanosleep => sleep_for;
    4, clock_nanosleep => sleep_on;
    1, usleep => sleep_microseconds;
    1, sleep => sleep_seconds;
    0, sched_yield => give_way;
    0, pthread_yield => give_way;
}

/// A moment or a length of time, as C has it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Timespec {
    /// Seconds.
    pub seconds: i64,
    /// Of the second.
    pub nanoseconds: i64,
}

/// A clock by its number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clock(pub i32);

impl Clock {
    /// What people call the time.
    pub const REALTIME: Clock = Clock(0);
    /// Time since some moment.
    pub const MONOTONIC: Clock = Clock(1);
}

const SECOND: u64 = 1_000_000_000;
/// What asking for the time takes.
const TICK: u64 = 1_000;
const N_CLOCKS: usize = 16;

/// What each clock showed when virtual time began.
struct Starts([Cell<u64>; N_CLOCKS]);

// SAFETY: only the running thread touches it.
unsafe impl Sync for Starts {}

static STARTS: Starts = Starts([const { Cell::new(0) }; N_CLOCKS]);

/// When runs begin of which there are many: in 2023.
const BEGINNING: u64 = 1_700_000_000 * SECOND;

/// What a clock shows now.
fn now(state: &State, clock: Clock) -> Option<u64> {
    let start = STARTS.0.get(clock.0 as usize)?;
    if start.get() == 0 {
        // A clock that the system does not know has never begun. Many runs begin at the same time.
        let time = sys::clock(clock.0);
        let time = if time > 0 && state.explore.is_on() { BEGINNING } else { time };
        start.set(time.checked_sub(state.clock.get()).filter(|&t| t > 0)?);
    }
    Some(start.get() + state.clock.get())
}

/// The program asks for the time, which takes some.
fn tick(state: &State) {
    state.explore.asks_for_time();
    state.clock.set(state.clock.get() + TICK);
}

/// When a moment of a clock is in virtual time; none if it is no moment.
pub fn deadline(state: &State, clock: Clock, until: Given<Timespec>) -> Option<u64> {
    let Timespec { seconds, nanoseconds } = until.get();
    if !(0..SECOND as i64).contains(&nanoseconds) {
        return None;
    }
    let moment = (seconds.max(0) as u64).saturating_mul(SECOND).saturating_add(nanoseconds as u64);
    let start = now(state, clock)? - state.clock.get();
    Some(moment.saturating_sub(start).max(1))
}

/// When a length of time that begins now is over, in virtual time; none if it is no length.
pub fn after(state: &State, length: Given<Timespec>) -> Option<u64> {
    let Timespec { seconds, nanoseconds } = length.get();
    if seconds < 0 || !(0..SECOND as i64).contains(&nanoseconds) {
        return None;
    }
    let length = (seconds as u64).saturating_mul(SECOND).saturating_add(nanoseconds as u64);
    Some(state.clock.get().saturating_add(length).max(1))
}

/// Whether a moment or a length of time can be read. Who asks the system to sleep does not crash if not.
pub fn is_there(time: Given<Timespec>) -> bool {
    let mut bytes = [0; size_of::<Timespec>()];
    sys::read_own(time.address() as usize, &mut bytes)
}

/// Sleeps until a moment of virtual time.
pub fn sleep_until(state: &State, deadline: u64, pc: u64) {
    sched::pass_when(state, Guard::Never, deadline.max(1), pc);
}

extern "C" fn get(clock: i32, answer: Given<Timespec>, _pc: u64) -> i32 {
    if let Some(state) = State::active() {
        tick(state);
        if let Some(now) = now(state, Clock(clock)) {
            let (seconds, nanoseconds) = ((now / SECOND) as i64, (now % SECOND) as i64);
            answer.set(Timespec { seconds, nanoseconds });
            return 0;
        }
    }
    real!(fn clock_gettime(clock: i32, answer: Given<Timespec>) -> i32)
}

extern "C" fn get_time_of_day(answer: Given<[i64; 2]>, zone: usize, _pc: u64) -> i32 {
    let Some(state) = State::active() else {
        return real!(fn gettimeofday(answer: Given<[i64; 2]>, zone: usize) -> i32);
    };
    tick(state);
    let now = now(state, Clock::REALTIME).unwrap_or(0);
    if !answer.is_null() {
        answer.set([(now / SECOND) as i64, (now % SECOND / 1000) as i64]);
    }
    0
}

extern "C" fn seconds(answer: Given<i64>, _pc: u64) -> i64 {
    let Some(state) = State::active() else {
        return real!(fn time(answer: Given<i64>) -> i64);
    };
    tick(state);
    let now = (now(state, Clock::REALTIME).unwrap_or(0) / SECOND) as i64;
    if !answer.is_null() {
        answer.set(now);
    }
    now
}

extern "C" fn sleep_for(length: Given<Timespec>, left: Given<Timespec>, pc: u64) -> i32 {
    let Some(state) = State::active() else {
        return real!(fn nanosleep(length: Given<Timespec>, left: Given<Timespec>) -> i32);
    };
    if !is_there(length) {
        return fail(EFAULT);
    }
    let Timespec { seconds, nanoseconds } = length.get();
    pause(state, seconds.max(0) as u64 * SECOND + nanoseconds.max(0) as u64, pc);
    0
}

extern "C" fn sleep_on(
    clock: i32,
    flags: i32,
    when: Given<Timespec>,
    left: Given<Timespec>,
    pc: u64,
) -> i32 {
    let Some(state) = State::active() else {
        return real!(fn clock_nanosleep(clock: i32, flags: i32, when: Given<Timespec>, left: Given<Timespec>) -> i32);
    };
    const ABSOLUTE: i32 = 1;
    if !is_there(when) {
        return EFAULT;
    }
    if flags & ABSOLUTE == 0 {
        let Timespec { seconds, nanoseconds } = when.get();
        pause(state, seconds.max(0) as u64 * SECOND + nanoseconds.max(0) as u64, pc);
    } else if let Some(deadline) = deadline(state, Clock(clock), when) {
        sleep_until(state, deadline, pc);
    }
    0
}

extern "C" fn sleep_microseconds(length: u32, pc: u64) -> i32 {
    let Some(state) = State::active() else {
        return real!(fn usleep(length: u32) -> i32);
    };
    pause(state, u64::from(length) * 1000, pc);
    0
}

extern "C" fn sleep_seconds(length: u32, pc: u64) -> u32 {
    let Some(state) = State::active() else {
        return real!(fn sleep(length: u32) -> u32);
    };
    pause(state, u64::from(length) * SECOND, pc);
    0
}

fn pause(state: &State, length: u64, pc: u64) {
    sleep_until(state, state.clock.get() + length.max(1), pc);
}

extern "C" fn give_way(pc: u64) -> i32 {
    if let Some(state) = State::active() {
        sched::idle(state);
        sched::give_way(state, pc);
    } else {
        sys::give_way();
    }
    0
}
