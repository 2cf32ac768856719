//! A target that runs many plans: posts them, waits for runs, notices its death.
//!
//! The memory is written by both sides at once. What the runtime has written is read only after it
//! has counted a plan as done, and every length is cut to what there is room for.

use std::path::Path;
use std::process::{Child, ExitStatus};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use raddle_wire::board::{Board, Fallback, Layout, Model, N_SLOTS, SITES_MAX};

use super::{Answer, LaunchError, Request, admit, child, control, explain, system, wait};
use crate::target::Target;

/// How often the counter is looked at before we sleep.
const LOOKS: u32 = 300;
/// How long we sleep before we look again.
const NAP: Duration = Duration::from_millis(2);
/// How long a run may take before we look whether the target lives.
const PULSE: Duration = Duration::from_millis(20);
/// How long a target may take to get to `main`.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long a run may go on after a request to stop.
const GRACE: Duration = Duration::from_millis(300);

/// A target that runs many plans.
pub(crate) struct Server {
    child: Child,
    shared: control::Shared,
    layout: Layout,
    base: *mut u8,
    n_posted: u32,
    n_taken: u32,
}

// SAFETY: the memory behind `base` belongs to `shared`, which goes where the server goes.
unsafe impl Send for Server {}

/// What became of a plan.
#[derive(Debug)]
pub(crate) enum Waited {
    /// It was run.
    Done,
    /// The target has died.
    Died(ExitStatus),
    /// There was a request to stop, or the run took too long.
    Stopped,
}

impl Server {
    /// Starts a target that waits for plans.
    pub(crate) fn start(
        target: &Target,
        request: &Request<'_>,
        model: Model,
        n_pool: u32,
        runtime: &Path,
    ) -> Result<Server, LaunchError> {
        let request = &admit(target, request, runtime)?;
        let shared = control::Shared::new(request)?;
        let (layout, base) = shared.board().expect("an exploration was asked for");
        // SAFETY: the board lies within the memory, which is aligned as a page is.
        let board = unsafe { &*base.add(layout.board()).cast::<Board>() };
        board.model.set(model as u32);
        board.n_pool.set(n_pool);
        let child = child::start(target, request, runtime, &shared, None)?;
        let mut server = Server { child, shared, layout, base, n_posted: 0, n_taken: 0 };
        server.wait_until_ready(target, request)?;
        Ok(server)
    }

    fn wait_until_ready(
        &mut self,
        target: &Target,
        request: &Request<'_>,
    ) -> Result<(), LaunchError> {
        let start = Instant::now();
        while self.board().ready.load(Ordering::Acquire) == 0 {
            let status = self.child.try_wait().map_err(system("wait for the program"))?;
            if let Some(status) = status {
                let left = self.shared.answer();
                let ended = wait::Ended::by_itself(status);
                let answer = Answer::new(&left, &self.shared, ended)?;
                explain(target, request, &answer)?;
                let (program, errors) = (target.program.clone(), answer.message);
                return Err(LaunchError::NotLoaded { program, status, errors });
            }
            if start.elapsed() > PATIENCE {
                return Err(LaunchError::NotReady { program: target.program.clone() });
            }
            sleep_on(&self.board().ready, 0, Duration::from_millis(5));
        }
        Ok(())
    }

    fn board(&self) -> &Board {
        // SAFETY: it lies within the memory, and all of it may be written by both sides.
        unsafe { &*self.base.add(self.layout.board()).cast::<Board>() }
    }

    /// The number of the process.
    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Why the target makes a child for every plan though it was to put memory back.
    pub(crate) fn fallback(&self) -> Fallback {
        let number = self.board().fallback.load(Ordering::Relaxed);
        Fallback::from_number(number).unwrap_or(Fallback::None)
    }

    /// How many pages the target puts back after a run.
    pub(crate) fn n_pages(&self) -> u32 {
        self.board().n_pages.load(Ordering::Relaxed)
    }

    /// Whether another plan can be posted.
    pub(crate) fn has_room(&self) -> bool {
        self.n_posted.wrapping_sub(self.n_taken) < N_SLOTS as u32
    }

