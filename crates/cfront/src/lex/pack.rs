//! `#pragma pack`, the one directive left by the preprocessor that changes what a program means.
//!
//! In: directive lines in their order. Out: how records are packed at any position. As in gcc,
//! what cannot be understood changes nothing.

/// How records are packed, from which position on.
#[derive(Debug, Default)]
pub struct Packing {
    current: Option<u8>,
    pushed: Vec<Option<u8>>,
    /// Positions in ascending order and what holds from there on.
    changes: Vec<(u32, Option<u8>)>,
}

impl Packing {
    /// The largest alignment of members at a position, if it is limited.
    pub fn at(&self, position: u32) -> Option<u8> {
        let after = self.changes.partition_point(|(start, _)| *start <= position);
        after.checked_sub(1).and_then(|last| self.changes[last].1)
    }

    /// Reads a line that starts with `#`.
    pub(super) fn directive(&mut self, line: &[u8], position: u32) {
        if let Some(arguments) = arguments(line) {
            self.pack(&arguments);
            self.changes.push((position, self.current));
        }
    }

    /// `pack()`, `pack(n)`, `pack(push)`, `pack(push, n)`, `pack(pop)`; names of pushes are
    /// dropped.
    fn pack(&mut self, arguments: &str) {
        let mut words = arguments.split(',').map(str::trim).peekable();
        match words.peek() {
            Some(&"push") => self.pushed.push(self.current),
            Some(&"pop") => self.current = self.pushed.pop().unwrap_or(None),
            Some(&"") => self.current = None,
            _ => {}
        }
        match words.find_map(|word| word.parse::<u8>().ok()) {
            Some(0) => self.current = None,
            Some(limit @ (1 | 2 | 4 | 8 | 16)) => self.current = Some(limit),
            _ => {}
        }
    }
}

/// What stands in the parentheses of `#pragma pack(…)`.
fn arguments(line: &[u8]) -> Option<String> {
    let rest = line.strip_prefix(b"#")?.trim_ascii_start().strip_prefix(b"pragma")?;
    let rest = rest.trim_ascii_start().strip_prefix(b"pack")?.trim_ascii_start();
    let inside = rest.strip_prefix(b"(")?.split(|byte| *byte == b')').next()?;
    Some(String::from_utf8_lossy(inside).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(lines: &[&str], expected: Option<u8>) {
        let mut packing = Packing::default();
        for (line, position) in lines.iter().zip(10..) {
            packing.directive(line.as_bytes(), position);
        }
        assert_eq!((packing.at(5), packing.at(100)), (None, expected));
    }

    #[test]
    fn limits_hold_until_they_are_taken_back() {
        check(&["#pragma pack(1)"], Some(1));
        check(&["# pragma  pack ( 4 ) "], Some(4));
        check(&["#pragma pack(1)", "#pragma pack()"], None);
        check(&["#pragma pack(1)", "#pragma pack(0)"], None);
    }

    #[test]
    fn limits_are_pushed_and_popped() {
        check(&["#pragma pack(push, 2)"], Some(2));
        check(&["#pragma pack(8)", "#pragma pack(push)", "#pragma pack(1)"], Some(1));
        check(&["#pragma pack(8)", "#pragma pack(push, 1)", "#pragma pack(pop)"], Some(8));
        check(&["#pragma pack(push, name, 1)", "#pragma pack(pop, name)"], None);
        check(&["#pragma pack(pop)"], None);
    }

    #[test]
    fn other_lines_change_nothing() {
        check(&["#pragma pack(3)", "#pragma packed(1)", "# 1 \"pack(1)\"", "#pragma pack"], None);
    }
}
