//! The command line: what can be said, and what is said about it.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::BoolishValueParser;
use clap::error::ErrorKind;
use clap::{Args, ColorChoice, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use raddle_report::Form;
use raddle_report::csv::Table;
use serde::{Deserialize, Serialize};

use crate::command::explore::{CheckArgs, ExploreArgs};
use crate::command::infer::InferArgs;
use crate::command::predict::PredictArgs;
use crate::command::ranges::RangesArgs;
use crate::command::record::RecordArgs;
use crate::command::replay::ReplayArgs;
use crate::command::report::ReportArgs;
use crate::command::trace::TraceCommand;
use crate::exit::Exit;
use crate::program::source::COMPILER_FLAG;
use crate::settings;
use raddle_report::sanitise::{has_hidden, visible};

/// Finds the interleavings that break a multithreaded program.
#[derive(Debug, Parser)]
#[command(
    name = "raddle",
    version,
    max_term_width = 100,
    arg_required_else_help = true,
    subcommand_required = true,
    after_help = EXAMPLES,
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "\
Examples:
  raddle check bank.c                      finds the interleaving that breaks a C program
  raddle explore bank.c --bound 3          every execution with at most 3 preemptions
  raddle record bank.c                     runs a C program, writes bank.rdl
  raddle predict bank.rdl                  predicts what other interleavings would show
  raddle ranges bank.c --assert 'x <= 5'   bounds values over all interleavings of a run
  raddle infer cas.c --focus x             infers a sequential specification
  raddle report bank.json -o bank.html     shows a saved report in another format
  raddle trace info trace.std              summarises a trace
  raddle trace validate trace.std.gz       checks that it is well-formed
  raddle trace convert trace.std -o t.rdl  the same trace, smaller and faster to read

Exit codes:
  0  done, without findings     2  incorrect usage, or an error
  1  findings                   3  incomplete: stopped, or part of the input was lost";

impl Format {
    /// The form of a report.
    pub(crate) fn form(self) -> Form {
        match self {
            Format::Text => Form::Text,
            Format::Json => Form::Json,
            Format::Short => Form::Short,
            Format::Html => Form::Html,
            Format::Sarif => Form::Sarif,
            Format::Junit => Form::Junit,
            Format::Perfetto => Form::Perfetto,
            Format::Csv => Form::Csv(Table::Findings),
        }
    }
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    // Their arguments describe them.
    Check(Box<CheckArgs>),
    Explore(Box<ExploreArgs>),
    Infer(Box<InferArgs>),
    Predict(Box<PredictArgs>),
    Ranges(Box<RangesArgs>),
    Record(Box<RecordArgs>),
    Replay(Box<ReplayArgs>),
    Report(Box<ReportArgs>),
    /// Work with trace files: summarise, check, convert, generate
    #[command(
        subcommand,
        arg_required_else_help = true,
        after_help = "\
Examples:
  raddle trace info trace.std
  raddle trace validate trace.std.gz
  raddle trace convert trace.std -o trace.rdl
  raddle trace generate --events 1000000 --threads 8 -o trace.rdl"
    )]
    Trace(TraceCommand),
    /// Compile C so that the program can run under Raddle; accepts the compiler's arguments
    #[command(
        disable_help_flag = true,
        after_help = "\
The underlying compiler is `cc`; RADDLE_CC selects another: RADDLE_CC=clang, RADDLE_CC='ccache gcc'.
`raddle-cc` is the same command as a single word, for build systems.

Examples:
  raddle cc -O1 bank.c -o bank -pthread
  make CC=raddle-cc CXX=raddle-cxx
  cmake -B build -DCMAKE_C_COMPILER=raddle-cc -DCMAKE_CXX_COMPILER=raddle-cxx"
    )]
    Cc(Passed),
    /// Compile C++ so that the program can run under Raddle; accepts the compiler's arguments
    #[command(
        name = "c++",
        disable_help_flag = true,
        after_help = "\
The underlying compiler is `c++`; RADDLE_CXX selects another: RADDLE_CXX=clang++.
`raddle-cxx` is the same command as a single word, for build systems.