    /// How many plans are under way.
    pub(crate) fn n_away(&self) -> u32 {
        self.n_posted.wrapping_sub(self.n_taken)
    }

    /// Says which accesses are points; nothing may be under way.
    pub(crate) fn set_sites(&mut self, sites: &[u64]) {
        let n = sites.len().min(SITES_MAX);
        // SAFETY: there is room for so many, and the runtime looks at them in a run only.
        unsafe {
            let to = self.base.add(self.layout.sites()).cast::<u64>();
            to.copy_from_nonoverlapping(sites.as_ptr(), n);
        }
        self.board().n_sites.set(n as u32);
    }

    /// Posts a plan that `write` writes into the memory.
    pub(crate) fn post(&mut self, write: impl FnOnce(&Layout, *mut u8, u32)) {
        assert!(self.has_room(), "a plan for which there is no slot");
        write(&self.layout, self.base, self.n_posted);
        self.n_posted = self.n_posted.wrapping_add(1);
        let board = self.board();
        board.posted.store(self.n_posted, Ordering::SeqCst);
        if board.runtime_sleeps.load(Ordering::SeqCst) != 0 {
            wake(&board.posted);
        }
    }

    /// Waits for the oldest plan under way. If it sleeps, it does so until all are done, or a few
    /// milliseconds: waking up costs more than a short run.
    pub(crate) fn wait(
        &mut self,
        stop: &AtomicBool,
        limit: Option<Duration>,
    ) -> Result<Waited, LaunchError> {
        let is_done =
            |server: &Server| server.board().done.load(Ordering::Acquire) != server.n_taken;
        for _ in 0..LOOKS {
            if is_done(self) {
                return Ok(Waited::Done);
            }
            std::hint::spin_loop();
        }
        let start = Instant::now();
        let mut asked = None;
        while !is_done(self) {
            let board = self.board();
            board.wake_at.store(self.n_posted, Ordering::SeqCst);
            let done = board.done.load(Ordering::SeqCst);
            if done == self.n_taken {
                sleep_on(&board.done, done, NAP);
            }
            if is_done(self) {
                break;
            }
            if start.elapsed() < PULSE {
                continue;
            }
            if let Some(status) = self.child.try_wait().map_err(system("wait for the program"))? {
                return Ok(if is_done(self) { Waited::Done } else { Waited::Died(status) });
            }
            let late = limit.is_some_and(|limit| start.elapsed() > limit);
            if stop.load(Ordering::Relaxed) || late {
                let asked = asked.get_or_insert_with(Instant::now);
                self.board().stop.store(1, Ordering::SeqCst);
                if asked.elapsed() > GRACE {
                    return Ok(Waited::Stopped);
                }
            }
        }
        Ok(Waited::Done)
    }

    /// Reads what became of the oldest plan, which is done.
    pub(crate) fn read<T>(&self, read: impl FnOnce(&Layout, *const u8, u32) -> T) -> T {
        read(&self.layout, self.base, self.n_taken)
    }

    /// Gives its slot back.
    pub(crate) fn release(&mut self) {
        self.n_taken = self.n_taken.wrapping_add(1);
    }

    /// The answer of a target that ran one plan and has ended.
    pub(crate) fn finish(mut self) -> Result<Answer, LaunchError> {
        let status = self.child.wait().map_err(system("wait for the program"))?;
        let left = self.shared.answer();
        Answer::new(&left, &self.shared, wait::Ended::by_itself(status))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A target that has ended cannot be killed, which is as well.
        let _ = child::kill(&mut self.child);
        let _ = self.child.wait();
    }
}

fn sleep_on(word: &AtomicU32, value: u32, time: Duration) {
    let time = libc::timespec {
        tv_sec: time.as_secs() as libc::time_t,
        tv_nsec: libc::c_long::from(time.subsec_nanos() as i32),
    };
    // SAFETY: the word and the time live for the call.
    unsafe {
        libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAIT, value, &raw const time)
    };
}

fn wake(word: &AtomicU32) {
    // SAFETY: the word lives for the call.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, i32::MAX) };
}
