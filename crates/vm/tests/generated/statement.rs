//! Statements: what they do is bounded, and each side effect is on its own.

use std::fmt::Write;

use crate::generated::expression::{Generator, read};
use crate::generated::scope::{Callee, Place};
use crate::generated::types::{ALL, Scalar, Type};

impl Generator {
    /// A few statements in braces, with declarations of their own.
    pub fn block(&mut self, n: usize, nesting: usize, into: &mut String) {
        let n_known = self.scope.variables.len();
        self.scope.depth += 1;
        into.push_str("{\n");
        if self.random.once_in(2) {
            self.local(into);
        }
        for _ in 0..n {
            self.statement(nesting, into);
        }
        into.push_str("}\n");
        self.scope.depth -= 1;
        self.scope.variables.truncate(n_known);
    }

    /// One statement, with blocks in it up to `nesting` deep.
    pub fn statement(&mut self, nesting: usize, into: &mut String) {
        self.scope.cost += self.scope.times;
        match self.random.below(if nesting == 0 { 14 } else { 22 }) {
            0..=4 => self.assignment(into),
            5..=7 => self.compound(into),
            8 => self.increment(into),
            9 => self.chain(into),
            10 => self.copy(into),
            11 => self.retarget(into),
            12 => self.effects(into),
            13 => self.call_statement(into),
            14 | 15 => self.branch(nesting - 1, into),
            16..=18 => self.repeat(nesting - 1, into),
            19 => self.switch(nesting - 1, into),
            20 => self.skip(nesting - 1, into),
            _ => self.block(2, nesting - 1, into),
        }
    }

    /// A local variable with its initialiser.
    pub fn local(&mut self, into: &mut String) {
        let name = self.scope.fresh("v");
        if self.random.once_in(4) {
            let depth = self.scope.depth;
            let to = self.object_type(1);
            if let Some(target) = self.address(&to, depth) {
                let of = Type::Pointer(Box::new(to));
                let _ = writeln!(into, "{} = &{target};", of.declare(&name));
                return self.scope.declare(&name, of, true);
            }
        }
        let of = self.object_type(2);
        let value = self.initialiser(&of, false);
        let storage = if self.random.once_in(12) { "volatile " } else { "" };
        let storage = if matches!(of, Type::Scalar(_)) { storage } else { "" };
        let _ = writeln!(into, "{storage}{} = {value};", of.declare(&name));
        // A pointer to a volatile object would need the qualifier, too.
        match storage {
            "" => self.scope.declare(&name, of, true),
            _ => {
                let _ = writeln!(into, "{name}++;");
                self.scope.declare(&name, of, false);
            }
        }
    }

    fn assignment(&mut self, into: &mut String) {
        let Some(place) = self.place(true) else { return };
        let value = self.fitting(place.of, 3);
        let _ = writeln!(into, "{} = {value};", place.text);
    }

    /// Not on bit-fields wider than `int`: gcc computes with integers of their width, clang with
    /// their declared type, and so does the machine.
    fn compound(&mut self, into: &mut String) {
        let Some(place) = self.place(true) else { return };
        if place.width.is_some_and(|width| width > 32) {
            let value = self.fitting(place.of, 2);
            let _ = writeln!(into, "{} = {value};", place.text);
            return;
        }
        let text = &place.text;
        let here = read(place.clone()).of;
        let line = if place.of.is_float() {
            let op = *self.random.of(&["+", "-", "*", "/"]);
            format!("{text} {op}= {};", self.any(2).text)
        } else {
            match self.random.below(3) {
                0 => {
                    let op = *self.random.of(&["<<", ">>"]);
                    format!(
                        "{text} {op}= {} & {};",
                        self.integer(2).text,
                        here.promoted().bits() - 1
                    )
                }
                1 => {
                    let op = *self.random.of(&["/", "%"]);
                    format!("{text} {op}= {};", self.divisor(here, 2).text)
                }
                _ => {
                    let op = *self.random.of(&["+", "-", "*", "&", "|", "^"]);
                    format!("{text} {op}= {};", self.integer(2).text)
                }
            }
        };
        let _ = writeln!(into, "{line}");
    }

