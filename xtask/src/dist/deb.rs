//! A package of Debian: an `ar` archive of its version, what is said of it, and its files.

use std::env::consts::ARCH;

use anyhow::Result;

use super::{Tree, gzipped, tarred};

/// What Debian calls this processor.
pub(super) fn architecture() -> &'static str {
    match ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    }
}

/// The package.
pub(super) fn package(tree: &Tree, version: &str) -> Result<Vec<u8>> {
    let size: usize = tree.values().map(|(content, _)| content.len().div_ceil(1024)).sum();
    let control = Tree::from([("control".to_owned(), (control(version, size).into(), false))]);
    let mut bytes = b"!<arch>\n".to_vec();
    member(&mut bytes, "debian-binary", b"2.0\n");
    member(&mut bytes, "control.tar.gz", &gzipped(&tarred(&control, ".")?)?);
    member(&mut bytes, "data.tar.gz", &gzipped(&tarred(tree, "./usr")?)?);
    Ok(bytes)
}

fn control(version: &str, size: usize) -> String {
    let architecture = architecture();
    format!(
        "Package: raddle
Version: {version}
Architecture: {architecture}
Maintainer: The Raddle developers <raddle@localhost>
Section: devel
Priority: optional
Installed-Size: {size}
Depends: libc6, libgcc-s1
Recommends: gcc | clang
Suggests: g++, gdb
Description: finds the interleavings that break multithreaded programs
 Raddle runs C, C++ and Rust programs in one interleaving after the other, shows
 the simplest one that fails, and replays it. It also predicts races, deadlocks
 and the like from one trace.
"
    )
}

/// A member of an `ar` archive; odd ones are filled up.
fn member(archive: &mut Vec<u8>, name: &str, content: &[u8]) {
    let header =
        format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", 0, 0, 0, "100644", content.len());
    archive.extend(header.bytes());
    archive.extend(content);
    if !content.len().is_multiple_of(2) {
        archive.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_have_headers_of_sixty_bytes_and_even_lengths() {
        let mut archive = Vec::new();
        member(&mut archive, "a", b"123");
        assert_eq!(archive.len(), 60 + 4);
        assert!(
            archive
                .starts_with(b"a               0           0     0     100644  3         `\n123\n")
        );
    }
}
