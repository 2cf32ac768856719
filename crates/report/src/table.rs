//! Tables for people.

/// The lines of a table, with its columns two spaces apart. Those in `left` are aligned to the
/// left, all others to the right. All rows have as many cells as the first one.
pub fn lines(rows: &[Vec<String>], left: &[usize]) -> Vec<String> {
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
    fn columns_are_as_wide_as_their_widest_cell() {
        let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        let rows = [row(["a", "é", ""]), row(["bcd", "10", "why"])];
        assert_eq!(lines(&rows, &[0, 2]), ["a     é", "bcd  10  why"]);
    }
}
