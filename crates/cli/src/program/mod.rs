//! The programs that commands run: C sources on Raddle's machine, and binaries.
//!
//! - `source`: which C files, and how they are compiled; `execution`: one run of them; `ending`: how it ended.
//! - `binary`: the same for binaries; `absent` stands in for it where their engine is not built in.
//!
//! ```text
//! arguments ─► launch ─► raddle_native ─► Answer ─► ending (for people)
//!                             │ recording
//!                             └─► recording: a trace, for `predict` and `trace`
//! ```

#[cfg_attr(not(feature = "native"), path = "absent/mod.rs")]
pub(crate) mod binary;
pub(crate) mod ending;
pub(crate) mod execution;
pub(crate) mod source;
