//! What a command has at hand besides its arguments.

use std::io::{self, IsTerminal};

use crate::args::{Format, GlobalArgs};
use crate::config;
use crate::diagnostic::Diagnostic;
use crate::interrupt::Interrupt;
use crate::logging;
use crate::output::Styles;
use crate::settings::{self, Settings};

/// Settings, where messages go, and the watch for Ctrl-C.
pub(crate) struct Context {
    /// The settings.
    pub(crate) settings: Settings,
    /// The watch for Ctrl-C.
    pub(crate) interrupt: Interrupt,
}

impl Context {
    /// Reads the configuration and starts the log.
    pub(crate) fn new(args: &GlobalArgs) -> Result<Context, Diagnostic> {
        let (config, path) = config::load(args.config.as_deref())?;
        let settings = Settings::new(args, config);
        let filter = args.log().or(settings.config.log.clone());
        logging::start(args.verbose, filter.as_deref(), settings.color_stderr);
        match path {
            Some(path) => log::debug!("configuration: {path:?}"),
            None => log::debug!("configuration: none"),
        }
        log::debug!("settings: {settings:?}");
        let interrupt = Interrupt::watch(settings.color_stderr);
        Ok(Context { settings, interrupt })
    }

    /// True if results are JSON.
    pub(crate) fn is_json(&self) -> bool {
        self.settings.format == Format::Json
    }

    /// The looks of text on the standard output.
    pub(crate) fn styles(&self) -> Styles {
        let styles = if self.settings.color_stdout { Styles::coloured() } else { Styles::plain() };
        Styles { width: self.settings.width, details: self.settings.verbose, ..styles }
    }

    /// True if progress is shown.
    pub(crate) fn shows_progress(&self) -> bool {
        !self.settings.quiet && io::stderr().is_terminal()
    }

    /// Shows a message on stderr.
    pub(crate) fn show(&self, diagnostic: &Diagnostic) {
        if !(diagnostic.is_note() && self.settings.quiet) {
            diagnostic.print(self.settings.color_stderr);
        }
    }
}

/// Shows what went wrong before there was a context.
pub(crate) fn tell_early(args: &GlobalArgs, diagnostic: &Diagnostic) {
    diagnostic.print(settings::color(args.color, None).applies_to(&io::stderr()));
}
