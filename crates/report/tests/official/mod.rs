//! The schema of SARIF 2.1.0 as OASIS publishes it, taken from the package of the library that is made from it.

use std::path::PathBuf;
use std::process::Command;

use boon::{Compiler, Schemas};
use serde_json::Value;

/// The library that has the schema in its package.
const LIBRARY: &str = "serde-sarif";

/// What the schema calls itself.
const TITLE: &str = "Static Analysis Results Format (SARIF) Version 2.1.0 JSON Schema";

/// Judges logs by the official schema.
pub struct Sarif {
    schemas: Schemas,
    index: boon::SchemaIndex,
}

impl Sarif {
    /// Reads the schema.
    pub fn new() -> Sarif {
        let text = std::fs::read_to_string(package().join("src/schema.json")).unwrap();
        let schema: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(schema["title"], TITLE);
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        compiler.add_resource("sarif.json", schema).unwrap();
        let index = compiler.compile("sarif.json", &mut schemas).unwrap();
        Sarif { schemas, index }
    }

    /// Whether a log is valid, or why not.
    pub fn judge(&self, log: &Value) -> Result<(), String> {
        self.schemas.validate(log, self.index).map_err(|error| format!("{error:#}"))
    }
}

/// Where the package of the library lies.
fn package() -> PathBuf {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let metadata = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--locked", "--manifest-path", manifest])
        .output()
        .unwrap();
    assert!(metadata.status.success(), "{}", String::from_utf8_lossy(&metadata.stderr));
    let metadata: Value = serde_json::from_slice(&metadata.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let library = packages.iter().find(|package| package["name"] == LIBRARY).unwrap();
    let manifest = PathBuf::from(library["manifest_path"].as_str().unwrap());
    manifest.parent().unwrap().to_owned()
}
