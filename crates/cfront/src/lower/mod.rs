//! Lowering: from syntax trees to the transitions of a linked program.
//!
//! In: the parsed units of a program and of the embedded library. Out: an [`ir::Program`], or
//! what is wrong with it.
//!
//! Each unit's file scope is declared first (`declare`, `symbol`). Then the functions that
//! `main` can reach are lowered one by one, beginning with the library's start-up function, so
//! that only what is used of the library costs anything, and only what is used must be supported.
//! The program's other functions are lowered as well, for the sake of the errors in them, and
//! dropped.
//!
//! A function is lowered in one pass: an expression is typed and its operations are emitted as it
//! is read. Constants are folded on the way; `sizeof` and other unevaluated operands are lowered
//! and forgotten.

mod address_taken;
mod assign;
mod atomic;
mod atomic_record;
mod builder;
mod builtin;
mod call;
mod cleanup;
mod constant;
mod convert;
mod ctype;
mod declarator;
mod declare;
mod describe;
mod emit;
mod expr;
mod function;
mod initializer;
mod known;
mod layout;
mod operator;
mod scope;
mod statement;
mod switch;
mod symbol;
mod value;

use std::collections::VecDeque;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::ast::{self, Name};
use crate::diagnostic::{Diagnostic, Kind};
use crate::ir::{self, DataModel, FunctionId, Global, GlobalId, Program, TypeId};
use crate::source::{SourceMap, Span};

use builder::Builder;
use ctype::Type;
use layout::Records;
use scope::{Scope, Scopes, SymbolId};
use symbol::Symbol;

/// An error ends the statement it is in.
type Lowered<T> = Result<T, Box<Diagnostic>>;

/// A parsed file.
#[derive(Debug)]
pub struct Unit {
    /// Its tree.
    pub tree: ast::Unit,
    /// Whether it belongs to the embedded library.
    pub library: bool,
}

/// How a program is lowered.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The sizes of `long` and of pointers.
    pub model: DataModel,
    /// Functions of the program that are meant to be atomic.
    pub transactions: Vec<String>,
}

/// After so many errors, the rest is not worth reading.
const MAX_ERRORS: usize = 20;

/// The names under which the library provides what the machine starts.
const START: &str = "__raddle_lib_start";
const THREAD_START: &str = "__raddle_lib_thread";

/// The function that the library calls before `main`, made here.
const CONSTRUCTORS: &str = "__raddle_lib_constructors";

/// Lowers and links the units; the library's must come after the program's. Also returns warnings.
/// `start` is the first position of the program.
pub fn program(
    units: &[&Unit],
    options: &Options,
    sources: SourceMap,
    start: Span,
    identity: u64,
) -> Result<(Program, Vec<Diagnostic>), (Vec<Diagnostic>, SourceMap)> {
    let n_program_units = units.iter().filter(|unit| !unit.library).count();
    let mut lowering = Lowering::new(options.model, n_program_units);
    lowering.transactions = &options.transactions;
    lowering.start = start;
    for unit in units {
        lowering.declare_unit(unit);
    }
    let entry = lowering.link(units);
    let failed = lowering.n_errors() > 0;
    match entry {
        Some(entry) if !failed => {
            let warnings = std::mem::take(&mut lowering.diagnostics);
            Ok((lowering.into_program(entry, sources, identity), warnings))
        }
        _ => Err((lowering.diagnostics, sources)),
    }
}

/// The functions at which a program is entered.
struct Entry {
    start: FunctionId,
    thread_start: FunctionId,
    main: FunctionId,
}

/// Everything that is known while a program is lowered.
struct Lowering<'a> {
    model: DataModel,
    records: Records,
    types: ir::Types,
    symbols: Vec<Symbol<'a>>,
    externals: FxHashMap<Name, SymbolId>,
    /// The file scope of each unit that has been declared.
    files: Vec<Scope>,
    functions: Vec<Option<ir::Function>>,
    globals: Vec<Global>,
    strings: FxHashMap<(Vec<u8>, u32), GlobalId>,
    /// Symbols that are used and whose code or bytes are still to be made.
    queue: VecDeque<SymbolId>,
    diagnostics: Vec<Diagnostic>,
    /// The unit at work, and whether it belongs to the library.
    unit: usize,
    library: bool,
    n_program_units: usize,
    scopes: Scopes,
    builder: Builder,
    /// How deep in operands that are not evaluated.
    unevaluated: u32,
    /// Names whose address the function at work takes somewhere.
    address_taken: address_taken::Names,
    /// The addresses of arrays of variable length that are in scope.
    variable_lengths: Vec<ir::Reg>,
    /// Variables with the attribute `cleanup` that are in scope.
    cleanups: Vec<cleanup::Cleanup<'a>>,
    /// How deep in the parameters of declarators.
    prototypes: u32,
    /// What the whole of the function at work is.
    section: function::Section,
    /// The functions that are meant to be atomic.
    transactions: &'a [String],
    /// Registers from here on are temporaries of the expression at work.
    temporaries: u32,
    /// What was found out about expressions of the function at work.
    known: known::Known<'a>,
    /// Where the program begins.
    start: Span,
    /// Types that are shown often.
    shown: FxHashMap<ir::Kind, TypeId>,
}

