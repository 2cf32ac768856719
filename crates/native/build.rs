//! Builds the runtime, which is put into the binary of the host.
//!
//! It is another kind of artefact (a shared library without `std`, always optimised), so it is not
//! a dependency that Cargo could build in the same go. `rustc` is called as Cargo would call it.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("Cargo sets it"));
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("Cargo sets it"));
    // Beside this crate in the repository; a published one carries them in a folder.
    let crates =
        if here.join("../runtime/src").is_dir() { here.join("..") } else { here.join("inside") };
    let [happens, wire, runtime] =
        ["happens/src", "wire/src", "runtime/src"].map(|it| crates.join(it));
    for sources in [&happens, &wire, &runtime] {
        println!("cargo::rerun-if-changed={}", sources.display());
    }
    println!("cargo::rerun-if-changed=build.rs");
    let target = env::var("TARGET").expect("Cargo sets it");
    if !target.starts_with("x86_64-") || !target.contains("linux-gnu") {
        println!(
            "cargo::error=binaries can be run under control on x86-64 Linux with glibc only; \
             without them, Raddle builds with --no-default-features"
        );
        return;
    }

    let defects = env::var_os("CARGO_FEATURE_DEFECTS").is_some();
    let features: &[&str] = if defects { &["--cfg", "feature=\"defects\""] } else { &[] };
    let library = |sources: &Path, name: &str| {
        let library = out.join(format!("lib{name}.rlib"));
        rustc(&target, &sources.join("lib.rs"), name, "rlib", &library, features);
        format!("{name}={}", library.display())
    };
    let externals = [library(&happens, "raddle_happens"), library(&wire, "raddle_wire")];
    rustc(
        &target,
        &runtime.join("lib.rs"),
        "raddle_runtime",
        "cdylib",
        &out.join("libraddle_runtime.so"),
        &[
            features,
            &["--cfg", "raddle_inside"],
            &["--extern", &externals[0], "--extern", &externals[1]],
            &["-Clto=fat", "-Cdebuginfo=line-tables-only"],
            &["-Clink-arg=-Wl,-soname,libraddle_runtime.so"],
            // Its own calls of its own functions are not for others to take over.
            &["-Clink-arg=-Wl,-Bsymbolic-functions"],
        ]
        .concat(),
    );
    // gcc wants to link an object of its own with every instrumented program.
    let empty = out.join("empty.rs");
    std::fs::write(&empty, "#![no_std]\n").expect("the folder is there");
    rustc(&target, &empty, "empty", "lib", &out.join("empty.o"), &["--emit=obj"]);
}

fn rustc(target: &str, source: &Path, name: &str, kind: &str, output: &Path, more: &[&str]) {
    let rustc = env::var_os("RUSTC").expect("Cargo sets it");
    let status = Command::new(rustc)
        .args(["--edition=2024", "--crate-name", name, "--crate-type", kind])
        .args(["--target", target, "-Copt-level=3", "-Cpanic=abort", "-Ccodegen-units=1"])
        .args(more)
        .arg(source)
        .arg("-o")
        .arg(output)
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .status()
        .expect("rustc can be started");
    assert!(status.success(), "{name} does not compile");
}
