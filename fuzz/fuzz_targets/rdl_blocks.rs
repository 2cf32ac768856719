//! Damaged blocks: a file that begins well and goes on with any bytes. Checksums are not looked
//! at and contents need not be compressed when the library is built for fuzzing.

#![no_main]

use libfuzzer_sys::fuzz_target;
use raddle_trace::check::Mode;
use raddle_trace::format::{self, Options, rdl};

fuzz_target!(|bytes: &[u8]| {
    let events = format::sketch("A fork B\nA acq l\nA w x\nA rel l\nB r x").expect("an example");
    let mut file = Vec::new();
    rdl::write(&events, &mut file, &mut ()).expect("memory takes everything");
    // The end block is cut off; then tables and events blocks around pieces of the input.
    file.truncate(file.len() - 32);
    let n_events = bytes.first().copied().unwrap_or(0);
    for (piece, kind) in bytes.get(1..).unwrap_or(&[]).chunks(64).zip([1u8, 2].into_iter().cycle()) {
        file.extend(b"RDLB");
        file.extend([kind, 0, 0, 0]);
        file.extend(u32::from(n_events).to_le_bytes());
        file.extend((piece.len() as u32).to_le_bytes());
        file.extend((piece.len() as u32).to_le_bytes());
        file.extend(5u32.to_le_bytes());
        file.extend([0; 8]);
        file.extend(piece);
    }
    let options = Options { mode: Mode::Normalise, max_memory: Some(64 << 20), ..Options::default() };
    let loaded = format::read(&file, options).expect("the first block is sound");
    assert!(loaded.trace.len() >= 5);
});
