//! Whole programs: structures, globals, functions, and a main function in groups of statements,
//! with a line of output after each of them.

use std::fmt::Write;

use crate::compare::random::Random;
use crate::generated::expression::{Generator, read};
use crate::generated::scope::{Callee, Scope};
use crate::generated::types::{ALL, Scalar, Type};

/// The program of a seed.
pub fn program(seed: u64) -> String {
    let scope = Scope { times: 1, ..Scope::default() };
    let mut generator = Generator { random: Random::new(seed), scope };
    let mut text = format!("/* Seed {seed}. */\n{}", prelude());
    for _ in 0..3 {
        generator.structure(&mut text);
    }
    for _ in 0..10 {
        generator.global(&mut text);
    }
    for i in 0..7 {
        generator.function(i % 3 != 2, &mut text);
    }
    generator.recursion(&mut text);
    generator.main(&mut text);
    text
}

/// Conversions from floating types that check the range, and the names of types.
fn prelude() -> String {
    let mut text = String::from("#include <stdio.h>\n#include <stddef.h>\n");
    for of in ALL.into_iter().filter(|of| !of.is_float()) {
        let bits = of.bits() - u32::from(!of.is_unsigned());
        let low = if of.is_unsigned() {
            "-1.0".to_owned()
        } else {
            format!("-0x1p{bits} - (sizeof({}) < 8)", of.name())
        };
        let _ = writeln!(
            text,
            "static {0} {1}(double x) {{ return x > {low} && x < 0x1p{bits} ? x : 7; }}",
            of.name(),
            of.converter()
        );
    }
    let cases = ALL.iter().enumerate().map(|(i, of)| format!("{}: {i}", of.name()));
    let cases: Vec<String> = cases.collect();
    let _ = writeln!(text, "#define TYPE(e) _Generic((e), {})", cases.join(", "));
    text.push_str("static double shown(double x) { return x != x ? -0.5 : x; }\n");
    text
}

impl Generator {
    fn global(&mut self, into: &mut String) {
        let name = self.scope.fresh("g");
        if self.random.once_in(5) {
            let to = self.object_type(1);
            if let Some(target) = self.address(&to, 0) {
                let of = Type::Pointer(Box::new(to));
                let _ = writeln!(into, "static {} = &{target};", of.declare(&name));
                return self.scope.declare(&name, of, true);
            }
        }
        let of = self.object_type(2);
        let value = self.initialiser(&of, true);
        let _ = writeln!(into, "static {} = {value};", of.declare(&name));
        self.scope.declare(&name, of, true);
    }

    fn parameter(&mut self, pure_: bool) -> Type {
        match self.random.below(6) {
            0 => Type::Struct(self.random.below(self.scope.structs.len())),
            1 if !pure_ => Type::Pointer(Box::new(Type::Scalar(*self.random.of(&ALL)))),
            _ => Type::Scalar(*self.random.of(&ALL)),
        }
    }

    /// A function; a pure one writes to nothing but its own variables.
    fn function(&mut self, pure_: bool, into: &mut String) {
        let name = self.scope.fresh("f");
        let result = match self.random.once_in(3) {
            true => Type::Struct(self.random.below(self.scope.structs.len())),
            false => Type::Scalar(*self.random.of(&ALL)),
        };
        let parameters: Vec<Type> =
            (0..self.random.between(1, 7)).map(|_| self.parameter(pure_)).collect();
        let names: Vec<String> = parameters.iter().map(|_| self.scope.fresh("p")).collect();
        let list: Vec<String> =
            parameters.iter().zip(&names).map(|(of, name)| of.declare(name)).collect();
        let _ =
            writeln!(into, "static {} {{", result.declare(&format!("{name}({})", list.join(", "))));
        let outer = self.enter(pure_);
        for (of, name) in parameters.iter().zip(&names) {
            self.scope.declare(name, of.clone(), true);
        }
        self.local(into);
        for _ in 0..self.random.between(2, 6) {
            self.statement(2, into);
        }
        let value = match &result {
            Type::Struct(id) => match self.object(&result) {
                Some(object) => object,
                None => format!("(struct s{id}){}", self.initialiser(&result, false)),
            },
            other => self.initialiser(other, false),
        };
        let _ = writeln!(into, "return {value};\n}}");
        let cost = self.leave(outer);
        self.scope.functions.push(Callee { name, parameters, result, pure_, cost });
    }

    /// Goes into a function: globals are read-only in a pure one.
    fn enter(&mut self, pure_: bool) -> Vec<crate::generated::scope::Variable> {
        let outer = self.scope.variables.clone();
        self.scope.variables.iter_mut().for_each(|v| v.writable &= !pure_);
        self.scope.depth = 1;
        self.scope.cost = 1;
        outer
    }

