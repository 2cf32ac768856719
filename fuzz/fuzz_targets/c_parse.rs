//! Any bytes as preprocessed C: a tree, or errors whose places can be shown.

#![no_main]

use libfuzzer_sys::fuzz_target;
use raddle_cfront::diagnostic::Error;
use raddle_cfront::parse;
use raddle_cfront::source::SourceMap;

fuzz_target!(|bytes: &[u8]| {
    let Err(errors) = parse::unit(bytes, 0) else { return };
    assert!(!errors.is_empty());
    if let Ok(text) = str::from_utf8(bytes) {
        let mut map = SourceMap::new();
        map.add("<fuzz>", text.to_owned()).expect("inputs are small");
        assert!(!Error::diagnostics(&errors, &map).to_string().is_empty());
    }
});
