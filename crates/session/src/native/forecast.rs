//! What a plain run of a binary predicts: it is recorded, analysed, and steered along each witness.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use raddle_finding::{Finding, Property, Schedule};
use raddle_native::explore::{NativeEngine, Setup};
use raddle_native::launch::Answer;
use raddle_native::recording::{self, Recording};
use raddle_predict::{Causes, Scope, Settings};
use raddle_wire::{Flags, Phase};
use serde_json::json;
use tempfile::NamedTempFile;

use super::Binary;
use super::confirm::confirm;
use super::evidence::gather;
use super::recording::{Opened, open};
use super::steer::along;
use crate::error::Error;
use crate::exploration::Entry;
use crate::forecast::{Allowance, Forecast, NOT_REPLAYED};
use crate::observer::{Notice, Observer};
use crate::predict::{Plan, check_threads, find, story};
use crate::steered;

/// Recordings are read whole: 16 bytes an event.
const RECORDING_MAX: u64 = 256 << 20;
/// As long as it takes to read so much, at least, is as long as recording and reading may take.
const BYTES_PER_SECOND: u64 = 16 << 20;
/// So much is read however little time there is.
const RECORDING_MIN: u64 = 1 << 20;

/// Records a plain run and predicts from it. Reads that may see another write are no findings here:
/// most programs have them and mean to.
pub(super) fn forecast(
    binary: &Binary,
    allowance: &Allowance,
    observer: &mut dyn Observer,
) -> Result<Forecast, Error> {
    let file = NamedTempFile::new().map_err(Error::Temporary)?;
    record(binary, file.path(), allowance)?;
    let Opened { trace, guide, note, guesses } = open(file.path())?;
    let notices = note.into_iter().chain(guesses);
    notices.for_each(|text| observer.notice(Notice::Recording(text)));
    let recording = Recording::open(file.path()).map_err(|error| Error::Recording(error.into()))?;
    check_threads(&trace)?;
    let mut properties = vec![Property::Race, Property::Deadlock, Property::LostWakeup];
    properties.extend((!binary.atomic.is_empty()).then_some(Property::Atomicity));
    let plan = Plan { properties, scope: Scope::default(), allowance: allowance.clone() };
    let found = find(&Causes::with(&trace, Settings::default()), &plan, observer)?;
    let launch = &binary.launch;
    let confirmed = confirm(&recording, (&trace, &guide), &found, launch, allowance, observer)?;
    let mut forecast = Forecast {
        n_events: trace.len(),
        n_predicted: found.n_predictions(),
        is_complete: found.is_decided() && confirmed.n_tried == found.n_predictions(),
        ..Forecast::default()
    };
    for (n, prediction) in found.predictions().enumerate() {
        let mut finding = prediction.finding(&trace);
        match confirmed.get(prediction, &trace) {
            Some(shown) => shown.mark(&mut finding),
            // The search looks for it, too, and says what it leaves open.
            None if !guide.unseen().is_empty() => continue,
            None if n < confirmed.n_tried => {
                finding.details.insert("status".to_owned(), json!(NOT_REPLAYED));
            }
            None => {}
        }
        finding.story = Some(story(&trace, prediction));
        forecast.all.push(finding);
    }
    Ok(forecast)
}

/// Makes a finding like those of a search of one that the binary did.
pub(super) fn adopt(
    binary: &Binary,
    predicted: &Finding,
    stop: &Arc<AtomicBool>,
) -> Result<Option<Entry>, Error> {
    let Some(schedule) = &predicted.schedule else { return Ok(None) };
    let setup = Setup { points_all: true, ..binary.setup.clone() };
    let mut engine = NativeEngine::new(setup).map_err(|error| Error::Control(error.into()))?;
    engine.stop_when(stop.clone());
    engine.prepare().map_err(Error::Search)?;
    let steps = binary.launch.steps(schedule)?;
    // What cannot be followed by choices still has its witness.
    let Ok(Some(run)) = along(&mut engine, &steps, steered::observe(predicted)) else {
        return Ok(None);
    };
    let mut choices = Schedule::new(schedule.program().clone());
    choices.extend(run.choices());
    let Some(found) = steered::found(&engine, &run, predicted, &choices) else { return Ok(None) };
    steered::entry(&mut engine, found, stop, |engine, schedule, failure| {
        gather(binary, engine, schedule, failure, stop)
    })
}

/// Records a plain run.
fn record(binary: &Binary, path: &Path, allowance: &Allowance) -> Result<(), Error> {
    let mut request = binary.launch.request(&[]);
    request.recording = Some(path.to_owned());
    request.stacks = !binary.atomic.is_empty();
    request.flags |= Flags::RECORD;
    let left = allowance.deadline.map(|at| at.saturating_duration_since(Instant::now()));
    let readable =
        left.map_or(RECORDING_MAX, |left| left.as_millis() as u64 * BYTES_PER_SECOND / 1000);
    request.max_recording = readable.clamp(RECORDING_MIN, RECORDING_MAX);
    request.timeout = Some(left.map_or(binary.setup.timeout, |t| t.min(binary.setup.timeout)));
    let answer = binary.launch.run(&request, &allowance.stop.asked)?;
    finish(binary, path, &answer).map_err(Error::Temporary)
}

/// Adds to a recording what the program could not write.
fn finish(binary: &Binary, path: &Path, answer: &Answer) -> io::Result<()> {
    if answer.phase != Phase::Ended {
        recording::mark_cut(path)?;
    }
    // What is predicted needs no schedule.
    recording::finish(path, &binary.launch.target, "", &binary.atomic)
}
