//! Makes traces of programs that were made up, valid by construction.
//!
//! In: a [`Config`]. Out: [`Events`] that pass the strict check, as many as were asked for, and
//! the same for the same config.
//!
//! ```text
//! Config ──► Layout ──► compose ──► Program ──► Execution ──► Events
//!            objects    code with   functions   threads that
//!            and names  knobs       and sites   run them
//! ```
//!
//! Events drawn one by one do not look like those of a program, which runs the same few lines
//! over and over: takes the same locks inside of each other, and accesses the same fields under
//! them. So code is drawn first, a few functions of some lines each, and threads then run it.
//! Every line is one source location; the objects it acts on depend on the call, as if they were
//! elements of a small array.
//!
//! Rules of the execution, by which it never gets stuck and ends after the right number:
//!
//! - G1 (progress): a thread blocks on a lock only while all of its holders can act. So there is no cycle
//!   of waiting threads, and some thread can always act.
//! - G2 (waiting): a thread waits on a condition or at a barrier only while another thread can act,
//!   and holds no lock meanwhile.
//! - G3 (length): what was begun is paid for in advance: `room` is what is left of the events
//!   after everything that is open now (locks, waits, threads to join) was brought to its end.

mod access;
mod close;
mod compose;
mod config;
mod execution;
mod layout;
mod lifetime;
mod listing;
mod lock;
mod preset;
mod program;
mod rendezvous;
#[cfg(test)]
mod tests;
mod thread;
mod wait;

pub use config::{Config, ConfigError};
pub use preset::{Preset, Shape, Size, UnknownPreset};

use fastrand::Rng;
use raddle_trace::Events;

use execution::Execution;
use layout::Layout;
use program::Program;

/// Makes a trace; [`raddle_trace::Trace::new`] accepts it in strict mode.
pub fn generate(config: &Config) -> Result<Events, ConfigError> {
    config.validate()?;
    let mut rng = Rng::with_seed(config.seed);
    let layout = Layout::new(config);
    let mut events = Events::default();
    events.claims.nested_locks = config.nested;
    layout.name(config, &mut events.tables)?;
    let program = Program::new(config, &layout, &mut rng, &mut events.tables)?;
    Ok(Execution::new(config, &layout, &program, rng, events).run())
}
