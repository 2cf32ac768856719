//! Mutations of preprocessed C.

use std::path::Path;

/// What is put where something else was.
const SPICE: &[&str] = &[
    "0",
    "1",
    "-1",
    "18446744073709551615u",
    "99999999999999999999999",
    "0x7fffffff",
    "1e308",
    "1.5f",
    "'\\0'",
    "\"text\"",
    "L\"wide\"",
    "int",
    "char",
    "struct",
    "union",
    "enum",
    "void",
    "long",
    "unsigned",
    "double",
    "float",
    "_Bool",
    "const",
    "volatile",
    "_Atomic",
    "static",
    "extern",
    "typedef",
    "register",
    "inline",
    "return",
    "break",
    "continue",
    "goto",
    "case",
    "default",
    "switch",
    "if",
    "else",
    "while",
    "for",
    "do",
    "sizeof",
    "_Alignof",
    "typeof",
    "__auto_type",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    ",",
    ":",
    "?",
    "=",
    "+",
    "-",
    "*",
    "/",
    "%",
    "&",
    "|",
    "^",
    "~",
    "!",
    "<",
    ">",
    "<<",
    ">>",
    "==",
    "&&",
    "||",
    "+=",
    "++",
    "--",
    "->",
    ".",
    "...",
    "&&x",
    "main",
    "printf",
    "x",
    "({",
    "})",
    "(int[]){1,2}",
    "(struct { int a; }){1}",
    "[1<<30]",
    "[n]",
    "_Generic(1, int: 2, default: 3)",
    "__builtin_va_arg(x, int)",
    "__attribute__((packed))",
    ":3",
    "__builtin_choose_expr(1, 2, 3)",
    "__thread",
    "_Alignas(64)",
    "__builtin_offsetof(struct s, a)",
    "[0 ... 1000000]",
    ".a =",
    "[3] =",
];

/// A few changes to what stands in the file itself; its headers stay as they are.
pub fn mutant(text: &str, file: &Path, random: &mut fastrand::Rng) -> String {
    let start = own_part(text, file);
    let (headers, own) = text.split_at(start);
    let mut tokens = tokens(own);
    for _ in 0..random.usize(1..=4) {
        change(&mut tokens, random);
    }
    let mut mutant = headers.to_owned();
    tokens.iter().for_each(|token| mutant.push_str(token));
    if random.u8(..) < 8 {
        let mut cut = start + random.usize(..=mutant.len() - start);
        while !mutant.is_char_boundary(cut) {
            cut -= 1;
        }
        mutant.truncate(cut);
    }
    mutant
}

/// Where the last header ends.
fn own_part(text: &str, file: &Path) -> usize {
    let name = format!("\"{}\"", file.display());
    let (mut at, mut start) = (0, 0);
    for line in text.split_inclusive('\n') {
        at += line.len();
        if line.starts_with("# ") && line.contains(&name) {
            start = at;
        }
    }
    start
}

fn change(tokens: &mut Vec<String>, random: &mut fastrand::Rng) {
    if tokens.is_empty() {
        tokens.push(String::new());
    }
    let (at, other) = (random.usize(..tokens.len()), random.usize(..tokens.len()));
    match random.u8(..11) {
        0 | 1 => drop(tokens.remove(at)),
        2 => tokens.insert(at, tokens[at].clone()),
        3 => tokens.swap(at, other),
        4 | 5 => tokens[at] = format!(" {} ", SPICE[random.usize(..SPICE.len())]),
        6 => tokens.insert(at, format!(" {} ", SPICE[random.usize(..SPICE.len())])),
        7 => tokens[at] = tokens[other].clone(),
        8 => {
            let end = (at + random.usize(1..40)).min(tokens.len());
            drop(tokens.drain(at..end));
        }
        9 => {
            let end = (at + random.usize(1..40)).min(tokens.len());
            let copy = tokens[at..end].to_vec();
            let other = other.min(tokens.len());
            drop(tokens.splice(other..other, copy));
        }
        _ => nest(tokens, at, random),
    }
}

/// Puts a token deep into something.
fn nest(tokens: &mut [String], at: usize, random: &mut fastrand::Rng) {
    const AROUND: &[(&str, &str)] = &[
        ("(", ")"),
        ("!(1 && ", ")"),
        ("(x ? ", " : 1)"),
        ("({ ", "; })"),
        ("sizeof(", ")"),
        ("(struct { int a; }){", "}.a"),
        ("{", "}"),
        ("({ __auto_type y = ", "; y; })"),
        ("_Generic(", ", default: 1)"),
        ("-", ""),
        ("*&", ""),
        ("__builtin_choose_expr(1, ", ", 2)"),
        ("(int[]){", "}[0]"),
    ];
    let (open, close) = AROUND[random.usize(..AROUND.len())];
    let n = [1, 3, 30, 200][random.usize(..4)];
    tokens[at] = format!(" {}{}{} ", open.repeat(n), tokens[at], close.repeat(n));
}

/// The text in pieces: words, numbers, strings, blanks, and single characters.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut last = ' ';
    let mut quoted = None;
    for c in text.chars() {
        let class = match c {
            c if c.is_alphanumeric() || c == '_' || c == '#' => 'w',
            c if c.is_whitespace() => 'b',
            c => c,
        };
        let glued = quoted.is_some() || (class == last && matches!(class, 'w' | 'b'));
        match tokens.last_mut() {
            Some(token) if glued => token.push(c),
            _ => tokens.push(c.to_string()),
        }
        quoted = match (quoted, c) {
            (None, '"' | '\'') => Some((c, false)),
            (Some((quote, false)), c) if c == quote => None,
            (Some((quote, escaped)), c) => Some((quote, c == '\\' && !escaped)),
            (None, _) => None,
        };
        last = if quoted.is_some() { ' ' } else { class };
    }
    tokens
}
