//! What a statement can name, and where values can be read and written.

use crate::generated::types::{Scalar, Struct, Type};

/// A variable.
#[derive(Clone, Debug)]
pub struct Variable {
    pub name: String,
    pub of: Type,
    /// Whether the function at hand may write to it.
    pub writable: bool,
    /// How deep in blocks it is; 0 is global.
    pub depth: usize,
}

/// A scalar that can be read or written.
#[derive(Clone, Debug)]
pub struct Place {
    pub text: String,
    pub of: Scalar,
    pub width: Option<u32>,
}

/// A function that can be called.
#[derive(Clone, Debug)]
pub struct Callee {
    pub name: String,
    pub parameters: Vec<Type>,
    pub result: Type,
    /// Whether it writes nothing but its own.
    pub pure_: bool,
    /// About how many statements it runs.
    pub cost: usize,
}

/// What is known at a point of the program.
#[derive(Default)]
pub struct Scope {
    pub structs: Vec<Struct>,
    pub variables: Vec<Variable>,
    pub functions: Vec<Callee>,
    /// How deep in blocks the point is.
    pub depth: usize,
    /// How often the point is reached.
    pub times: usize,
    /// What the function has cost so far.
    pub cost: usize,
    /// How many names were given.
    pub n_names: usize,
}

impl Scope {
    pub fn fresh(&mut self, stem: &str) -> String {
        self.n_names += 1;
        format!("{stem}{}", self.n_names)
    }

    pub fn declare(&mut self, name: &str, of: Type, writable: bool) {
        let depth = self.depth;
        self.variables.push(Variable { name: name.to_owned(), of, writable, depth });
    }
}
