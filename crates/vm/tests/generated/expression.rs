//! Expressions without side effects, each with its type.
//!
//! Behaviour is defined: shifts are in range, divisors neither zero nor minus one, indices below
//! the length, and what is converted from floating to integer goes through a function that checks
//! the range. Integers wrap.

use crate::compare::random::Random;
use crate::generated::scope::{Place, Scope, Variable};
use crate::generated::types::{ALL, Scalar, Type};

pub struct Expression {
    pub text: String,
    pub of: Scalar,
}

pub struct Generator {
    pub random: Random,
    pub scope: Scope,
}

impl Generator {
    /// An expression of any arithmetic type.
    pub fn any(&mut self, depth: usize) -> Expression {
        if depth == 0 {
            return self.leaf();
        }
        match self.random.below(20) {
            0..=6 => self.binary(depth - 1),
            7 => self.shift(depth - 1),
            8 => self.division(depth - 1),
            9 => self.comparison(depth - 1),
            10 => self.logical(depth - 1),
            11 => self.conditional(depth - 1),
            12 | 13 => self.unary(depth - 1),
            14 | 15 => self.cast(depth - 1),
            16 => self.call(depth - 1),
            17 => self.rare(depth - 1),
            _ => self.leaf(),
        }
    }

    /// An expression of an integer type.
    pub fn integer(&mut self, depth: usize) -> Expression {
        let value = self.any(depth);
        if !value.of.is_float() {
            return value;
        }
        let of = *self.random.of(&ALL[1..12]);
        Expression { text: format!("{}({})", of.converter(), value.text), of }
    }

    /// What can be assigned to an object of a type, by an implicit conversion where it is defined.
    pub fn fitting(&mut self, of: Scalar, depth: usize) -> String {
        let value = self.any(depth);
        match value.of.is_float() && !of.is_float() && of != Scalar::Bool {
            true => format!("{}({})", of.converter(), value.text),
            false => value.text,
        }
    }

    /// A scalar in the reach of the point; with `write` one that may be written.
    pub fn place(&mut self, write: bool) -> Option<Place> {
        let fits = |v: &&Variable| v.writable || !write;
        let found: Vec<Variable> = self.scope.variables.iter().filter(fits).cloned().collect();
        if found.is_empty() {
            return None;
        }
        // The later a variable is declared, the more often it is taken.
        let chosen =
            found.len() - 1 - self.random.below(found.len()).min(self.random.below(found.len()));
        let variable = found[chosen].clone();
        Some(self.within(variable.name, &variable.of))
    }

    /// A scalar within an object.
    pub fn within(&mut self, text: String, of: &Type) -> Place {
        match of {
            Type::Scalar(of) => Place { text, of: *of, width: None },
            Type::Array(of, n) => {
                let index = self.index(*n);
                self.within(format!("{text}[{index}]"), of)
            }
            Type::Pointer(of) => {
                let text = match self.random.once_in(4) {
                    true => format!("{text}[0]"),
                    false => format!("(*{text})"),
                };
                self.within(text, of)
            }
            Type::Struct(id) => {
                let fields = self.scope.structs[*id].fields.clone();
                let field = self.random.of(&fields).clone();
                let text = match text.strip_prefix("(*").and_then(|t| t.strip_suffix(')')) {
                    Some(pointer) if !pointer.contains(['(', ')', '*']) => {
                        format!("{pointer}->{}", field.name)
                    }
                    _ => format!("{text}.{}", field.name),
                };
                let mut place = self.within(text, &field.of);
                if field.width.is_some() {
                    place.width = field.width;
                }
                place
            }
        }
    }

    pub fn index(&mut self, n: usize) -> String {
        if self.random.once_in(2) {
            return self.random.below(n).to_string();
        }
        let value = self.integer(0).text;
        match self.random.once_in(2) {
            true => format!("(unsigned)({value}) % {n}"),
            false => format!("(unsigned long)({value}) % {n}u"),
        }
    }

    /// A divisor that is neither zero nor minus one in the common type.
    pub fn divisor(&mut self, left: Scalar, depth: usize) -> Expression {
        let right = self.integer(depth);
        let of = right.of.promoted();
        let text = match (left.common(right.of).is_unsigned(), self.random.below(2)) {
            (true, _) => format!("({} | 1)", right.text),
            (false, 0) => format!("(({} & 63) + 2)", right.text),
            (false, _) => format!("-(({} & 15) + 2)", right.text),
        };
        Expression { text, of }
    }

