//! The machine: one run of one program.

use std::sync::Arc;

use raddle_cfront::ir::{Order, Program};
use raddle_finding::Choice;
use raddle_trace::WakeReason;

use crate::image::{Image, is_visible};
use crate::inputs::Inputs;
use crate::interpret::{Flow, Trap};
use crate::memory::{Object, flag};
use crate::name;
use crate::observe::{Event, Observer, View, What};
use crate::outcome::{Outcome, Remark, RemarkKind};
use crate::settings::Settings;
use crate::site::{FrameSite, Site};
use crate::state::{Phase, Snapshot, State};
use crate::thread::{Reason, Stage, Thread};

/// How far virtual time goes on with each synchronisation and each look at the clock, in
/// nanoseconds. Nothing else takes time: a run takes as long wherever else its threads stop.
pub(crate) const TICK: u64 = 1000;

/// One run of one program.
#[derive(Clone, Debug)]
pub struct Machine {
    pub(crate) image: Arc<Image>,
    pub(crate) state: State,
}

/// The program cannot be run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// Its globals are too large.
    #[error("the globals and arguments of the program do not fit into {limit} bytes")]
    Memory {
        /// What it may have.
        limit: u64,
    },
}

/// The choice was not open; nothing has changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the choice {choice} is not possible here")]
pub struct Refused {
    /// The choice.
    pub choice: Choice,
}

impl Machine {
    /// A run before its first transition.
    pub fn new(program: Arc<Program>, settings: &Settings) -> Result<Machine, SetupError> {
        let limit = settings.memory_max;
        let image = Image::new(program, settings).ok_or(SetupError::Memory { limit })?;
        let state = image.initial.clone();
        Ok(Machine { image: Arc::new(image), state })
    }

    /// Goes back to before the first transition.
    pub fn reset(&mut self) {
        self.state.clone_from(&self.image.initial);
    }

    /// The program that runs.
    pub fn program(&self) -> &Arc<Program> {
        &self.image.program
    }

    /// The values that nondeterministic choices without a range have, by type.
    pub fn inputs(&self) -> &Inputs {
        &self.image.inputs
    }

    /// What the run may use.
    pub fn settings(&self) -> &Settings {
        &self.image.settings
    }

    /// Takes a choice and runs up to the next question or the end.
    pub fn answer<O: Observer>(&mut self, choice: Choice, o: &mut O) -> Result<(), Refused> {
        if !self.is_open(choice) {
            return Err(Refused { choice });
        }
        self.take(choice, o);
        Ok(())
    }

    /// As [`Machine::answer`], for a choice that is known to be open.
    pub(crate) fn take<O: Observer>(&mut self, choice: Choice, o: &mut O) {
        debug_assert!(self.is_open(choice), "{choice} is not open");
        let flow = match choice {
            Choice::Thread(thread) => self.turn(thread, o),
            Choice::Waiter(waiter) => {
                self.wake(waiter);
                self.signalled(Some(waiter), o);
                Ok(Flow::Next)
            }
            Choice::Timeout(true) => Ok(self.wake_up(WakeReason::Timeout)),
            Choice::Timeout(false) => Ok(self.wake_up(WakeReason::Notified)),
            Choice::Spurious(false) if self.is_stuck() => return self.nobody_can_go(o),
            Choice::Spurious(true) => Ok(self.wake_up(WakeReason::Spurious)),
            Choice::Spurious(false) => Ok(self.wake_up(WakeReason::Timeout)),
            Choice::Value(value) => {
                self.take_value(value);
                Ok(Flow::Next)
            }
            Choice::Branch(_) => unreachable!("never open"),
        };
        self.go_on(flow, o);
    }

    /// Saves the state.
    pub fn save(&self, into: &mut Snapshot) {
        into.state.clone_from(&self.state);
    }

    /// Goes back to a saved state of the same program with the same settings.
    pub fn restore(&mut self, from: &Snapshot) {
        self.state.clone_from(&from.state);
    }

