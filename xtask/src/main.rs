//! Chores of this repository: `cargo xtask test`, `soak`, `tidy`, `dist`, `pictures`, `corpus`.

mod corpus;
mod dist;
mod pictures;
mod soak;
mod test;
mod tidy;

use anyhow::{Result, bail};

const USAGE: &str = "usage: cargo xtask CHORE
  test      runs the tests that this machine has the tools for, and lists the others;
            --install installs those tools first, --no-skip refuses to run without them
  soak      runs the long forms of tests with random inputs: all, or the one named
  tidy      checks layers and documents
  dist      makes a tar.zst and a package for Debian of the release build
  pictures  makes the pictures of the book
  corpus    checks every program of the corpus, and says how long that takes";

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["test", ref rest @ ..] => test::run(rest),
        ["soak"] => soak::run(None),
        ["soak", name] => soak::run(Some(name)),
        ["dist"] => dist::run(),
        ["tidy"] => tidy::run(),
        ["pictures"] => pictures::run(),
        ["corpus"] => corpus::run(),
        _ => bail!(USAGE),
    }
}
