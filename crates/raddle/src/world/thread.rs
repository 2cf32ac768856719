//! Threads of an execution.

use std::any::Any;
use std::sync::Arc;

use corosensei::Yielder;
use raddle_explore::Access;
use raddle_finding::{Location, push_number};
use smallvec::SmallVec;

use super::enabled::N_KNOWN;
use super::local::{FIRST, mix};
use super::pending::NOTHING;
use super::steps::Steps;
use super::tired::Idle;
use super::{NONE, Pending, Site, What};

/// What a thread does from its beginning to its end; answers how it ended.
pub(crate) type Job = Box<dyn FnOnce() -> Status>;

/// How far a thread is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Status {
    /// It has not ended.
    Live,
    /// Its function has returned.
    Returned,
    /// It has panicked.
    Panicked,
    /// It was ended with its execution.
    Torn,
}

/// What a panic said.
#[derive(Clone, Debug)]
pub(crate) struct PanicNote {
    pub(crate) place: Location,
    pub(crate) message: String,
    /// How many steps were told before.
    pub(crate) n_told: usize,
}

/// A thread. What is looked at again and again comes first, on a line of memory of its own.
#[repr(C, align(64))]
pub(crate) struct Thread {
    /// What it is about to do.
    pub(crate) pending: Pending,
    /// What others can notice of it, with the number of what it concerns, if anybody wants to know.
    pub(super) noticed: (Access, u64),
    pub(crate) status: Status,
    /// Whether it is not offered since it spins, or is tired.
    pub(super) is_aside: bool,
    /// Whether its round changes something and puts it back.
    pub(super) is_restless: bool,
    /// Whether no answer to its questions leads out of its loop.
    pub(super) is_certain: bool,
    /// Whether it runs, or waits for one that it resumed (F1 of `fiber`).
    pub(crate) is_in_row: bool,
    /// Whether it was notified.
    pub(crate) is_woken: bool,
    /// Whether its task was woken.
    pub(crate) is_task_woken: bool,
    /// Whether a park would return at once.
    pub(crate) has_token: bool,
    /// Whether it was joined.
    pub(crate) is_joined: bool,
    /// How many waits on conditions there were before its own.
    pub(crate) waits_since: u64,
    pub(crate) name: Option<Arc<str>>,
    pub(crate) job: Option<Job>,
    pub(crate) yielder: *const Yielder<(), ()>,
    /// Where it was started.
    pub(crate) started: Site,
    /// How many objects it was the first to use.
    pub(crate) n_objects: u32,
    /// Whether it unwinds.
    pub(crate) unwinds: bool,
    pub(crate) panic: Option<PanicNote>,
    /// Whether it can never be unwound: it is left as it is.
    pub(crate) is_stuck: bool,
    pub(crate) n_torn: u32,
    /// Its values of thread-local keys, in the order in which they were made.
    pub(crate) locals: Vec<(usize, Box<dyn Any>)>,
    /// Whether they are being dropped.
    pub(crate) is_ending: bool,
    /// What it was like at its last point, and what it has seen since (`local`).
    pub(crate) identity: u64,
    pub(crate) seen: u64,
    /// How many changes it made that others can notice.
    pub(super) n_own: u64,
    /// How many of them last.
    pub(super) n_lasting: u32,
    /// What it has done, for finding out whether it spins.
    pub(super) steps: Steps,
    /// The locks that it has, each with how many steps it had done before.
    pub(super) held: SmallVec<[(u32, u64); 4]>,
    pub(super) idle: Idle,
    /// How often it has looked at the clock since anything changed.
    pub(super) n_clock: u32,
    pub(super) clock_since: u64,
}

