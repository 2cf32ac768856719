//! The native format, `.rdl`: small, fast, and readable up to the last complete block.
//!
//! ```text
//! file   = header block* end-block
//! header = magic(8) version(u16) flags(u16) reserved(u32)
//! block  = "RDLB" kind(u8) 0(u8×3) n_events(u32) raw_size(u32) size(u32) first_event(u32)
//!          checksum(u64) content(size bytes, zstd)
//! ```
//!
//! All numbers are little-endian. The checksum is XXH3-64 over the block's header before it and
//! its compressed content. A *tables* block adds names and attributes, an *events* block columns
//! that refer to names of earlier blocks, the *end* block says that the file is complete. A file
//! is only ever appended to, so what a crash leaves behind is readable up to the last complete
//! block; [`Loss`] says what was behind it. `docs/src/formats/rdl.md` describes the contents.

mod column;
mod decode;
mod encode;
mod frame;
mod predict;
mod table;
mod tries;
mod unpack;

pub use encode::{WriteError, Writer, write};
pub use frame::VERSION;

pub(super) use decode::decode;
pub(super) use frame::is_rdl;

use super::BlockProblem;
use crate::events::Events;

/// Events in a block that [`Writer`] makes.
pub const BLOCK_EVENTS: usize = 1 << 16;

/// What a damaged or unfinished file has lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// Where the readable part ends, in bytes from the start of the file.
    pub offset: u64,
    /// What is wrong there.
    pub problem: BlockProblem,
    /// Bytes from there to the end of the file.
    pub n_bytes: u64,
    /// Events before it, which were read.
    pub n_events: u64,
}

impl std::fmt::Display for Loss {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Loss { offset, problem, n_bytes, n_events } = self;
        if *n_bytes == 0 {
            return write!(
                f,
                "the file was not finished: it ends after {n_events} events without its end mark; \
                 what was recorded after them is lost"
            );
        }
        write!(
            f,
            "the file is damaged at byte {offset}: {problem}; the {n_events} events before it \
             were read, the {n_bytes} bytes from there on are lost"
        )
    }
}

/// Events that were read, and what was not.
pub(super) struct Decoded {
    pub(super) events: Events,
    pub(super) loss: Option<Loss>,
}

#[cfg(test)]
mod tests;
