//! Frames: the headers of the file and of its blocks.

use xxhash_rust::xxh3::Xxh3;

use crate::events::Claims;
use crate::format::BlockProblem;

/// The version of the format that is written and read.
pub const VERSION: u16 = 1;

/// Not text in any encoding, and damaged by any conversion of line ends.
const MAGIC: [u8; 8] = *b"\x89RDL\r\n\x1a\n";
const BLOCK_MAGIC: [u8; 4] = *b"RDLB";

pub(super) const FILE_HEADER: usize = 16;
pub(super) const BLOCK_HEADER: usize = 32;

/// No block is larger when decompressed, so that a small file cannot ask for much memory.
pub(super) const MAX_RAW: usize = 64 << 20;

const NESTED_LOCKS: u16 = 1;
/// Acquires that were only tried say so.
const MARKED_TRIES: u16 = 2;

/// What the flags of a file say.
pub(super) struct Flags {
    pub claims: Claims,
    /// Acquires that were only tried say so.
    pub marked_tries: bool,
}

/// True if a file with these first bytes claims to be in this format.
pub(in crate::format) fn is_rdl(head: &[u8]) -> bool {
    head.starts_with(&MAGIC)
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum BlockKind {
    Tables = 1,
    Events = 2,
    End = 3,
}

/// The header of a block and its compressed content.
pub(super) struct Block<'a> {
    pub kind: BlockKind,
    pub n_events: u32,
    pub raw_size: usize,
    pub first_event: u32,
    pub content: &'a [u8],
    /// The whole block, header included, in bytes.
    pub size: usize,
}

pub(super) fn file_header(claims: Claims) -> [u8; FILE_HEADER] {
    let mut header = [0; FILE_HEADER];
    header[..8].copy_from_slice(&MAGIC);
    header[8..10].copy_from_slice(&VERSION.to_le_bytes());
    let flags = MARKED_TRIES | if claims.nested_locks { NESTED_LOCKS } else { 0 };
    header[10..12].copy_from_slice(&flags.to_le_bytes());
    header
}

pub(super) fn read_file_header(bytes: &[u8]) -> Result<Flags, BlockProblem> {
    if !is_rdl(bytes) {
        return Err(BlockProblem::NotRdl);
    }
    if bytes.len() < FILE_HEADER {
        return Err(BlockProblem::CutOff);
    }
    let version = u16::from_le_bytes([bytes[8], bytes[9]]);
    if version != VERSION {
        return Err(BlockProblem::Version(version, VERSION));
    }
    let flags = u16::from_le_bytes([bytes[10], bytes[11]]);
    let claims = Claims { nested_locks: flags & NESTED_LOCKS != 0 };
    Ok(Flags { claims, marked_tries: flags & MARKED_TRIES != 0 })
}

pub(super) fn block_header(
    kind: BlockKind,
    n_events: u32,
    raw_size: u32,
    first_event: u32,
    content: &[u8],
) -> [u8; BLOCK_HEADER] {
    let mut header = [0; BLOCK_HEADER];
    header[..4].copy_from_slice(&BLOCK_MAGIC);
    header[4] = kind as u8;
    header[8..12].copy_from_slice(&n_events.to_le_bytes());
    header[12..16].copy_from_slice(&raw_size.to_le_bytes());
    header[16..20].copy_from_slice(&(content.len() as u32).to_le_bytes());
    header[20..24].copy_from_slice(&first_event.to_le_bytes());
    let checksum = checksum(&header[..24], content);
    header[24..].copy_from_slice(&checksum.to_le_bytes());
    header
}

/// The block at the beginning of `bytes`; its checksum is looked at if `verify` says so.
pub(super) fn read_block(bytes: &[u8], verify: bool) -> Result<Block<'_>, BlockProblem> {
    let start = bytes.len().min(4);
    if bytes[..start] != BLOCK_MAGIC[..start] {
        return Err(BlockProblem::NoBlock);
    }
    let Some(header) = bytes.get(..BLOCK_HEADER) else { return Err(BlockProblem::CutOff) };
    let word = |at: usize| {
        u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]])
    };
    let size = BLOCK_HEADER + word(16) as usize;
    let Some(content) = bytes.get(BLOCK_HEADER..size) else { return Err(BlockProblem::CutOff) };
    let stored = u64::from(word(24)) | u64::from(word(28)) << 32;
    // A fuzzer cannot guess checksums; what is behind them must stand on its own.
    if verify && !cfg!(fuzzing) && checksum(&header[..24], content) != stored {
        return Err(BlockProblem::Checksum);
    }
    let kind = match header[4] {
        1 => BlockKind::Tables,
        2 => BlockKind::Events,
        3 => BlockKind::End,
        _ => return Err(BlockProblem::Content("unknown kind of block")),
    };
    let raw_size = word(12) as usize;
    if raw_size > MAX_RAW {
        return Err(BlockProblem::Content("the block is too large"));
    }
    Ok(Block { kind, n_events: word(8), raw_size, first_event: word(20), content, size })
}

fn checksum(header: &[u8], content: &[u8]) -> u64 {
    let mut hash = Xxh3::new();
    hash.update(header);
    hash.update(content);
    hash.digest()
}
