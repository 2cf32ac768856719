//! Writes each witness as a trace of its own: `race-1.std` and so on, numbered by property.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use raddle_predict::{Goal, Prediction};
use raddle_session::predict::Found;
use raddle_trace::check::Mode;
use raddle_trace::{EventId, Trace, format};

use crate::diagnostic::Diagnostic;
use raddle_report::sanitise::visible;

/// Writes all of them, one by one.
pub(super) fn export(trace: &Trace, found: &Found, folder: &Path) -> Result<(), Diagnostic> {
    fs::create_dir_all(folder).map_err(|error| cannot_export(folder, &error))?;
    let mut numbers = BTreeMap::new();
    for prediction in found.predictions() {
        let property = prediction.property();
        let number = numbers.entry(property).or_insert(0);
        *number += 1;
        export_one(trace, prediction, folder, &format!("{property}-{number}.std"))?;
    }
    Ok(())
}

/// Writes one; two accesses that race come behind their witness. Acquires that block do not happen.
fn export_one(
    trace: &Trace,
    prediction: &dyn Prediction,
    folder: &Path,
    name: &str,
) -> Result<(), Diagnostic> {
    let mut events: Vec<EventId> = prediction.witness().iter().collect();
    if let Goal::Meet(next) = prediction.goal() {
        events.extend(next);
    }
    let witness = Trace::new(trace.select(&events), Mode::Strict).map_err(|violation| {
        Diagnostic::error("a witness is not well-formed").because(&violation)
    })?;
    write(&witness, &folder.join(name)).map_err(|error| cannot_export(folder, &error))
}

fn write(witness: &Trace, path: &Path) -> io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    format::std::write(witness, &mut file, &mut ())?;
    file.flush()
}

fn cannot_export(folder: &Path, error: &io::Error) -> Diagnostic {
    let name = visible(&folder.display().to_string());
    Diagnostic::error(format!("cannot write witnesses to `{name}`")).because(error)
}
