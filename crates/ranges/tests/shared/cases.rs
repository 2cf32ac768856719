//! How many cases property tests try.

/// As many, or as many as `PROPTEST_CASES` says: tests that try all interleavings have few.
pub fn cases(n: u32) -> proptest::test_runner::Config {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok());
    proptest::test_runner::Config {
        cases: asked.unwrap_or(n),
        failure_persistence: None,
        ..Default::default()
    }
}
