//! Settings: what a command goes by, once arguments, environment and `raddle.toml` are one.
//!
//! For each setting the first of these counts: flag, environment, file, default. `clap` has
//! put flag and environment together already.

use std::env;
use std::io::IsTerminal;

use crate::args::{Color, Format, GlobalArgs};
use crate::config::Config;

/// What every command goes by.
#[derive(Debug)]
pub(crate) struct Settings {
    /// The form of the results.
    pub(crate) format: Format,
    /// Whether it was asked for.
    pub(crate) is_format_given: bool,
    /// Everything is said, and logged.
    pub(crate) verbose: bool,
    /// No progress and no notes.
    pub(crate) quiet: bool,
    /// Colours on the standard output.
    pub(crate) color_stdout: bool,
    /// Colours on stderr.
    pub(crate) color_stderr: bool,
    /// How wide the terminal is, if the standard output is one.
    pub(crate) width: Option<usize>,
    /// The settings of the file.
    pub(crate) config: Config,
}

impl Settings {
    /// Settles what counts.
    pub(crate) fn new(args: &GlobalArgs, config: Config) -> Settings {
        let color = color(args.color, config.color);
        Settings {
            format: args.format.or(config.format).unwrap_or(Format::Text),
            is_format_given: args.format.or(config.format).is_some(),
            verbose: args.verbose > 0,
            quiet: args.quiet.or(config.quiet).unwrap_or(false),
            color_stdout: color.applies_to(&std::io::stdout()),
            color_stderr: color.applies_to(&std::io::stderr()),
            width: terminal_size::terminal_size_of(std::io::stdout())
                .map(|(width, _)| usize::from(width.0).max(NARROWEST)),
            config,
        }
    }
}

/// What a terminal is taken to have at least.
const NARROWEST: usize = 40;

/// `--color` and `RADDLE_COLOR`, then `NO_COLOR`, then the file.
pub(crate) fn color(asked: Option<Color>, file: Option<Color>) -> Color {
    let no_color = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    asked.or(no_color.then_some(Color::Never)).or(file).unwrap_or(Color::Auto)
}

impl Color {
    /// True if a stream gets colours.
    pub(crate) fn applies_to(self, stream: &impl IsTerminal) -> bool {
        match self {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => {
                stream.is_terminal() && env::var_os("TERM").is_none_or(|term| term != "dumb")
            }
        }
    }
}