    fn increment(&mut self, into: &mut String) {
        let Some(place) = self.place(true) else { return };
        let op = *self.random.of(&["++", "--"]);
        let _ = match self.random.once_in(2) {
            true => writeln!(into, "{op}{};", place.text),
            false => writeln!(into, "{}{op};", place.text),
        };
    }

    /// Two variables that share nothing, as plain names.
    fn two(&mut self) -> Option<(Place, Place)> {
        let plain =
            |v: &&crate::generated::scope::Variable| v.writable && matches!(v.of, Type::Scalar(_));
        let found: Vec<_> = self.scope.variables.iter().filter(plain).cloned().collect();
        if found.len() < 2 {
            return None;
        }
        let first = self.random.below(found.len());
        let second = (first + 1 + self.random.below(found.len() - 1)) % found.len();
        let place = |i: usize| {
            let Type::Scalar(of) = found[i].of else { unreachable!("filtered") };
            Place { text: found[i].name.clone(), of, width: None }
        };
        Some((place(first), place(second)))
    }

    /// The value of an assignment or an increment is used.
    fn chain(&mut self, into: &mut String) {
        let Some((mut to, mut from)) = self.two() else { return };
        if from.of.is_float() && !to.of.is_float() && to.of != Scalar::Bool {
            std::mem::swap(&mut to, &mut from);
        }
        let (to, from_of, from) = (to.text, from.of, from.text);
        let _ = match self.random.below(5) {
            0 => writeln!(into, "{to} = {from}++;"),
            1 => writeln!(into, "{to} = --{from};"),
            2 => writeln!(
                into,
                "{to} = {from} += {};",
                if from_of.is_float() { "1.5" } else { "7u" }
            ),
            3 => writeln!(into, "{to} = ({from}++, {from});"),
            _ => {
                let value = self.fitting(from_of, 2);
                writeln!(into, "{to} = {from} = {value};")
            }
        };
    }

    /// A structure is copied, or made anew.
    fn copy(&mut self, into: &mut String) {
        let id = self.random.below(self.scope.structs.len());
        let of = Type::Struct(id);
        let Some(to) = self.address(&of, usize::MAX) else { return };
        let value = match self.random.below(3) {
            0 => format!("(struct s{id}){}", self.initialiser(&of, false)),
            1 => match self.struct_call(id) {
                Some(call) => call,
                None => return,
            },
            _ => self.object(&of).expect("there is one to write to"),
        };
        let _ = writeln!(into, "{to} = {value};");
    }

    /// A call of a function without side effects that gives a structure.
    fn struct_call(&mut self, id: usize) -> Option<String> {
        let callee = self.callee(|f| f.pure_ && f.result == Type::Struct(id))?;
        let arguments = self.arguments(&callee.parameters, 1)?;
        Some(format!("{}({arguments})", callee.name))
    }

    /// A function that can be called without running for too long.
    fn callee(&mut self, wanted: impl Fn(&Callee) -> bool) -> Option<Callee> {
        let (cost, times) = (self.scope.cost, self.scope.times);
        let open = |f: &&Callee| wanted(f) && cost + f.cost * times < 3000;
        let found: Vec<Callee> = self.scope.functions.iter().filter(open).cloned().collect();
        if found.is_empty() {
            return None;
        }
        let callee = self.random.of(&found).clone();
        self.scope.cost += callee.cost * times;
        Some(callee)
    }

    /// A pointer gets another target that lives at least as long.
    fn retarget(&mut self, into: &mut String) {
        let pointers = self.scope.variables.iter().filter(|v| v.writable);
        let pointers = pointers.filter(|v| matches!(v.of, Type::Pointer(_)));
        let pointers: Vec<_> = pointers.cloned().collect();
        if pointers.is_empty() {
            return;
        }
        let pointer = self.random.of(&pointers).clone();
        let Type::Pointer(of) = &pointer.of else { unreachable!("filtered") };
        let Some(target) = self.address(of, pointer.depth) else { return };
        let test = self.any(1).text;
        let _ = writeln!(into, "{0} = {test} ? &{target} : {0};", pointer.name);
    }

