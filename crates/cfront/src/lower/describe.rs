//! Types as C writes them, and names that may have been meant.

use super::Lowering;
use super::ctype::{Float, Int, Length, Qualified, Signature, Type};

impl Lowering<'_> {
    /// The name of a type, for messages.
    pub(super) fn describe(&self, ty: &Type) -> String {
        format!("`{}`", self.declared_as(ty, String::new()))
    }

    /// The type around a declarator, as C reads it: from the inside out.
    fn declared_as(&self, ty: &Type, inner: String) -> String {
        let base = |name: &str| match inner.is_empty() {
            true => name.to_owned(),
            false => format!("{name} {inner}"),
        };
        match ty {
            Type::Void => base("void"),
            Type::Int(int) => base(int_name(*int)),
            Type::Float(Float::Single) => base("float"),
            Type::Float(Float::Double) => base("double"),
            Type::Float(Float::Long) => base("long double"),
            Type::VaList => base("va_list"),
            Type::Record(id) => {
                let record = self.records.get(*id);
                let word = if record.union { "union" } else { "struct" };
                base(&format!("{word} {}", record.tag.as_deref().unwrap_or("<unnamed>")))
            }
            Type::Pointer(to) => {
                let star = format!("*{inner}");
                let wrapped = matches!(to.ty, Type::Array(..) | Type::Function(_));
                self.qualified_as(to, if wrapped { format!("({star})") } else { star })
            }
            Type::Array(element, length) => {
                let length = match length {
                    Length::Known(n) => n.to_string(),
                    Length::Unknown => String::new(),
                    Length::Variable(_) => "*".to_owned(),
                };
                self.qualified_as(element, format!("{inner}[{length}]"))
            }
            Type::Function(signature) => {
                let list = self.parameter_list(signature);
                self.declared_as(&signature.result, format!("{inner}({list})"))
            }
        }
    }

    fn qualified_as(&self, of: &Qualified, inner: String) -> String {
        let words = [(of.constant, "const"), (of.volatile, "volatile"), (of.atomic, "_Atomic")];
        let mut words: String =
            words.iter().filter(|word| word.0).map(|word| format!("{} ", word.1)).collect();
        match &of.ty {
            // The qualifiers of a pointer stand after its star.
            Type::Pointer(_) if !words.is_empty() => {
                self.declared_as(&of.ty, format!("{words}{inner}"))
            }
            _ => {
                words.push_str(&self.declared_as(&of.ty, inner));
                words
            }
        }
    }

    fn parameter_list(&self, signature: &Signature) -> String {
        let types = signature.parameters.iter().map(|ty| self.declared_as(ty, String::new()));
        let mut list: Vec<String> = types.collect();
        if signature.variadic {
            list.push("...".to_owned());
        }
        if list.is_empty() && !signature.unknown {
            list.push("void".to_owned());
        }
        list.join(", ")
    }

    /// `; did you mean …?` if there is a name much like this one.
    pub(super) fn similar_name(&self, name: &str) -> String {
        suggestion(name, self.scopes.names().filter(|name| !name.starts_with("__")))
    }

    /// The same for the members of a record.
    pub(super) fn similar_member(&self, id: super::ctype::RecordId, name: &str) -> String {
        let layout = self.records.get(id).layout.as_ref();
        let fields = layout.into_iter().flat_map(|layout| &layout.fields);
        suggestion(name, fields.filter_map(|field| field.name.as_deref()))
    }
}

fn suggestion<'n>(name: &str, candidates: impl Iterator<Item = &'n str>) -> String {
    let limit = (name.len() / 3).max(1);
    let near = candidates
        .filter(|other| other.len().abs_diff(name.len()) <= limit)
        .map(|other| (distance(name.as_bytes(), other.as_bytes()), other))
        .filter(|(distance, other)| *distance <= limit && *distance < other.len())
        .min();
    near.map_or(String::new(), |(_, other)| format!("; did you mean `{other}`?"))
}

/// How many insertions, deletions, replacements and swaps of neighbours lead to the other name.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

fn int_name(int: Int) -> &'static str {
    match int {
        Int::Bool => "_Bool",
        Int::Char => "char",
        Int::SignedChar => "signed char",
        Int::UnsignedChar => "unsigned char",
        Int::Short => "short",
        Int::UnsignedShort => "unsigned short",
        Int::Int => "int",
        Int::UnsignedInt => "unsigned int",
        Int::Long => "long",
        Int::UnsignedLong => "unsigned long",
        Int::LongLong => "long long",
        Int::UnsignedLongLong => "unsigned long long",
    }
}
