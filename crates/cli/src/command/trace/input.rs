//! The trace that a command reads: its arguments, and opening it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use clap::builder::BoolishValueParser;
use raddle_trace::check::Mode;
use raddle_trace::format::{self, Compression, Format, Loaded, Options, ReadError};

use crate::args::BeginEnd;
use crate::context::Context;
use crate::diagnostic::Diagnostic;
use crate::program::binary::recording::{self, Guide};
use crate::progress::Progress;
use crate::quantity::{self, Size};

/// How to read a trace.
#[derive(Debug, Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct InputArgs {
    /// The trace: STD text or .rdl, plain or compressed (gzip, zstd); `-` is the standard input
    #[arg(value_name = "FILE", help_heading = None)]
    file: PathBuf,

    /// Repair a trace that breaks a rule, and list every repair, instead of rejecting it
    #[arg(long, visible_alias = "normalize", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "true", value_parser = BoolishValueParser::new())]
    #[arg(value_name = "BOOL", hide_possible_values = true)]
    #[arg(env = "RADDLE_NORMALISE", hide_env_values = true)]
    normalise: Option<bool>,

    /// List everything: all repairs, all findings
    #[arg(long)]
    all: bool,

    /// What `begin` and `end` mean in STD text [default: auto]
    #[arg(long, value_enum, value_name = "MEANING")]
    #[arg(env = "RADDLE_BEGIN_END", hide_env_values = true)]
    begin_end: Option<BeginEnd>,

    /// Claim that each thread first releases the lock that it took last, and check it
    #[arg(long, num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "true", value_parser = BoolishValueParser::new())]
    #[arg(value_name = "BOOL", hide_possible_values = true)]
    #[arg(env = "RADDLE_NESTED", hide_env_values = true)]
    nested: Option<bool>,

    /// Refuse a trace that needs more memory than this: 4GiB, 500MB, … [default: the free memory]
    #[arg(long, value_name = "SIZE")]
    #[arg(env = "RADDLE_MAX_MEMORY", hide_env_values = true)]
    max_memory: Option<Size>,
}

/// A trace to read, with everything settled.
#[derive(Debug)]
pub(crate) struct Input {
    /// The file.
    pub(crate) path: PathBuf,
    /// What to call it.
    pub(crate) name: String,
    /// How to read it.
    pub(crate) options: Options,
    /// List all repairs.
    pub(crate) all: bool,
}

impl InputArgs {
    /// A file without any flags.
    pub(crate) fn of(file: &Path) -> InputArgs {
        InputArgs {
            file: file.to_owned(),
            normalise: None,
            all: false,
            begin_end: None,
            nested: None,
            max_memory: None,
        }
    }

    /// Settles what the flags leave open; what breaks a rule is rejected.
    pub(crate) fn settle(self, context: &Context) -> Input {
        self.settle_as(context, Mode::Strict)
    }

    /// Settles what the flags leave open, the mode included.
    pub(crate) fn settle_as(self, context: &Context, mode: Mode) -> Input {
        let config = &context.settings.config.trace;
        let normalise = self.normalise.or(config.normalise).unwrap_or(mode == Mode::Normalise);
        let options = Options {
            mode: if normalise { Mode::Normalise } else { Mode::Strict },
            begin_end: self.begin_end.or(config.begin_end).unwrap_or(BeginEnd::Auto).into(),
            nested_locks: self.nested.or(config.nested).unwrap_or(false),
            max_memory: self.max_memory.or(config.max_memory).map(|size| size.0),
        };
        Input { name: name(&self.file), path: self.file, options, all: self.all }
    }
}

impl Input {
    /// Reads the trace, and shows how far that is.
    pub(crate) fn open(&self, context: &Context) -> Result<Loaded, ReadError> {
        self.open_guided(context).map(|(loaded, _)| loaded)
    }

    /// Reads the trace; if it is a recording of a binary, also what steers that along it.
    pub(crate) fn open_guided(
        &self,
        context: &Context,
    ) -> Result<(Loaded, Option<Guide>), ReadError> {
        let start = Instant::now();
        let size = fs::metadata(&self.path).ok().filter(|m| m.is_file()).map(|m| m.len());
        log::debug!("reading {:?} with {:?}", self.path, self.options);
        let shown = context.shows_progress();
        let mut progress = Progress::reading(size, shown, &context.interrupt);
        let (loaded, guide) = match recording::is_recording(&self.path) {
            true => {
                let (loaded, guide) = recording::open(&self.path, context)?;
                (loaded, Some(guide))
            }
            false => (format::open(&self.path, self.options, &mut progress)?, None),
        };
        drop(progress);
        self.explain_begin_end(&loaded, context);
        log::info!(
            "read {} events from {:?} in {:.2} s",
            quantity::count(loaded.trace.len() as u64),
            self.path,
            start.elapsed().as_secs_f64()
        );
        Ok((loaded, guide))
    }
}

impl Input {
    /// Says how `begin` and `end` were read if only the trace itself decided that.
    fn explain_begin_end(&self, loaded: &Loaded, context: &Context) {
        let is_thread = meaning(loaded.begin_end) == Some(BeginEnd::Thread);
        if is_thread && self.options.begin_end == format::std::BeginEnd::Auto {
            context.show(
                &Diagnostic::note("`begin` and `end` are read as the start and end of threads")
                    .help("if they mark transactions, use --begin-end transaction"),
            );
        }
    }
}

impl From<BeginEnd> for format::std::BeginEnd {
    fn from(meaning: BeginEnd) -> format::std::BeginEnd {
        match meaning {
            BeginEnd::Auto => format::std::BeginEnd::Auto,
            BeginEnd::Transaction => format::std::BeginEnd::Transaction,
            BeginEnd::Thread => format::std::BeginEnd::Thread,
        }
    }
}

/// How `begin` and `end` were read, as JSON has it.
pub(crate) fn meaning(begin_end: Option<format::std::BeginEnd>) -> Option<BeginEnd> {
    Some(match begin_end? {
        format::std::BeginEnd::Auto => BeginEnd::Auto,
        format::std::BeginEnd::Transaction => BeginEnd::Transaction,
        format::std::BeginEnd::Thread => BeginEnd::Thread,
    })
}

/// The name of a format, as arguments and JSON have it.
pub(crate) fn format_name(format: Format) -> &'static str {
    format.extension()
}

/// The name of a compression, as arguments and JSON have it.
pub(crate) fn compression_name(compression: Compression) -> &'static str {
    match compression {
        Compression::None => "none",
        Compression::Gzip => "gzip",
        Compression::Zstd => "zstd",
    }
}

/// A format and a compression for people.
pub(crate) fn description(format: Format, compression: Compression) -> String {
    let format = match format {
        Format::Std => "STD text",
        Format::Rdl => "rdl",
    };
    match compression {
        Compression::None => format.to_owned(),
        compression => format!("{format}, {}", compression_name(compression)),
    }
}

fn name(path: &Path) -> String {
    if path == Path::new("-") { "<stdin>".to_owned() } else { path.display().to_string() }
}
