//! Checks that the house is in order: what compilers do not look at.

mod documents;
mod layers;
mod named;
mod outside;

use anyhow::{Result, bail};
use cargo_metadata::MetadataCommand;

/// Runs every check and reports all that is wrong.
pub(crate) fn run() -> Result<()> {
    let metadata = MetadataCommand::new().exec()?;
    let root = metadata.workspace_root.as_std_path();
    let mut faults = layers::check(&metadata);
    faults.extend(documents::check(root, &metadata)?);
    faults.extend(outside::check(root)?);
    if faults.is_empty() {
        println!("tidy: ok");
        return Ok(());
    }
    for fault in &faults {
        eprintln!("tidy: {fault}");
    }
    bail!("{} faults", faults.len())
}
