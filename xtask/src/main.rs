//! Chores of this repository: `cargo xtask tidy`.

mod tidy;

use anyhow::{Result, bail};

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["tidy"] => tidy::run(),
        _ => bail!("usage: cargo xtask tidy    checks that the house is in order"),
    }
}
