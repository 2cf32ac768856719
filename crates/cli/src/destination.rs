//! Where a command writes a file: all of it, or nothing.
//!
//! The file is written under a temporary name in the same directory and takes its name when it
//! is complete, so no reader ever sees half of it, and what stood there before stays until then.
//! The standard output, and what is no regular file, such as `/dev/null` or a named pipe, is
//! written as it comes.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::diagnostic::Diagnostic;
use crate::interrupt::{Interrupt, Output};
use crate::output;

/// A place to write to, checked before any work is done.
pub(crate) struct Destination {
    name: String,
    kind: Kind,
    interrupt: Interrupt,
}

enum Kind {
    Stdout,
    /// A device, a pipe, a socket.
    Special(PathBuf),
    /// A regular file, new or to be replaced.
    File {
        temporary: NamedTempFile,
        target: PathBuf,
    },
}

/// What became of the output.
pub(crate) enum Outcome<T> {
    /// It was written, so many bytes.
    Written(T, u64),
    /// The reader of the standard output has gone; it has what it wanted.
    Closed,
}

impl Destination {
    /// Makes sure that `path` can be written; `-` is the standard output.
    pub(crate) fn prepare(path: &Path, interrupt: &Interrupt) -> Result<Destination, Diagnostic> {
        let name = name(path);
        let kind = kind(path, interrupt).map_err(|error| cannot_write(&name, &error))?;
        Ok(Destination { name, kind, interrupt: interrupt.clone() })
    }

    /// Lets `fill` write the content, and gives the file its name if that went well.
    pub(crate) fn write<T>(
        self,
        fill: impl FnOnce(&mut dyn Write) -> io::Result<T>,
    ) -> Result<Outcome<T>, Diagnostic> {
        let Destination { name, kind, interrupt } = self;
        let is_stdout = matches!(kind, Kind::Stdout);
        match kind.write(fill, &interrupt) {
            Ok((answer, n_bytes)) => Ok(Outcome::Written(answer, n_bytes)),
            Err(error) if is_stdout && error.kind() == io::ErrorKind::BrokenPipe => {
                Ok(Outcome::Closed)
            }
            Err(error) if is_stdout => Err(output::cannot_write(&error)),
            Err(error) => Err(cannot_write(&name, &error)),
        }
    }
}

impl Kind {
    fn write<T>(
        self,
        fill: impl FnOnce(&mut dyn Write) -> io::Result<T>,
        interrupt: &Interrupt,
    ) -> io::Result<(T, u64)> {
        match self {
            Kind::Stdout => stream(&mut io::stdout().lock(), fill, interrupt),
            Kind::Special(path) => {
                stream(&mut OpenOptions::new().write(true).open(path)?, fill, interrupt)
            }
            Kind::File { mut temporary, target } => {
                let written = count(temporary.as_file_mut(), fill)?;
                // Some file systems report only now that there was no room.
                temporary.as_file().sync_all()?;
                let mut state = interrupt.state();
                temporary.persist(target).map_err(|error| error.error)?;
                state.unfinished = None;
                state.output = Output::Complete;
                Ok(written)
            }
        }
    }
}

fn stream<T>(
    out: &mut dyn Write,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<T>,
    interrupt: &Interrupt,
) -> io::Result<(T, u64)> {
    interrupt.state().output = Output::Partial;
    let written = count(out, fill)?;
    interrupt.state().output = Output::Complete;
    Ok(written)
}

/// Calls `fill` and counts the bytes.
fn count<T>(
    out: &mut dyn Write,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<T>,
) -> io::Result<(T, u64)> {
    let mut counted = Counted { out, n_bytes: 0 };
    let answer = fill(&mut counted)?;
    counted.flush()?;
    Ok((answer, counted.n_bytes))
}

struct Counted<'a> {
    out: &'a mut dyn Write,
    n_bytes: u64,
}

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.out.write(bytes)?;
        self.n_bytes += n as u64;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn kind(path: &Path, interrupt: &Interrupt) -> io::Result<Kind> {
    if path == Path::new("-") {
        return Ok(Kind::Stdout);
    }
    let target = match fs::metadata(path) {
        Ok(meta) if meta.is_dir() => {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory"));
        }
        Ok(meta) if !meta.is_file() => return Ok(Kind::Special(path.to_owned())),
        // A link stays a link: what it leads to is replaced.
        Ok(_) => fs::canonicalize(path)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_owned(),
        Err(error) => return Err(error),
    };
    let permissions = existing_permissions(&target)?;
    let directory = match target.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let mut state = interrupt.state();
    let temporary = temporary(directory, permissions)?;
    state.unfinished = Some(temporary.path().to_owned());
    Ok(Kind::File { temporary, target })
}

/// The permissions of a file that is there, which must be one that we may write.
fn existing_permissions(target: &Path) -> io::Result<Option<Permissions>> {
    match OpenOptions::new().write(true).open(target) {
        Ok(file) => Ok(Some(file.metadata()?.permissions())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn temporary(directory: &Path, permissions: Option<Permissions>) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".raddle-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As any new file: what the umask leaves of it.
        builder.permissions(Permissions::from_mode(0o666));
    }
    let temporary = builder.tempfile_in(directory)?;
    if let Some(permissions) = permissions {
        File::set_permissions(temporary.as_file(), permissions)?;
    }
    Ok(temporary)
}

/// A path for people.
pub(crate) fn name(path: &Path) -> String {
    if path == Path::new("-") { "<stdout>".to_owned() } else { path.display().to_string() }
}

fn cannot_write(name: &str, error: &io::Error) -> Diagnostic {
    Diagnostic::error(format!("cannot write `{name}`")).because(error)
}
