//! Which of the blocks that one line asked for a block is.

use rustc_hash::FxHashMap;

/// Counts what lines ask for.
#[derive(Default)]
pub(super) struct Asked {
    /// Per address of code, its line.
    lines: FxHashMap<u64, usize>,
    numbers: FxHashMap<String, usize>,
    /// Per line, how often it has asked.
    counts: Vec<u32>,
}

impl Asked {
    /// How often the line of an address has asked, with this time; `name` is what is asked for there.
    pub(super) fn again(&mut self, pc: u64, name: impl FnOnce() -> String) -> u32 {
        let Asked { lines, numbers, counts } = self;
        let line = *lines.entry(pc).or_insert_with(|| {
            let next = numbers.len();
            *numbers.entry(name()).or_insert(next)
        });
        counts.resize(numbers.len(), 0);
        counts[line] += 1;
        counts[line]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_one_line_count_together() {
        let mut asked = Asked::default();
        let mut again = |pc: u64, line: &str| asked.again(pc, || line.to_owned());
        assert_eq!([again(1, "a"), again(2, "b"), again(3, "a"), again(1, "a")], [1, 1, 2, 3]);
    }
}
