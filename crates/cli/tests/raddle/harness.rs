//! A directory of its own for each test, and the command in it.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use raddle_needs::{Started, start};
use tempfile::TempDir;

/// A well-formed trace with a bit of everything that STD text has.
pub const GOOD: &str = "\
T0|fork(T1)|main.c:3
T0|acq(m)|main.c:4
T0|w(x)|main.c:5
T0|rel(m)|main.c:6
T1|acq(m)|work.c:9
T1|r(x)|work.c:10
T1|rel(m)|work.c:11
T0|join(T1)|main.c:7
";

/// On a busy machine things may take long, but never so long.
const LIMIT: Duration = Duration::from_secs(120);

/// Variables of the environment, with their values.
pub type Environment<'a> = &'a [(&'a str, &'a str)];

/// Where the tests of one feature keep their files.
pub struct Dir {
    temporary: TempDir,
}

/// What a run of the command left.
#[derive(Debug)]
pub struct Run {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Dir {
    pub fn new() -> Dir {
        Dir { temporary: TempDir::with_prefix("raddle-test-").unwrap() }
    }

    /// A directory with a program of the corpus, and what it includes of it.
    pub fn corpus(name: &str) -> Dir {
        let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/c");
        let (dir, mut names) = (Dir::new(), vec![name.to_owned()]);
        while let Some(name) = names.pop() {
            let text = fs::read_to_string(programs.join(&name)).unwrap();
            let included =
                |line: &str| line.strip_prefix("#include \"")?.strip_suffix('"').map(str::to_owned);
            names.extend(text.lines().filter_map(included));
            dir.file(&name, text);
        }
        dir
    }

    /// A directory with one file.
    pub fn with(name: &str, content: impl AsRef<[u8]>) -> Dir {
        let dir = Dir::new();
        dir.file(name, content);
        dir
    }

    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.temporary.path().join(name)
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    pub fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).unwrap()
    }

    /// The names of all files, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.temporary.path()).unwrap();
        let mut names: Vec<_> =
            entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// The command, in this directory, without settings from outside.
    pub fn command<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_raddle"));
        for (name, _) in std::env::vars_os() {
            let name_text = name.to_string_lossy();
            if name_text.starts_with("RADDLE_") || name_text.ends_with("COLOR") {
                command.env_remove(&name);
            }
        }
        command.args(args).current_dir(self.temporary.path()).stdin(Stdio::null());
        command
    }

    /// Runs the command; words are separated by blanks.
    pub fn raddle(&self, args: &str) -> Run {
        self.run(args.split_whitespace())
    }

    pub fn run<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Run {
        Run::of(self.command(args).output().unwrap())
    }

    /// Runs a line as people do who paste it into their shell.
    pub fn shell(&self, line: &str) -> Run {
        let folder = Path::new(env!("CARGO_BIN_EXE_raddle")).parent().unwrap();
        let path = std::env::var("PATH").unwrap();
        let mut shell = Command::new("bash");
        shell.args(["-c", line]).env("PATH", format!("{}:{path}", folder.display()));
        shell.current_dir(self.temporary.path()).stdin(Stdio::null());
        Run::of(shell.output().unwrap())
    }

    /// Runs the command with something on its standard input.
    pub fn raddle_with_input(&self, args: &str, input: &[u8]) -> Run {
        let mut command = self.command(args.split_whitespace());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = start(&mut command);
        // The command may end without reading everything.
        let _ = child.stdin.take().unwrap().write_all(input);
        Run::of(child.output())
    }
}

/// Waits until something holds while a command runs.
#[track_caller]
pub fn wait_until(child: &mut Started, what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        let has_ended = child.try_wait().unwrap().is_some();
        assert!(!has_ended && start.elapsed() < LIMIT, "{what}: not while the command was running");
        std::thread::sleep(Duration::from_millis(1));
    }
}

impl Run {
    /// Waits for the end of a command that prints less than a pipe holds; one that does not end is killed.
    #[track_caller]
    pub fn of_started(mut child: Started) -> Run {
        let begun = Instant::now();
        while child.try_wait().unwrap().is_none() {
            assert!(begun.elapsed() < LIMIT, "it does not end");
            std::thread::sleep(Duration::from_millis(1));
        }
        Run::of(child.output())
    }

    pub fn of(output: Output) -> Run {
        Run {
            code: output.status.code().expect("no signal ended it"),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// It ended with this code.
    #[track_caller]
    pub fn exits(self, code: i32) -> Run {
        assert_eq!(self.code, code, "{self:?}");
        self
    }

    /// It did its job and had nothing to complain about.
    #[track_caller]
    pub fn succeeds(self) -> Run {
        self.exits(0)
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap()
    }
}
