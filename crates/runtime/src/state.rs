//! The one state of a process under control.
//!
//! Everything is in cells without locks: exactly one thread of the program runs (see the head of
//! the crate). No reference into it is held while another thread gets its turn. Where threads are recorded while they
//! run at once, nothing is ever written to it: what they share with this mode is in `host`.

use core::cell::{Cell, UnsafeCell};
use core::ptr;
use core::sync::atomic::{AtomicBool, Ordering};

use alloc::vec::Vec;

use crate::context;
use crate::explore::Explore;
use crate::heap::Shadow;
use crate::inner::Inner;
use crate::object::Objects;
use crate::race::Races;
use crate::record::Recorder;
use crate::sched::Plan;
use crate::thread::Thread;
use crate::unseen::Unseen;

/// What a process under control consists of.
pub struct State {
    /// How many events may still happen before somebody has to look: below zero, look first.
    pub budget: Cell<i64>,
    /// What the budget was when it was last looked at.
    pub armed: Cell<i64>,
    /// Of all events so far.
    pub hash: Cell<u64>,
    /// Where the next record goes.
    pub recorder: Recorder,
    /// Which memory was freed.
    pub shadow: Shadow,
    /// Which parts of a record are the same in every run.
    pub same: Cell<Same>,
    /// Whether the program is under control; any thread may ask.
    is_on: AtomicBool,
    /// Whether each thread has its own thread of the system.
    pub own_threads: Cell<bool>,
    /// The thread that runs.
    pub current: Cell<*const Thread>,
    /// All threads by number.
    pub threads: Shared<Vec<*const Thread>>,
    /// A thread that has ended and whose stack nobody uses any more.
    pub ended: Cell<*const Thread>,
    /// Models of locks and the like.
    pub objects: Shared<Objects>,
    /// Plans from the board.
    pub explore: Explore,
    /// Files that lead nowhere outside.
    pub inner: Inner,
    /// What is still to be followed.
    pub plan: Plan,
    /// Random numbers.
    pub random: Cell<u64>,
    /// Virtual time in nanoseconds.
    pub clock: Cell<u64>,
    /// Events that were counted.
    pub n_events: Cell<u64>,
    /// How many of them were not accesses that the compiler told of.
    pub n_others: Cell<u64>,
    /// How many events are left of the current thread's slice.
    pub slice_left: Cell<i64>,
    /// How often anybody changed anything.
    pub n_changes: Cell<u64>,
    /// In how many rounds in a row everybody has been spinning.
    pub idle_rounds: Cell<u32>,
    /// The order in which threads began to wait.
    pub next_ticket: Cell<u64>,
    /// Whether the program has put something else in the place of its output.
    pub output_moved: Cell<bool>,
    /// Data races of this execution; off unless somebody asks for them.
    pub races: Races,
    /// Words that code changes which is not instrumented.
    pub unseen: Unseen,
}

/// Which parts of a record are the same in every run.
#[derive(Clone, Copy, Debug)]
pub struct Same {
    /// Of `head`.
    pub head: u64,
    /// Of `tail`.
    pub tail: u64,
    /// From here on lies the stack of the main thread.
    pub stack: u64,
    /// Addresses on that stack are taken relative to this.
    pub stack_base: u64,
    /// Stands for the thread that runs.
    pub thread: u64,
}

impl Same {
    /// The same while another thread runs.
    pub fn by(self, thread: u32) -> Same {
        Same { thread: u64::from(thread).wrapping_mul(0xd6e8_feb8_6659_fd93), ..self }
    }
}

// SAFETY: under control only the thread that runs touches it, and a turn is handed over by what orders memory: a futex,
// or a switch on the same thread of the system. Without control nothing writes to it, so all may read that it is off.
unsafe impl Sync for State {}

static STATE: State = State {
    budget: Cell::new(-1),
    armed: Cell::new(-1),
    hash: Cell::new(0),
    recorder: Recorder::new(),
    shadow: Shadow::new(),
    same: Cell::new(Same {
        head: u64::MAX,
        tail: u64::MAX,
        stack: u64::MAX,
        stack_base: 0,
        thread: 0,
    }),
    is_on: AtomicBool::new(false),
    own_threads: Cell::new(false),
    current: Cell::new(ptr::null()),
    threads: Shared::new(Vec::new()),
    ended: Cell::new(ptr::null()),
    objects: Shared::new(Objects::new()),
    explore: Explore::new(),
    inner: Inner::new(),
    plan: Plan::new(),
    random: Cell::new(0),
    clock: Cell::new(0),
    n_events: Cell::new(0),
    n_others: Cell::new(0),
    slice_left: Cell::new(0),
    n_changes: Cell::new(0),
    idle_rounds: Cell::new(0),
    next_ticket: Cell::new(1),
    output_moved: Cell::new(false),
    races: Races::new(),
    unseen: Unseen::new(),
};

impl State {
    /// The state, for whoever is under control.
    #[inline(always)]
    pub fn get() -> &'static State {
        &STATE
    }

    /// Whether the program is under control.
    #[inline(always)]
    pub fn is_on(&self) -> bool {
        self.is_on.load(Ordering::Relaxed)
    }

    /// From here on the program is under control, or not.
    pub fn set_on(&self, on: bool) {
        self.is_on.store(on, Ordering::Relaxed);
    }

    /// The state, if the caller is under control.
    #[inline]
    pub fn active() -> Option<&'static State> {
        (STATE.is_on() && !context::own_thread().is_null()).then_some(&STATE)
    }

    /// The thread that runs.
    #[inline]
    pub fn current(&self) -> &'static Thread {
        // SAFETY: threads are never freed, and somebody runs.
        unsafe { &*self.current.get() }
    }

    /// The thread with a number.
    pub fn thread(&self, number: u32) -> Option<&'static Thread> {
        // SAFETY: threads are never freed.
        self.threads.with(|threads| threads.get(number as usize).map(|&thread| unsafe { &*thread }))
    }

    /// How many threads there have been.
    pub fn n_threads(&self) -> u32 {
        self.threads.with(|threads| threads.len() as u32)
    }

    /// Every thread that there has been.
    pub fn all_threads(&self) -> impl Iterator<Item = &'static Thread> + '_ {
        (0..self.n_threads()).filter_map(|number| self.thread(number))
    }

    /// After `fork` in the child: nothing is under control any more.
    pub fn leave_child(&self) {
        self.set_on(false);
        self.recorder.stop();
        self.budget.set(-1);
        self.armed.set(-1);
    }

    /// A random number below `limit`, which is not 0 (SplitMix64).
    pub fn random_below(&self, limit: u64) -> u64 {
        let seed = self.random.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
        self.random.set(seed);
        let mut z = seed;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((u128::from(z ^ (z >> 31)) * u128::from(limit)) >> 64) as u64
    }
}

/// Something larger than a cell that only the running thread touches, a moment at a time.
pub struct Shared<T>(UnsafeCell<T>);

impl<T> Shared<T> {
    /// Wraps it.
    pub const fn new(value: T) -> Shared<T> {
        Shared(UnsafeCell::new(value))
    }

    /// Lends it for a moment in which no other thread can get its turn.
    #[inline]
    pub fn with<R>(&self, act: impl FnOnce(&mut T) -> R) -> R {
        // SAFETY: only the running thread comes here, and `act` neither switches nor comes back.
        act(unsafe { &mut *self.0.get() })
    }
}
