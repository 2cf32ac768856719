//! Looks on while a check goes on: shows progress on a terminal, and notices when an execution
//! stands still because something blocks for real.

use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use raddle_explore::{Ledger, Monitor, Strategy};

use crate::ladder::BEYOND;
use crate::world::Beat;

/// Ends the process if no point is reached for long.
pub(crate) struct Watchdog {
    bell: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Watchdog {
    pub(crate) fn start(name: &str, beat: Arc<Beat>, patience: Duration) -> Watchdog {
        let (bell, bells) = channel();
        let name = name.to_owned();
        let watch = move || {
            let mut last = (beat.n_points.load(Ordering::Relaxed), Instant::now());
            while bells.recv_timeout(patience / 4) == Err(RecvTimeoutError::Timeout) {
                let n_points = beat.n_points.load(Ordering::Relaxed);
                if n_points != last.0 {
                    last = (n_points, Instant::now());
                } else if last.1.elapsed() >= patience && n_points > 0 {
                    bark(&name, &beat, patience);
                }
            }
        };
        let thread = thread::Builder::new().name("raddle watchdog".to_owned()).spawn(watch).ok();
        Watchdog { bell: Some(bell), thread }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        drop(self.bell.take());
        if let Some(thread) = self.thread.take() {
            // It has nothing to say.
            let _ = thread.join();
        }
    }
}

/// The thread of the check is stuck, so nobody but this one can end anything.
fn bark(name: &str, beat: &Beat, patience: Duration) -> ! {
    let site = beat.site.load(Ordering::Relaxed);
    // SAFETY: it is null or was made from a reference to a static place.
    let site = unsafe { site.as_ref() };
    let site = site.map_or_else(|| "the beginning".to_owned(), ToString::to_string);
    eprintln!(
        "raddle: {name}: no thread has come to a point for {patience:?}. The last one was at {site}. \
         Behind it a thread computes without end, or blocks for real: in a lock, a channel or a join \
         of std instead of raddle's, or in input or output"
    );
    std::process::abort();
}

/// Shows how far a search is.
pub(crate) struct Progress {
    name: String,
    stop: Arc<AtomicBool>,
    is_shown: bool,
    next: Instant,
    was_shown: bool,
}

/// How long a search goes on before anything is shown, and how often it is shown then.
const PATIENCE: Duration = Duration::from_secs(1);

impl Progress {
    pub(crate) fn new(name: &str, stop: Arc<AtomicBool>, is_quiet: bool) -> Progress {
        Progress {
            name: name.to_owned(),
            stop,
            is_shown: !is_quiet && std::io::stderr().is_terminal(),
            next: Instant::now() + PATIENCE,
            was_shown: false,
        }
    }
}

impl Monitor<dyn Strategy> for Progress {
    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn progress(&mut self, strategy: &dyn Strategy, ledger: &Ledger) {
        if !self.is_shown || Instant::now() < self.next {
            return;
        }
        self.next = Instant::now() + PATIENCE;
        self.was_shown = true;
        let bound = match strategy.bound() {
            None => String::new(),
            Some(BEYOND) => ", all preemptions".to_owned(),
            Some(bound) => format!(", {bound} preemptions"),
        };
        let line = format!("raddle: {}: {} executions{bound}", self.name, ledger.executions());
        // Progress that cannot be shown is no loss.
        let _ = write!(std::io::stderr(), "\r\x1b[2K{line}");
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.was_shown {
            let _ = write!(std::io::stderr(), "\r\x1b[2K");
        }
    }
}
