//! Calls of functions, start-up, and what of TSan's interface needs nothing to be done.

use raddle_wire::{Code, Flags, Record};

use crate::host;
use crate::state::State;

hook! {
    0, __tsan_func_exit => exit;
}

/// See [`entry`]; called by programs only.
#[unsafe(naked)]
#[cfg_attr(raddle_inside, unsafe(no_mangle))]
pub unsafe extern "C" fn __tsan_func_entry() {
    core::arch::naked_asm!(
        "mov rsi, [rsp]",
        "lea rdx, [rsp + 8]",
        "mov rcx, rbp",
        "jmp {entry}",
        entry = sym entry,
    )
}

/// A function was entered; its stack pointer and `rbp` say where its variables are.
extern "C" fn entry(caller: u64, pc: u64, stack: u64, frame: u64) {
    let state = State::get();
    if host::has(Flags::STACKS) {
        entered(state, caller, pc, stack, frame);
    }
}

extern "C" fn exit(pc: u64) {
    let state = State::get();
    if host::has(Flags::STACKS) {
        note(state, &[Record::new(Code::Exit, 0, 0, pc, 0)]);
    }
}

// Most programs are not recorded with their calls: they should not even save registers.
#[inline(never)]
fn entered(state: &State, caller: u64, pc: u64, stack: u64, frame: u64) {
    let enter = Record::new(Code::Enter, caller, 0, pc, 0);
    note(state, &[enter, Record::new(Code::Frame, stack, 0, frame, 0)]);
}

#[inline(never)]
fn note(state: &State, records: &[Record]) {
    if state.is_on() {
        records.iter().for_each(|&record| state.recorder.write(record));
        crate::sched::settle(state);
        crate::sched::arm(state);
    } else {
        records.iter().for_each(|&record| crate::parallel::aside(record));
    }
}

/// What every piece of instrumented code calls before `main`. Start-up is done before that, by a constructor.
#[cfg_attr(raddle_inside, unsafe(no_mangle))]
pub extern "C" fn __tsan_init() {
    if let Some(control) = host::page() {
        control.n_instrumented.update(|n| n + 1);
    }
}

macro_rules! nothing {
    ($($name:ident)*) => { $(
        /// Part of the interface; there is nothing to do.
        #[cfg_attr(raddle_inside, unsafe(no_mangle))]
        pub extern "C" fn $name() {}
    )* };
}

nothing! {
    __tsan_ignore_thread_begin
    __tsan_ignore_thread_end
    __tsan_switch_to_fiber
    __tsan_flush_memory
    AnnotateIgnoreReadsBegin
    AnnotateIgnoreReadsEnd
    AnnotateIgnoreWritesBegin
    AnnotateIgnoreWritesEnd
    AnnotateIgnoreSyncBegin
    AnnotateIgnoreSyncEnd
    AnnotateBenignRace
    AnnotateBenignRaceSized
    AnnotateHappensBefore
    AnnotateHappensAfter
    AnnotateNewMemory
    AnnotateThreadName
    AnnotateFlushState
}
