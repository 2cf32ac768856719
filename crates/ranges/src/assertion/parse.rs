//! The text of assertions: C's expressions over names and numbers.

use raddle_cfront::ir::Binary;

/// An expression over names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Term {
    /// A number.
    Number(i64),
    /// A variable, as the program writes it: `x`, `a[1].b`, `p->x`, `*p`.
    Name(String),
    /// An operator.
    Binary(Binary, Box<Term>, Box<Term>),
}

/// Operators from those that bind least, with two letters before those with one.
const LEVELS: [&[(&str, Binary)]; 6] = [
    &[("||", Binary::Or)],
    &[("&&", Binary::And)],
    &[("==", Binary::Equal), ("!=", Binary::NotEqual)],
    &[
        ("<=", Binary::LessEqual),
        (">=", Binary::GreaterEqual),
        ("<", Binary::Less),
        (">", Binary::Greater),
    ],
    &[("+", Binary::Add), ("-", Binary::Subtract)],
    &[("*", Binary::Multiply), ("/", Binary::Divide), ("%", Binary::Remainder)],
];

/// How deep parentheses and signs may be nested.
const DEPTH_MAX: usize = 100;

/// The expression of a text, or where it stops being one.
pub(super) fn parse(text: &str) -> Result<Term, usize> {
    let mut parser = Parser { text, at: 0, depth: 0 };
    let term = parser.level(0)?;
    parser.skip();
    if parser.at == text.len() { Ok(term) } else { Err(parser.at) }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn skip(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn take(&mut self, sign: &str) -> bool {
        self.skip();
        let found = self.rest().starts_with(sign);
        self.at += if found { sign.len() } else { 0 };
        found
    }

    fn level(&mut self, level: usize) -> Result<Term, usize> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.level(level + 1)?;
        while let Some(&(_, op)) = operators.iter().find(|(sign, _)| self.take(sign)) {
            let right = self.level(level + 1)?;
            left = match op {
                Binary::And | Binary::Or => binary(op, truth(left), truth(right)),
                _ => binary(op, left, right),
            };
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Term, usize> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(self.at);
        }
        let term = if self.take("-") {
            match self.unary()? {
                Term::Number(number) => Term::Number(number.wrapping_neg()),
                term => binary(Binary::Subtract, Term::Number(0), term),
            }
        } else if self.take("!") {
            binary(Binary::Equal, self.unary()?, Term::Number(0))
        } else if self.take("(") {
            let inner = self.level(0)?;
            if !self.take(")") {
                return Err(self.at);
            }
            inner
        } else {
            self.leaf()?
        };
        self.depth -= 1;
        Ok(term)
    }

    fn leaf(&mut self) -> Result<Term, usize> {
        self.skip();
        let start = self.at;
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        self.at += self.rest().chars().take_while(|&c| c == '*').count();
        self.word(is_part);
        let first = self.text[start..self.at].trim_start_matches('*');
        if first.starts_with(|c: char| c.is_ascii_digit()) {
            return self.text[start..self.at].parse().map(Term::Number).map_err(|_| start);
        }
        if first.is_empty() {
            return Err(start);
        }
        loop {
            if self.rest().starts_with('[') {
                self.at += self.rest().find(']').ok_or(self.at)? + 1;
            } else if self.rest().starts_with("->") {
                self.at += 2;
                self.word(is_part);
            } else if self.rest().starts_with(['.', '#', '@']) {
                self.at += 1;
                self.word(is_part);
            } else {
                return Ok(Term::Name(self.text[start..self.at].to_owned()));
            }
        }
    }

    fn word(&mut self, is_part: impl Fn(char) -> bool) {
        let end = self.rest().find(|c| !is_part(c)).unwrap_or(self.rest().len());
        self.at += end;
    }
}

fn binary(op: Binary, left: Term, right: Term) -> Term {
    Term::Binary(op, Box::new(left), Box::new(right))
}

fn truth(term: Term) -> Term {
    binary(Binary::NotEqual, term, Term::Number(0))
}
