//! Chores of this repository: `cargo xtask tidy`, `pictures`, `corpus`.

mod corpus;
mod pictures;
mod tidy;

use anyhow::{Result, bail};

const USAGE: &str = "usage: cargo xtask CHORE
  tidy      checks that the house is in order
  pictures  makes the pictures of the book
  corpus    checks every program of the corpus, and says how long that takes";

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["tidy"] => tidy::run(),
        ["pictures"] => pictures::run(),
        ["corpus"] => corpus::run(),
        _ => bail!(USAGE),
    }
}
