//! Reports as documents: `raddle.findings/1`, and the forms that are made of it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::{env, fs, io};

use raddle_finding::{Input, Report as Document};
use raddle_report::source;
use serde_json::{Value, json};

use super::claim;
use super::{Finding, Report, Stage};

/// A document of one finding, with the lines that it is about.
pub(super) fn alone(finding: &Finding) -> Document {
    let sources = Sources::default();
    let mut document = Document::new(Input::named(""));
    document.sources =
        source::sources([finding.document.get()], &|file, line| sources.line(file, line));
    document
}

impl Report {
    /// What was found and covered, as the JSON that `raddle report` shows in any format.
    pub fn to_json(&self) -> String {
        self.document().to_json()
    }

    /// Writes a report to a file, in the format of its extension.
    pub(crate) fn write(&self, path: &Path) -> io::Result<()> {
        let text = rendered(&path.to_string_lossy(), &self.document())?;
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(path, text)
    }

    fn document(&self) -> Document {
        let sources = Sources::default();
        let mut document = Document::new(Input::named(&*self.test));
        document.findings =
            self.findings.iter().map(|finding| finding.document.get().clone()).collect();
        document.sources =
            source::sources(&document.findings, &|file, line| sources.line(file, line));
        document.stats.insert("exploration".to_owned(), self.exploration());
        let bounds = self.bounds.iter().map(|row| self.row(row)).collect();
        document.stats.insert("bounds".to_owned(), bounds);
        document.timing.insert("total_s".to_owned(), self.time.as_secs_f64().into());
        document
    }

    fn exploration(&self) -> Value {
        let endless = self.endless.iter();
        let endless: Vec<_> =
            endless.map(|(place, n)| json!({ "place": place, "operations": n })).collect();
        json!({
            "strategy": self.strategy,
            "unit": "preemptions",
            "ending": self.ending,
            "exhausted": self.exhausted,
            "executions": self.executions,
            "lost": self.lost,
            "spins": self.spins,
            "claim": claim::headline(self),
            "guarantee": claim::guarantee(self),
            "endless": endless,
            "complete": self.exhausted,
            "conditions": claim::conditions(self),
            "maxima": {
                "threads": self.threads,
                "steps": self.points,
                "blocking_steps": self.maxima.blocking,
                "preemptions": self.maxima.preemptions,
            },
        })
    }

    fn row(&self, (stage, executions): &(Stage, u64)) -> Value {
        let bound = match stage {
            Stage::Any => None,
            Stage::Bound(bound) => Some(*bound),
        };
        let is_complete = bound.is_some_and(|bound| self.complete_to >= Some(bound));
        json!({ "bound": bound, "executions": executions, "states": null, "complete": is_complete })
    }
}

/// The document in the form that the name of a file asks for.
#[cfg(feature = "report")]
fn rendered(name: &str, document: &Document) -> io::Result<String> {
    use raddle_report::Form;
    let form = Form::of_name(name).ok_or_else(|| {
        let endings: Vec<_> = Form::ENDINGS.iter().map(|(ending, _)| *ending).collect();
        io::Error::other(format!("the extensions of reports are {}", endings.join(", ")))
    })?;
    Ok(form.render(document, &super::Styles::plain()))
}

/// The same without the feature: all other forms can be made of the JSON.
#[cfg(not(feature = "report"))]
fn rendered(name: &str, document: &Document) -> io::Result<String> {
    match name.ends_with(".json") {
        true => Ok(document.to_json()),
        false => {
            Err(io::Error::other("without the feature `report`, only .json reports can be written"))
        }
    }
}

/// The files of the program. The compiler names them as seen from the folder that it ran in, which is that of
/// the workspace; tests run in the folder of their package.
#[derive(Default)]
struct Sources {
    files: RefCell<BTreeMap<String, Vec<String>>>,
}

impl Sources {
    fn line(&self, file: &str, number: u32) -> Option<String> {
        let mut files = self.files.borrow_mut();
        let lines = files.entry(file.to_owned()).or_insert_with(|| read(file).unwrap_or_default());
        lines.get(number.checked_sub(1)? as usize).cloned()
    }
}

fn read(file: &str) -> Option<Vec<String>> {
    let here = env::current_dir().ok()?;
    let path = here.ancestors().map(|folder| folder.join(file)).find(|path| path.is_file())?;
    let text = String::from_utf8_lossy(&fs::read(path).ok()?).into_owned();
    Some(text.lines().map(str::to_owned).collect())
}
