//! Publishing: a report goes to the standard output and into files, and what is known in it is marked.
//!
//! In: where to write, and what is known. Both are looked at before any work is done. Out: the report in
//! every form that was asked for, and how many findings are new.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use raddle_finding::{Baseline, Finding, Fingerprint, Report};
use raddle_report::text::Styles;
use raddle_report::{Form, sarif};
use serde_json::json;

use crate::context::Context;
use crate::destination::{self, Destination};
use crate::diagnostic::Diagnostic;
use crate::output;
use crate::quantity::{bytes, counted};

/// Where reports go.
#[derive(Debug, Args)]
#[command(next_help_heading = "Reporting")]
pub(crate) struct PublishArgs {
    /// Also write the report to this file, in the format of its extension: .html, .json, .sarif, .xml (JUnit),
    /// .perfetto.json, .csv, .txt or .baseline; may be repeated
    #[arg(short, long = "output", value_name = "FILE")]
    outputs: Vec<PathBuf>,

    /// Treat findings in this report (JSON) or baseline as known: only others count
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,

    /// Hide the findings in this baseline; they do not count
    #[arg(long, value_name = "FILE")]
    suppress: Option<PathBuf>,
}

/// The files to write, checked.
pub(crate) struct Publisher {
    files: Vec<(Form, PathBuf, Destination)>,
}

/// What is known already.
#[derive(Default)]
pub(crate) struct Known {
    baseline: Option<Baseline>,
    suppressed: Option<Baseline>,
}

impl PublishArgs {
    /// Whether a report is needed that has all findings at once.
    pub(crate) fn needs_document(&self) -> bool {
        !self.outputs.is_empty()
    }

    /// Whether findings count because they are new.
    pub(crate) fn judges(&self) -> bool {
        self.baseline.is_some()
    }

    /// Makes sure that everything can be read and written.
    pub(crate) fn prepare(&self, context: &Context) -> Result<(Publisher, Known), Diagnostic> {
        let mut files = Vec::new();
        for path in &self.outputs {
            let form = Form::of_name(&path.to_string_lossy()).ok_or_else(|| {
                let endings: Vec<_> = Form::ENDINGS.iter().map(|(ending, _)| *ending).collect();
                Diagnostic::error(format!("unknown report format: `{}`", path.display()))
                    .help(format!("supported extensions are {}", endings.join(", ")))
            })?;
            files.push((form, path.clone(), Destination::prepare(path, &context.interrupt)?));
        }
        let known = Known {
            baseline: self.baseline.as_deref().map(read_baseline).transpose()?,
            suppressed: self.suppress.as_deref().map(read_baseline).transpose()?,
        };
        Ok((Publisher { files }, known))
    }
}

impl Publisher {
    /// Writes the files.
    pub(crate) fn write(self, report: &Report, context: &Context) -> Result<(), Diagnostic> {
        for (form, path, destination) in self.files {
            let text = render(report, form, &Styles::plain());
            let n = text.len() as u64;
            destination.write(|out| out.write_all(text.as_bytes()))?;
            let name = destination::name(&path);
            context.show(&Diagnostic::note(format!("wrote {name} ({})", bytes(n))));
        }
        Ok(())
    }
}

/// Prints a report.
pub(crate) fn print(report: &Report, form: Form, context: &Context) -> Result<(), Diagnostic> {
    match form {
        Form::Json => output::print_findings(report),
        form => output::print_text(&render(report, form, &context.styles())),
    }
}

/// A report in a form. In SARIF, files below the current directory are named relative to it: code scanning
/// looks for them in a repository.
fn render(report: &Report, form: Form, styles: &Styles) -> String {
    match (form, env::current_dir()) {
        (Form::Sarif, Ok(here)) => sarif::render_below(report, &here.to_string_lossy()),
        _ => form.render(report, styles),
    }
}

impl Known {
    /// Whether nothing is known.
    pub(crate) fn is_empty(&self) -> bool {
        self.baseline.is_none() && self.suppressed.is_none()
    }

    /// Notes in a finding whether it is known, if there is a baseline.
    pub(crate) fn mark(&self, finding: &mut Finding) {
        if self.baseline.is_none() {
            return;
        }
        let causes = finding.causes.iter().map(|cause| cause.fingerprint);
        let new: Vec<_> = causes.filter(|&cause| !self.contains(cause)).collect();
        let is_known = self.contains(finding.fingerprint) && new.is_empty();
        finding.details.insert("known".to_owned(), json!(is_known));
        if !new.is_empty() {
            finding.details.insert("new_causes".to_owned(), json!(new));
        }
    }

    /// Whether a finding, or one of its causes, is neither known nor suppressed.
    pub(crate) fn is_new(&self, finding: &Finding) -> bool {
        let causes = finding.causes.iter().map(|cause| cause.fingerprint);
        !causes.chain([finding.fingerprint]).all(|one| self.contains(one))
    }

    /// Whether a finding is not to be shown: it is suppressed, and nothing that causes it is new.
    pub(crate) fn is_suppressed(&self, finding: &Finding) -> bool {
        let listed =
            self.suppressed.as_ref().is_some_and(|list| list.contains(finding.fingerprint));
        listed && !self.is_new(finding)
    }

    /// Whether a fingerprint is known or suppressed.
    fn contains(&self, fingerprint: Fingerprint) -> bool {
        let mut lists = self.baseline.iter().chain(&self.suppressed);
        lists.any(|known| known.contains(fingerprint))
    }

    /// Marks a whole report, and leaves out what is suppressed; says how many findings are new.
    pub(crate) fn sift(&self, report: &mut Report, context: &Context) -> usize {
        let n_all = report.findings.len();
        report.findings.retain(|finding| !self.is_suppressed(finding));
        report.findings.iter_mut().for_each(|finding| self.mark(finding));
        let n_new = report.findings.iter().filter(|finding| self.is_new(finding)).count();
        if !self.is_empty() {
            let n_suppressed = n_all - report.findings.len();
            let n_known = report.findings.len() - n_new;
            let counts = format!("{n_new} new, {n_known} known, {n_suppressed} suppressed");
            context.show(&Diagnostic::note(format!("{}: {counts}", counted(n_all, "finding"))));
        }
        n_new
    }
}

/// A baseline, or the findings of a report.
fn read_baseline(path: &Path) -> Result<Baseline, Diagnostic> {
    let cannot = || Diagnostic::error(format!("cannot read the baseline `{}`", path.display()));
    let text = fs::read_to_string(path).map_err(|error| cannot().because(&error))?;
    if text.trim_start().starts_with('{') {
        let report = Report::from_json(&text).map_err(|error| cannot().because(&error))?;
        return Ok(Baseline::of(&report));
    }
    text.parse().map_err(|error: raddle_finding::BaselineError| cannot().because(&error))
}
