//! Structures, unions and initialisers with designators.

use std::fmt::Write;

use crate::generated::expression::Generator;
use crate::generated::types::{ALL, FIELDS, Field, Scalar, Struct, Type};

impl Generator {
    /// The type of an object: with `depth` 0 a scalar.
    pub fn object_type(&mut self, depth: usize) -> Type {
        let scalar = Type::Scalar(*self.random.of(&ALL));
        if depth == 0 {
            return scalar;
        }
        match self.random.below(8) {
            0 | 1 => Type::Array(Box::new(self.object_type(depth - 1)), self.random.between(1, 5)),
            2 | 3 if !self.scope.structs.is_empty() => {
                Type::Struct(self.random.below(self.scope.structs.len()))
            }
            _ => scalar,
        }
    }

    /// Declares one more structure, which may contain those before.
    pub fn structure(&mut self, into: &mut String) {
        let id = self.scope.structs.len();
        let mut fields = Vec::new();
        let _ = writeln!(into, "struct s{id} {{");
        for i in 0..self.random.between(1, 6) {
            let name = format!("m{i}");
            let (of, width) = match self.random.once_in(3) {
                true => {
                    let of = *self.random.of(&FIELDS);
                    let most = of.bits() as usize;
                    (Type::Scalar(of), Some(self.random.between(1, most) as u32))
                }
                false => (self.object_type(2), None),
            };
            let _ = match width {
                Some(width) => writeln!(into, "{} : {width};", of.declare(&name)),
                None => writeln!(into, "{};", of.declare(&name)),
            };
            if self.random.once_in(10) {
                let _ = writeln!(
                    into,
                    "{}",
                    self.random.of(&["int : 0;", "unsigned : 3;", "long : 0;"])
                );
            }
            fields.push(Field { name, of, width });
        }
        let packed = if self.random.once_in(10) { " __attribute__((packed))" } else { "" };
        let _ = writeln!(into, "}}{packed};");
        self.scope.structs.push(Struct { fields });
    }

    /// An initialiser; of a global a constant one.
    pub fn initialiser(&mut self, of: &Type, constant: bool) -> String {
        match of {
            Type::Scalar(of) if constant => self.constant(*of),
            Type::Scalar(of) => self.fitting(*of, 2),
            Type::Array(of, n) => self.elements(of, *n, constant),
            Type::Struct(id) => self.members(*id, constant),
            Type::Pointer(_) => unreachable!("pointers are declared with their targets"),
        }
    }

    /// Each element at most once: what happens to expressions that are overridden is unspecified.
    fn elements(&mut self, of: &Type, n: usize, constant: bool) -> String {
        let (mut items, mut next) = (Vec::new(), 0);
        let up = self.random.below(n + 1);
        if constant && self.random.once_in(4) {
            let value = self.initialiser(of, true);
            return format!("{{[0 ... {}] = {value}}}", n - 1);
        }
        while next < up.max(1) {
            let value = self.initialiser(of, constant);
            match self.random.once_in(3) {
                true => {
                    next += self.random.below(n - next);
                    items.push(format!("[{next}] = {value}"));
                }
                false => items.push(value),
            }
            next += 1;
        }
        format!("{{{}}}", items.join(", "))
    }

    fn members(&mut self, id: usize, constant: bool) -> String {
        let fields = self.scope.structs[id].fields.clone();
        let mut items = Vec::new();
        let mut in_order = true;
        for field in &fields {
            if self.random.once_in(4) && !items.is_empty() {
                in_order = false;
                continue;
            }
            let value = self.initialiser(&field.of, constant);
            match (in_order, &field.of, self.random.below(4)) {
                (_, Type::Array(of, n), 0) => {
                    let (at, value) = (self.random.below(*n), self.initialiser(of, constant));
                    items.push(format!(".{}[{at}] = {value}", field.name));
                    in_order = false;
                }
                (true, _, 1 | 2) => items.push(value),
                _ => {
                    items.push(format!(".{} = {value}", field.name));
                    in_order = true;
                }
            }
        }
        format!("{{{}}}", items.join(", "))
    }

    /// A constant expression that fits a type.
    pub fn constant(&mut self, of: Scalar) -> String {
        let value = self.constant_expression(2);
        match value.1.is_float() && !of.is_float() && of != Scalar::Bool {
            true => format!("{}", self.random.below(100)),
            false => value.0,
        }
    }

    fn constant_expression(&mut self, depth: usize) -> (String, Scalar) {
        let literal = self.literal();
        if depth == 0 || self.random.once_in(3) {
            return (literal.text, literal.of);
        }
        let (left, a) = self.constant_expression(depth - 1);
        let (right, b) = self.constant_expression(depth - 1);
        match self.random.below(5) {
            0 => (format!("({left} + {right})"), a.common(b)),
            1 => (format!("({left} - {right})"), a.common(b)),
            2 => (format!("({left} < {right} ? {left} : {right})"), a.common(b)),
            3 => (format!("(float){left}"), Scalar::Float),
            _ if a.is_float() => (format!("(-{left})"), a),
            _ => (format!("(unsigned short)({left} >> 3)"), Scalar::U16),
        }
    }

    /// A group on a union: what is read is what was written, or the bytes of it.
    pub fn union_group(&mut self, into: &mut String) {
        let name = self.scope.fresh("u");
        let of = [*self.random.of(&ALL), *self.random.of(&ALL), *self.random.of(&ALL[1..12])];
        let [a, b, c] = of.map(Scalar::name);
        let _ = writeln!(
            into,
            "{{ union {{ {a} a; struct {{ char x; {b} b; }} s; {c} c[2]; unsigned char bytes[4]; }} {name}, copy;"
        );
        let (first, second) = (self.fitting(of[0], 2), self.fitting(of[1], 2));
        let third = self.fitting(of[2], 2);
        let _ = writeln!(into, "{name}.a = {first}; copy = {name};");
        let _ = writeln!(
            into,
            "printf(\" {} {}\", {name}.a, copy.a);",
            of[0].conversion(),
            of[0].conversion()
        );
        let _ = writeln!(into, "{name}.s.b = {second}; copy.s = {name}.s;");
        let _ = writeln!(into, "printf(\" {}\", copy.s.b);", of[1].conversion());
        let _ = writeln!(
            into,
            "{name}.bytes[3] = {name}.bytes[2] = 0; {name}.c[0] = {third}; {name}.c[1] = {name}.c[0];"
        );
        let bytes = (of[2].bits() / 4).min(4) as usize;
        let _ = writeln!(
            into,
            "printf(\" {} %d\\n\", {name}.c[1], {name}.bytes[{}]); }}",
            of[2].conversion(),
            self.random.below(bytes)
        );
    }
}