Examples:
  raddle c++ -O1 -std=c++20 queue.cpp -o queue
  make CC=raddle-cc CXX=raddle-cxx"
    )]
    Cxx(Passed),
    /// Build Rust so that the program can run under Raddle; accepts Cargo's arguments
    #[command(
        disable_help_flag = true,
        after_help = "\
Results go to target/raddle, unless CARGO_TARGET_DIR or --target-dir says otherwise.

Examples:
  raddle cargo build
  raddle cargo test --no-run"
    )]
    Cargo(Passed),
    /// Check whether programs can run under Raddle on this machine, and what is missing
    #[command(after_help = "Examples:
  raddle doctor
  raddle doctor --format json

Exit codes:
  0  programs built with at least one compiler run under Raddle     3  none do")]
    Doctor,
    /// Remove the files that Raddle unpacked into its cache
    #[command(after_help = "Examples:
  raddle clean
  RADDLE_CACHE=build/cache raddle clean")]
    Clean,
    /// Print shell completions
    #[command(after_help = "Examples:
  raddle completions bash > ~/.local/share/bash-completion/completions/raddle
  raddle completions zsh > \"${fpath[1]}/_raddle\"
  raddle completions fish > ~/.config/fish/completions/raddle.fish")]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Write the manual pages of all commands
    #[command(after_help = "Examples:
  raddle man ~/.local/share/man/man1")]
    Man {
        /// The folder to write them to
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
}

/// Arguments for another program.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Passed {
    /// Arguments that are passed on unchanged
    #[cfg_attr(not(feature = "native"), allow(dead_code, reason = "there is no other program"))]
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
    pub(crate) arguments: Vec<OsString>,
}

/// What every command understands.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct GlobalArgs {
    /// The output format: text for people, JSON for programs, the others for reports of findings
    /// [default: text]
    #[arg(long, global = true, value_enum, env = "RADDLE_FORMAT", hide_env_values = true)]
    pub(crate) format: Option<Format>,

    /// When to use colours; NO_COLOR also turns them off [default: auto]
    #[arg(long, global = true, value_enum, value_name = "WHEN")]
    #[arg(env = "RADDLE_COLOR", hide_env_values = true)]
    pub(crate) color: Option<Color>,

    /// Show no progress and no notes, only results, warnings and errors
    #[arg(short, long, global = true, num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "true", value_parser = BoolishValueParser::new())]
    #[arg(value_name = "BOOL", hide_possible_values = true)]
    #[arg(env = "RADDLE_QUIET", hide_env_values = true)]
    pub(crate) quiet: Option<bool>,

    /// Show all details, and log what happens; -vv logs more. RADDLE_LOG takes a filter: raddle=debug
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,

    /// Use this configuration [default: the nearest raddle.toml in this folder or its parents]
    #[arg(long, global = true, value_name = "FILE")]
    #[arg(env = "RADDLE_CONFIG", hide_env_values = true)]
    pub(crate) config: Option<PathBuf>,
}

impl GlobalArgs {
    /// The filter of the log that the environment asks for.
    pub(crate) fn log(&self) -> Option<String> {
        env::var("RADDLE_LOG").ok().filter(|filter| !filter.is_empty())
    }
}

/// The form of the results.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Format {
    // No doc comments here: help would list each value on a line of its own.
    Text,
    Json,
    Short,
    Html,
    Sarif,
    Junit,
    Perfetto,
    Csv,
}

/// When to use colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

/// What `begin` and `end` mean in STD text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum BeginEnd {
    /// Thread if they enclose everything that each thread does, otherwise transaction
    Auto,
    /// Begin and end of a transaction
    Transaction,
    /// Start and end of the thread
    Thread,
}

/// Reads the arguments; answers with the exit code if there is nothing more to do.
pub(crate) fn parse() -> Result<Cli, Exit> {
    let args: Vec<OsString> = env::args_os().collect();
    parse_from(&args).map_err(|error| {
        // A file name in a message must not act on the terminal.
        let safe: Vec<OsString> = args.iter().map(safe).collect();
        let error = if safe == args { error } else { parse_from(&safe).err().unwrap_or(error) };
        let _ = error.print();
        let asked_for = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
        if asked_for { Exit::Done } else { Exit::Error }
    })
}

