//! An alarm: ends the current run when the time is over or the user asks.
//!
//! The search itself looks at the clock between two runs, and one run may take very long.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

/// How often it looks whether it has to ring.
const TICK: Duration = Duration::from_millis(50);

/// Rings until it is dropped.
pub(crate) struct Alarm {
    rings: Arc<AtomicBool>,
    /// Dropped with the alarm, which ends its thread.
    _off: Option<Sender<()>>,
}

impl Alarm {
    /// Rings after this time, at once if that is none, or when `asked` is set.
    pub(crate) fn set(time: Option<Duration>, asked: Arc<AtomicBool>) -> Alarm {
        let at_once = time == Some(Duration::ZERO) || asked.load(Ordering::Relaxed);
        let rings = Arc::new(AtomicBool::new(at_once));
        let (ringing, start) = (rings.clone(), Instant::now());
        let (off, ended) = mpsc::channel();
        thread::spawn(move || {
            while ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                let late = time.is_some_and(|time| start.elapsed() >= time);
                ringing.fetch_or(late || asked.load(Ordering::Relaxed), Ordering::Relaxed);
            }
        });
        Alarm { rings, _off: Some(off) }
    }

    /// Rings when `asked` is set, whatever the time. Starts no thread.
    pub(crate) fn without_clock(asked: Arc<AtomicBool>) -> Alarm {
        Alarm { rings: asked, _off: None }
    }

    /// Whether it rings.
    pub(crate) fn rings(&self) -> bool {
        self.rings.load(Ordering::Relaxed)
    }

    /// The same, for those who look often.
    pub(crate) fn flag(&self) -> Arc<AtomicBool> {
        self.rings.clone()
    }
}
