//! Any bytes: reading ends with a trace or an error, a trace that was repaired needs no repair,
//! and what is written is read back.

#![no_main]

use libfuzzer_sys::fuzz_target;
use raddle_trace::check::Mode;
use raddle_trace::format::{self, Options, rdl};

fuzz_target!(|bytes: &[u8]| {
    let options = Options { max_memory: Some(64 << 20), ..Options::default() };
    let strict = format::read(bytes, options);
    let normalise = Options { mode: Mode::Normalise, ..options };
    let Ok(loaded) = format::read(bytes, normalise) else { return };
    let trace = loaded.trace;
    assert_eq!(strict.is_ok(), trace.repairs().is_empty());
    if trace.is_empty() {
        return;
    }

    let mut file = Vec::new();
    rdl::write(&trace, &mut file, &mut ()).expect("memory takes everything");
    let again = format::read(&file, options).expect("a normalised trace is well-formed");
    assert!(again.loss.is_none());
    assert_eq!(again.trace.len(), trace.len());

    let mut text = Vec::new();
    let loss = format::std::write(&trace, &mut text, &mut ()).expect("memory takes everything");
    if loss.is_none() {
        let again = format::read(&text, options).expect("a normalised trace is well-formed");
        assert_eq!(again.trace.len(), trace.len());
    }
});
