//! The console: what a session reports while it works, on stderr; and where its search is saved.

use raddle_explore::{Checkpoint, Ending};
use raddle_session::{Error, Notice, Observer, Searching, Status, Unrepeated};

use crate::command::explore::saving::Saving;
use crate::context::Context;
use crate::diagnostic::Diagnostic;
use crate::progress::Progress;
use crate::quantity::{count, counted};

/// What makes runs differ that have the same schedule.
const CAUSES: &str = "possible causes: external input, files that an earlier run wrote, the \
                      processor's clock, external threads or signals";

/// Looks on for people.
pub(crate) struct Console<'a> {
    context: &'a Context,
    /// The step that is shown, by its name.
    shown: Option<(&'static str, Progress)>,
    saving: Option<Saving<'a>>,
    /// Why the search could not be saved at its end.
    unsaved: Option<Diagnostic>,
}

impl<'a> Console<'a> {
    /// One that saves nothing.
    pub(crate) fn new(context: &'a Context) -> Console<'a> {
        Console { context, shown: None, saving: None, unsaved: None }
    }

    /// The search is saved here.
    pub(crate) fn save_to(&mut self, saving: Saving<'a>) {
        self.saving = Some(saving);
    }

    /// Nothing more is shown; why the search could not be saved at its end, if it could not.
    pub(crate) fn finish(self) -> Option<Diagnostic> {
        self.unsaved
    }

    /// The progress of a step, which begins if another one is shown.
    fn progress(&mut self, name: &'static str, is_measured: bool) -> &Progress {
        let Context { interrupt, .. } = self.context;
        if self.shown.as_ref().is_none_or(|(shown, _)| *shown != name) {
            // One bar goes before the next one comes.
            self.shown = None;
            let shows = self.context.shows_progress();
            let progress = match is_measured {
                true => Progress::analysing(name, shows, interrupt),
                false => Progress::counting(name, shows, interrupt),
            };
            self.shown = Some((name, progress));
        }
        &self.shown.as_ref().expect("it was made if it was not there").1
    }
}

impl Observer for Console<'_> {
    fn status(&mut self, status: &Status) {
        match status {
            Status::Searching(searching) => {
                self.progress("exploring", false).say(line(searching));
            }
            Status::Simplifying { done, .. } => {
                self.progress("simplifying", false).counted(*done as u64);
            }
            Status::Predicting { analysis, done, of, found } => {
                let remark = match found {
                    0 => String::new(),
                    n => format!(", {} found before", count(*n)),
                };
                self.progress(analysis, true).tasks(*done, *of, &remark);
            }
            Status::Steering { done, of } => {
                self.progress("confirming", true).tasks(*done, *of, "");
            }
            _ => {}
        }
    }

    fn notice(&mut self, notice: Notice<'_>) {
        let shown = match notice {
            Notice::Unrepeated { what, is_defect } => doubt(what, is_defect),
            Notice::Broken(error) => Diagnostic::from(error),
            Notice::Recording(text) => Diagnostic::warning(text),
            _ => return,
        };
        self.context.show(&shown);
    }

    fn remember(&mut self, search: &dyn Fn() -> Checkpoint) {
        if let Some(saving) = &mut self.saving {
            saving.remind(search);
        }
    }

    fn ended(&mut self, ending: Ending, search: &dyn Fn() -> Checkpoint) {
        self.shown = None;
        match (&self.saving, ending) {
            (Some(saving), Ending::Done) => saving.forget(),
            (Some(saving), _) => self.unsaved = saving.end(search).err(),
            (None, _) => {}
        }
    }
}

/// How far a search is.
fn line(searching: &Searching) -> String {
    let bound = searching.bound.map_or(String::new(), |bound| format!(", bound {bound}"));
    let executions = count(searching.executions);
    let seconds = searching.spent.as_secs_f64();
    let rate = count((searching.executions as f64 / seconds.max(0.001)) as u64);
    let states = match searching.states {
        0 => String::new(),
        n => format!(", {} states", count(n)),
    };
    let left = searching.left.map_or(String::new(), |left| format!(", {} s left", left.as_secs()));
    let found = match searching.findings {
        0 => String::new(),
        n => format!(", {}", counted(n, "finding")),
    };
    format!("{executions} runs, {rate}/s{bound}{states}{found}{left}")
}

/// What is said of a finding that does not show again.
fn doubt(what: &Unrepeated, is_defect: bool) -> Diagnostic {
    let Unrepeated { failure, schedule, why } = what;
    match is_defect {
        true => Diagnostic::error("a finding cannot be reproduced; this is a bug in Raddle")
            .remark(&failure.message)
            .remark(schedule.to_string()),
        false => {
            Diagnostic::warning("uncontrolled nondeterminism: a finding could not be reproduced")
                .remark(&failure.message)
                .remark(why)
                .help(format!("the program is not determined by the schedule alone; {CAUSES}"))
        }
    }
}

/// What is said of a session that cannot go on.
impl From<&Error> for Diagnostic {
    fn from(error: &Error) -> Diagnostic {
        let mut shown = Diagnostic::error(error.to_string());
        if let Some(cause) = std::error::Error::source(error) {
            shown = shown.because(cause);
        }
        match error {
            Error::Uncontrolled { difference } => shown.remark(difference).help(CAUSES),
            Error::Unrepeatable { schedule, .. } => shown.remark(schedule.to_string()),
            Error::Foreign(_) => {
                shown.help("the binary has been rebuilt since, or it is a different one")
            }
            Error::Refused(_) => {
                shown.help("this is a bug in Raddle; please report it with the trace")
            }
            _ => shown,
        }
    }
}

impl From<Error> for Diagnostic {
    fn from(error: Error) -> Diagnostic {
        Diagnostic::from(&error)
    }
}
