//! `raddle clean`: removes what was unpacked into the cache.

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
    /// Runtimes.
    runtimes: usize,
    /// Sets of C headers.
    headers: usize,
    bytes: u64,
}

/// Removes everything that was unpacked.
pub(crate) fn run(context: &Context) -> Result<Exit, Diagnostic> {
    let fail = |error| Diagnostic::error("cannot clean the cache").because(&error);
    let cache = raddle_cache::folder().map_err(fail)?;
    let removed = raddle_cache::clean(&cache).map_err(fail)?;
    let cache = cache.display().to_string();
    let headers = removed.n("headers");
    let runtimes = removed.kinds.len() - headers;
    if context.is_json() {
        let bytes = removed.bytes;
        let schema = "raddle.clean/1";
        output::print_json(&Document { schema, cache, runtimes, headers, bytes })?;
        return Ok(Exit::Done);
    }
    let counts = [(runtimes, "runtime"), (headers, "header set")];
    let counts = counts.into_iter().filter(|&(n, _)| n > 0);
    let what: Vec<_> = counts.map(|(n, name)| counted(n, name)).collect();
    output::print_text(&match &what[..] {
        [] => format!("nothing to remove in {}\n", visible(&cache)),
        what => format!(
            "removed {} ({}) from {}\n",
            what.join(" and "),
            bytes(removed.bytes),
            visible(&cache)
        ),
    })?;
    Ok(Exit::Done)
}
