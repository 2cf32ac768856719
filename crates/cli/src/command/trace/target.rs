//! What a command writes: the format and the compression, from the name of the file.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use raddle_trace::format::{Compression, Format};

use super::input::{compression_name, format_name};
use crate::destination;
use crate::diagnostic::Diagnostic;

/// The format and the compression to write.
#[derive(Debug, Args)]
#[command(next_help_heading = "Writing")]
pub(crate) struct TargetArgs {
    /// The format [default: from the extension of the output: .std or .rdl]
    #[arg(long, value_enum, value_name = "FORMAT")]
    to: Option<To>,

    /// The compression [default: from the extension of the output: .gz, .zst, or neither]
    #[arg(long, value_enum, value_name = "HOW")]
    compress: Option<Compress>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum To {
    /// Text, one event per line, as RAPID reads and writes it
    Std,
    /// The native format: small, and fast to read
    Rdl,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Compress {
    /// No compression
    None,
    /// gzip
    Gzip,
    /// zstd
    Zstd,
}

/// What is written where, with everything settled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Target {
    /// The file; `-` is the standard output.
    pub(crate) path: PathBuf,
    /// The format.
    pub(crate) format: Format,
    /// The compression.
    pub(crate) compression: Compression,
}

impl TargetArgs {
    /// Settles what the flags leave open; the standard output has the format `fallback`.
    pub(crate) fn settle(
        &self,
        path: PathBuf,
        fallback: Option<Format>,
    ) -> Result<Target, Diagnostic> {
        let is_stdout = path == Path::new("-");
        let ending = Ending::of(&path);
        let format = self.format(&path, ending.format, fallback.filter(|_| is_stdout))?;
        let compression = self.compression(&path, ending.compression)?;
        let is_binary = format == Format::Rdl || compression != Compression::None;
        if is_stdout && is_binary && io::stdout().is_terminal() {
            return Err(Diagnostic::error("the terminal cannot show binary data")
                .help("use -o FILE to write a file, or pipe the output to another program"));
        }
        Ok(Target { path, format, compression })
    }

    fn format(
        &self,
        path: &Path,
        ending: Option<Format>,
        fallback: Option<Format>,
    ) -> Result<Format, Diagnostic> {
        let asked = self.to.map(Format::from);
        match (asked, ending) {
            (Some(asked), Some(ending)) if asked != ending => Err(contradiction(
                path,
                &format!("--to {}", format_name(asked)),
                format_name(ending),
            )),
            (Some(format), _) | (None, Some(format)) => Ok(format),
            (None, None) => fallback.ok_or_else(|| {
                let name = destination::name(path);
                Diagnostic::error(format!("cannot determine the format from the name `{name}`"))
                    .help("use --to std or --to rdl, or a name that ends in .std or .rdl")
            }),
        }
    }

    fn compression(&self, path: &Path, ending: Compression) -> Result<Compression, Diagnostic> {
        let Some(asked) = self.compress.map(Compression::from) else { return Ok(ending) };
        if ending != Compression::None && asked != ending {
            let flag = format!("--compress {}", compression_name(asked));
            return Err(contradiction(path, &flag, compression_name(ending)));
        }
        Ok(asked)
    }
}

fn contradiction(path: &Path, flag: &str, ending: &str) -> Diagnostic {
    let name = destination::name(path);
    Diagnostic::error(format!("`{flag}` contradicts the name `{name}`, which means {ending}"))
        .help("omit the option, or change the name of the output")
}

/// What the end of a file name says.
#[derive(Debug, PartialEq)]
struct Ending {
    format: Option<Format>,
    compression: Compression,
}

impl Ending {
    fn of(path: &Path) -> Ending {
        let name = path.file_name().map(|n| n.to_string_lossy().to_ascii_lowercase());
        let name = name.unwrap_or_default();
        let (rest, compression) = match name.rsplit_once('.') {
            Some((rest, "gz")) => (rest, Compression::Gzip),
            Some((rest, "zst")) => (rest, Compression::Zstd),
            _ => (name.as_str(), Compression::None),
        };
        let format = match rest.rsplit_once('.') {
            Some((_, "std")) => Some(Format::Std),
            Some((_, "rdl")) => Some(Format::Rdl),
            _ => None,
        };
        Ending { format, compression }
    }
}

impl From<To> for Format {
    fn from(to: To) -> Format {
        match to {
            To::Std => Format::Std,
            To::Rdl => Format::Rdl,
        }
    }
}

impl From<Compress> for Compression {
    fn from(compress: Compress) -> Compression {
        match compress {
            Compress::None => Compression::None,
            Compress::Gzip => Compression::Gzip,
            Compress::Zstd => Compression::Zstd,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_says_format_and_compression() {
        let cases = [
            ("a.std", Some(Format::Std), Compression::None),
            ("a.b/A.STD.GZ", Some(Format::Std), Compression::Gzip),
            ("a.rdl.zst", Some(Format::Rdl), Compression::Zstd),
            ("a.zst", None, Compression::Zstd),
            ("a.std.bak", None, Compression::None),
            ("std", None, Compression::None),
            ("-", None, Compression::None),
        ];
        for (name, format, compression) in cases {
            assert_eq!(Ending::of(Path::new(name)), Ending { format, compression }, "{name}");
        }
    }
}
