//! What `raddle check` does, as a library: a program goes in, a [`raddle_finding::Report`] comes out.
//!
//! ```text
//!                    ┌─► Subject::forecast ─► Forecast ──────────┐
//!  Subject ─► Session┤                                           ├─ merge, relate ─► document ─► Report
//!                    └─► Exploration::run ─► Explored ─► collect ─► Collected┘        guarantee ──┘
//! ```
//!
//! A [`Subject`] is what is searched, with what depends on the kind of program. Everything else here is
//! the same for all of them, and knows no arguments, no terminal and no files: an [`Observer`] receives
//! progress and notices, and a [`Stop`] ends a session with what is known until then.
//!
//! - `exploration`: the search, and what becomes of its findings; `method`: how executions are chosen.
//! - `forecast`, `merge`, `relate`: what was predicted, and which findings are one; `race`, `ending`: races and
//!   other ends of runs in words.
//! - `guarantee`, `document`: what is covered, and the report.
//! - `predict` (feature `predict`): the analyses of a trace; `decisive`, `memory`, `story` (the same feature):
//!   for those who write subjects that record: from events to what people read.
//! - `vm` and `native` (features of the same names): C programs on Raddle's own machine, and binaries.

mod alarm;
mod assertion;
#[cfg(feature = "predict")]
pub mod decisive;
mod document;
pub mod ending;
mod error;
mod exploration;
mod forecast;
mod guarantee;
#[cfg(feature = "predict")]
pub mod memory;
mod merge;
mod method;
#[cfg(feature = "native")]
pub mod native;
mod observer;
#[cfg(feature = "predict")]
pub mod predict;
pub mod race;
mod relate;
mod session;
#[cfg(feature = "predict")]
mod shell;
#[cfg(feature = "predict")]
mod steered;
#[cfg(feature = "predict")]
pub mod story;
mod subject;
#[cfg(feature = "vm")]
pub mod vm;

pub use assertion::{Assertion, Known};
pub use error::{Cause, Error};
pub use exploration::{Collected, Entry, Exploration, Explored};
pub use forecast::{Allowance, Forecast, NOT_REPLAYED};
pub use method::Method;
pub use observer::{Notice, Observer, Searching, Status, Stop};
pub use relate::relate;
pub use session::{Checked, Session};
#[cfg(feature = "predict")]
pub use shell::quoted;
pub use subject::{Evidence, Gathered, Subject, Terms, Unrepeated};
