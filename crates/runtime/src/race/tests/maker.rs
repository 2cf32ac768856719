//! Streams from any numbers, such that no thread does what it cannot do.

use std::vec::Vec;

use super::stream::{Event, What};

/// Addresses that events pick from. All of the first are within memory that comes and goes.
const SMALL: [(u64, u64); 8] = [
    (0x10000, 4),
    (0x10002, 1),
    (0x10004, 8),
    (0x10010, 16),
    (0x10200, 4),
    (0x103f8, 8),
    (0x105ff, 2),
    (0x10010, 8),
];
const LARGE: [(u64, u64); 5] =
    [(0x10000, 40), (0x10200, 512), (0x101fe, 1030), (0x10200, 1024), (0x10004, 1700)];
const ATOMICS: [u64; 4] = [0x10000, 0x10010, 0x10014, 0x10200];
/// Semaphores lie behind them.
const LOCKS: [u64; 2] = [0x10030, 0x10300];
const MEMORY: [(u64, u64); 5] =
    [(0x10000, 0x40), (0x10200, 0x180), (0x10200, 0x400), (0x103f0, 0x220), (0x10000, 0x1000)];
const CONDITION: u64 = 0x20000;
const BARRIER: u64 = 0x20100;
/// How many the barrier waits for.
pub const N_PARTIES: usize = 2;
const N_THREADS: usize = 4;

/// What a thread may do next.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Status {
    Unborn,
    Running,
    /// Waits for the condition, and whether it was woken.
    Waiting(bool),
    /// Waits at the barrier, and whether it may leave.
    Arrived(bool),
    Ended,
    Joined,
}

/// Makes legal streams from any numbers.
pub struct Maker {
    events: Vec<Event>,
    status: [Status; N_THREADS],
    /// Per lock, who writes and who reads.
    writer: [Option<usize>; 2],
    readers: [Vec<usize>; 2],
}

impl Maker {
    /// The stream that some numbers stand for.
    pub fn stream(numbers: &[(u8, u8, u8, u8)]) -> Vec<Event> {
        let mut status = [Status::Unborn; N_THREADS];
        status[0] = Status::Running;
        let readers = [Vec::new(), Vec::new()];
        let mut maker = Maker { events: Vec::new(), status, writer: [None; 2], readers };
        maker.push(0, 1, What::BarrierInit(BARRIER, N_PARTIES as u64));
        for child in 1..N_THREADS as u32 {
            if numbers.len() as u32 % 4 >= child {
                maker.push(0, 2, What::Fork(child));
                maker.status[child as usize] = Status::Running;
            }
        }
        for &(who, kind, a, b) in numbers {
            maker.step(who as usize % N_THREADS, kind, a as usize, b);
        }
        maker.events
    }

    fn push(&mut self, thread: usize, pc: u64, what: What) {
        self.events.push(Event { thread: thread as u32, pc, what });
    }

    fn step(&mut self, me: usize, kind: u8, a: usize, b: u8) {
        let pc = 0x100 + u64::from(b % 8);
        match self.status[me] {
            Status::Waiting(_) if b < 0x20 => self.wake(me, pc, What::TimedOut(CONDITION)),
            Status::Waiting(true) => self.wake(me, pc, What::Woken(CONDITION)),
            Status::Arrived(true) => self.wake(me, pc, What::Leave(BARRIER)),
            Status::Running => self.run(me, pc, kind, a, b),
            _ => {}
        }
    }

    fn wake(&mut self, me: usize, pc: u64, what: What) {
        self.status[me] = Status::Running;
        self.push(me, pc, what);
    }

    fn run(&mut self, me: usize, pc: u64, kind: u8, a: usize, b: u8) {
        let (start, len) = if b & 0x80 == 0 { SMALL[a % 8] } else { LARGE[a % 5] };
        let (at, order) = (ATOMICS[a % 4], u16::from(b >> 4) % 6);
        let (lock, which) = (LOCKS[a % 2], a % 2);
        let (begins, bytes) = MEMORY[a % 5];
        let other = a % N_THREADS;
        let what = match kind % 32 {
            0..=4 => What::Read(start, len),
            5..=9 => What::Write(start, len),
            10 | 11 => What::Load(at, order),
            12 | 13 => What::Store(at, order),
            14 => What::Update(at, order),
            15 => What::Miss(at, order),
            16 => What::Fence(order),
            17 | 18 => return self.lock(me, pc, which, b & 0x40 != 0),
            19 => What::Post(lock + 8),
            20 => What::Take(lock + 8),
            21 => What::Give(lock),
            22 => What::Get(lock),
            23 => [What::OnceEnter(lock), What::OnceDone(lock), What::OncePass(lock)][a / 2 % 3],
            24 => return self.begin_wait(me, pc),
            25 => return self.notify(me, pc, b & 0x40 != 0, other),
            26 => return self.arrive(me, pc),
            27 if self.status[other] == Status::Unborn => {
                self.status[other] = Status::Running;
                What::Fork(other as u32)
            }
            27 if self.status[other] == Status::Ended => {
                self.status[other] = Status::Joined;
                What::Join(other as u32)
            }
            28 if me != 0 && b < 0x60 => {
                self.status[me] = Status::Ended;
                return;
            }
            29 => What::Alloc(begins, bytes),
            30 => What::Free(begins, bytes),
            31 => What::SemaphoreInit(lock + 8),
            _ => return,
        };
        self.push(me, pc, what);
    }

    /// Takes a lock or gives it back, whatever is possible.
    fn lock(&mut self, me: usize, pc: u64, which: usize, shared: bool) {
        let at = LOCKS[which];
        if self.writer[which] == Some(me) {
            self.writer[which] = None;
            self.push(me, pc, What::Unlock(at));
        } else if let Some(index) = self.readers[which].iter().position(|&reader| reader == me) {
            self.readers[which].remove(index);
            self.push(me, pc, What::UnlockShared(at));
        } else if self.writer[which].is_some() {
        } else if shared {
            self.readers[which].push(me);
            self.push(me, pc, What::LockShared(at));
        } else if self.readers[which].is_empty() {
            self.writer[which] = Some(me);
            self.push(me, pc, What::Lock(at));
        }
    }

    fn begin_wait(&mut self, me: usize, pc: u64) {
        self.status[me] = Status::Waiting(false);
        self.push(me, pc, What::Wait(CONDITION));
    }

    fn notify(&mut self, me: usize, pc: u64, all: bool, other: usize) {
        if all {
            for status in &mut self.status {
                if *status == Status::Waiting(false) {
                    *status = Status::Waiting(true);
                }
            }
            return self.push(me, pc, What::NotifyAll(CONDITION));
        }
        let woken = (self.status[other] == Status::Waiting(false)).then_some(other);
        if let Some(woken) = woken {
            self.status[woken] = Status::Waiting(true);
        }
        self.push(me, pc, What::Notify(CONDITION, woken.map(|woken| woken as u32)));
    }

    fn arrive(&mut self, me: usize, pc: u64) {
        self.status[me] = Status::Arrived(false);
        self.push(me, pc, What::Arrive(BARRIER));
        let here = |status: &&mut Status| **status == Status::Arrived(false);
        if self.status.iter_mut().filter(here).count() == N_PARTIES {
            self.status.iter_mut().filter(here).for_each(|status| *status = Status::Arrived(true));
        }
    }
}
