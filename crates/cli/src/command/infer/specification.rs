//! The file of a specification: `raddle.specification/1`, in TOML.

use std::fs;
use std::path::Path;

use raddle_cfront::ir::Program;
use raddle_ndseq::outline::Outline;
use raddle_ndseq::statement::Candidate;
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::destination::Destination;
use crate::diagnostic::Diagnostic;

const SCHEMA: &str = "raddle.specification/1";

/// Lines that stand inside one `if(*)`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Lines {
    pub(super) file: String,
    pub(super) from: u32,
    pub(super) to: u32,
}

/// What the file says.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Specification {
    schema: String,
    pub(super) focus: Vec<String>,
    #[serde(default)]
    pub(super) if_star: Vec<Lines>,
}

impl Specification {
    pub(super) fn new(focus: Vec<String>, if_star: Vec<Lines>) -> Specification {
        Specification { schema: SCHEMA.to_owned(), focus, if_star }
    }

    pub(super) fn read(path: &Path) -> Result<Specification, Diagnostic> {
        let title = || format!("cannot read the specification `{}`", path.display());
        let text =
            fs::read_to_string(path).map_err(|error| Diagnostic::error(title()).because(&error))?;
        let found: Specification =
            toml::from_str(&text).map_err(|error| Diagnostic::error(title()).because(&error))?;
        match found.schema == SCHEMA {
            true => Ok(found),
            false => Err(Diagnostic::error(title())
                .remark(format!("its schema is `{}`, not `{SCHEMA}`", found.schema))),
        }
    }

    pub(super) fn write(&self, path: &Path, context: &Context) -> Result<(), Diagnostic> {
        let text = toml::to_string(self).map_err(|error| {
            Diagnostic::error("the specification cannot be written").because(&error)
        })?;
        let destination = Destination::prepare(path, &context.interrupt)?;
        destination.write(|out| out.write_all(text.as_bytes()))?;
        Ok(())
    }

    /// The statements that are meant.
    pub(super) fn resolve(
        &self,
        program: &Program,
        outline: &Outline,
    ) -> Result<Vec<Candidate>, Diagnostic> {
        let find = |lines: &Lines| {
            outline.find(program, &lines.file, lines.from, lines.to).ok_or_else(|| {
                let place = format!("{}:{}-{}", lines.file, lines.from, lines.to);
                Diagnostic::error(format!("no statements can be placed inside if(*) at {place}"))
                    .help(
                        "an if(*) contains whole statements of one block, from their first to \
                         their last line",
                    )
            })
        };
        self.if_star.iter().map(find).collect()
    }
}

/// The lines of a run.
pub(super) fn lines(program: &Program, outline: &Outline, run: &Candidate) -> Lines {
    let (file, from, to) = outline.lines(program, run);
    Lines { file, from, to }
}
