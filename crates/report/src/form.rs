//! The forms of a report, by name and by the ending of a file.

use raddle_finding::{Baseline, Report};

use crate::csv::{self, Table};
use crate::text::{self, Styles};
use crate::{html, junit, perfetto, sarif, short};

/// The form of a report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// For people.
    Text,
    /// One line a finding.
    Short,
    /// `raddle.findings/1`.
    Json,
    /// One page with everything in it.
    Html,
    /// SARIF 2.1.0.
    Sarif,
    /// JUnit XML.
    Junit,
    /// Chrome's trace format.
    Perfetto,
    /// A table.
    Csv(Table),
    /// The fingerprints, as a baseline.
    Baseline,
}

impl Form {
    /// What ends of file names stand for.
    pub const ENDINGS: [(&'static str, Form); 9] = [
        (".txt", Form::Text),
        (".perfetto.json", Form::Perfetto),
        (".sarif.json", Form::Sarif),
        (".sarif", Form::Sarif),
        (".json", Form::Json),
        (".html", Form::Html),
        (".xml", Form::Junit),
        (".csv", Form::Csv(Table::Findings)),
        (".baseline", Form::Baseline),
    ];

    /// The form that the name of a file asks for.
    pub fn of_name(name: &str) -> Option<Form> {
        let name = name.to_ascii_lowercase();
        Form::ENDINGS.iter().find(|(ending, _)| name.ends_with(ending)).map(|(_, form)| *form)
    }

    /// A report in this form.
    pub fn render(self, report: &Report, styles: &Styles) -> String {
        match self {
            Form::Text => text::render(report, styles),
            Form::Short => short::render(report),
            Form::Json => report.to_json(),
            Form::Html => html::render(report),
            Form::Sarif => sarif::render(report),
            Form::Junit => junit::render(report),
            Form::Perfetto => perfetto::render(report),
            Form::Csv(table) => csv::render(report, table),
            Form::Baseline => Baseline::of(report).to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_ending_counts() {
        assert_eq!(Form::of_name("a.perfetto.json"), Some(Form::Perfetto));
        assert_eq!(Form::of_name("a.sarif.json"), Some(Form::Sarif));
        assert_eq!(Form::of_name("A.JSON"), Some(Form::Json));
        assert_eq!(Form::of_name("json"), None);
    }
}
