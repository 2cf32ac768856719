//! Findings as reports have them.
//!
//! One that was not described is made when it is first asked for: finding it may take less time.

use std::env;
use std::fmt;
use std::sync::{Arc, OnceLock};

use raddle_session::Entry;

use crate::document;

/// A finding as reports have it.
#[derive(Clone)]
pub(crate) struct LazyFinding {
    made: OnceLock<Box<raddle_finding::Finding>>,
    /// What it is made of, and the name of the test.
    from: Option<(Arc<Entry>, Arc<str>)>,
}

impl LazyFinding {
    /// Of a finding of a test.
    pub(crate) fn new(mut entry: Entry, test: Arc<str>) -> LazyFinding {
        // Stories are long, so they are not copied.
        let story = entry.shown.as_mut().and_then(|shown| shown.story.take());
        let Some(story) = story else {
            return LazyFinding { made: OnceLock::new(), from: Some((Arc::new(entry), test)) };
        };
        let mut finding = make(&entry, &test);
        finding.story = Some(story);
        LazyFinding::from(finding)
    }

    pub(crate) fn get(&self) -> &raddle_finding::Finding {
        self.made.get_or_init(|| {
            let (entry, test) = self.from.as_ref().expect("it is there until it is made");
            Box::new(make(entry, test))
        })
    }
}

impl From<raddle_finding::Finding> for LazyFinding {
    fn from(finding: raddle_finding::Finding) -> LazyFinding {
        LazyFinding { made: OnceLock::from(Box::new(finding)), from: None }
    }
}

impl fmt::Debug for LazyFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

/// What replays a schedule of a test, which may exist only with the `--cfg` that it was built with.
pub(crate) fn replay_command(schedule: &str, test: &str) -> String {
    let flags = env::var("RUSTFLAGS").ok();
    let flags = flags.filter(|flags| flags.contains("--cfg")).map(|flags| quoted(&flags));
    let flags = flags.map(|flags| format!("RUSTFLAGS={flags} ")).unwrap_or_default();
    format!("{flags}RADDLE_REPLAY={schedule} cargo test {test}")
}

/// A text as one word of a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn make(entry: &Entry, test: &str) -> raddle_finding::Finding {
    let failure = &entry.found.failure;
    let property = document::property(failure);
    let mut finding = entry.finding(property, || document::unshown(failure));
    finding.replay = Some(replay_command(&entry.schedule.to_string(), test));
    finding
}
