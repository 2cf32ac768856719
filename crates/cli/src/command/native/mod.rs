//! Commands on binaries: what `record` and `replay` do when the program is not C source.
//!
//! ```text
//! arguments ─► launch ─► raddle_native ─► Answer ─► ending (for people)
//!                             │ recording
//!                             └─► recording: a trace, for `predict` and `trace`
//! ```

mod ending;
pub(crate) mod launch;
pub(crate) mod record;
pub(crate) mod recording;
pub(crate) mod replay;

pub(crate) use ending::name as outcome_name;
