//! The text of a finding without what differs between C and Rust (S1 to S6).

/// The first finding of a report, line by line. What is in `names` is a name.
pub(super) fn normal(text: &str, source: &str, names: &[&str]) -> String {
    let mut names = Names::new(names, &[]);
    let mut lanes = Lanes::new(source);
    let mut lines = Vec::new();
    for line in unwrapped(first(text)).lines() {
        let (row, column) = (lanes.row(line), lanes.lane(line));
        let mut words: Vec<_> =
            row.split_whitespace().filter_map(|word| names.normal(word)).collect();
        if words.first().is_some_and(|word| word == "in") {
            words.drain(..2); // S1
        }
        match words.first().map(String::as_str) {
            None => continue,
            Some("replay:") => words.truncate(1), // S5
            Some("replay") => words.truncate(4),  // S5
            Some("event") => continue,            // S4
            _ if words.iter().all(|word| word.bytes().all(|b| b.is_ascii_digit())) => continue, // S2
            _ => {}
        }
        lines.push(match column {
            Some(column) => format!("{column}: {}", words.join(" ")),
            None => words.join(" "),
        });
    }
    lines.join("\n") + "\n"
}

/// All findings of a report, but for hashes (S4), commands that replay them (S5) and addresses (S6). Places are
/// those of a file in the current folder, wherever it was built.
pub(super) fn findings(text: &str, folder: &str) -> String {
    let end = text.rfind("replay:").unwrap();
    let text = unwrapped(&text[..end].replace(&format!("{folder}/"), ""));
    let normal = |line: &str| {
        let keys = ["replay: ", " alone: ", "event hash "];
        let key = keys.into_iter().find_map(|key| Some(line.find(key)? + key.len()));
        line[..key.unwrap_or(line.len())].to_owned()
    };
    let lines: Vec<_> = text.lines().map(normal).collect();
    without_addresses(&lines.join("\n")) + "\n"
}

/// The text with the heading of a race in one line: how long it is depends on where files are.
fn unwrapped(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        match lines.last_mut() {
            Some(last) if last.starts_with("race: ") && !last.contains("nothing orders them") => {
                last.push(' ');
                last.push_str(line.trim());
            }
            _ => lines.push(line.to_owned()),
        }
    }
    lines.join("\n")
}

/// S6. Texts may be cut behind what is as long as its column is wide, so lines of the source are left out that stand
/// beside an address.
fn without_addresses(text: &str) -> String {
    let line = |line: &str| {
        let is_long = |at: &usize| line[at + 4..].len() > 6;
        let old = line.find("= 0x").filter(is_long);
        let new = line.find("> 0x").filter(is_long);
        match (old, new) {
            (Some(at), _) => {
                line[..at + 4].to_owned() + if line.contains("-> 0") { "… -> 0" } else { "…" }
            }
            (None, Some(at)) => line[..at + 4].to_owned() + "…",
            (None, None) => line.to_owned(),
        }
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// The columns of interleavings in a text.
pub(crate) struct Lanes<'a> {
    source: &'a str,
    /// Where they begin.
    columns: Vec<usize>,
}

impl<'a> Lanes<'a> {
    pub(crate) fn new(source: &'a str) -> Lanes<'a> {
        Lanes { source, columns: Vec::new() }
    }

    /// A row without the line of the source at its end.
    pub(crate) fn row<'t>(&self, line: &'t str) -> &'t str {
        without_source(line, self.source)
    }

    /// In which column the next row has something, if it is one of an interleaving.
    pub(crate) fn lane(&mut self, line: &str) -> Option<usize> {
        let row = self.row(line);
        if is_below(row) {
            self.columns.clear();
        }
        let column = column(row, &self.columns);
        if row.starts_with("      ") && row.split_whitespace().next() == Some("main") {
            self.columns = starts(row);
        }
        column
    }
}

/// The text of the first finding.
fn first(text: &str) -> &str {
    let end = text.find("replay:").unwrap();
    let line = text[end..].find('\n').map_or(text.len(), |line| end + line);
    &text[..line]
}

/// Names, numbered as they are met.
pub(super) struct Names<'a> {
    known: &'a [&'a str],
    /// Those of threads.
    threads: &'a [&'a str],
    met: Vec<String>,
}

impl<'a> Names<'a> {
    pub(super) fn new(known: &'a [&'a str], threads: &'a [&'a str]) -> Names<'a> {
        Names { known, threads, met: Vec::new() }
    }

    /// A word without what differs; none if nothing is left of it.
    pub(super) fn normal(&mut self, word: &str) -> Option<String> {
        let bare = word.trim_matches(['`', ',', ':', '(', ')']);
        let is_hash = bare.len() == 16 && bare.bytes().all(|b| b.is_ascii_hexdigit());
        let new = match bare {
            "|" | "..." => return None,
            _ if bare.contains('@') || self.known.contains(&bare) => self.number(bare),
            _ if self.threads.contains(&bare) => self.number(bare).replace("NAME", "THREAD"),
            _ if bare.contains(".c:") || bare.contains(".rs:") => return place(word),
            _ if bare.ends_with(".c") || bare.ends_with(".rs") => "PLACE".to_owned(),
            _ if is_hash => "HASH".to_owned(), // S4
            _ if bare.starts_with('^') => "^".to_owned(),
            _ => return Some(word.to_owned()),
        };
        Some(if bare.is_empty() { word.to_owned() } else { word.replace(bare, &new) })
    }

    fn number(&mut self, name: &str) -> String {
        let known = self.met.iter().position(|met| met == name).unwrap_or_else(|| {
            self.met.push(name.to_owned());
            self.met.len() - 1
        });
        format!("NAME-{}", known + 1)
    }
}

/// A place with what follows it in a sentence.
fn place(word: &str) -> Option<String> {
    let after = if word.ends_with(',') { "," } else { "" };
    Some(format!("PLACE{after}"))
}

/// Where words begin.
fn starts(line: &str) -> Vec<usize> {
    let chars: Vec<_> = line.chars().collect();
    let begins = |&at: &usize| chars[at] != ' ' && (at == 0 || chars[at - 1] == ' ');
    (0..chars.len()).filter(begins).collect()
}

/// In which column of the interleaving a row has something, if it is one of it.
fn column(row: &str, columns: &[usize]) -> Option<usize> {
    let &first = columns.first()?;
    let at = starts(row).into_iter().find(|&at| at >= first)?;
    Some(columns.iter().filter(|&&column| column <= at).count() - 1)
}

/// Whether a row comes below the interleaving: it begins further to the left.
fn is_below(row: &str) -> bool {
    row.starts_with("  ") && !row.starts_with("   ") && !row.starts_with("  ▶")
}

/// A row without the line of the source at its end, which may be cut.
fn without_source<'a>(row: &'a str, source: &str) -> &'a str {
    let is_end = |end: &str| {
        let begin = end.trim_end_matches('…');
        let squeeze = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        begin.len() > 8
            && source.lines().any(|line| {
                let line = squeeze(line);
                if begin == end { line == end } else { line.starts_with(begin) }
            })
    };
    let starts = row.match_indices(|c: char| !c.is_whitespace()).map(|(at, _)| at);
    let start = starts.into_iter().find(|&at| is_end(&row[at..]));
    &row[..start.unwrap_or(row.len())]
}
