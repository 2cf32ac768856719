//! The engine `rust`: whole executions of a closure from plans.
//!
//! In: plans, one after the other. Out: runs. What a run has in common with the one before is
//! executed again, since the state of a Rust program cannot be saved, but it is not described
//! again: the points are copied (rule E5 of `world::decide`).
//!
//! - G1: without cells there are no races, and no clocks are kept. The first execution that uses a
//!   cell is executed again with them.
//! - G2: a fiber whose thread could not be unwound is replaced.
//! - G3: a run of which only the end was wanted is executed again if there is something to report.
//! - G4: the execution without preemptions is the same whichever strategy plans it. Whenever it comes again, all of
//!   it is compared with the first time.
//! - G5: an execution in which a loop was tried is executed again, with what is known of the loop then.

pub(crate) mod epochs;
pub(crate) mod fiber;
#[cfg(unix)]
mod overflow;
pub(crate) mod panics;
mod runs;
mod spare;

use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use raddle_explore::{Engine, EngineError, Observe, Outcome, Plan, Policy, Run};
use raddle_finding::{Choice, ProgramId};
use smallvec::SmallVec;

use crate::world::{Announced, Beat, Entered, Here, Rules, Site, Status, Table, Tale, Torn, World};
use epochs::Epochs;
use fiber::Fiber;
pub(crate) use runs::DIFFERS;

/// The closure under test.
pub(crate) type Program = Arc<dyn Fn() + Send + Sync>;

/// How many points a small test has at most.
const N_POINTS: usize = 64;

/// Runs a closure from plans.
pub(crate) struct RustEngine {
    program: Program,
    id: ProgramId,
    world: ManuallyDrop<Box<World>>,
    stack_size: usize,
    epochs: Epochs,
    /// What was observed in the last run; none if it cannot be built upon.
    observed: Option<Observe>,
    /// How many points the run has in common with the last one.
    n_shared: usize,
    /// What was announced in the execution without preemptions, and how it ended, if it was executed
    /// (G4).
    plain: Option<(Vec<Announced>, Outcome)>,
    began: Site,
}

// SAFETY: between two runs no thread of the program is on a fiber (a fiber with one that could not
// be unwound is dropped), the world holds nothing of the program, and the yielders in it are not
// used before they are set again. What the program shares between engines is in `program`, which
// is `Send` and `Sync`.
unsafe impl Send for RustEngine {}

impl RustEngine {
    pub(crate) fn new(
        program: Program,
        id: ProgramId,
        rules: Rules,
        stack_size: usize,
        began: Site,
    ) -> RustEngine {
        panics::watch();
        #[cfg(unix)]
        overflow::watch();
        RustEngine {
            program,
            id,
            world: ManuallyDrop::new(spare::take(rules, stack_size)),
            stack_size,
            epochs: Epochs::new(),
            observed: None,
            n_shared: 0,
            plain: None,
            began,
        }
    }

    /// Shows here how far it is, so that others can see whether it goes on.
    pub(crate) fn beat(&mut self, beat: Arc<Beat>) {
        self.world.beat = beat;
    }

    /// Learns what is known of loops, and shares it with others (`world::table`).
    pub(crate) fn share(&mut self, table: Arc<Table>) {
        self.world.table = table;
    }

    /// The world at the end of the last run.
    pub(crate) fn world(&self) -> &World {
        &self.world
    }

    /// Makes points of all accesses to cells.
    pub(crate) fn make_all_points(&mut self) {
        self.world.cells.all_points = true;
        self.forget();
    }

    /// Other points make other executions.
    fn forget(&mut self) {
        (self.observed, self.plain) = (None, None);
    }

    /// The choices of the last execution that was described, with a point before every access to a cell.
    pub(crate) fn portable(&self) -> &[Choice] {
        &self.world.portable
    }

    /// Shows panics as they happen.
    pub(crate) fn show_panics(&mut self) {
        self.world.rules.shows_panics = true;
    }

    /// Executes a plan and records every step of it.
    pub(crate) fn tell(&mut self, plan: &Plan, run: &mut Run) -> Result<Tale, EngineError> {
        self.observed = None;
        self.world.tale = Some(Box::default());
        let result = self.run(plan, &(), run);
        let tale = self.world.tale.take();
        result.map(|()| tale.map_or_else(Tale::default, |tale| *tale))
    }

    /// Executes a plan, as often as it takes (G1).
    fn execute(&mut self, plan: &Plan, run: &mut Run) -> Result<(), EngineError> {
        loop {
            self.prepare(plan, run);
            let epoch = self.epochs.next();
            let n_shared = run.points().len();
            // Of a run that is not described only races are noted.
            let is_noted = !plan.observe.ends_only || self.world.follows_clocks;
            if is_noted {
                std::mem::swap(&mut self.world.run, run);
            }
            self.world.begin(epoch, plan, n_shared);
            if let Some((trail, _)) = self.plain.as_ref().filter(|_| is_plain(plan)) {
                self.world.expect(trail);
            }
            self.add_main();
            if let Err(error) = self.go_on() {
                self.world.fibers.clear(); // There may be threads on them.
                return Err(error);
            }
            if is_noted {
                std::mem::swap(&mut self.world.run, run);
            }
            let has_cells = plan.observe.races && self.world.cells.any;
            if self.world.end_trial() {
                self.renew_run(); // G5
                continue;
            }
            if !has_cells || self.world.follows_clocks {
                return Ok(());
            }
            self.world.follows_clocks = true;
            self.observed = None;
            self.renew_run();
        }
    }