impl Thread {
    pub(super) fn new(started: Site) -> Thread {
        Thread {
            status: Status::Live,
            pending: Pending::open(What::Begin, NONE, started),
            noticed: NOTHING,
            is_woken: false,
            waits_since: 0,
            is_task_woken: false,
            has_token: false,
            is_joined: false,
            name: None,
            job: None,
            yielder: std::ptr::null(),
            started,
            n_objects: 0,
            unwinds: false,
            panic: None,
            is_stuck: false,
            n_torn: 0,
            locals: Vec::new(),
            is_ending: false,
            identity: FIRST,
            seen: 0,
            n_own: 0,
            n_lasting: 0,
            steps: Steps::default(),
            held: SmallVec::new(),
            idle: Idle::default(),
            is_aside: false,
            is_restless: false,
            is_certain: false,
            is_in_row: false,
            n_clock: 0,
            clock_since: 0,
        }
    }

    /// Becomes a new one, in its place: most of it is as it should be already.
    fn begin_again(&mut self, started: Site) {
        let Thread {
            pending,
            noticed,
            status,
            is_aside,
            is_restless,
            is_certain,
            is_in_row,
            is_woken,
            is_task_woken,
            has_token,
            is_joined,
            waits_since,
            name,
            job,
            yielder,
            started: since,
            n_objects,
            unwinds,
            panic,
            is_stuck,
            n_torn,
            locals,
            is_ending,
            identity,
            seen,
            n_own,
            n_lasting,
            steps,
            held,
            idle,
            n_clock,
            clock_since,
        } = self;
        *pending = Pending::open(What::Begin, NONE, started);
        *noticed = NOTHING;
        *status = Status::Live;
        (*is_aside, *is_restless, *is_certain) = (false, false, false);
        (*identity, *seen, *n_own, *n_lasting) = (FIRST, 0, 0, 0);
        steps.clear();
        held.clear();
        (*is_in_row, *is_woken, *is_task_woken) = (false, false, false);
        (*has_token, *is_joined, *unwinds, *is_stuck) = (false, false, false, false);
        *clock_since = 0;
        (*waits_since, *n_objects, *n_torn, *n_clock) = (0, 0, 0, 0);
        (*name, *job, *panic) = (None, None, None);
        *yielder = std::ptr::null();
        *since = started;
        locals.clear();
        *is_ending = false;
        *idle = Idle::default();
    }

    #[inline]
    pub(crate) fn is_live(&self) -> bool {
        self.status == Status::Live
    }
}

impl super::World {
    /// Adds a thread that has not begun; answers with its number.
    pub(crate) fn add_thread(&mut self, name: Option<Arc<str>>, job: Job, started: Site) -> u32 {
        let thread = self.n_threads;
        self.n_threads += 1;
        match self.threads.get_mut(thread as usize) {
            Some(old) => old.begin_again(started),
            None => self.threads.push(Thread::new(started)),
        }
        let identity = if thread > 0 { mix(self.identity(), thread.into()) } else { FIRST };
        let new = &mut self.threads[thread as usize];
        (new.name, new.job, new.identity) = (name, Some(job), identity);
        self.who.announces(thread, true, false);
        self.draws &= thread < N_KNOWN;
        if self.follows_clocks {
            self.orders.fork(self.current, thread);
        }
        thread
    }

    /// The current thread has ended.
    pub(crate) fn end_thread(&mut self, status: Status) {
        self.me().status = status;
        self.note_ended(self.current);
    }

    /// The name of a thread for people.
    pub(crate) fn thread_name(&self, thread: u32) -> String {
        let mut text = String::new();
        self.write_thread_name(thread, &mut text);
        text
    }

    /// The same, behind a text.
    pub(super) fn write_thread_name(&self, thread: u32, text: &mut String) {
        match &self.threads[thread as usize].name {
            Some(name) => *text += name,
            None if thread == 0 => *text += "main",
            None => {
                *text += "thread ";
                push_number(text, thread.into());
            }
        }
    }

    /// Whether what a thread is about to do can block.
    pub(super) fn can_block(&self, thread: u32) -> bool {
        !self.threads[thread as usize].pending.guard.is_open()
    }
}
