//! Programs made at random do on the machine what they do when the system's C compiler compiles
//! them.
//!
//! `RADDLE_GENERATED=2000` sets the number of programs, `RADDLE_GENERATED_FROM=700` the first seed.
//! A program that fails is left in the target directory under the name of its seed; its output has
//! a line after each group of statements, so that the first difference shows where to look.

mod aggregate;
mod expression;
mod program;
mod scope;
mod statement;
mod types;

use std::path::Path;

use crate::compare;

#[test]
fn programs_do_what_the_compiled_ones_do() {
    let number = |name: &str, default| {
        std::env::var(name).map_or(default, |text| text.parse::<u64>().unwrap())
    };
    let first = number("RADDLE_GENERATED_FROM", 1);
    let seeds: Vec<u64> = (first..first + number("RADDLE_GENERATED", 24)).collect();
    let failures = compare::failures(&seeds, |&seed| check(seed));
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), seeds.len(), failures.join("\n"));
}

fn check(seed: u64) -> Result<(), String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = folder.join(format!("generated-{seed}.c"));
    std::fs::write(&file, program::program(seed)).unwrap();
    compare(&file).map_err(|failure| format!("{}: {failure}", file.display()))?;
    std::fs::remove_file(&file).unwrap();
    Ok(())
}

fn compare(file: &Path) -> Result<(), String> {
    let expected = compare::native(file)?;
    let mut machine = compare::machine(file)?;
    machine.run_default(&mut ());
    compare::compare(&expected, &compare::seen(&machine)?)
}