    /// Side effects that sequence points keep apart.
    fn effects(&mut self, into: &mut String) {
        let Some((a, b)) = self.two() else { return };
        let value = self.fitting(b.of, 2);
        let (a, b) = (a.text, b.text);
        let op = *self.random.of(&["&&", "||"]);
        let _ = match self.random.below(3) {
            0 => writeln!(into, "if ({a}++ {op} ({b} = {value})) {a}--;"),
            1 => writeln!(into, "{a} ? ({b} = {value}) : ({a}--);"),
            _ => writeln!(into, "(void)({a}++ {op} {b}++ {op} --{a});"),
        };
    }

    /// A call of a function with side effects, where these are allowed.
    fn call_statement(&mut self, into: &mut String) {
        if self.scope.variables.iter().all(|v| v.depth > 0 || !v.writable) {
            return;
        }
        let Some(callee) = self.callee(|f| !f.pure_) else { return };
        let Some(arguments) = self.arguments(&callee.parameters, 2) else { return };
        let call = format!("{}({arguments})", callee.name);
        let plain = self.two().map(|(to, _)| to);
        let _ = match (&callee.result, plain) {
            (Type::Scalar(of), Some(to)) => match of.is_float() && !to.of.is_float() {
                true => writeln!(into, "{} = {}({call});", to.text, to.of.converter()),
                false => writeln!(into, "{} = {call};", to.text),
            },
            _ => writeln!(into, "{call};"),
        };
    }

    fn branch(&mut self, nesting: usize, into: &mut String) {
        let test = self.any(3).text;
        let _ = write!(into, "if ({test}) ");
        self.block(2, nesting, into);
        if self.random.once_in(2) {
            into.push_str("else ");
            self.block(2, nesting, into);
        }
    }

    /// A loop with a few rounds, which may leave early.
    fn repeat(&mut self, nesting: usize, into: &mut String) {
        let (n, i) = (self.random.between(1, 5), self.scope.fresh("i"));
        let of = *self.random.of(&ALL[1..]);
        let (n_known, times) = (self.scope.variables.len(), self.scope.times);
        self.scope.times *= n;
        let form = self.random.below(3);
        let counter = of.declare_name(&i);
        self.scope.depth += 1;
        let _ = match form {
            0 => writeln!(into, "for ({counter} = 0; {i} < {n}; {i}++) {{"),
            1 => writeln!(into, "{{ {counter} = {n}; while ({i}-- > 0) {{"),
            _ => writeln!(into, "{{ {counter} = 0; do {{"),
        };
        self.scope.declare(&i, Type::Scalar(of), false);
        self.block(2, nesting, into);
        if self.random.once_in(2) {
            let leave = if form == 2 { "break" } else { *self.random.of(&["break", "continue"]) };
            let _ = writeln!(into, "if ({}) {leave};", self.any(2).text);
        }
        self.statement(0, into);
        into.push_str(&match form {
            0 => "}\n".to_owned(),
            1 => "} }\n".to_owned(),
            _ => format!("}} while (++{i} < {n}); }}\n"),
        });
        self.scope.depth -= 1;
        self.scope.times = times;
        self.scope.variables.truncate(n_known);
    }

    fn switch(&mut self, nesting: usize, into: &mut String) {
        let value = self.integer(2).text;
        let _ = writeln!(into, "switch ({value} & 15) {{");
        let mut case = self.random.below(3);
        while case < 15 {
            let last = case + self.random.below(3).min(15 - case);
            let _ = match last > case {
                true => writeln!(into, "case {case} ... {last}:"),
                false => writeln!(into, "case {case}:"),
            };
            self.block(1, nesting, into);
            if self.random.once_in(2) {
                into.push_str("break;\n");
            }
            if self.random.once_in(8) {
                into.push_str("default:;\n");
                self.block(1, nesting, into);
                break;
            }
            case = last + self.random.between(1, 4);
        }
        into.push_str("}\n");
    }

    /// A jump forward over a block.
    fn skip(&mut self, nesting: usize, into: &mut String) {
        let label = self.scope.fresh("l");
        let _ = writeln!(into, "if ({}) goto {label};", self.any(2).text);
        self.block(2, nesting, into);
        let _ = writeln!(into, "{label}:;");
    }
}

impl Scalar {
    fn declare_name(self, name: &str) -> String {
        format!("{} {name}", self.name())
    }
}
