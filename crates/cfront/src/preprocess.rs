//! The preprocessor: runs `cc -E`. No other part of the front end starts a process.
//!
//! In: a C file, [`Options`], and headers to be found before the system's. Out: its preprocessed
//! text. Embedded headers lie in the user's cache; in the text they are named `<stdio.h>`, so that
//! no path of the cache reaches an output. Files that end with `.i` are preprocessed already.

mod embedded;
mod model;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::diagnostic::Error;
use crate::ir::DataModel;

use embedded::Directory;

/// What the preprocessor gets.
#[derive(Clone, Debug)]
pub struct Options {
    /// The compiler to run.
    pub compiler: String,
    /// `-I`: where to look for headers.
    pub include_dirs: Vec<PathBuf>,
    /// `-D`: `NAME` or `NAME=value`.
    pub defines: Vec<String>,
    /// `-std`: the standard; `gnu11` if there is none.
    pub standard: Option<String>,
    /// `-U`: names.
    pub undefines: Vec<String>,
    /// `-include`: files to be read first.
    pub includes: Vec<PathBuf>,
    /// How large the types are.
    pub model: DataModel,
    /// Functions that are meant to be atomic; the preprocessor leaves them alone.
    pub transactions: Vec<String>,
    /// Whether the system's headers can be found, after the embedded ones.
    pub system_headers: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            compiler: "cc".to_owned(),
            include_dirs: Vec::new(),
            defines: Vec::new(),
            standard: None,
            undefines: Vec::new(),
            includes: Vec::new(),
            model: DataModel::Lp64,
            transactions: Vec::new(),
            system_headers: true,
        }
    }
}

/// Whether a file is preprocessed already and was made for 4-byte pointers: its `size_t` says so.
pub fn is_for_ilp32(file: &Path) -> bool {
    if file.extension() != Some(OsStr::new("i")) {
        return false;
    }
    let text = fs::read_to_string(file).unwrap_or_default();
    let is_size = |line: &str| {
        let words: Vec<_> = line.split_whitespace().collect();
        matches!(
            words[..],
            ["typedef", "unsigned", "int", "size_t;"] | ["typedef", "unsigned", "size_t;"]
        )
    };
    text.lines().any(is_size)
}

/// The preprocessed text of a file, with line markers. `headers` are pairs of a name, as after
/// `#include`, and contents.
pub fn preprocess(
    file: &Path,
    options: &Options,
    headers: &[(&str, &str)],
) -> Result<String, Error> {
    check_readable(file)?;
    if file.extension() == Some(OsStr::new("i")) {
        let bytes = fs::read(file).map_err(|error| unreadable(file, error))?;
        return utf8(file, bytes);
    }
    let directory = Directory::new(headers).map_err(Error::Headers)?;
    let text = run(file, options, arguments(operand(file), options, &directory), "", &directory)?;
    Ok(rename_markers(&text, file, &directory))
}

/// The preprocessed form of a text that is no file; `name` is its name in line markers.
pub(crate) fn preprocess_text(
    text: &str,
    name: &str,
    options: &Options,
    headers: &[(&str, &str)],
) -> Result<String, Error> {
    let directory = Directory::new(headers).map_err(Error::Headers)?;
    let arguments = arguments("-".into(), options, &directory);
    let text = run(Path::new(name), options, arguments, text, &directory)?;
    Ok(directory.rename(&text.replace("\"<stdin>\"", &format!("\"{name}\""))))
}

/// Compilers explain missing files and directories in ways of their own, so look first.
fn check_readable(file: &Path) -> Result<(), Error> {
    let metadata = fs::metadata(file).map_err(|error| unreadable(file, error))?;
    if metadata.is_dir() {
        return Err(unreadable(file, "it is a directory"));
    }
    fs::File::open(file).map(drop).map_err(|error| unreadable(file, error))
}

fn unreadable(file: &Path, reason: impl ToString) -> Error {
    Error::File { file: file.to_owned(), reason: reason.to_string() }
}

fn utf8(file: &Path, bytes: Vec<u8>) -> Result<String, Error> {
    String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = valid.iter().filter(|byte| **byte == b'\n').count() + 1;
        unreadable(file, format!("it is not UTF-8 (line {line} of the preprocessed text)"))
    })
}

/// What the preprocessor writes for a file, or for `input` if the file is its standard input.
fn run(
    file: &Path,
    options: &Options,
    arguments: Vec<OsString>,
    input: &str,
    directory: &Directory,
) -> Result<String, Error> {
    let mut command = Command::new(&options.compiler);
    // Messages are shown to the user and compared in tests: no translations, no colours.
    command.env("LC_ALL", "C").args(arguments);
    let output = output(&mut command, input).map_err(|source| {
        let compiler = options.compiler.clone();
        Error::NoCompiler { compiler, source }
    })?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        return Err(Error::Preprocessor {
            compiler: options.compiler.clone(),
            file: file.to_owned(),
            status: output.status,
            stderr: directory.rename(&stderr),
        });
    }
    utf8(file, output.stdout)
}

/// Runs a command with an input that fits into a pipe.
fn output(command: &mut Command, input: &str) -> io::Result<Output> {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let written = child.stdin.take().expect("it is piped").write_all(input.as_bytes());
    match written {
        // It ends without reading its input; its own message says why.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
        _ => child.wait_with_output(),
    }
}

fn arguments(file: OsString, options: &Options, directory: &Directory) -> Vec<OsString> {
    // Inline functions of the headers would only be more to read.
    let mut arguments: Vec<OsString> =
        ["-E", "-x", "c", "-D__RADDLE__=1", "-D__NO_INLINE__=1", "-U__OPTIMIZE__"]
            .map(OsString::from)
            .into();
    let standard = options.standard.as_deref().unwrap_or("gnu11");
    arguments.push(format!("-std={standard}").into());
    arguments.extend(options.model.macros().map(OsString::from));
    if !options.system_headers {
        arguments.push("-nostdinc".into());
    }
    let mut pair = |option: &str, value: &OsStr| {
        arguments.extend([OsString::from(option), value.to_owned()]);
    };
    options.include_dirs.iter().for_each(|path| pair("-I", path.as_os_str()));
    pair("-isystem", directory.headers().as_os_str());
    pair("-idirafter", directory.fallbacks().as_os_str());
    options.undefines.iter().for_each(|name| pair("-U", name.as_ref()));
    options.defines.iter().for_each(|name| pair("-D", name.as_ref()));
    options.includes.iter().for_each(|path| pair("-include", path.as_os_str()));
    arguments.push(file);
    arguments
}

/// The file as an argument that is not taken for an option.
fn operand(file: &Path) -> OsString {
    let is_option = file.as_os_str().as_encoded_bytes().starts_with(b"-");
    if is_option { Path::new(".").join(file).into() } else { file.into() }
}

/// Markers with the names that the user knows.
fn rename_markers(text: &str, file: &Path, directory: &Directory) -> String {
    let mut renamed = String::with_capacity(text.len());
    let given = format!("\"{}\"", Path::new(&operand(file)).display());
    let wanted = format!("\"{}\"", file.display());
    for line in text.split_inclusive('\n') {
        let is_given = given != wanted && line.starts_with("# ") && line.contains(&given);
        match is_given {
            true => renamed.push_str(&line.replace(&given, &wanted)),
            false => renamed.push_str(line),
        }
    }
    // In all of the text: `__FILE__` puts paths into the program, too.
    directory.rename(&renamed)
}

#[cfg(test)]
mod tests;
