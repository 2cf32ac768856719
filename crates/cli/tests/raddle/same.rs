//! The same bug, through the machine, as a binary and in Rust, reads the same.
//!
//! Before texts are compared, this is made equal, and nothing else is:
//!
//! - S1: files and lines, since programs are different files, and blanks, since columns are as wide as names.
//! - S2: lines of the source and the marks below them, since C is not Rust.
//! - S3: names of locks: in Rust a lock has none, and is called after the place where it was made.
//! - S4: the event hash, which the library does not make: a fingerprint stands in its line.
//! - S5: the command that replays it.
//!
//! Interleavings are tried in the same order everywhere, so that none shows the mirror image of another's.

use crate::binaries;
use crate::harness::Dir;

/// `corpus/c/ab_ba.c`, in Rust.
fn ab_ba() {
    use raddle::sync::{Arc, Mutex};
    use raddle::thread::Builder;
    let (a, b) = (Arc::new(Mutex::new(())), Arc::new(Mutex::new(())));
    let (first, second) = (a.clone(), b.clone());
    let up = move || {
        let _a = first.lock().unwrap();
        let _b = second.lock().unwrap();
    };
    let down = move || {
        let _b = b.lock().unwrap();
        let _a = a.lock().unwrap();
    };
    let up = Builder::new().name("go_up#1".to_owned()).spawn(up).unwrap();
    let down = Builder::new().name("go_down#1".to_owned()).spawn(down).unwrap();
    up.join().unwrap();
    down.join().unwrap();
}

/// The text of the first finding.
fn first(text: &str) -> &str {
    let end = text.find("replay:").unwrap();
    let line = text[end..].find('\n').map_or(text.len(), |line| end + line);
    &text[..line]
}

/// The text without S1 to S5. Locks are numbered as they are named first.
fn normal(text: &str, source: &str) -> String {
    let (mut lines, mut locks) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let mut words: Vec<String> = Vec::new();
        for word in without_source(line, source).split_whitespace() {
            let bare = word.trim_end_matches([',', ':']);
            let after = &word[bare.len()..];
            let word = match bare {
                "|" | "..." => continue,
                _ if bare.contains(".c") || bare.contains(".rs") && !bare.contains('@') => "PLACE",
                "a" | "b" => lock(&mut locks, bare),
                _ if bare.starts_with("mutex@") => lock(&mut locks, bare),
                _ if bare.starts_with('^') => "^",
                _ => bare,
            };
            words.push(format!("{word}{after}"));
        }
        let line = words.join(" ");
        lines.push(match line.split(' ').next().unwrap_or_default() {
            "replay:" => "replay: COMMAND".to_owned(),    // S5
            "event" | "fingerprint" => "HASH".to_owned(), // S4
            _ if line.bytes().all(|b| b.is_ascii_digit()) => continue, // S2
            _ => line,
        });
    }
    lines.retain(|line| !line.is_empty());
    lines.join("\n")
}

fn lock(locks: &mut Vec<String>, name: &str) -> &'static str {
    let known = locks.iter().position(|lock| lock == name).unwrap_or_else(|| {
        locks.push(name.to_owned());
        locks.len() - 1
    });
    ["LOCK-1", "LOCK-2", "LOCK-3"][known]
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

#[test]
fn a_deadlock() {
    let dir = Dir::corpus("ab_ba.c");
    let source = dir.text("ab_ba.c");
    let machine = dir.raddle("explore ab_ba.c --strategy icb -q").exits(1).stdout;
    let machine = normal(first(&machine), &source);
    let built = binaries::dir("ab_ba");
    let explore = "explore ./ab_ba --strategy icb -q";
    let binary = binaries::raddle(&built, explore).exits(1).stdout;
    assert_eq!(normal(first(&binary), &source), machine);
    let config = raddle::Config::new().search(raddle::Search::Bounded);
    let found = config.explore(ab_ba).findings[0].to_string();
    assert_eq!(normal(&found, include_str!("same.rs")), machine);
}
