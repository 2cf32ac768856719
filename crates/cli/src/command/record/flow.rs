//! The file of `raddle record --flow`: what the events of a trace depend on, a line for each.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use raddle_vm::flow::{FlowOf, FlowTrace, Source};
use serde::Serialize;

use crate::context::Context;
use crate::destination::{self, Destination, Outcome};
use crate::diagnostic::Diagnostic;
use crate::quantity::counted;

/// The first line; the schema `raddle.flow/1`.
#[derive(Serialize)]
struct Header {
    schema: &'static str,
    trace: String,
    events: usize,
    values: u32,
}

/// Any other line.
#[derive(Serialize)]
struct Line {
    event: u32,
    data: Vec<Named>,
    address: Vec<Named>,
    control: Vec<Named>,
}

/// An event by its number, or a nondeterministic value as `v` and its number.
#[derive(Serialize)]
#[serde(untagged)]
enum Named {
    Event(u32),
    Value(String),
}

/// Where flows are written to, checked before any work is done.
pub(super) struct FlowFile {
    path: PathBuf,
    destination: Destination,
}

impl FlowFile {
    /// Makes sure that the file can be written.
    pub(super) fn prepare(
        path: &Path,
        trace: &Path,
        context: &Context,
    ) -> Result<FlowFile, Diagnostic> {
        if path == trace {
            return Err(Diagnostic::error("the trace and its flow cannot be the same file")
                .help("-o names the trace file, --flow the flow file"));
        }
        if path == Path::new("-") && context.is_json() {
            return Err(Diagnostic::error(
                "the report and the flow cannot both be written to the standard output",
            )
            .help("use --flow FILE to write the flow to a file"));
        }
        let destination = Destination::prepare(path, &context.interrupt)?;
        Ok(FlowFile { path: path.to_owned(), destination })
    }

    /// Writes the flow of a trace.
    pub(super) fn write(
        self,
        flow: &FlowTrace,
        trace: &Path,
        context: &Context,
    ) -> Result<(), Diagnostic> {
        let FlowFile { path, destination } = self;
        let written = destination.write(|out| lines(flow, trace, out))?;
        if let Outcome::Written((), _) = written
            && path != Path::new("-")
            && !context.is_json()
        {
            context.show(&Diagnostic::note(format!(
                "wrote {} (flow): what {} on",
                destination::name(&path),
                match flow.flows.len() {
                    1 => "1 event depends".to_owned(),
                    n => format!("{} depend", counted(n, "event")),
                }
            )));
        }
        Ok(())
    }
}

fn lines(flow: &FlowTrace, trace: &Path, out: &mut dyn Write) -> io::Result<()> {
    let mut out = io::BufWriter::new(out);
    let header = Header {
        schema: "raddle.flow/1",
        trace: trace.display().to_string(),
        events: flow.events.len(),
        values: flow.n_values,
    };
    line(&header, &mut out)?;
    for FlowOf { event, data, address, control } in &flow.flows {
        let [data, address, control] = [data, address, control].map(|sources| named(sources));
        line(&Line { event: event.0, data, address, control }, &mut out)?;
    }
    out.flush()
}

fn line(value: &impl Serialize, out: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    out.write_all(b"\n")
}

fn named(sources: &[Source]) -> Vec<Named> {
    let name = |source: &Source| match *source {
        Source::Event(id) => Named::Event(id.0),
        Source::Value(number) => Named::Value(format!("v{number}")),
    };
    sources.iter().map(name).collect()
}
