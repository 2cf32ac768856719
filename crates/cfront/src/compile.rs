//! From C files to a linked program.
//!
//! The embedded library is preprocessed with the same compiler and the same data model, as one
//! unit that includes all its files, once per process. Parsing and lowering recurse with the
//! nesting of the program, so they run on a thread with a large stack.

use std::cell::{Cell, RefCell};
use std::hash::Hasher;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHasher;

use crate::diagnostic::{Diagnostic, Error, Report};
use crate::ir::{DataModel, Program};
use crate::library;
use crate::lower::{self, Unit};
use crate::parse;
use crate::preprocess::{self, Options};
use crate::source::{SourceMap, Span};

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
}

/// Compiles the files of one program.
pub fn compile(files: &[PathBuf], options: &Options) -> Result<Compiled, Error> {
    let (own, library) = std::thread::scope(|scope| {
        // The program and the library are preprocessed by a child process each, side by side.
        let library = scope.spawn(|| library_text(&options.compiler, options.model));
        let own = files.iter().map(|file| preprocessed(file, options)).collect();
        (own, library.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    let own: Result<Vec<Text>, Error> = own;
    let (own, library) = (own?, library?);
    let transactions = options.transactions.clone();
    let how = lower::Options { model: options.model, transactions };
    on_large_stack(|| build(own, &library, &how))?
}

/// Compiles the preprocessed texts of one program, each with the name of its file.
pub fn compile_texts(texts: &[(&str, &str)], model: DataModel) -> Result<Compiled, Error> {
    let library = library_text(&Options::default().compiler, model)?;
    let own =
        texts.iter().map(|&(name, text)| Text { name: name.to_owned(), text: text.to_owned() });
    let own = own.collect();
    let how = lower::Options { model, ..lower::Options::default() };
    on_large_stack(|| build(own, &library, &how))?
}

fn preprocessed(file: &Path, options: &Options) -> Result<Text, Error> {
    let text = preprocess::preprocess(file, options, library::HEADERS)?;
    Ok(Text { name: file.display().to_string(), text })
}

/// The preprocessed library, by compiler and data model.
type Libraries = Vec<((String, DataModel), Arc<str>)>;

/// The embedded library as one text; it is the same as long as the process runs.
fn library_text(compiler: &str, model: DataModel) -> Result<Arc<str>, Error> {
    static KNOWN: Mutex<Libraries> = Mutex::new(Vec::new());
    let key = (compiler.to_owned(), model);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, text)) = known.iter().find(|row| row.0 == key) {
        return Ok(text.clone());
    }
    let text: Arc<str> = preprocess_library(compiler, model)?.into();
    known.push((key, text.clone()));
    Ok(text)
}

fn preprocess_library(compiler: &str, model: DataModel) -> Result<String, Error> {
    let mut headers = library::HEADERS.to_vec();
    headers.extend_from_slice(library::INTERNAL_HEADERS);
    headers.extend_from_slice(library::SOURCES);
    let unit: String = library::SOURCES
        .iter()
        .filter(|(name, _)| name.ends_with(".c"))
        .map(|(name, _)| format!("#include <{name}>\n"))
        .collect();
    let own = Options { compiler: compiler.to_owned(), model, ..Options::default() };
    preprocess::preprocess_text(&unit, "<library>", &own, &headers)
}

thread_local! {
    /// Whether this thread has a large stack.
    static LARGE: Cell<bool> = const { Cell::new(false) };
    /// The library that this thread parsed last, with the text it was parsed from.
    static PARSED: RefCell<Option<(Arc<str>, Rc<Unit>)>> = const { RefCell::new(None) };
}

/// Does work on a thread with a stack that is large enough for every program; compilations in it
/// stay on this thread, and the library is parsed once for all of them.
pub fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, Error> {
    if LARGE.get() {
        return Ok(work());
    }
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || {
            LARGE.set(true);
            work()
        });
        let thread = thread.map_err(Error::Thread)?;
        Ok(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

fn build(texts: Vec<Text>, library: &Arc<str>, how: &lower::Options) -> Result<Compiled, Error> {
    let mut sources = SourceMap::new();
    let mut hasher = FxHasher::default();
    hasher.write_u8(how.model as u8);
    for (name, contents) in library::HEADERS {
        sources.provide(&format!("<{name}>"), contents);
    }
    for (name, contents) in library::INTERNAL_HEADERS.iter().chain(library::SOURCES) {
        sources.provide(&format!("<{name}>"), contents);
    }
    // The library comes first, so that its positions are the same for every program.
    let base = sources.add("<library>", library.to_string())?;
    let library = parsed_library(library, base).map_err(|found| refused(&found, &sources))?;
    let (mut units, mut errors) = (Vec::with_capacity(texts.len()), Vec::new());
    let mut first = None;
    for Text { name, text } in texts {
        hash_program(&mut hasher, &text);
        let base = sources.add(&name, text)?;
        first = first.or(Some(base));
        match parse::unit(sources.whole_text(base).as_bytes(), base) {
            Ok(tree) => units.push(Unit { tree, library: false }),
            Err(mut found) => errors.append(&mut found),
        }
    }
    if !errors.is_empty() {
        return Err(refused(&errors, &sources));
    }
    let all: Vec<&Unit> = units.iter().chain([&*library]).collect();
    let start = first.unwrap_or_default();
    let start = Span { start, end: start };
    match lower::program(&all, how, sources, start, hasher.finish()) {
        Ok((program, warnings)) => {
            debug_assert_eq!(crate::ir::verify(&program), Ok(()));
            let warnings = warnings.iter().map(|found| found.resolve(&program.sources)).collect();
            Ok(Compiled { program, warnings })
        }
        Err((found, sources)) => Err(refused(&serious(found), &sources)),
    }
}

/// The library's tree, made again only if another one was needed in between.
fn parsed_library(text: &Arc<str>, base: u32) -> Result<Rc<Unit>, Vec<Diagnostic>> {
    PARSED.with_borrow_mut(|known| {
        if let Some((of, unit)) = known
            && Arc::ptr_eq(of, text)
        {
            return Ok(unit.clone());
        }
        let unit = Rc::new(Unit { tree: parse::unit(text.as_bytes(), base)?, library: true });
        *known = Some((text.clone(), unit.clone()));
        Ok(unit)
    })
}

fn refused(found: &[Diagnostic], sources: &SourceMap) -> Error {
    Error::diagnostics(found, sources)
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
