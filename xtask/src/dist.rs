//! `cargo xtask dist`: the release build as `raddle-VERSION-TARGET.tar.zst` and `raddle_VERSION_ARCH.deb`, in `target/dist`.
//!
//! In: the release build, which makes its manual pages and completions itself. Out: two packages with the same files. Equal
//! builds give equal packages: entries are sorted, and have no owner and no time.

mod deb;

use std::collections::BTreeMap;
use std::env::consts::{ARCH, OS};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use cargo_metadata::MetadataCommand;
use flate2::Compression;
use flate2::write::GzEncoder;

/// What a package has below `usr`, by path: the content, and whether it is run.
pub(crate) type Tree = BTreeMap<String, (Vec<u8>, bool)>;

/// What `raddle` may weigh, in bytes.
const LARGEST: usize = 20_000_000;
const PROGRAMS: [&str; 3] = ["raddle", "raddle-cc", "raddle-cxx"];
const DOCUMENTS: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"];
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "share/bash-completion/completions/raddle"),
    ("zsh", "share/zsh/vendor-completions/_raddle"),
    ("fish", "share/fish/vendor_completions.d/raddle.fish"),
];

/// Builds both packages.
pub fn run() -> Result<()> {
    let metadata = MetadataCommand::new().no_deps().exec()?;
    let (root, target) =
        (metadata.workspace_root.as_std_path(), metadata.target_directory.as_std_path());
    let cli = metadata.packages.iter().find(|package| package.name == "raddle-cli");
    let version = cli.context("there is no raddle-cli")?.version.to_string();
    let build = ["build", "--release", "--locked", "--package", "raddle-cli"];
    ensure!(Command::new("cargo").args(build).status()?.success(), "it does not build");
    let tree = tree(root, &target.join("release"), &target.join("dist/man"))?;
    let folder = target.join("dist");
    let archive = folder.join(format!("raddle-{version}-{ARCH}-{OS}.tar.zst"));
    let mut encoder = zstd::Encoder::new(File::create(&archive)?, 19)?;
    encoder.write_all(&tarred(&tree, &format!("raddle-{version}"))?)?;
    encoder.finish()?;
    let package = folder.join(format!("raddle_{version}_{}.deb", deb::architecture()));
    fs::write(&package, deb::package(&tree, &version)?)?;
    for path in [archive, package] {
        let size = fs::metadata(&path)?.len() as f64 / 1e6;
        println!("{} ({size:.1} MB)", path.display());
    }
    Ok(())
}

fn tree(root: &Path, built: &Path, pages: &Path) -> Result<Tree> {
    let mut tree = Tree::new();
    for name in PROGRAMS {
        let path = built.join(name);
        let content = fs::read(&path).with_context(|| path.display().to_string())?;
        let size = content.len();
        ensure!(size < LARGEST, "{name} has {size} bytes, and may have no more than {LARGEST}");
        tree.insert(format!("bin/{name}"), (content, true));
    }
    for name in DOCUMENTS {
        tree.insert(format!("share/doc/raddle/{name}"), (fs::read(root.join(name))?, false));
    }
    let raddle = built.join("raddle");
    for (shell, path) in COMPLETIONS {
        tree.insert(path.to_owned(), (output(&raddle, &["completions", shell])?, false));
    }
    // Pages of commands that are gone may be left there.
    if pages.exists() {
        fs::remove_dir_all(pages)?;
    }
    fs::create_dir_all(pages)?;
    let folder = pages.to_str().context("the path of the target directory is not UTF-8")?;
    output(&raddle, &["man", folder])?;
    for page in sorted(pages)? {
        let name = page.file_name().unwrap_or_default().to_string_lossy();
        tree.insert(format!("share/man/man1/{name}.gz"), (gzipped(&fs::read(&page)?)?, false));
    }
    let alias = gzipped(b".so man1/raddle-c++.1\n")?;
    tree.insert("share/man/man1/raddle-cxx.1.gz".to_owned(), (alias, false));
    Ok(tree)
}

fn output(program: &Path, arguments: &[&str]) -> Result<Vec<u8>> {
    let ran = Command::new(program).args(arguments).output()?;
    ensure!(ran.status.success(), "{} {}", program.display(), arguments.join(" "));
    Ok(ran.stdout)
}

fn sorted(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let mut paths: Vec<_> = entries.collect::<Result<_>>()?;
    paths.sort();
    Ok(paths)
}

pub(crate) fn gzipped(content: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content)?;
    Ok(encoder.finish()?)
}

/// The files below a folder as an archive, with all folders before what is in them.
pub(crate) fn tarred(tree: &Tree, below: &str) -> Result<Vec<u8>> {
    let mut archive = tar::Builder::new(Vec::new());
    let mut known = Vec::new();
    for (path, (content, is_run)) in tree {
        let path = format!("{below}/{path}");
        let folders: Vec<_> = path.match_indices('/').map(|(end, _)| &path[..=end]).collect();
        for folder in folders {
            if !known.iter().any(|other| other == folder) {
                append(&mut archive, folder, &[], 0o755, tar::EntryType::Directory)?;
                known.push(folder.to_owned());
            }
        }
        let mode = if *is_run { 0o755 } else { 0o644 };
        append(&mut archive, &path, content, mode, tar::EntryType::Regular)?;
    }
    Ok(archive.into_inner()?)
}

fn append(
    archive: &mut tar::Builder<Vec<u8>>,
    path: &str,
    content: &[u8],
    mode: u32,
    kind: tar::EntryType,
) -> Result<()> {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(kind);
    header.set_mode(mode);
    header.set_size(content.len() as u64);
    header.set_mtime(0);
    header.set_uid(0);
    header.set_gid(0);
    archive.append_data(&mut header, path, content)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_come_before_what_is_in_them_and_once() {
        let file = |text: &str| (text.as_bytes().to_vec(), false);
        let tree = Tree::from([
            ("bin/a".to_owned(), file("1")),
            ("bin/b".to_owned(), file("2")),
            ("share/c".to_owned(), file("3")),
        ]);
        let bytes = tarred(&tree, "x").unwrap();
        let mut archive = tar::Archive::new(&bytes[..]);
        let names: Vec<_> = archive
            .entries()
            .unwrap()
            .map(|entry| entry.unwrap().path().unwrap().display().to_string())
            .collect();
        assert_eq!(names, ["x/", "x/bin/", "x/bin/a", "x/bin/b", "x/share/", "x/share/c"]);
    }
}
