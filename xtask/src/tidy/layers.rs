//! Layers: which crate may depend on which, checked with `cargo metadata`.
//!
//! - L1: a crate depends only on crates above it in [`LAYERS`].
//! - L2: a crate in [`NARROW`] depends on the crates named there and on no other of ours.
//! - L3: every crate under `crates/` is a layer and has its name.

use cargo_metadata::{DependencyKind, Metadata, Package};

/// The crates of the house; dependencies only point up this list.
const LAYERS: [&str; 22] = [
    "raddle-cache",
    "raddle-happens",
    "raddle-wire",
    "raddle-trace",
    "raddle-generate",
    "raddle-finding",
    "raddle-referee",
    "raddle-causality",
    "raddle-predict",
    "raddle-published",
    "raddle-explore",
    "raddle-cfront",
    "raddle-vm",
    "raddle-solve",
    "raddle-ranges",
    "raddle-ndseq",
    "raddle-runtime",
    "raddle-native",
    "raddle-report",
    "raddle-session",
    "raddle",
    "raddle-cli",
];

/// Crates with fewer rights: those that judge the work of others, or run inside the user's
/// program.
const NARROW: [(&str, &[&str]); 6] = [
    ("raddle-cache", &[]),
    ("raddle-happens", &[]),
    ("raddle-wire", &[]),
    ("raddle-finding", &[]),
    ("raddle-referee", &["raddle-trace", "raddle-finding"]),
    ("raddle-runtime", &["raddle-happens", "raddle-wire"]),
];

pub(super) fn check(metadata: &Metadata) -> Vec<String> {
    let root = metadata.workspace_root.as_str();
    let in_house = |p: &&&Package| p.manifest_path.starts_with(format!("{root}/crates"));
    let packages = metadata.workspace_packages();
    packages.iter().filter(in_house).flat_map(|package| check_crate(package)).collect()
}

fn check_crate(package: &Package) -> Vec<String> {
    let name = package.name.as_str();
    let Some(layer) = LAYERS.iter().position(|&l| l == name) else {
        return vec![format!("{name} is no layer of the house (L3)")];
    };
    let folder = package.manifest_path.parent().and_then(|path| path.file_name()).unwrap_or("");
    let mut faults = Vec::new();
    if name != folder && name != format!("raddle-{folder}") {
        faults.push(format!("{name} lives in crates/{folder} (L3)"));
    }
    let own = package.dependencies.iter().filter(|dependency| {
        dependency.kind != DependencyKind::Development && LAYERS.contains(&dependency.name.as_str())
    });
    for dependency in own {
        faults.extend(check_edge(name, layer, &dependency.name));
    }
    faults
}

fn check_edge(name: &str, layer: usize, dependency: &str) -> Option<String> {
    if !LAYERS[..layer].contains(&dependency) {
        return Some(format!("{name} depends on {dependency}, which is not above it (L1)"));
    }
    let (_, allowed) = NARROW.iter().find(|(narrow, _)| *narrow == name)?;
    (!allowed.contains(&dependency))
        .then(|| format!("{name} depends on {dependency}; it may use {allowed:?} only (L2)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, dependency: &str, allowed: bool) {
        let layer = LAYERS.iter().position(|&l| l == name).unwrap();
        assert_eq!(check_edge(name, layer, dependency).is_none(), allowed);
    }

    #[test]
    fn dependencies_point_up() {
        check("raddle-cli", "raddle-trace", true);
        check("raddle-trace", "raddle-cli", false);
        check("raddle-trace", "raddle-trace", false);
    }

    #[test]
    fn the_referee_does_not_call_what_it_judges() {
        check("raddle-referee", "raddle-trace", true);
        check("raddle-referee", "raddle-wire", false);
    }

    #[test]
    fn the_runtime_depends_on_happens_and_wire_only() {
        check("raddle-runtime", "raddle-happens", true);
        check("raddle-runtime", "raddle-wire", true);
        check("raddle-runtime", "raddle-trace", false);
    }
}
