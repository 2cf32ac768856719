//! What is ruled out, with the orders that leave no interleaving.

use std::fmt::Write;

use serde_json::Value;

use super::Styles;
use crate::sanitise::visible;

/// A paragraph for each.
pub fn text(ruled_out: &Value, styles: &Styles) -> String {
    let (heading, dim) = (styles.heading, styles.dim);
    let mut text = String::new();
    for item in ruled_out.as_array().into_iter().flatten() {
        let word = |value: &Value, key: &str| {
            visible(value.get(key).and_then(Value::as_str).unwrap_or_default())
        };
        let _ = writeln!(text, "{heading}ruled out{heading:#}: {}", word(item, "message"));
        let _ = writeln!(text, "  {}", word(item, "why"));
        for order in item.get("core").and_then(Value::as_array).into_iter().flatten() {
            let (before, after) = (word(order, "before"), word(order, "after"));
            let because = word(order, "because");
            let _ = writeln!(text, "    {before} before {after}{dim}: {because}{dim:#}");
        }
    }
    text
}
