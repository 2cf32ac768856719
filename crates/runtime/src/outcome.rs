//! How a run ends: reported to the host.

use core::fmt::{self, Write};
use core::sync::atomic::{AtomicBool, Ordering};

use raddle_wire::{BLOCKED_MAX, Blocked, Flags, MESSAGE_MAX, OutcomeKind, Phase};

use crate::external;
use crate::guard::Guard;
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

/// Reports an end; the first one counts.
pub fn tell(state: &State, end: End, message: fmt::Arguments<'_>) {
    if state.control.get().is_null() {
        return;
    }
    // A run that ends at an access has not done it.
    match end.kind {
        OutcomeKind::Crash | OutcomeKind::UseAfterFree | OutcomeKind::BadFree => {
            state.recorder.forget_value();
        }
        _ => state.recorder.settle_value(),
    }
    // SAFETY: it was mapped.
    let control = unsafe { state.control() };
    // Threads at once may find several ends at once.
    static IS_TOLD: AtomicBool = AtomicBool::new(false);
    if parallel::is_on() && IS_TOLD.swap(true, Ordering::SeqCst) {
        return;
    }
    if control.outcome == OutcomeKind::None as u32 {
        control.outcome = end.kind as u32;
        control.pc = end.pc;
        control.address = end.address;
        control.thread = match parallel::lane() {
            Some(lane) => lane.number,
            None if state.current.get().is_null() => 0,
            None => state.current().number,
        };
        let mut text = Text { bytes: &mut control.message, len: 0 };
        // Text that does not fit is cut.
        let _ = text.write_fmt(message);
        control.message_len = text.len as u32;
        // For stories of the run.
        if state.has(Flags::VALUES) && control.n_blocked == 0 {
            note_blocked(state, |thread| waited(state, thread));
        }
    }
    counts(state);
    control.phase.store(Phase::Ended as u32, Ordering::Release);
}

/// It did not end after all.
pub fn take_back(state: &State) {
    // SAFETY: under control it is mapped.
    let control = unsafe { state.control() };
    control.outcome = OutcomeKind::None as u32;
    control.phase.store(Phase::Running as u32, Ordering::Release);
}

/// Brings the counts up to date.
pub fn counts(state: &State) {
    if state.control.get().is_null() {
        return;
    }
    // SAFETY: it was mapped.
    let control = unsafe { state.control() };
    if parallel::is_on() {
        (control.n_threads, control.n_events, control.n_accesses) = parallel::counts();
        return;
    }
    sched::settle(state);
    control.n_events = state.n_events.get();
    control.n_accesses = control.n_events.saturating_sub(state.n_others.get());
    control.n_threads = state.n_threads();
    control.event_hash = state.hash.get();
    state.recorder.flush();
    control.recording = state.recorder.state();
    control.recording_len = state.recorder.len();
}

/// Reports an end and ends the process.
pub fn finish(state: &State, end: End, message: fmt::Arguments<'_>) -> ! {
    tell(state, end, message);
    if state.has(Flags::DEBUGGER) {
        // SAFETY: the debugger stops here; without one the process ends by SIGTRAP.
        unsafe { core::arch::asm!("int3") };
    }
    if state.explore.is_on() {
        state.explore.end(state);
    }
    sys::exit_group(EXIT_STATUS)
}

/// The runtime itself failed.
pub fn internal(message: fmt::Arguments<'_>) -> ! {
    let mut bytes = [0; MESSAGE_MAX];
    let mut text = Text { bytes: &mut bytes, len: 0 };
    let _ = writeln!(text, "raddle: the runtime failed: {message}");
    let len = text.len;
    sys::write_error(&bytes[..len]);
    let end = End { kind: OutcomeKind::Internal, pc: 0, address: 0 };
    tell(State::get(), end, message);
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
    // SAFETY: it was mapped, or nothing would be under control.
    let control = unsafe { state.control() };
    let blocked = state.all_threads().filter(|thread| !thread.is_done.get() && is_blocked(thread));
    for (count, thread) in blocked.enumerate() {
        control.n_blocked = count as u32 + 1;
        if count < BLOCKED_MAX {
            let want = thread.want.get();
            let holder = state.objects.with(|objects| objects.holder(want.guard));
            control.blocked[count] = Blocked {
                thread: thread.number,
                code: want.code.map_or(0, |code| code as u32),
                object: want.object,
                pc: want.pc,
                holder,
                reserved: 0,
            };
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
