//! Checkpoints: a whole search as bytes, to go on later as if it had never stopped.
//!
//! In: a strategy, its ledger and what must be equal to go on. Out: bytes, and the same back from
//! them. Nothing here touches a file.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `RADDLECP` |
//! | 4 | the version, little endian |
//! | 8 | the length of the payload, little endian |
//! | 8 | XXH3 of everything before and of the payload, little endian |
//! | … | the payload: [`Checkpoint`] in postcard's encoding |
//!
//! The encoding is small (numbers of varying length, no names), is specified by its authors, and
//! takes memory in proportion to its input when read. The checksum is for accidents: it does not
//! protect against forged checkpoints. What no search can reach is refused all the
//! same, here or when the search goes on ([`EngineError::Misfit`]), so that it does no harm; but
//! whether a bound is complete, for instance, only the checkpoint knows.
//!
//! [`EngineError::Misfit`]: crate::EngineError::Misfit

use raddle_finding::{ProgramId, ProgramMismatch};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use xxhash_rust::xxh3::Xxh3;

use crate::any::AnyStrategy;
use crate::search::Ledger;

const MAGIC: [u8; 8] = *b"RADDLECP";
const VERSION: u32 = 8;
const HEADER: usize = 8 + 4 + 8 + 8;

/// A whole search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The program.
    #[serde(serialize_with = "write_program", deserialize_with = "read_program")]
    pub program: ProgramId,
    /// What else must be equal to go on, in the words of the caller.
    pub options: String,
    /// What decides.
    pub strategy: AnyStrategy,
    /// What was counted and found.
    pub ledger: Ledger,
}

/// What of a checkpoint cannot be, in words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Flaw(pub &'static str);

/// Nothing is counted up to here.
pub(crate) const COUNT_MAX: u64 = 1 << 48;

/// No run has more points: it would not fit into memory.
pub(crate) const POINTS_MAX: u64 = 1 << 26;

/// Names what cannot be, unless it is sound.
pub(crate) fn ensure(sound: bool, what: &'static str) -> Result<(), Flaw> {
    if sound { Ok(()) } else { Err(Flaw(what)) }
}

/// Bytes are no checkpoint, or not one that the search at hand can go on from.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// It does not begin like a checkpoint.
    #[error("this is not a checkpoint")]
    Foreign,
    /// Another version made it.
    #[error("the checkpoint has version {found}, but only version {VERSION} can be read")]
    Version {
        /// Its version.
        found: u32,
    },
    /// Something is missing at its end.
    #[error("the checkpoint has {found} of {expected} bytes")]
    Truncated {
        /// How many bytes there are.
        found: u64,
        /// How many there should be.
        expected: u64,
    },
    /// Something follows its end.
    #[error("the checkpoint has {extra} bytes too many")]
    TooLong {
        /// How many bytes there are behind its end.
        extra: u64,
    },
    /// Its checksum is wrong.
    #[error("the checkpoint is damaged: its checksum is {found:016x} instead of {expected:016x}")]
    Damaged {
        /// What its bytes give.
        found: u64,
        /// What it says.
        expected: u64,
    },
    /// Its bytes are whole but mean nothing.
    #[error("the checkpoint cannot be read: {0}")]
    Unreadable(String),
    /// It can be read, but no search comes to it.
    #[error("the checkpoint is inconsistent: {} cannot be right", .0.0)]
    Impossible(Flaw),
    /// It belongs to another program.
    #[error("the checkpoint cannot be used: it belongs to program {}, but this is {}", .0.expected, .0.found)]
    Program(ProgramMismatch),
    /// It was made with other options.
    #[error("the checkpoint was made with the options `{expected}`, but these are `{found}`")]
    Options {
        /// Those it was made with.
        expected: String,
        /// Those at hand.
        found: String,
    },
}

impl Checkpoint {
    /// The bytes to keep.
    pub fn to_bytes(&self) -> Vec<u8> {
        let payload = postcard::to_allocvec(self).expect("everything in it can be encoded");
        let mut bytes = Vec::with_capacity(HEADER + payload.len());
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&(payload.len() as u64).to_le_bytes());
        let checksum = checksum(&bytes, &payload);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        bytes.extend_from_slice(&payload);
        bytes
    }

    /// Reads what `to_bytes` made.
    pub fn from_bytes(bytes: &[u8]) -> Result<Checkpoint, CheckpointError> {
        let found = bytes.len() as u64;
        let missing = |expected| CheckpointError::Truncated { found, expected };
        let n = bytes.len().min(MAGIC.len());
        if bytes[..n] != MAGIC[..n] || bytes.is_empty() {
            return Err(CheckpointError::Foreign);
        }
        let mut rest = &bytes[n..];
        let header = missing(HEADER as u64);
        let version = u32::from_le_bytes(take(&mut rest).ok_or(header.clone())?);
        if version != VERSION {
            return Err(CheckpointError::Version { found: version });
        }
        let length = u64::from_le_bytes(take(&mut rest).ok_or(header.clone())?);
        let expected = u64::from_le_bytes(take(&mut rest).ok_or(header)?);
        let whole = length.saturating_add(HEADER as u64);
        if found < whole {
            return Err(missing(whole));
        } else if found > whole {
            return Err(CheckpointError::TooLong { extra: found - whole });
        }
        let found = checksum(&bytes[..HEADER - size_of::<u64>()], rest);
        if found != expected {
            return Err(CheckpointError::Damaged { found, expected });
        }
        let unreadable = |error: postcard::Error| CheckpointError::Unreadable(error.to_string());
        let (checkpoint, rest): (Checkpoint, _) =
            postcard::take_from_bytes(rest).map_err(unreadable)?;
        if !rest.is_empty() {
            let why = "the payload continues after its end".to_owned();
            return Err(CheckpointError::Unreadable(why));
        }
        let Checkpoint { strategy, ledger, .. } = &checkpoint;
        let sound = ledger.check().and_then(|()| strategy.check(ledger.executions()));
        sound.map_err(CheckpointError::Impossible)?;
        Ok(checkpoint)
    }

    /// Refuses to go on with another program, other options or another strategy; `begun` is the one
    /// at hand, which need not have run.
    pub fn check(
        &self,
        program: &ProgramId,
        options: &str,
        begun: &AnyStrategy,
    ) -> Result<(), CheckpointError> {
        if self.program != *program {
            let (expected, found) = (self.program.clone(), program.clone());
            return Err(CheckpointError::Program(ProgramMismatch { expected, found }));
        }
        if self.options != options {
            let (expected, found) = (self.options.clone(), options.to_owned());
            return Err(CheckpointError::Options { expected, found });
        }
        ensure(self.strategy.is_like(begun), "its strategy").map_err(CheckpointError::Impossible)
    }
}

fn write_program<S: Serializer>(program: &ProgramId, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(program)
}

fn read_program<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ProgramId, D::Error> {
    String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
}

fn checksum(header: &[u8], payload: &[u8]) -> u64 {
    let mut hash = Xxh3::new();
    hash.update(header);
    hash.update(payload);
    hash.digest()
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*taken)
}
