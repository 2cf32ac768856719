//! Tables for people: of labels, numbers and remarks, or of any columns.

use crate::output::Styles;
use crate::sanitise::visible;

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

/// The lines of a table, with its columns two spaces apart. Those in `left` are aligned to the
/// left, all others to the right. All rows have as many cells as the first one.
pub(crate) fn lines(rows: &[Vec<String>], left: &[usize]) -> Vec<String> {
    let n_columns = rows.first().map_or(0, Vec::len);
    let width = |n: usize| rows.iter().map(|row| row[n].chars().count()).max().unwrap_or(0);
    let widths: Vec<_> = (0..n_columns).map(width).collect();
    let line = |row: &Vec<String>| {
        let cell = |(n, text): (usize, &String)| match left.contains(&n) {
            true => format!("{text:<0$}", widths[n]),
            false => format!("{text:>0$}", widths[n]),
        };
        let cells: Vec<_> = row.iter().enumerate().map(cell).collect();
        cells.join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
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

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        let rows = [row(["a", "é", ""]), row(["bcd", "10", "why"])];
        assert_eq!(lines(&rows, &[0, 2]), ["a     é", "bcd  10  why"]);
    }
}
