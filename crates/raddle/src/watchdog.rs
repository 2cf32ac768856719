//! Looks on while a check goes on: shows progress on a terminal, and notices when an execution
//! stands still because something blocks for real.

use std::io::{IsTerminal, Write};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use raddle_session::{Observer, Status};

use crate::ladder::BEYOND;
use crate::world::Beat;

/// Sees to it that the process ends if a check reaches no point for long, until it is dropped.
pub(crate) struct Watchdog {
    number: u64,
}

/// A check that is looked after.
struct Watched {
    number: u64,
    name: Arc<str>,
    beat: Arc<Beat>,
    patience: Duration,
    /// The points that it had, and since when.
    last: (u32, Instant),
}

/// All that is looked after in this process, by one thread: starting one takes as long as a
/// hundred executions.
struct Kennel {
    watched: Vec<Watched>,
    n_ever: u64,
    thread: Option<Thread>,
    /// How long the thread sleeps.
    nap: Duration,
}

static KENNEL: Mutex<Kennel> =
    Mutex::new(Kennel { watched: Vec::new(), n_ever: 0, thread: None, nap: NAP_MAX });

/// The longest time between two looks.
const NAP_MAX: Duration = Duration::from_secs(5);

impl Watchdog {
    /// For a check that began at a time, and may stand still for as long as `patience`.
    pub(crate) fn start(
        name: Arc<str>,
        beat: Arc<Beat>,
        patience: Duration,
        since: Instant,
    ) -> Watchdog {
        let mut kennel = kennel();
        kennel.n_ever += 1;
        let number = kennel.n_ever;
        kennel.watched.push(Watched { number, name, beat, patience, last: (0, since) });
        let nap = patience / 4;
        match &kennel.thread {
            Some(thread) if nap < kennel.nap => thread.unpark(),
            Some(_) => {}
            None => {
                let thread = thread::Builder::new().name("raddle watchdog".to_owned());
                kennel.thread = thread.spawn(watch).ok().map(|handle| handle.thread().clone());
            }
        }
        kennel.nap = kennel.nap.min(nap);
        Watchdog { number }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        kennel().watched.retain(|watched| watched.number != self.number);
    }
}

fn kennel() -> MutexGuard<'static, Kennel> {
    KENNEL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Looks after all checks, for as long as the process lives.
fn watch() {
    loop {
        let mut kennel = kennel();
        for Watched { name, beat, patience, last, .. } in &mut kennel.watched {
            let n_points = beat.n_points.load(Ordering::Relaxed);
            if n_points != last.0 {
                *last = (n_points, Instant::now());
            } else if last.1.elapsed() >= *patience && n_points > 0 {
                bark(name, beat, *patience);
            }
        }
        let naps = kennel.watched.iter().map(|watched| watched.patience / 4);
        let nap = naps.fold(NAP_MAX, Duration::min);
        kennel.nap = nap;
        drop(kennel);
        thread::park_timeout(nap);
    }
}

/// The thread of the check is stuck, so only this one can end anything.
fn bark(name: &str, beat: &Beat, patience: Duration) -> ! {
    let site = beat.site.load(Ordering::Relaxed);
    // SAFETY: it is null or was made from a reference to a static place.
    let site = unsafe { site.as_ref() };
    let site = site.map_or_else(|| "the beginning".to_owned(), ToString::to_string);
    eprintln!(
        "raddle: {name}: no thread has reached a scheduling point for {patience:?}. The last one \
         was at {site}. After it, a thread computes forever, or really blocks: in a lock, a \
         channel or a join of std instead of raddle's, or in input or output"
    );
    std::process::abort();
}

/// Shows how far a search is.
pub(crate) struct Progress<'a> {
    name: &'a str,
    /// When it is shown next; never if none.
    next: Option<Instant>,
    was_shown: bool,
}

/// How long a search goes on before anything is shown, and how often it is shown then.
const PATIENCE: Duration = Duration::from_secs(1);

impl<'a> Progress<'a> {
    pub(crate) fn new(name: &'a str, is_quiet: bool) -> Progress<'a> {
        let is_shown = !is_quiet && std::io::stderr().is_terminal();
        let next = is_shown.then(|| Instant::now() + PATIENCE);
        Progress { name, next, was_shown: false }
    }
}

impl Observer for Progress<'_> {
    fn status(&mut self, status: &Status) {
        let Status::Searching(search) = status else { return };
        let Some(next) = &mut self.next else { return };
        let now = Instant::now();
        if now < *next {
            return;
        }
        *next = now + PATIENCE;
        self.was_shown = true;
        let bound = match search.bound {
            None => String::new(),
            Some(BEYOND) => ", all preemptions".to_owned(),
            Some(bound) => format!(", {bound} preemptions"),
        };
        let line = format!("raddle: {}: {} executions{bound}", self.name, search.executions);
        // Progress that cannot be shown is no loss.
        let _ = write!(std::io::stderr(), "\r\x1b[2K{line}");
    }
}

impl Drop for Progress<'_> {
    fn drop(&mut self) {
        if self.was_shown {
            let _ = write!(std::io::stderr(), "\r\x1b[2K");
        }
    }
}
