//! How a run ends: reported to the host.

use core::fmt::{self, Write};
use core::sync::atomic::Ordering;

use raddle_wire::{BLOCKED_MAX, Blocked, Control, Flags, MESSAGE_MAX, OutcomeKind, Phase};

use crate::external;
use crate::guard::Guard;
use crate::host;
use crate::parallel;
use crate::sched;
use crate::state::State;
use crate::sys;
use crate::thread::Thread;

/// The exit status of a target that the runtime ended; the host looks at the outcome instead.
const EXIT_STATUS: i32 = 86;

/// What is reported of an end.
#[derive(Clone, Copy, Debug)]
pub struct End {
    /// What it is.
    pub kind: OutcomeKind,
    /// Where.
    pub pc: u64,
    /// To what.
    pub address: u64,
}

/// Reports an end of whatever is under control or recorded.
pub fn report(end: End, message: fmt::Arguments<'_>) {
    if parallel::is_on() {
        parallel::end::tell(end, message);
    } else {
        tell(State::get(), end, message);
    }
}

/// Reports an end; the first one counts.
pub fn tell(state: &State, end: End, message: fmt::Arguments<'_>) {
    let Some(control) = host::page() else { return };
    // A run that ends at an access has not done it.
    match end.kind {
        OutcomeKind::Crash | OutcomeKind::UseAfterFree | OutcomeKind::BadFree => {
            state.recorder.forget_value();
        }
        _ => state.recorder.settle_value(),
    }
    if control.outcome.get() == OutcomeKind::None as u32 {
        let thread = if state.current.get().is_null() { 0 } else { state.current().number };
        write(control, end, thread, message);
        // For stories of the run.
        if host::has(Flags::VALUES) && control.n_blocked.get() == 0 {
            note_blocked(state, |thread| waited(state, thread));
        }
    }
    counts(state);
    has_ended(control);
}

/// Writes down what is reported of an end.
pub fn write(control: &Control, end: End, thread: u32, message: fmt::Arguments<'_>) {
    control.outcome.set(end.kind as u32);
    control.pc.set(end.pc);
    control.address.set(end.address);
    control.thread.set(thread);
    let mut bytes = [0; MESSAGE_MAX];
    let mut text = Text { bytes: &mut bytes, len: 0 };
    // Text that does not fit is cut.
    let _ = text.write_fmt(message);
    let len = text.len;
    control.set_message(&bytes[..len]);
}

/// Everything about an end was written.
pub fn has_ended(control: &Control) {
    control.phase.store(Phase::Ended as u32, Ordering::Release);
}

/// It did not end after all.
pub fn take_back() {
    let control = host::control();
    control.outcome.set(OutcomeKind::None as u32);
    control.phase.store(Phase::Running as u32, Ordering::Release);
}

/// Brings the counts up to date.
fn counts(state: &State) {
    let control = host::control();
    sched::settle(state);
    let n_events = state.n_events.get();
    control.n_events.set(n_events);
    control.n_accesses.set(n_events.saturating_sub(state.n_others.get()));
    control.n_threads.set(state.n_threads());
    control.event_hash.set(state.hash.get());
    state.recorder.flush();
    control.recording.set(state.recorder.state());
    control.recording_len.set(state.recorder.len());
}

/// Reports an end and ends the process.
pub fn finish(state: &State, end: End, message: fmt::Arguments<'_>) -> ! {
    tell(state, end, message);
    stop_for_debugger();
    if state.explore.is_on() {
        state.explore.end(state);
    }
    sys::exit_group(EXIT_STATUS)
}

/// Ends the process, whose end was reported.
pub fn leave() -> ! {
    stop_for_debugger();
    sys::exit_group(EXIT_STATUS)
}

fn stop_for_debugger() {
    if host::has(Flags::DEBUGGER) {
        // SAFETY: the debugger stops here; without one the process ends by SIGTRAP.
        unsafe { core::arch::asm!("int3") };
    }
}

/// The runtime itself failed.
pub fn internal(message: fmt::Arguments<'_>) -> ! {
    let mut bytes = [0; MESSAGE_MAX];
    let mut text = Text { bytes: &mut bytes, len: 0 };
    let _ = writeln!(text, "raddle: the runtime failed: {message}");
    let len = text.len;
    sys::write_error(&bytes[..len]);
    let end = End { kind: OutcomeKind::Internal, pc: 0, address: 0 };
    report(end, message);
    sys::exit_group(EXIT_STATUS)
}

/// No thread can go on.
pub fn deadlock(state: &State) -> ! {
    blocked(state, OutcomeKind::Deadlock, format_args!("no thread can continue"))
}

/// No thread can go on until something comes from outside, and nothing did.
pub fn hang(state: &State) -> ! {
    let waits = external::Waits(state);
    blocked(
        state,
        OutcomeKind::Hang,
        format_args!("nothing arrives from outside the program ({waits})"),
    )
}

/// Reports which thread waits for what.
fn blocked(state: &State, kind: OutcomeKind, message: fmt::Arguments<'_>) -> ! {
    note_blocked(state, |_| true);
    let pc = state.current().want.get().pc;
    let end = End { kind, pc, address: state.current().want.get().object };
    finish(state, end, message)
}

/// Whether a thread was left because it had to wait for others, and not for something outside: it may be able to
/// go on by now.
fn waited(state: &State, thread: &Thread) -> bool {
    let guard = thread.want.get().guard;
    let is_current = core::ptr::eq(state.current.get(), thread);
    !is_current && !matches!(guard, Guard::Always | Guard::External(_))
}

/// Notes what threads wait for that have not ended.
fn note_blocked(state: &State, is_blocked: impl Fn(&Thread) -> bool) {
    let control = host::control();
    let blocked = state.all_threads().filter(|thread| !thread.is_done.get() && is_blocked(thread));
    for (count, thread) in blocked.enumerate() {
        control.n_blocked.set(count as u32 + 1);
        if count < BLOCKED_MAX {
            let want = thread.want.get();
            let holder = state.objects.with(|objects| objects.holder(want.guard));
            control.blocked[count].set(Blocked {
                thread: thread.number,
                code: want.code.map_or(0, |code| code as u32),
                object: want.object,
                pc: want.pc,
                holder,
                reserved: 0,
            });
        }
    }
}

/// A fixed piece of text.
pub struct Text<'a> {
    /// Room for it.
    pub bytes: &'a mut [u8],
    /// How much of it is used.
    pub len: usize,
}

impl Write for Text<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = self.bytes.len() - self.len;
        let mut n = text.len().min(room);
        while !text.is_char_boundary(n) {
            n -= 1;
        }
        self.bytes[self.len..self.len + n].copy_from_slice(&text.as_bytes()[..n]);
        self.len += n;
        Ok(())
    }
}
