//! Writes a trace in any format and compression.

use std::io::{self, Write};
use std::path::Path;

use flate2::write::GzEncoder;
use raddle_trace::Trace;
use raddle_trace::format::{Compression, Format, Monitor, rdl, std as std_text};
use serde::{Serialize, Serializer};

use super::input;
use super::target::Target;
use crate::context::Context;
use crate::destination::{self, Destination, Outcome};
use crate::diagnostic::Diagnostic;
use crate::progress::Progress;
use crate::quantity::{bytes, counted};

/// What the format could not hold, and how large the output is.
pub(crate) type Written = Outcome<std_text::Loss>;

/// Writes a trace to a destination, and shows how far that is.
pub(crate) fn write(
    trace: &Trace,
    target: &Target,
    destination: Destination,
    context: &Context,
) -> Result<Written, Diagnostic> {
    let shown = context.shows_progress();
    let mut progress = Progress::writing(trace.len(), shown, &context.interrupt);
    destination.write(|out| compress(trace, target, out, &mut progress))
}

/// Says what was written, and what the format could not hold.
pub(crate) fn announce(
    target: &Target,
    trace: &Trace,
    unsaid: &std_text::Loss,
    n_bytes: u64,
    context: &Context,
) {
    if !unsaid.is_none() {
        context.show(&incomplete(unsaid));
    }
    if target.path != Path::new("-") {
        context.show(&Diagnostic::note(format!(
            "wrote {} ({}): {} in {}, {:.1} bytes per event",
            destination::name(&target.path),
            input::description(target.format, target.compression),
            counted(trace.len(), "event"),
            bytes(n_bytes),
            n_bytes as f64 / trace.len().max(1) as f64
        )));
    }
}

fn incomplete(unsaid: &std_text::Loss) -> Diagnostic {
    let parts = parts(unsaid).into_iter().filter(|part| part.n > 0);
    let warning = Diagnostic::warning("STD text cannot represent all of this trace");
    parts
        .fold(warning, |warning, Part { n, noun, what, .. }| {
            warning.remark(format!("{} {what}", counted(n as usize, noun)))
        })
        .help("the native format, .rdl, represents everything")
}

/// Something that a format could not hold.
struct Part {
    /// Its name in JSON.
    key: &'static str,
    /// How often.
    n: u64,
    /// For people.
    noun: &'static str,
    what: &'static str,
}

fn parts(unsaid: &std_text::Loss) -> [Part; 5] {
    let &std_text::Loss { values, stacks, escaped_names, ranges, counts } = unsaid;
    let part = |key, n, noun, what| Part { key, n, noun, what };
    let escaped = "with `|`, `%` or a line break written as `%` and two digits";
    [
        part("values", values, "value", "omitted"),
        part("stacks", stacks, "call stack", "omitted"),
        part("ranges", ranges, "variable", "written without a memory address"),
        part("counts", counts, "count", "of semaphores or barriers omitted"),
        part("escaped_names", escaped_names, "name", escaped),
    ]
}

/// What was written, for programs.
#[derive(Debug, Serialize)]
pub(crate) struct OutputDocument {
    file: String,
    format: &'static str,
    compression: &'static str,
    bytes: u64,
}

impl OutputDocument {
    /// Describes it.
    pub(crate) fn new(target: &Target, bytes: u64) -> OutputDocument {
        OutputDocument {
            file: destination::name(&target.path),
            format: input::format_name(target.format),
            compression: input::compression_name(target.compression),
            bytes,
        }
    }
}

/// What the format could not hold, for programs.
#[derive(Debug)]
pub(crate) struct NotHeldDocument(std_text::Loss);

impl From<std_text::Loss> for NotHeldDocument {
    fn from(unsaid: std_text::Loss) -> NotHeldDocument {
        NotHeldDocument(unsaid)
    }
}

impl Serialize for NotHeldDocument {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(parts(&self.0).into_iter().map(|part| (part.key, part.n)))
    }
}

fn compress(
    trace: &Trace,
    target: &Target,
    out: &mut dyn Write,
    monitor: &mut dyn Monitor,
) -> io::Result<std_text::Loss> {
    match target.compression {
        Compression::None => encode(trace, target.format, out, monitor),
        Compression::Gzip => {
            let mut encoder = GzEncoder::new(out, flate2::Compression::default());
            let loss = encode(trace, target.format, &mut encoder, monitor)?;
            encoder.finish()?;
            Ok(loss)
        }
        Compression::Zstd => {
            let mut encoder = zstd::Encoder::new(out, zstd::DEFAULT_COMPRESSION_LEVEL)?;
            encoder.include_checksum(true)?;
            let loss = encode(trace, target.format, &mut encoder, monitor)?;
            encoder.finish()?;
            Ok(loss)
        }
    }
}

fn encode(
    trace: &Trace,
    format: Format,
    out: &mut dyn Write,
    monitor: &mut dyn Monitor,
) -> io::Result<std_text::Loss> {
    match format {
        Format::Std => std_text::write(trace, out, monitor),
        Format::Rdl => match rdl::write(trace, out, monitor) {
            Ok(_) => Ok(std_text::Loss::default()),
            Err(rdl::WriteError::Io(error)) => Err(error),
            Err(error) => Err(io::Error::other(error)),
        },
    }
}
