//! Any bytes as a checkpoint: a search that can be saved again, or an error.

#![no_main]

use libfuzzer_sys::fuzz_target;
use raddle_explore::Checkpoint;

fuzz_target!(|bytes: &[u8]| {
    match Checkpoint::from_bytes(bytes) {
        Ok(checkpoint) => assert_eq!(checkpoint.to_bytes(), bytes),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
