//! JSON layout: one field per line, but lists of plain values on one line.
//!
//! In: anything that serialises. Out: text that people can read even when a witness has a thousand
//! events, and that is the same for the same data.
//!
//! A list does not say beforehand what is in it, so the separator of an element waits until the
//! element begins: before a plain value it is a space, before a list or an object a new line.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, Serializer};

/// Writes a value as laid-out JSON, with a newline at the end, as it is being made. Strings reach
/// the writer in whole characters.
pub fn write_json(value: &impl Serialize, writer: &mut impl Write) -> serde_json::Result<()> {
    value.serialize(&mut Serializer::with_formatter(&mut *writer, Layout::default()))?;
    writer.write_all(b"\n").map_err(serde_json::Error::io)
}

/// The value as laid-out JSON, with a newline at the end.
pub(crate) fn to_text(value: &impl Serialize) -> serde_json::Result<String> {
    let mut bytes = Vec::new();
    write_json(value, &mut bytes)?;
    String::from_utf8(bytes).map_err(serde::ser::Error::custom)
}

#[derive(Default)]
struct Layout {
    depth: usize,
    /// An element of a list was announced, and whether it is the first.
    waiting: Option<bool>,
    /// What is inside the innermost list or object takes lines of its own.
    broken: bool,
}

impl Layout {
    fn new_line<W: ?Sized + Write>(&self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b"\n")?;
        (0..self.depth).try_for_each(|_| writer.write_all(b"  "))
    }

    fn plain<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        match self.waiting.take() {
            Some(false) => writer.write_all(b", "),
            Some(true) | None => Ok(()),
        }
    }

    fn open<W: ?Sized + Write>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        if let Some(first) = self.waiting.take() {
            writer.write_all(if first { b"" } else { b"," })?;
            self.new_line(writer)?;
        }
        self.depth += 1;
        self.broken = false;
        writer.write_all(bracket)
    }

    fn close<W: ?Sized + Write>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth -= 1;
        if self.broken {
            self.new_line(writer)?;
        }
        // Whatever is around has just had a list or an object on its own line.
        self.broken = true;
        writer.write_all(bracket)
    }
}

/// Plain values: let the waiting separator go, then write as usual.
macro_rules! plain_values {
    ($($write:ident: $type:ty),* $(,)?) => {
        $(fn $write<W: ?Sized + Write>(&mut self, writer: &mut W, value: $type) -> io::Result<()> {
            self.plain(writer)?;
            CompactFormatter.$write(writer, value)
        })*
    };
}

impl Formatter for Layout {
    plain_values! {
        write_bool: bool, write_number_str: &str, write_raw_fragment: &str,
        write_i8: i8, write_i16: i16, write_i32: i32, write_i64: i64, write_i128: i128,
        write_u8: u8, write_u16: u16, write_u32: u32, write_u64: u64, write_u128: u128,
        write_f32: f32, write_f64: f64,
    }

    fn write_null<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.plain(writer)?;
        CompactFormatter.write_null(writer)
    }

    fn begin_string<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.plain(writer)?;
        CompactFormatter.begin_string(writer)
    }

    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.open(writer, b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.close(writer, b"]")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, _: &mut W, first: bool) -> io::Result<()> {
        self.waiting = Some(first);
        Ok(())
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.open(writer, b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.close(writer, b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        writer.write_all(if first { b"" } else { b"," })?;
        self.new_line(writer)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.broken = true;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    #[track_caller]
    fn check(value: Value, expected: &str) {
        assert_eq!(to_text(&value).unwrap(), format!("{expected}\n"));
    }

    #[test]
    fn plain_lists_take_one_line() {
        check(json!([1, -2, "a", null, true, 0.5]), r#"[1, -2, "a", null, true, 0.5]"#);
    }

    #[test]
    fn fields_and_nested_lists_take_their_own() {
        check(
            json!({"a": [1, 2], "b": [{"c": 1}, [3]], "d": {}}),
            "{\n  \"a\": [1, 2],\n  \"b\": [\n    {\n      \"c\": 1\n    },\n    [3]\n  ],\n  \"d\": {}\n}",
        );
    }

    #[test]
    fn empty_ones_stay_closed() {
        check(json!([]), "[]");
        check(json!({"a": [], "b": {}}), "{\n  \"a\": [],\n  \"b\": {}\n}");
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let plain = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "[a\"é\n]{0,3}".prop_map(Value::from),
        ];
        plain.prop_recursive(4, 32, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::btree_map("[a-c]{1,2}", inner, 0..5)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn the_layout_does_not_change_the_data(value in any_json()) {
            let text = to_text(&value).unwrap();
            prop_assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
        }
    }
}