    fn leaf(&mut self) -> Expression {
        if self.random.once_in(4) {
            return self.literal();
        }
        match self.place(false) {
            None => self.literal(),
            Some(place) => read(place),
        }
    }

    pub fn literal(&mut self) -> Expression {
        let of = *self.random.of(&[
            Scalar::I32,
            Scalar::I32,
            Scalar::U32,
            Scalar::Long,
            Scalar::ULong,
            Scalar::LongLong,
            Scalar::ULongLong,
            Scalar::Float,
            Scalar::Double,
            Scalar::Char,
        ]);
        let bits = self.random.bits() >> self.random.below(64);
        let text = match of {
            Scalar::Char => {
                let of = Scalar::I32;
                let text =
                    (*self.random.of(&["'a'", "'\\n'", "'\\377'", "'\\x7f'", "'0'"])).to_owned();
                return Expression { text, of };
            }
            Scalar::I32 => match self.random.below(3) {
                0 => format!("{}", bits & 0x7fff_ffff),
                1 => format!("{:#x}", bits & 0x7fff_ffff),
                _ => format!("(-{} - 1)", bits & 0x7fff_ffff),
            },
            Scalar::U32 => format!("{}u", bits & 0xffff_ffff),
            Scalar::Long => format!("{}l", bits >> 1),
            Scalar::ULong => format!("{bits:#x}ul"),
            Scalar::LongLong => format!("(-{}ll)", bits >> 1),
            Scalar::ULongLong => format!("0{bits:o}ull"),
            Scalar::Float => format!("{}.{}f", bits % 1000, self.random.below(100)),
            _ => format!(
                "{}.{}e{}",
                bits % 100,
                self.random.below(1000),
                self.random.between(0, 12) as i64 - 6
            ),
        };
        Expression { text, of }
    }

    fn binary(&mut self, depth: usize) -> Expression {
        let op = *self.random.of(&["+", "-", "*", "+", "-", "*", "&", "|", "^"]);
        let bitwise = matches!(op, "&" | "|" | "^");
        let (left, right) = match bitwise {
            true => (self.integer(depth), self.integer(depth)),
            false => (self.any(depth), self.any(depth)),
        };
        let text = format!("({} {op} {})", left.text, right.text);
        Expression { text, of: left.of.common(right.of) }
    }

    fn shift(&mut self, depth: usize) -> Expression {
        let (left, right) = (self.integer(depth), self.integer(depth));
        let (of, op) = (left.of.promoted(), *self.random.of(&["<<", ">>"]));
        let text = format!("({} {op} ({} & {}))", left.text, right.text, of.bits() - 1);
        Expression { text, of }
    }

    fn division(&mut self, depth: usize) -> Expression {
        if self.random.once_in(3) {
            let (left, right) = (self.any(depth), self.any(depth));
            let text = format!("({} / (double)({}))", left.text, right.text);
            return Expression { text, of: Scalar::Double };
        }
        let left = self.integer(depth);
        let right = self.divisor(left.of, depth);
        let op = *self.random.of(&["/", "%"]);
        let text = format!("({} {op} {})", left.text, right.text);
        Expression { text, of: left.of.common(right.of) }
    }

    fn comparison(&mut self, depth: usize) -> Expression {
        let op = *self.random.of(&["<", ">", "<=", ">=", "==", "!="]);
        let (left, right) = (self.any(depth), self.any(depth));
        Expression { text: format!("({} {op} {})", left.text, right.text), of: Scalar::I32 }
    }

    fn logical(&mut self, depth: usize) -> Expression {
        let op = *self.random.of(&["&&", "||"]);
        let (left, right) = (self.any(depth), self.any(depth));
        Expression { text: format!("({} {op} {})", left.text, right.text), of: Scalar::I32 }
    }

    fn conditional(&mut self, depth: usize) -> Expression {
        let (test, yes, no) = (self.any(depth), self.any(depth), self.any(depth));
        let text = format!("({} ? {} : {})", test.text, yes.text, no.text);
        Expression { text, of: yes.of.common(no.of) }
    }

    fn unary(&mut self, depth: usize) -> Expression {
        let op = *self.random.of(&["-", "~", "!", "+"]);
        let value = if op == "~" { self.integer(depth) } else { self.any(depth) };
        let of = if op == "!" { Scalar::I32 } else { value.of.promoted() };
        Expression { text: format!("({op} {})", value.text), of }
    }

