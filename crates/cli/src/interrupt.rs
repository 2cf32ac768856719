//! Ctrl-C: leaves nothing behind that is half done, and says so.
//!
//! A thread of its own waits for the signal, so that a command that is blocked in a read stops
//! at once. The same lock guards the few steps that must not be torn apart: a temporary file is
//! made and noted in one step, and becomes the output in one step.
//!
//! A command that can end early with part of its results says so with [`Interrupt::defer_signal`]. Then the
//! first signal only asks it to stop, and the second one stops it. With [`Interrupt::defer_two_signals`] the
//! second one asks it to leave out what still takes time, and the third one stops it.

use std::fs;
use std::path::PathBuf;
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use indicatif::{ProgressBar, ProgressDrawTarget};
use raddle_session::Stop;

use crate::diagnostic::Diagnostic;
use crate::exit::Exit;

/// What is to be cleaned up, shared with the thread that waits for the signal.
#[derive(Clone, Default)]
pub(crate) struct Interrupt(Arc<Mutex<State>>);

/// How far the command is.
#[derive(Default)]
pub(crate) struct State {
    /// A file that must not stay if the command is stopped now.
    pub(crate) unfinished: Option<PathBuf>,
    /// What has become of the output.
    pub(crate) output: Output,
    /// The progress bar on the screen.
    pub(crate) bar: Option<ProgressBar>,
    /// How many signals are requests to stop.
    deferred: Deferred,
    /// Whether it was asked to stop.
    asked: Arc<AtomicBool>,
    /// Whether it was asked again.
    urged: Arc<AtomicBool>,
}

/// How many signals are requests to stop, before the next one ends the process.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Deferred {
    #[default]
    None,
    One,
    Two,
}

/// While it lives, the first signal, or the first two of them, are requests.
pub(crate) struct Deferral<'a>(&'a Interrupt);

/// What has become of the output.
#[derive(Default)]
pub(crate) enum Output {
    /// None of it is visible yet.
    #[default]
    Nothing,
    /// Some of it went where it cannot be taken back from.
    Partial,
    /// It is complete.
    Complete,
}

impl Interrupt {
    /// Waits for Ctrl-C, and for requests to terminate, from now on.
    ///
    /// A signal that the parent process chose to ignore, as `nohup` does, stays ignored.
    pub(crate) fn watch(coloured: bool) -> Interrupt {
        let interrupt = Interrupt::default();
        let watched = interrupt.clone();
        if let Err(error) = ctrlc::try_set_handler(move || watched.stop(coloured)) {
            log::debug!("signals are not watched: {error}");
        }
        interrupt
    }

    /// The state, which no signal can see until the guard is dropped.
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on, the command stops by itself at the first signal.
    pub(crate) fn defer_signal(&self) -> Deferral<'_> {
        self.state().deferred = Deferred::One;
        Deferral(self)
    }

    /// The same, and it hurries at the second one.
    pub(crate) fn defer_two_signals(&self) -> Deferral<'_> {
        self.state().deferred = Deferred::Two;
        Deferral(self)
    }

    /// True if a signal asked the command to stop.
    pub(crate) fn is_asked(&self) -> bool {
        self.state().asked.load(Ordering::Relaxed)
    }

    /// What ends a session when a signal asks for that.
    pub(crate) fn stop_flags(&self) -> Stop {
        let state = self.state();
        Stop { asked: state.asked.clone(), urged: state.urged.clone() }
    }

    /// What is true from when a signal asks the command to stop.
    #[cfg_attr(not(feature = "native"), allow(dead_code, reason = "for binaries"))]
    pub(crate) fn flag(&self) -> Arc<AtomicBool> {
        self.state().asked.clone()
    }

    fn stop(&self, coloured: bool) {
        let mut state = self.state();
        if let Some(title) = state.request() {
            // Its line would stay above the results.
            if let Some(bar) = state.bar.take() {
                bar.finish_and_clear();
                bar.set_draw_target(ProgressDrawTarget::hidden());
            }
            return Diagnostic::note(title).print(coloured);
        }
        if let Some(bar) = state.bar.take() {
            bar.finish_and_clear();
        }
        if let Some(path) = state.unfinished.take() {
            let _ = fs::remove_file(path);
        }
        let title = match state.output {
            Output::Nothing => "interrupted; nothing was written",
            Output::Partial => "interrupted; the output is incomplete",
            Output::Complete => "interrupted after the output was written",
        };
        Diagnostic::error(title).print(coloured);
        process::exit(Exit::Incomplete as i32);
    }
}

impl State {
    /// Takes a signal as a request, if it is one, and answers with the message to show.
    fn request(&self) -> Option<&'static str> {
        let is_first = |flag: &AtomicBool| !flag.swap(true, Ordering::Relaxed);
        match self.deferred {
            Deferred::One if is_first(&self.asked) => {
                Some("stopping; the results so far follow, another Ctrl-C discards them")
            }
            Deferred::Two if is_first(&self.asked) => Some(
                "stopping; the results so far follow, another Ctrl-C omits their interleavings",
            ),
            Deferred::Two if is_first(&self.urged) => {
                Some("stopping at once; another Ctrl-C discards the results")
            }
            _ => None,
        }
    }
}

impl Drop for Deferral<'_> {
    fn drop(&mut self) {
        self.0.state().deferred = Deferred::None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_two_deferred_signals_stops_and_the_second_hurries() {
        let interrupt = Interrupt::default();
        assert_eq!(interrupt.state().request(), None, "no command handles it");
        let deferral = interrupt.defer_two_signals();
        assert!(interrupt.state().request().is_some() && interrupt.is_asked());
        assert!(!interrupt.stop_flags().urged.load(Ordering::Relaxed));
        assert!(interrupt.state().request().is_some());
        assert!(interrupt.stop_flags().urged.load(Ordering::Relaxed));
        assert_eq!(interrupt.state().request(), None, "the third one ends it");
        drop(deferral);
        let again = Interrupt::default();
        let _deferral = again.defer_signal();
        assert!(again.state().request().is_some() && again.state().request().is_none());
    }
}
