//! The whole way: files in, a linked program out.
//!
//! The embedded library is preprocessed with the same compiler and the same data model, as one
//! unit that includes all its files. Parsing and lowering recurse with the nesting of the program,
//! so they run on a thread with a large stack.

use std::hash::Hasher;
use std::path::{Path, PathBuf};

use rustc_hash::FxHasher;

use crate::diagnostic::{Diagnostic, Error, Report};
use crate::ir::Program;
use crate::library;
use crate::lower::{self, Unit};
use crate::parse;
use crate::preprocess::{self, Options};
use crate::source::SourceMap;

/// Enough for the deepest nesting that the parser accepts; pages that are not used cost nothing.
const STACK: usize = 512 << 20;

/// A program, and what should be looked at in it.
#[derive(Debug)]
pub struct Compiled {
    /// The program.
    pub program: Program,
    /// Warnings.
    pub warnings: Vec<Report>,
}

/// A preprocessed file.
struct Text {
    name: String,
    text: String,
    library: bool,
}

/// Compiles the files of one program.
pub fn compile(files: &[PathBuf], options: &Options) -> Result<Compiled, Error> {
    let mut texts = Vec::with_capacity(files.len() + 1);
    for file in files {
        let text = preprocess::preprocess(file, options, library::HEADERS)?;
        texts.push(Text { name: file.display().to_string(), text, library: false });
    }
    texts.push(library_text(options)?);
    on_large_stack(|| build(texts, options))
}

/// The embedded library as one text.
fn library_text(options: &Options) -> Result<Text, Error> {
    let directory = tempfile::tempdir().map_err(Error::Headers)?;
    let mut headers = library::HEADERS.to_vec();
    headers.extend_from_slice(library::INTERNAL_HEADERS);
    headers.extend_from_slice(library::SOURCES);
    let unit: String = library::SOURCES
        .iter()
        .filter(|(name, _)| name.ends_with(".c"))
        .map(|(name, _)| format!("#include <{name}>\n"))
        .collect();
    let file = directory.path().join("library.c");
    std::fs::write(&file, unit).map_err(Error::Headers)?;
    let own =
        Options { compiler: options.compiler.clone(), model: options.model, ..Options::default() };
    let text = preprocess::preprocess(&file, &own, &headers)?;
    let text = text.replace(&*file.to_string_lossy(), "<library>");
    Ok(Text { name: "<library>".to_owned(), text, library: true })
}

fn on_large_stack<T: Send>(work: impl FnOnce() -> Result<T, Error> + Send) -> Result<T, Error> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        let thread = thread.map_err(Error::Headers)?;
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn build(texts: Vec<Text>, options: &Options) -> Result<Compiled, Error> {
    let mut sources = SourceMap::new();
    let mut hasher = FxHasher::default();
    hasher.write_u8(options.model as u8);
    for (name, contents) in library::HEADERS {
        sources.provide(&format!("<{name}>"), contents);
    }
    for (name, contents) in library::INTERNAL_HEADERS.iter().chain(library::SOURCES) {
        sources.provide(&format!("<{name}>"), contents);
    }
    let (mut units, mut errors) = (Vec::with_capacity(texts.len()), Vec::new());
    for Text { name, text, library } in texts {
        if !library {
            hash_program(&mut hasher, &text);
        }
        let base = sources.add(&name, text)?;
        match parse::unit(sources.whole_text(base).as_bytes(), base) {
            Ok(tree) => units.push(Unit { tree, library }),
            Err(mut found) => errors.append(&mut found),
        }
    }
    if !errors.is_empty() {
        return Err(Error::diagnostics(&errors, &sources));
    }
    let how = lower::Options { model: options.model, transactions: options.transactions.clone() };
    match lower::program(&units, &how, sources, hasher.finish()) {
        Ok((program, warnings)) => {
            let warnings = warnings.iter().map(|found| found.resolve(&program.sources)).collect();
            Ok(Compiled { program, warnings })
        }
        Err((found, sources)) => Err(Error::diagnostics(&serious(found), &sources)),
    }
}

/// Line markers name paths, which do not belong to what a program is.
fn hash_program(hasher: &mut FxHasher, text: &str) {
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        hasher.write(line.as_bytes());
    }
}

/// Errors without the warnings between them.
fn serious(found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let warning = crate::diagnostic::Kind::Warning;
    found.into_iter().filter(|found| found.kind != warning).collect()
}

/// Whether a path looks like a C program that [`compile`] takes.
pub fn is_source(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "c" || extension == "i")
}