    /// How the run ended; none while it goes on.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.state.outcome.as_deref()
    }

    /// What the program wrote on standard output and standard error, in order.
    pub fn output(&self) -> &[u8] {
        &self.state.output
    }

    /// The parts of the output, each with its file descriptor.
    pub fn output_parts(&self) -> impl Iterator<Item = (u8, &[u8])> {
        let mut start = 0;
        self.state.parts.iter().map(move |&(fd, end)| {
            let part = &self.state.output[start..end];
            start = end;
            (fd, part)
        })
    }

    /// What is worth a remark.
    pub fn remarks(&self) -> &[Remark] {
        &self.state.remarks
    }

    /// Where a run of this program first computed with the bits of an address of an object that
    /// was made in the run: cut it to fewer bits, hashed it, or compared it with that of another
    /// object. From then on [`Machine::fingerprint`] tells states apart in which objects have
    /// other addresses. A search that took states for equal before has to begin again, with
    /// [`Settings::exact_addresses`].
    pub fn looked_at_addresses(&self) -> Option<Site> {
        self.image.looked.site()
    }

    /// How many transitions were taken.
    pub fn n_steps(&self) -> u64 {
        self.state.counters.n_steps
    }

    /// Virtual time, in nanoseconds.
    pub fn clock(&self) -> u64 {
        self.state.counters.clock
    }

    /// How many threads were made, those that have ended among them.
    pub fn n_threads(&self) -> u32 {
        self.state.threads.len() as u32
    }

    /// The thread that was chosen last.
    pub fn current(&self) -> u32 {
        self.state.counters.current
    }

    /// The frames of a thread, innermost first.
    pub fn stack(&self, thread: u32) -> Vec<FrameSite> {
        let Some(thread) = self.state.threads.get(thread as usize) else { return Vec::new() };
        thread.frames.iter().rev().map(|frame| frame.site(&self.image)).collect()
    }

    /// The name of a thread: that of its start function.
    pub fn thread_name(&self, thread: u32) -> String {
        name::thread(&self.image, &self.state.threads, thread)
    }

    /// The object with this number.
    pub fn object(&self, object: u32) -> Option<&Object> {
        self.state.memory.objects.get(object as usize)
    }

    /// The bytes of an object that is alive.
    pub fn bytes(&self, object: u32) -> Option<&[u8]> {
        let bound = self.object(object)?.bound;
        Some(self.state.memory.bytes(object, 0, bound))
    }

    /// The object and the offset that an address points to.
    pub fn resolve(&self, address: u64) -> Option<(u32, u32)> {
        self.state.memory.resolve(address)
    }

    /// The name of `size` bytes in an object, for people.
    pub fn name(&self, object: u32, offset: u32, size: u32) -> String {
        name::place(&self.image, &self.state.memory, object, offset, size)
    }

    /// The name of the lock or the like at an address.
    pub fn name_at(&self, address: u64) -> String {
        name::sync(&self.image, &self.state.memory, address)
    }

    pub(crate) fn current_thread(&self) -> &Thread {
        &self.state.threads[self.state.counters.current as usize]
    }

    pub(crate) fn current_thread_mut(&mut self) -> &mut Thread {
        &mut self.state.threads[self.state.counters.current as usize]
    }

    /// Tells the observer what the current thread did.
    pub(crate) fn emit<O: Observer>(&self, o: &mut O, what: What) {
        if O::EVENTS {
            self.emit_of(o, self.state.counters.current, what);
        }
    }

    /// Tells the observer what some thread did.
    pub(crate) fn emit_of<O: Observer>(&self, o: &mut O, thread: u32, what: What) {
        let Some(what) = self.as_order(what) else { return };
        let at = &self.state.threads[thread as usize];
        let State { threads, memory, .. } = &self.state;
        let object = what.address().and_then(|address| memory.resolve(address));
        if object.is_some_and(|(object, _)| memory.object(object).flags & flag::LIBRARY != 0) {
            return;
        }
        let view = View { image: &self.image, memory, frames: &at.frames, threads };
        o.event(&Event { thread, site: at.site(), what, view });
    }

    /// What happened, as observers see it: a lock that was unlocked by who did not hold it only orders threads.
    fn as_order(&self, what: What) -> Option<What> {
        let (What::Request { address, .. }
        | What::Acquire { address, .. }
        | What::Release { address, .. }
        | What::TryFail { address, .. }) = what
        else {
            return Some(what);
        };
        let syncs = &self.state.syncs;
        // Only what was remarked on can be broken.
        let is_broken = !self.state.remarks.is_empty()
            && syncs.find(address).is_some_and(|index| syncs.get(index).is_broken);
        match what {
            _ if !is_broken => Some(what),
            What::Acquire { .. } | What::Release { .. } => {
                let (object, offset) = self.state.memory.resolve(address)?;
                let (size, old, value, order) = (4, 0, Some(0), Order::SeqCst);
                Some(What::Rmw { object, offset, size, old, value, order })
            }
            _ => None,
        }
    }

    pub(crate) fn remark(&mut self, kind: RemarkKind) {
        let thread = self.state.counters.current;
        let site = self.current_thread().site_outside(&self.image);
        let known = self.state.remarks.iter_mut().find(|r| r.kind == kind && r.site == site);
        match known {
            Some(remark) => remark.count += 1,
            None => self.state.remarks.push(Remark { kind, thread, site, count: 1 }),
        }
    }

    pub(crate) fn finish(&mut self, outcome: Outcome) {
        self.state.outcome = Some(Arc::new(outcome));
        self.state.counters.phase = Phase::Over;
        self.state.options.clear();
    }

    fn is_open(&self, choice: Choice) -> bool {
        let among = |id: u32| self.state.options.contains(&id);
        match (self.state.counters.phase, choice) {
            (Phase::Thread, Choice::Thread(id)) | (Phase::Waiter, Choice::Waiter(id)) => among(id),
            (Phase::Timeout, Choice::Timeout(_)) | (Phase::Spurious, Choice::Spurious(_)) => true,
            (Phase::Thread, Choice::Spurious(false)) => self.is_stuck(),
            (Phase::Value { low, high }, Choice::Value(value)) => (low..=high).contains(&value),
            (Phase::Input(set), Choice::Value(value)) => self.image.inputs.at(set).contains(&value),
            _ => false,
        }
    }

    /// A thread goes on: it does what it stopped before.
    fn turn<O: Observer>(&mut self, thread: u32, o: &mut O) -> Result<Flow, Trap> {
        let counters = &mut self.state.counters;
        counters.streak = if counters.current == thread { counters.streak + 1 } else { 1 };
        counters.current = thread;
        let synchronises = self.synchronises();
        if synchronises {
            self.state.counters.clock += TICK;
            self.current_thread_mut().core.n_quiet = 0;
        }
        let core = &mut self.current_thread_mut().core;
        core.has_stopped = !synchronises && core.stage != Stage::Pause;
        let core = *core;
        match core.stage {
            Stage::Begin => {
                let function = raddle_cfront::ir::FunctionId(core.start);
                self.emit(o, What::Begin { function });
                self.current_thread_mut().core.stage = Stage::Start;
                Ok(Flow::Jumped)
            }
            Stage::Pause => {
                self.current_thread_mut().core.stage = Stage::Start;
                Ok(Flow::Jumped)
            }
            Stage::Start => {
                if synchronises {
                    self.state.counters.last_visible = self.state.counters.n_steps;
                }
                self.step(o)
            }
            Stage::Waiting => Ok(self.end_wait()),
            Stage::Reacquire => self.reacquire(o),
            Stage::Arrived => self.leave_barrier(o),
            Stage::Queued => self.leave_queue(o),
        }
    }

    /// Whether the current thread stopped where it stops whatever else is a point.
    fn synchronises(&self) -> bool {
        match self.current_thread().core.stage {
            Stage::Pause => false,
            Stage::Start => is_visible(&self.op()),
            _ => true,
        }
    }

    /// A wait on a condition ends: by a signal, a timeout, or for no reason.
    fn end_wait(&mut self) -> Flow {
        use crate::thread::NEVER;
        let core = self.current_thread().core;
        match (core.signalled, core.deadline != NEVER, self.image.settings.spurious) {
            (true, true, _) if self.image.settings.timeouts => Flow::Ask(Phase::Timeout),
            (true, ..) => self.wake_up(WakeReason::Notified),
            (false, true, true) => Flow::Ask(Phase::Spurious),
            (false, true, false) => self.wake_up(WakeReason::Timeout),
            (false, false, _) => self.wake_up(WakeReason::Spurious),
        }
    }

    /// The current thread is woken and now needs the mutex.
    fn wake_up(&mut self, reason: WakeReason) -> Flow {
        use crate::thread::{Gate, NEVER};
        let core = &mut self.current_thread_mut().core;
        core.stage = Stage::Reacquire;
        core.reason = Reason(reason);
        core.signalled = false;
        core.gate = Gate::Exclusive(core.mutex);
        let deadline = std::mem::replace(&mut core.deadline, NEVER);
        if reason == WakeReason::Timeout {
            self.state.counters.clock = self.state.counters.clock.max(deadline);
        }
        Flow::Stop
    }

    pub(crate) fn site(&self) -> Site {
        self.current_thread().site()
    }
}