    /// Forgets the execution that was thrown away.
    fn renew_run(&mut self) {
        self.world.refusal = None;
        self.world.divergence = None;
        if let Some(tale) = &mut self.world.tale {
            **tale = Tale::default();
        }
    }

    /// Puts into the run what it has in common with the last one.
    fn prepare(&mut self, plan: &Plan, run: &mut Run) {
        run.reserve(N_POINTS);
        let fits = self.observed == Some(plan.observe) && self.world.tale.is_none();
        self.n_shared = 0;
        if !fits {
            self.world.forget_trail();
            self.world.last.clear();
            return run.clear();
        }
        let taken = self.world.last.choices().zip(&plan.prefix);
        let n_shared = taken.take_while(|(taken, planned)| taken == *planned).count();
        run.copy_prefix(&self.world.last, n_shared);
        self.n_shared = n_shared;
    }

    fn add_main(&mut self) {
        let program: *const (dyn Fn() + Send + Sync) = &*self.program;
        let job = Box::new(move || {
            // SAFETY: the engine keeps it, and no thread runs on a fiber when the engine is gone.
            let program = unsafe { &*program };
            match catch_unwind(AssertUnwindSafe(program)) {
                Ok(()) => Status::Returned,
                Err(payload) if payload.is::<Torn>() => Status::Torn,
                Err(_) => Status::Panicked,
            }
        });
        self.world.add_thread(None, job, self.began);
    }

    /// Lets threads go on until the execution is over and no thread is left.
    fn go_on(&mut self) -> Result<(), EngineError> {
        let world: *mut World = &mut **self.world;
        // SAFETY: the world is in a box that stays until `entered` is dropped; while a fiber runs
        // there is no reference to it here.
        let _entered = unsafe { Entered::new(world) };
        // SAFETY: as above; the reference ends before a fiber is resumed. The same goes for the
        // others below.
        unsafe { (*world).start() };
        loop {
            // SAFETY: see above.
            let (is_over, current) = unsafe { ((*world).is_over(), (*world).current) };
            if is_over {
                break;
            }
            self.resume(current)?;
        }
        // SAFETY: see above.
        unsafe {
            (*world).find_leaks();
            (*world).note_end();
        }
        self.tear_down(world)?;
        // SAFETY: see above.
        let kept = unsafe { std::mem::take(&mut (*world).kept) };
        drop(kept);
        Ok(())
    }

    /// Lets a thread go on until it goes back to here (F1 of `fiber`).
    #[inline]
    fn resume(&mut self, thread: u32) -> Result<(), EngineError> {
        let here = Here::get();
        while here.with(|world| world.fibers.len()) <= thread {
            let fiber = new_fiber(self.stack_size)?;
            here.with(|world| world.fibers.push(fiber)); // F3
        }
        let fiber = here.with(|world| {
            world.threads[thread as usize].is_in_row = true;
            world.fibers.get(thread)
        });
        if let Some(mut fiber) = fiber {
            // SAFETY: the world keeps it; no other is in the row, so none resumes it.
            unsafe { fiber.as_mut().resume() };
        }
        Ok(())
    }

    /// Unwinds the threads that are left.
    fn tear_down(&mut self, world: *mut World) -> Result<(), EngineError> {
        // SAFETY: as in `go_on`: the reference ends when `act` does, before a fiber is resumed.
        let with = |act: &mut dyn FnMut(&mut World)| act(unsafe { &mut *world });
        let (mut left, mut before) = (SmallVec::<[u32; 16]>::new(), None);
        loop {
            let mut now = (0, 0);
            with(&mut |world| {
                world.beat_threads();
                left.extend((0..world.n_threads).rev().filter(|&thread| world.is_left(thread)));
                now = world.torn_progress();
                world.tear_down();
            });
            if left.is_empty() || before == Some(now) {
                break;
            }
            before = Some(now);
            for thread in left.drain(..) {
                with(&mut |world| world.current = thread);
                self.resume(thread)?;
            }
        }
        with(&mut |world| left.extend((0..world.n_threads).filter(|&t| world.is_stuck(t))));
        for thread in left {
            let fiber = new_fiber(self.stack_size)?; // G2
            let mut fiber = Some(fiber);
            with(&mut |world| world.fibers.replace(thread, fiber.take().expect("it is new")));
        }
        Ok(())
    }
}

impl Drop for RustEngine {
    fn drop(&mut self) {
        // SAFETY: it is not used any more, and between two runs no thread is on a fiber (G2).
        unsafe { spare::keep(ManuallyDrop::take(&mut self.world), self.stack_size) };
    }
}

/// Whether a plan is that of the execution without preemptions.
fn is_plain(plan: &Plan) -> bool {
    let is_default = match &plan.policy {
        Policy::Continue => true,
        Policy::Awake { asleep } => asleep.is_empty(),
        _ => false,
    };
    is_default && plan.prefix.is_empty() && plan.n_points_max.is_none()
}

/// Whether later plans can begin like this one: those that are drawn have nothing in common.
pub(crate) fn is_built_upon(plan: &Plan) -> bool {
    plan.policy.is_enumerated()
}

fn new_fiber(stack_size: usize) -> Result<Fiber, EngineError> {
    let broken = |error: std::io::Error| EngineError::Broken(format!("no stack: {error}"));
    Fiber::new(stack_size).map_err(broken)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests;