impl<'a> Lowering<'a> {
    fn new(model: DataModel, n_program_units: usize) -> Lowering<'a> {
        Lowering {
            model,
            records: Records::new(model),
            types: ir::Types::default(),
            symbols: Vec::new(),
            externals: FxHashMap::default(),
            files: Vec::new(),
            functions: Vec::new(),
            globals: Vec::new(),
            strings: FxHashMap::default(),
            queue: VecDeque::new(),
            diagnostics: Vec::new(),
            unit: 0,
            library: false,
            n_program_units,
            scopes: Scopes::new(Scope::default()),
            builder: Builder::new("", Type::Void, Span::default()),
            unevaluated: 0,
            address_taken: address_taken::Names::default(),
            variable_lengths: Vec::new(),
            cleanups: Vec::new(),
            prototypes: 0,
            section: function::Section::None,
            transactions: &[],
            temporaries: 0,
            known: known::Known::default(),
            start: Span::default(),
            shown: FxHashMap::default(),
        }
    }

    /// Lowers all that `main` reaches, then looks for errors in the rest.
    fn link(&mut self, units: &[&Unit]) -> Option<Entry> {
        let entry = self.entry();
        self.check_transactions();
        self.drain();
        self.check_unreached(units);
        entry
    }

    fn entry(&mut self) -> Option<Entry> {
        let main = self.external_function("main");
        if main.is_none() {
            let message = "the program has no function `main`";
            self.diagnostics.push(Diagnostic::invalid(self.start, message));
        }
        let main = main?;
        let start = self.external_function(START)?;
        let thread_start = self.external_function(THREAD_START)?;
        Some(Entry { start, thread_start, main })
    }

    /// Functions that are named must be there.
    fn check_transactions(&mut self) {
        for name in self.transactions {
            let named =
                |symbol: &Symbol| *symbol.name == **name && symbol.has_body() && !symbol.library;
            if !self.symbols.iter().any(named) {
                let message = format!("the program has no function `{name}` to be atomic");
                self.diagnostics.push(Diagnostic::invalid(Span::default(), message));
            }
        }
    }

    fn drain(&mut self) {
        while let Some(symbol) = self.queue.pop_front() {
            if self.n_errors() >= MAX_ERRORS {
                return;
            }
            self.define(symbol);
        }
    }

    /// Lowers the program's functions that nothing calls, and keeps the errors alone.
    fn check_unreached(&mut self, units: &[&Unit]) {
        let kept = (self.functions.len(), self.globals.len());
        let n_found = self.diagnostics.len();
        for index in 0..self.symbols.len() {
            let symbol = &self.symbols[index];
            let own = symbol.unit().is_some_and(|unit| !units[unit].library);
            if own && symbol.function.is_none() && symbol.has_body() && self.n_errors() < MAX_ERRORS
            {
                self.define(SymbolId(index as u32));
            }
        }
        let new = self.diagnostics.split_off(n_found);
        self.diagnostics.extend(new.into_iter().filter(|found| found.kind == Kind::Invalid));
        self.functions.truncate(kept.0);
        self.globals.truncate(kept.1);
        self.queue.clear();
    }

    fn into_program(self, entry: Entry, sources: SourceMap, identity: u64) -> Program {
        let functions = self.functions.into_iter();
        Program {
            functions: functions.map(|made| made.expect("the queue is empty")).collect(),
            globals: self.globals,
            types: self.types,
            start: entry.start,
            thread_start: entry.thread_start,
            main: entry.main,
            data_model: self.model,
            sources,
            identity,
        }
    }

    /// Keeps what went wrong and goes on without a value.
    fn recover<T>(&mut self, result: Lowered<T>) -> Option<T> {
        result.map_err(|found| self.diagnostics.push(*found)).ok()
    }

    fn warn(&mut self, found: Diagnostic) {
        // What is lowered for its type first is met twice.
        if !self.library && !self.diagnostics.contains(&found) {
            self.diagnostics.push(found);
        }
    }

    fn n_errors(&self) -> usize {
        self.diagnostics.iter().filter(|found| found.kind != Kind::Warning).count()
    }

    /// The table's entry for a type.
    fn show(&mut self, ty: &Type) -> TypeId {
        match ty.kind(self.model) {
            Some(kind) if *ty != Type::Int(ctype::Int::Bool) => {
                *self.shown.entry(kind).or_insert_with(|| self.types.add(ir::Type::Scalar(kind)))
            }
            _ => self.records.show(ty, &mut self.types),
        }
    }

    /// Lowers something for its type or its constant alone.
    fn unevaluated<T>(&mut self, work: impl FnOnce(&mut Self) -> Lowered<T>) -> Lowered<T> {
        let checkpoint = self.builder.checkpoint();
        self.unevaluated += 1;
        let result = work(self);
        self.unevaluated -= 1;
        self.builder.forget(&checkpoint);
        result
    }
}

fn invalid<T>(span: Span, message: impl Into<String>) -> Lowered<T> {
    Err(Box::new(Diagnostic::invalid(span, message)))
}

fn unsupported<T>(span: Span, what: impl std::fmt::Display) -> Lowered<T> {
    Err(Box::new(Diagnostic::unsupported(span, format!("{what} is not supported"))))
}

fn rc<T>(value: T) -> Rc<T> {
    Rc::new(value)
}
