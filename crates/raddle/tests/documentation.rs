//! The book shows what its first example really says.

// In a file of its own, so that its lines are those of the book.
include!("shared/documented/lib.rs");

/// The text behind the first line that begins with a mark, up to the end of the block.
fn block<'a>(book: &'a str, mark: &str) -> &'a str {
    let (_, rest) = book.split_once(&format!("\n{mark}\n")).unwrap();
    rest.split_once("```").unwrap().0
}

/// The text without what depends on where the example is.
fn steady(text: &str) -> String {
    let line = |line: &str| match line.split_once("rs1:") {
        Some((before, schedule)) => {
            format!("{before}rs1:…:{}", schedule.split_once(':').unwrap().1)
        }
        None => line.trim_end().to_owned(),
    };
    let text = text.replace("crates/raddle/tests/shared/documented/", "src/");
    text.trim_end().lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_example_of_the_book_says_what_the_book_shows() {
    let book = include_str!("../../../docs/src/rust.md");
    let example = include_str!("shared/documented/lib.rs").replace(" #[should_panic]", "");
    assert_eq!(block(book, "```rust"), example);
    let thread = std::thread::Builder::new().name("counts".to_owned()).spawn(counts).unwrap();
    let said = thread.join().unwrap_err().downcast::<String>().unwrap();
    assert_eq!(steady(&said), steady(block(book, "```text")));
}
