//! Tables for people: of labels, numbers and remarks, or of any columns.

pub(crate) use raddle_report::table::lines;

use crate::output::Styles;
use raddle_report::sanitise::visible;

/// Rows of a label, a value and a remark.
#[derive(Default)]
pub(crate) struct Table {
    rows: Vec<Row>,
}

struct Row {
    label: String,
    value: String,
    remark: String,
}

impl Table {
    /// Adds a row; the remark may be empty.
    pub(crate) fn row(
        &mut self,
        label: impl Into<String>,
        value: impl Into<String>,
        remark: impl Into<String>,
    ) {
        self.rows.push(Row { label: label.into(), value: value.into(), remark: remark.into() });
    }

    /// The table as text: labels to the left, values to the right, remarks behind them.
    pub(crate) fn render(&self, styles: &Styles) -> String {
        let width = |of: fn(&Row) -> &str| {
            self.rows.iter().map(|row| of(row).chars().count()).max().unwrap_or(0)
        };
        let (labels, values) = (width(|row| &row.label), width(|row| &row.value));
        let mut text = String::new();
        for Row { label, value, remark } in &self.rows {
            let line = format!("{:<labels$}  {:>values$}", visible(label), visible(value));
            let remark = visible(remark);
            if remark.is_empty() {
                text.push_str(line.trim_end());
            } else {
                let dim = styles.dim;
                text.push_str(&format!("{line}  {dim}{remark}{dim:#}"));
            }
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_aligned_to_the_right() {
        let mut table = Table::default();
        table.row("events", "1,000", "");
        table.row("  reads", "7", "0.7 %");
        let expected = "events   1,000\n  reads      7  0.7 %\n";
        assert_eq!(table.render(&Styles::plain()), expected);
    }
}
