//! The host side of running real binaries.
//!
//! ```text
//!  Target ─► elf ─► launch ──────────► Answer (outcome, steps taken, counts)
//!                     │ recording file
//!                     ▼
//!                 recording ─► Native (trace events, positions) ─► confirm ─► steps ─► launch
//!                     ▲
//!                  symbol (places and names, from DWARF and ELF)
//! ```
//!
//! The runtime lives inside the target and knows addresses only; what they mean is found out here.
//! Nothing that comes from a target is believed: it can write over all that it shares with us.

pub mod cargo;
pub mod compiler;
pub mod confirm;
pub mod elf;
pub mod explore;
pub mod install;
pub mod launch;
pub mod recording;
pub mod schedule;
pub mod symbol;
pub mod system;
pub mod target;
pub mod trial;
