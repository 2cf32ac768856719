//! Targets: which program to run, and how.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use object::Object;
use raddle_finding::ProgramId;
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64;

/// Digits of a build-id or a hash that name a program.
const ID_LEN: usize = 12;

/// A program and how it is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The file, as [`resolve`] found it.
    pub program: PathBuf,
    /// What the program finds as its own name, if that is not the file.
    pub invoked_as: Option<OsString>,
    /// Its arguments, without its own name.
    pub arguments: Vec<OsString>,
    /// Variables of the environment that are set, or removed.
    pub environment: Vec<(OsString, Option<OsString>)>,
    /// Where it runs, if not here.
    pub directory: Option<PathBuf>,
    /// What it reads.
    pub stdin: Stdin,
    /// Where it writes.
    pub output: Output,
}

/// What a target reads from its standard input.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Stdin {
    /// Nothing.
    #[default]
    Closed,
    /// What we would.
    Inherit,
    /// A file.
    File(PathBuf),
}

/// Where the output and the errors of a target go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Output {
    /// Where ours go.
    #[default]
    Inherit,
    /// To us.
    Capture,
    /// Nowhere.
    Discard,
}

/// There is no such program.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TargetError {
    /// No file of this name, in no folder of `PATH`.
    #[error("{}: no such program", name.display())]
    NotFound {
        /// The name.
        name: PathBuf,
    },
    /// The file cannot be run.
    #[error("{}: not an executable file", path.display())]
    NotExecutable {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be read.
    #[error("{}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl Target {
    /// A program without arguments; its name is looked up as a shell does.
    pub fn new(name: &OsStr) -> Result<Target, TargetError> {
        Ok(Target {
            program: resolve(name, std::env::var_os("PATH").as_deref())?,
            invoked_as: None,
            arguments: Vec::new(),
            environment: Vec::new(),
            directory: None,
            stdin: Stdin::default(),
            output: Output::default(),
        })
    }

    /// Its arguments.
    pub fn words(&self) -> impl Iterator<Item = &OsStr> {
        self.arguments.iter().map(OsString::as_os_str)
    }
}

/// The file that a shell would run: names with a slash are paths, others are looked for in `path`.
pub fn resolve(name: &OsStr, path: Option<&OsStr>) -> Result<PathBuf, TargetError> {
    let file = Path::new(name);
    if name.as_encoded_bytes().contains(&b'/') {
        return match fs::metadata(file) {
            Err(_) => Err(TargetError::NotFound { name: file.to_owned() }),
            Ok(_) if is_executable(file) => Ok(file.to_owned()),
            Ok(_) => Err(TargetError::NotExecutable { path: file.to_owned() }),
        };
    }
    let folders = path.into_iter().flat_map(std::env::split_paths);
    // An empty entry of `PATH` is the current folder; a bare name would be looked up again.
    let files = folders.map(|folder| match folder.as_os_str().is_empty() {
        true => Path::new(".").join(file),
        false => folder.join(file),
    });
    let found = files.into_iter().find(|file| is_executable(file));
    found.ok_or_else(|| TargetError::NotFound { name: file.to_owned() })
}

/// Which program this is: its build-id, or a hash of its file if it has none.
pub fn identity(target: &Target) -> Result<ProgramId, TargetError> {
    let path = &target.program;
    let bytes =
        fs::read(path).map_err(|source| TargetError::Read { path: path.clone(), source })?;
    let build_id = object::File::parse(&*bytes).ok().and_then(|file| file.build_id().ok()?);
    let mut text = match build_id {
        Some(id) if !id.is_empty() => id.iter().map(|byte| format!("{byte:02x}")).collect(),
        _ => format!("{:016x}", xxh3_64(&bytes)),
    };
    text.truncate(ID_LEN);
    Ok(text.parse().expect("hexadecimal digits are allowed in a program identity"))
}

fn is_executable(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    fn file(folder: &Path, name: &str, mode: u32) -> PathBuf {
        let path = folder.join(name);
        fs::write(&path, name).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    #[test]
    fn names_are_looked_up_in_order_and_only_as_programs() {
        let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        file(first.path(), "tool", 0o644);
        fs::create_dir(first.path().join("other")).unwrap();
        let tool = file(second.path(), "tool", 0o755);
        let other = file(second.path(), "other", 0o755);
        let path = std::env::join_paths([first.path(), second.path()]).unwrap();
        let find = |name: &str| resolve(OsStr::new(name), Some(&path));
        assert_eq!(find("tool").unwrap(), tool);
        assert_eq!(find("other").unwrap(), other);
        assert!(matches!(find("nothing"), Err(TargetError::NotFound { .. })));
        assert!(matches!(resolve(OsStr::new("tool"), None), Err(TargetError::NotFound { .. })));
    }

    #[test]
    fn a_name_with_a_slash_is_a_path() {
        let folder = tempfile::tempdir().unwrap();
        let (tool, text) = (file(folder.path(), "t", 0o755), file(folder.path(), "x", 0o644));
        assert_eq!(resolve(tool.as_os_str(), None).unwrap(), tool);
        let refused = resolve(text.as_os_str(), None).unwrap_err();
        assert!(matches!(refused, TargetError::NotExecutable { .. }), "{refused}");
        let gone = resolve(folder.path().join("y").as_os_str(), None).unwrap_err();
        assert!(matches!(gone, TargetError::NotFound { .. }), "{gone}");
    }

    fn identity_of(program: PathBuf) -> String {
        identity(&Target { program, ..Target::new(OsStr::new("true")).unwrap() })
            .unwrap()
            .to_string()
    }

    #[test]
    fn a_program_is_known_by_its_build_id_or_else_by_its_bytes() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.c"), "int main(void) { return 0; }").unwrap();
        let build = |name: &str, option: &str| {
            let mut command = Command::new("cc");
            command.args(["-o", name, option, "a.c"]).current_dir(folder.path());
            assert!(command.status().unwrap().success());
            identity_of(folder.path().join(name))
        };
        let given = "-Wl,--build-id=0x00112233445566778899aabbccddeeff00112233";
        assert_eq!(build("with", given), "001122334455");
        let without = build("without", "-Wl,--build-id=none");
        assert_eq!(without.len(), ID_LEN);
        assert_eq!(build("again", "-Wl,--build-id=none"), without);
        let text = file(folder.path(), "text", 0o755);
        assert_eq!(identity_of(text), format!("{:016x}", xxh3_64(b"text"))[..ID_LEN]);
    }
}
