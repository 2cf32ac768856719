//! The configuration file `raddle.toml`.
//!
//! It is the file that `--config` or `RADDLE_CONFIG` names, or the nearest `raddle.toml` in the
//! current directory and those above it. A key that is not known is an error: a misspelt
//! setting must not be without effect in silence.

use std::fs;
use std::iter;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::args::{BeginEnd, Color, Format};
use crate::diagnostic::{Diagnostic, Excerpt, Place};
use crate::quantity::Size;

const NAME: &str = "raddle.toml";

/// The keys of the file; `docs/src/configuration.md` describes each.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Config {
    pub(crate) format: Option<Format>,
    pub(crate) color: Option<Color>,
    pub(crate) quiet: Option<bool>,
    pub(crate) log: Option<String>,
    #[serde(default)]
    pub(crate) trace: TraceConfig,
}

/// The keys of `[trace]`: how traces are read.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", expecting = "a table: [trace]")]
pub(crate) struct TraceConfig {
    pub(crate) normalise: Option<bool>,
    pub(crate) begin_end: Option<BeginEnd>,
    pub(crate) nested: Option<bool>,
    pub(crate) max_memory: Option<Size>,
}

/// Reads the file that was named, or the nearest there is; the path says which it was.
pub(crate) fn load(named: Option<&Path>) -> Result<(Config, Option<PathBuf>), Diagnostic> {
    let Some(path) = named.map(Path::to_owned).or_else(nearest) else {
        return Ok((Config::default(), None));
    };
    let name = path.display().to_string();
    let text = fs::read_to_string(&path).map_err(|error| {
        Diagnostic::error(format!("cannot read the configuration `{name}`")).because(&error)
    })?;
    let config = toml::from_str(&text).map_err(|error| invalid(&name, &text, &error))?;
    Ok((config, Some(path)))
}

/// The `raddle.toml` in the current directory or the nearest one above it.
fn nearest() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    let above = here.ancestors().skip(1).map(|directory| directory.join(NAME));
    iter::once(PathBuf::from(NAME)).chain(above).find(|path| path.is_file())
}

fn invalid(name: &str, text: &str, error: &toml::de::Error) -> Diagnostic {
    let message = error.message().replacen("unknown field", "unknown key", 1);
    let diagnostic = Diagnostic::error(format!("the configuration is invalid: {message}"));
    let Some(span) = error.span() else { return diagnostic.at(Place::file(name)) };
    let before = &text[..span.start.min(text.len())];
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = before.matches('\n').count() + 1;
    let excerpt = Excerpt {
        text: text[start..].lines().next().unwrap_or("").to_owned(),
        marked: span.start - start..span.end - start,
        label: String::new(),
    };
    diagnostic.at(Place { excerpt: Some(excerpt), line: Some(line), ..Place::file(name) })
}