    fn leave(&mut self, outer: Vec<crate::generated::scope::Variable>) -> usize {
        self.scope.variables = outer;
        self.scope.depth = 0;
        self.scope.cost
    }

    /// A recursive function, called through another with a bound.
    fn recursion(&mut self, into: &mut String) {
        let (name, of) = (self.scope.fresh("f"), *self.random.of(&ALL));
        let (depth, a, b) = (self.scope.fresh("d"), self.scope.fresh("p"), self.scope.fresh("p"));
        let parameters = [Scalar::U8, of, Scalar::Long];
        let _ = writeln!(
            into,
            "static {} {name}(unsigned char {depth}, {} {a}, long {b}) {{",
            of.name(),
            of.name()
        );
        let outer = self.enter(true);
        for (name, of) in [(&a, of), (&b, Scalar::Long)] {
            self.scope.declare(name, Type::Scalar(of), true);
        }
        self.local(into);
        self.statement(1, into);
        let end = self.fitting(of, 2);
        let (x, y) = (self.fitting(of, 2), self.fitting(Scalar::Long, 2));
        let _ = writeln!(into, "if ({depth} % 8 == 0) return {end};");
        let more = match of.is_float() {
            true => "+ 0.5",
            false => "^ 5",
        };
        let _ = writeln!(into, "return {name}({depth} % 8 - 1, {x}, {y}) {more};\n}}");
        let cost = 8 * self.leave(outer);
        let parameters = parameters.map(Type::Scalar).to_vec();
        self.scope.functions.push(Callee {
            name,
            parameters,
            result: Type::Scalar(of),
            pure_: true,
            cost,
        });
    }

    fn main(&mut self, into: &mut String) {
        into.push_str("int main(void) {\n");
        self.scope.depth = 1;
        self.scope.cost = 0;
        for _ in 0..6 {
            self.local(into);
        }
        for group in 0..20 {
            self.scope.cost = 0;
            match self.random.once_in(10) {
                true => self.union_group(into),
                false => (0..self.random.between(1, 5)).for_each(|_| self.statement(3, into)),
            }
            self.line(group, into);
        }
        for i in 0..self.scope.variables.len() {
            self.show_all(i, into);
        }
        self.layouts(into);
        into.push_str("return 0;\n}\n");
    }

    /// A line of output: some objects and an expression.
    fn line(&mut self, group: usize, into: &mut String) {
        let mut values = vec![self.any(3)];
        values.extend((0..6).filter_map(|_| self.place(false)).map(read));
        let formats: Vec<&str> = values.iter().map(|v| v.of.conversion()).collect();
        let _ = write!(into, "printf(\"{group}: {}\\n\"", formats.join(" "));
        for value in values {
            let _ = match value.of.is_float() {
                true => write!(into, ", shown({})", value.text),
                false => write!(into, ", {}", value.text),
            };
        }
        into.push_str(");\n");
    }

    /// All scalars of a variable, each structure and array in it.
    fn show_all(&mut self, variable: usize, into: &mut String) {
        let variable = self.scope.variables[variable].clone();
        let mut places = Vec::new();
        self.scalars(variable.name.clone(), &variable.of, None, &mut places);
        for (text, of, width) in places {
            let value = read(crate::generated::scope::Place { text, of, width });
            let name = value.text.replace('%', "%%");
            let shown = if of.is_float() { format!("shown({})", value.text) } else { value.text };
            let _ = writeln!(into, "printf(\"{name} {}\\n\", {shown});", value.of.conversion());
        }
    }

    fn scalars(
        &self,
        text: String,
        of: &Type,
        width: Option<u32>,
        into: &mut Vec<(String, Scalar, Option<u32>)>,
    ) {
        match of {
            Type::Scalar(of) => into.push((text, *of, width)),
            Type::Array(of, n) => {
                for i in 0..*n {
                    self.scalars(format!("{text}[{i}]"), of, None, into);
                }
            }
            Type::Struct(id) => {
                for field in &self.scope.structs[*id].fields {
                    self.scalars(format!("{text}.{}", field.name), &field.of, field.width, into);
                }
            }
            Type::Pointer(of) => self.scalars(format!("(*{text})"), of, None, into),
        }
    }

    fn layouts(&mut self, into: &mut String) {
        for (id, of) in self.scope.structs.iter().enumerate() {
            let _ = writeln!(
                into,
                "printf(\"%zu %zu\\n\", sizeof(struct s{id}), _Alignof(struct s{id}));"
            );
            for field in of.fields.iter().filter(|field| field.width.is_none()) {
                let _ =
                    writeln!(into, "printf(\"%zu\\n\", offsetof(struct s{id}, {}));", field.name);
            }
        }
    }
}
