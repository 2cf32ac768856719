//! A progress bar on stderr, for inputs that take a while.
//!
//! The bar appears when half a second has passed, so that quick commands stay quiet, and never
//! if stderr is no terminal. It fits into 80 columns.

use std::ops::ControlFlow;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use raddle_trace::format::Monitor;

use crate::interrupt::Interrupt;
use crate::quantity::count;

const PATIENCE: Duration = Duration::from_millis(500);
const TICK: Duration = Duration::from_millis(100);

/// A step of a command whose progress is shown.
pub(crate) struct Progress {
    bar: ProgressBar,
    interrupt: Interrupt,
    unit: Unit,
    /// Dropped with the step, which ends the thread that would show the bar.
    _patience: Sender<()>,
}

#[derive(Clone, Copy)]
enum Unit {
    /// Of the input.
    Bytes,
    /// Of the trace.
    Events,
    /// Of an analysis.
    Tasks,
}

impl Progress {
    /// Shows how a file is read.
    pub(crate) fn reading(n_bytes: Option<u64>, shown: bool, at: &Interrupt) -> Progress {
        let template = match n_bytes {
            Some(_) => "reading {bar:20} {bytes}/{total_bytes}  {msg}  {eta} left",
            None => "reading {spinner} {bytes}  {msg}",
        };
        Progress::start(template, Unit::Bytes, n_bytes, shown, at)
    }

    /// Shows how a trace is written.
    pub(crate) fn writing(n_events: usize, shown: bool, at: &Interrupt) -> Progress {
        let template = "writing {bar:20} {percent} %  {msg}  {eta} left";
        Progress::start(template, Unit::Events, Some(n_events as u64), shown, at)
    }

    /// Shows how far an analysis is, of which nothing is known beforehand but its name.
    pub(crate) fn analysing(name: &str, shown: bool, at: &Interrupt) -> Progress {
        let template = format!("{name} {{bar:20}} {{msg}}  {{elapsed}}");
        Progress::start(&template, Unit::Tasks, Some(0), shown, at)
    }

    /// Shows that something is counted, without knowing how far that is.
    pub(crate) fn counting(name: &str, shown: bool, at: &Interrupt) -> Progress {
        let template = format!("{name} {{spinner}} {{msg}}  {{elapsed}}");
        Progress::start(&template, Unit::Tasks, None, shown, at)
    }

    /// Shows how many tasks are done of how many, with a remark.
    pub(crate) fn tasks(&self, done: usize, n_tasks: usize, remark: &str) {
        self.bar.set_length(n_tasks as u64);
        self.bar.set_position(done as u64);
        self.bar.set_message(format!("{}/{} tasks{remark}", count(done), count(n_tasks)));
    }

    /// Says how far it is.
    pub(crate) fn say(&self, text: String) {
        self.bar.set_message(text);
    }

    /// Shows how many are counted.
    pub(crate) fn counted(&self, n: u64) {
        self.bar.set_message(count(n));
    }

    /// Shows that a trace is made, without knowing how far that is.
    pub(crate) fn generating(shown: bool, at: &Interrupt) -> Progress {
        Progress::start("generating {spinner}", Unit::Events, None, shown, at)
    }

    fn start(
        template: &str,
        unit: Unit,
        length: Option<u64>,
        shown: bool,
        at: &Interrupt,
    ) -> Progress {
        let bar = ProgressBar::with_draw_target(length, ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template(template);
        bar.set_style(style.expect("the template is valid").progress_chars("━╸ "));
        at.state().bar = Some(bar.clone());
        let (patience, ended) = mpsc::channel();
        if shown {
            let bar = bar.clone();
            thread::spawn(move || {
                if ended.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                    bar.set_draw_target(ProgressDrawTarget::stderr());
                    bar.enable_steady_tick(TICK);
                }
            });
        }
        Progress { bar, interrupt: at.clone(), unit, _patience: patience }
    }
}

impl Monitor for Progress {
    fn progress(&mut self, bytes: u64, n_events: u64) -> ControlFlow<()> {
        match self.unit {
            Unit::Bytes => {
                self.bar.set_position(bytes);
                self.bar.set_message(format!("{} events", count(n_events)));
            }
            Unit::Events | Unit::Tasks => {
                self.bar.set_position(n_events);
                self.bar.set_message(format!("{} events", count(n_events)));
            }
        }
        ControlFlow::Continue(())
    }

    fn read_all(&mut self) {
        self.bar.set_style(ProgressStyle::default_spinner());
        self.bar.set_message("checking and indexing");
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.interrupt.state().bar = None;
        self.bar.finish_and_clear();
    }
}
