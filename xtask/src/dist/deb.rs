//! A package of Debian: an `ar` archive of its version, what is said of it, and its files.
//!
//! It depends on what its programs are linked with. C files need a preprocessor as well, and `raddle cc` a compiler and the
//! headers of the C library; traces and reports need neither, so these are recommended.

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
    let programs = tree.values().filter(|(_, is_run)| *is_run);
    let libc = programs.map(|(content, _)| libc(content)).max().unwrap_or_default();
    let control = control(version, size, libc);
    let control = Tree::from([("control".to_owned(), (control.into(), false))]);
    let mut bytes = b"!<arch>\n".to_vec();
    member(&mut bytes, "debian-binary", b"2.0\n");
    member(&mut bytes, "control.tar.gz", &gzipped(&tarred(&control, ".")?)?);
    member(&mut bytes, "data.tar.gz", &gzipped(&tarred(tree, "./usr")?)?);
    Ok(bytes)
}

/// The second number of the newest version of glibc that a program names: 35 for `GLIBC_2.35`. The runtime inside it counts,
/// too, since it is loaded on the same machine.
fn libc(program: &[u8]) -> u32 {
    const NAME: &[u8] = b"GLIBC_2.";
    let number = |at: usize| {
        let digits = program[at + NAME.len()..].iter().take_while(|byte| byte.is_ascii_digit());
        digits.fold(0, |number: u32, digit| number.saturating_mul(10) + u32::from(digit - b'0'))
    };
    let named = program.windows(NAME.len()).enumerate().filter(|(_, window)| *window == NAME);
    named.map(|(at, _)| number(at)).max().unwrap_or_default()
}

fn control(version: &str, size: usize, libc: u32) -> String {
    let architecture = architecture();
    format!(
        "Package: raddle
Version: {version}
Architecture: {architecture}
Maintainer: The Raddle developers <raddle@localhost>
Section: devel
Priority: optional
Installed-Size: {size}
Depends: libc6 (>= 2.{libc}), libgcc-s1
Recommends: gcc | c-compiler, libc6-dev | libc-dev
Suggests: clang, g++ | c++-compiler, gdb
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
    fn the_newest_version_of_glibc_counts() {
        for (program, expected) in [
            (&b"GLIBC_2.2.5\0GLIBC_2.34\0GLIBC_2.9\0"[..], 34),
            (b"GLIBC_2.", 0),
            (b"GLIBC_PRIVATE", 0),
        ] {
            assert_eq!(libc(program), expected);
        }
    }

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