    fn cast(&mut self, depth: usize) -> Expression {
        let of = *self.random.of(&ALL);
        let value = self.fitting(of, depth);
        Expression { text: format!("(({}){value})", of.name()), of }
    }

    /// A call of a function without side effects.
    fn call(&mut self, depth: usize) -> Expression {
        let (cost, times) = (self.scope.cost, self.scope.times);
        let scalar = |of: &Type| matches!(of, Type::Scalar(_));
        let open = |f: &&crate::generated::scope::Callee| {
            f.pure_ && scalar(&f.result) && cost + f.cost * times < 3000
        };
        let found: Vec<_> = self.scope.functions.iter().filter(open).cloned().collect();
        if found.is_empty() {
            return self.any(depth);
        }
        let callee = self.random.of(&found).clone();
        self.scope.cost += callee.cost * times;
        let Some(arguments) = self.arguments(&callee.parameters, depth.min(1)) else {
            return self.any(depth);
        };
        let Type::Scalar(of) = callee.result else { unreachable!("filtered") };
        Expression { text: format!("{}({arguments})", callee.name), of }
    }

    /// The arguments of a call; none if one of them cannot be had.
    pub fn arguments(&mut self, parameters: &[Type], depth: usize) -> Option<String> {
        let mut all = Vec::new();
        for of in parameters {
            all.push(match of {
                Type::Scalar(of) => self.fitting(*of, depth),
                Type::Struct(_) => self.object(of)?,
                Type::Pointer(of) => format!("&{}", self.address(of, usize::MAX)?),
                Type::Array(..) => unreachable!("no parameter is an array"),
            });
        }
        Some(all.join(", "))
    }

    /// An object of just this type.
    pub fn object(&mut self, of: &Type) -> Option<String> {
        let found: Vec<String> = self.objects(of, false, usize::MAX);
        (!found.is_empty()).then(|| self.random.of(&found).clone())
    }

    /// A writable object of just this type that lives as long as a block at `depth`.
    pub fn address(&mut self, of: &Type, depth: usize) -> Option<String> {
        let found: Vec<String> = self.objects(of, true, depth);
        (!found.is_empty()).then(|| self.random.of(&found).clone())
    }

    /// The objects of a type: variables, elements, members, one level deep.
    fn objects(&mut self, of: &Type, write: bool, depth: usize) -> Vec<String> {
        let mut found = Vec::new();
        let variables = self.scope.variables.clone();
        for v in variables.iter().filter(|v| (v.writable || !write) && v.depth <= depth) {
            match &v.of {
                here if here == of => found.push(v.name.clone()),
                Type::Array(element, n) if **element == *of => {
                    found.push(format!("{}[{}]", v.name, self.random.below(*n)));
                }
                Type::Struct(id) => {
                    let fields = &self.scope.structs[*id].fields;
                    let fits = fields.iter().filter(|f| f.of == *of && f.width.is_none());
                    found.extend(fits.map(|f| format!("{}.{}", v.name, f.name)));
                }
                _ => {}
            }
        }
        found
    }

    fn rare(&mut self, depth: usize) -> Expression {
        let value = self.any(depth);
        match self.random.below(4) {
            0 => Expression { text: format!("sizeof({})", value.text), of: Scalar::ULong },
            1 => Expression { text: format!("TYPE({})", value.text), of: Scalar::I32 },
            2 => {
                let name = self.scope.fresh("e");
                let text =
                    format!("({{ __typeof__({}) {name} = {}; {name}; }})", value.text, value.text);
                Expression { text, of: value.of }
            }
            _ => {
                let unused = self.any(depth.min(1));
                Expression {
                    text: format!("((void)({}), {})", unused.text, value.text),
                    of: value.of,
                }
            }
        }
    }
}

/// A bit-field is promoted on the spot: what its type is before is not C's business.
pub fn read(place: Place) -> Expression {
    match place.width {
        None => Expression { text: place.text, of: place.of },
        Some(width) => {
            let of = match (place.of.is_unsigned(), width) {
                (true, 32) => Scalar::U32,
                (_, 33..) => place.of,
                _ => Scalar::I32,
            };
            match of.bits() {
                64 => Expression { text: format!("({}){}", of.name(), place.text), of },
                _ => Expression { text: format!("(+{})", place.text), of },
            }
        }
    }
}