fn parse_from(args: &[OsString]) -> Result<Cli, clap::Error> {
    let mut command = Cli::command().color(early_color(args));
    let args = with_passed_apart(&with_own_help(args), &command);
    let args = with_compiler_flags(&args);
    let mut matches = command.try_get_matches_from_mut(args)?;
    Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
}

/// The arguments, with `raddle cc --help` as `raddle help cc`: the compiler has its own help under its own name.
fn with_own_help(args: &[OsString]) -> Vec<OsString> {
    match args {
        [own, command, help] if is_passing(command) && help == "--help" => {
            vec![own.clone(), "help".into(), command.clone()]
        }
        _ => args.to_vec(),
    }
}

fn is_passing(command: &OsString) -> bool {
    ["cc", "c++", "cargo"].iter().any(|name| command == name)
}

/// The arguments, with what compilers understand in a form that Raddle does: people have them at hand from their
/// build, and short options cannot have names of several letters.
fn with_compiler_flags(args: &[OsString]) -> Vec<OsString> {
    let takes_sources = |word: &OsString| {
        ["check", "explore", "record", "replay", "ranges", "infer"].iter().any(|name| word == name)
    };
    let Some(command) = args.iter().position(takes_sources) else { return args.to_vec() };
    let end = args.iter().position(|word| word == "--").unwrap_or(args.len());
    let translated = |(i, word): (usize, &OsString)| match word.to_str() {
        Some(text) if i > command && i < end => compiler_flag(text).into(),
        _ => word.clone(),
    };
    args.iter().enumerate().map(translated).collect()
}

fn compiler_flag(word: &str) -> String {
    let means_nothing = ["-O", "-g", "-l", "-W", "-pedantic"];
    match word {
        _ if word.starts_with("-std=") => format!("-{word}"),
        "-pthread" | "-w" => format!("--{COMPILER_FLAG}={word}"),
        _ if means_nothing.iter().any(|start| word.starts_with(start)) => {
            format!("--{COMPILER_FLAG}={word}")
        }
        _ => word.to_owned(),
    }
}

/// The arguments, with what is for another program set apart: `-v` is the compiler's then.
fn with_passed_apart(args: &[OsString], command: &clap::Command) -> Vec<OsString> {
    let takes_next = |word: &OsString| {
        let is_it =
            |arg: &clap::Arg| arg.get_long().is_some_and(|long| *word == *format!("--{long}"));
        let found = command.get_arguments().find(|arg| is_it(arg));
        found.is_some_and(|arg| arg.get_action().takes_values() && !arg.is_require_equals_set())
    };
    let mut args = args.to_vec();
    let mut at = 1;
    while let Some(word) = args.get(at) {
        if is_passing(word) {
            args.insert(at + 1, "--".into());
            break;
        }
        if !word.as_encoded_bytes().starts_with(b"-") {
            break;
        }
        at += if takes_next(word) { 2 } else { 1 };
    }
    args
}

fn safe(arg: &OsString) -> OsString {
    match arg.to_string_lossy() {
        text if has_hidden(&text) => visible(&text).into(),
        _ => arg.clone(),
    }
}

/// The colours of help and of complaints about the arguments, before these are understood.
fn early_color(args: &[OsString]) -> ColorChoice {
    let words: Vec<_> = args.iter().map(|arg| arg.to_string_lossy()).collect();
    let after = |i: usize| words.get(i + 1).map(|word| word.to_string());
    let flag = words.iter().enumerate().find_map(|(i, word)| match word.as_ref() {
        "--color" => after(i),
        word => word.strip_prefix("--color=").map(str::to_owned),
    });
    let asked = flag.or_else(|| env::var("RADDLE_COLOR").ok());
    let asked = asked.and_then(|text| Color::from_str(&text, false).ok());
    match settings::color(asked, None) {
        Color::Auto => ColorChoice::Auto,
        Color::Always => ColorChoice::Always,
        Color::Never => ColorChoice::Never,
    }
}
