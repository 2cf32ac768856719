//! `raddle clean`: removes what was unpacked into the cache.

use raddle_native::install;
use serde::Serialize;

use crate::context::Context;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::output;
use crate::quantity::{bytes, counted};
use raddle_report::sanitise::visible;

#[derive(Serialize)]
struct Document {
    schema: &'static str,
    cache: String,
    runtimes: usize,
    bytes: u64,
}

/// Removes every unpacked runtime.
pub(crate) fn run(context: &Context) -> Result<Exit, Diagnostic> {
    let removed = install::clean()
        .map_err(|error| Diagnostic::error("cannot clean the cache").because(&error))?;
    let cache = removed.cache.display().to_string();
    if context.is_json() {
        output::print_json(&Document {
            schema: "raddle.clean/1",
            cache,
            runtimes: removed.n_runtimes,
            bytes: removed.bytes,
        })?;
        return Ok(Exit::Done);
    }
    output::print_text(&match removed.n_runtimes {
        0 => format!("nothing to remove in {}\n", visible(&cache)),
        n => format!(
            "removed {} ({}) from {}\n",
            counted(n, "runtime"),
            bytes(removed.bytes),
            visible(&cache)
        ),
    })?;
    Ok(Exit::Done)
}
