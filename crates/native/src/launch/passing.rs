//! Signals that people send to us, passed on to the program that runs.
//!
//! What comes from the terminal (Ctrl-C) reaches the whole process group, so the program has it already; what was sent
//! to this process alone is sent to the program, too. Until the guard is dropped, nothing else in this process gets
//! these signals. There is one such guard at a time.

use std::io;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering};

/// What is passed on.
const SIGNALS: [i32; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];

/// The signal that came last and was not looked at; below zero if the terminal sent it; 0: none.
static CAME: AtomicI32 = AtomicI32::new(0);

/// While it lives, signals are noted here.
pub(super) struct Passing {
    /// What was done about each before.
    before: Vec<(i32, libc::sigaction)>,
    /// Called with the signal that is passed on.
    pub(super) on_passed: fn(i32),
}

impl Passing {
    /// From now on signals are noted. Those that are ignored, as `nohup` makes them, stay ignored.
    pub(super) fn begin(on_passed: fn(i32)) -> Passing {
        CAME.store(0, Ordering::Relaxed);
        let before = SIGNALS.into_iter().filter_map(|signal| Some((signal, replace(signal)?)));
        Passing { before: before.collect(), on_passed }
    }

    /// A signal that came since this was last asked, and whether the program has it already.
    pub(super) fn take(&self) -> Option<(i32, bool)> {
        match CAME.swap(0, Ordering::Relaxed) {
            0 => None,
            came => Some((came.abs(), came < 0)),
        }
    }

    /// Sends a signal to the program.
    pub(super) fn send(process: u32, signal: i32) -> io::Result<()> {
        // SAFETY: sends a signal to a child that was not waited for, so the number is still its own.
        match unsafe { libc::kill(process as libc::pid_t, signal) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

impl Drop for Passing {
    fn drop(&mut self) {
        for (signal, action) in &self.before {
            // SAFETY: what the system said was set before.
            unsafe { libc::sigaction(*signal, action, ptr::null_mut()) };
        }
    }
}

/// Notes a signal from now on, unless it is ignored; what was done about it before.
fn replace(signal: i32) -> Option<libc::sigaction> {
    let mut before = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: asks only; all zero is a valid action.
    let before = unsafe {
        libc::sigaction(signal, ptr::null(), before.as_mut_ptr());
        before.assume_init()
    };
    if before.sa_sigaction == libc::SIG_IGN {
        return None;
    }
    // SAFETY: all zero is a valid action; the handler does nothing but an atomic store.
    unsafe {
        let mut action = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
        action.sa_sigaction = note as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO;
        libc::sigaction(signal, &action, ptr::null_mut());
    }
    Some(before)
}

extern "C" fn note(signal: i32, info: *mut libc::siginfo_t, _context: *mut libc::c_void) {
    // SAFETY: the system passes what was asked for.
    let is_from_terminal = unsafe { (*info).si_code } == libc::SI_KERNEL;
    CAME.store(if is_from_terminal { -signal } else { signal }, Ordering::Relaxed);
}
