//! How a run ends while threads run at once: reported to the host, once.

use core::fmt;
use core::sync::atomic::{AtomicBool, Ordering};

use super::{counts, lane};
use crate::host;
use crate::outcome::{self, End};

/// Reports an end. Threads at once may find several at once, of which the first one counts.
pub fn tell(end: End, message: fmt::Arguments<'_>) {
    static IS_REPORTED: AtomicBool = AtomicBool::new(false);
    let Some(control) = host::page() else { return };
    if IS_REPORTED.swap(true, Ordering::SeqCst) {
        return;
    }
    outcome::write(control, end, lane().map_or(0, |lane| lane.number), message);
    let (n_threads, n_events, n_accesses) = counts();
    control.n_threads.set(n_threads);
    control.n_events.set(n_events);
    control.n_accesses.set(n_accesses);
    outcome::has_ended(control);
}

/// Reports an end and ends the process.
pub fn finish(end: End, message: fmt::Arguments<'_>) -> ! {
    tell(end, message);
    outcome::leave()
}
