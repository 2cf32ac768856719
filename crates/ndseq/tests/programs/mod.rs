//! The corpus after Table 1 of S1: what is inferred for each program is what its header says.

mod sequential;
mod structure;
mod support;

use std::fs;

use support::{Answer, corpus, infer};

#[test]
fn every_program_of_the_corpus_has_the_specification_of_its_header() {
    let mut files: Vec<_> = fs::read_dir(corpus()).unwrap().map(|f| f.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "c"));
    files.sort();
    assert!(files.len() >= 18, "the corpus is there");
    let mut wrong = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let field = |name: &str| {
            let mark = format!("// {name}:");
            text.lines().find_map(|line| line.strip_prefix(&mark)).map(|v| v.trim().to_owned())
        };
        let focus = field("focus").unwrap();
        let Answer { verdict, if_star, n_traces } = infer(&file, &focus, 12);
        let expected = (field("expect").unwrap(), field("if(*)").unwrap_or_default());
        let found = (verdict, if_star.join(", "));
        if found != expected || n_traces == 0 {
            wrong.push(format!("{}: {found:?} instead of {expected:?}", file.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
