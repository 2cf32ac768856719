//! `cargo xtask pictures`: the pictures of the book, made by the tests of the page.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// The pictures that the book shows.
const SHOWN: [&str; 4] = ["overview-light", "finding-light", "deadlock-dark", "long-folded"];

/// Runs the tests and takes over what they draw.
pub fn run() -> Result<()> {
    let folder = Path::new("target/pictures");
    let folder = std::path::absolute(folder)?;
    let status = Command::new("cargo")
        .args(["test", "--package", "raddle-report", "--test", "browser"])
        .env("RADDLE_PICTURES", &folder)
        .status()
        .context("cargo cannot be run")?;
    ensure!(status.success(), "the tests of the page fail");
    let images = Path::new("docs/src/images");
    std::fs::create_dir_all(images)?;
    for name in SHOWN.map(|name| format!("{name}.png")) {
        std::fs::copy(folder.join(&name), images.join(&name)).with_context(|| name.clone())?;
    }
    Ok(())
}
