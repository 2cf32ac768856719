//! Findings as reports have them.
//!
//! One that was not told step by step is made when somebody wants to see it: finding it may take less time.

use std::env;
use std::fmt;
use std::sync::{Arc, OnceLock};

use raddle_session::Catch;

use crate::document;

/// A finding as reports have it.
#[derive(Clone)]
pub(crate) struct Told {
    made: OnceLock<Box<raddle_finding::Finding>>,
    /// What it is made of, and the name of the test.
    from: Option<(Arc<Catch>, Arc<str>)>,
}

impl Told {
    /// Of a finding of a test.
    pub(crate) fn new(mut catch: Catch, test: Arc<str>) -> Told {
        // Stories are long, so they are not copied.
        let story = catch.evidence.as_mut().map(|evidence| std::mem::take(&mut evidence.story));
        let Some(story) = story else {
            return Told { made: OnceLock::new(), from: Some((Arc::new(catch), test)) };
        };
        let mut told = make(&catch, &test);
        told.story = Some(story);
        Told::from(told)
    }

    pub(crate) fn get(&self) -> &raddle_finding::Finding {
        self.made.get_or_init(|| {
            let (catch, test) = self.from.as_ref().expect("it is there until it is made");
            Box::new(make(catch, test))
        })
    }
}

impl From<raddle_finding::Finding> for Told {
    fn from(finding: raddle_finding::Finding) -> Told {
        Told { made: OnceLock::from(Box::new(finding)), from: None }
    }
}

impl fmt::Debug for Told {
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

fn make(catch: &Catch, test: &str) -> raddle_finding::Finding {
    let trouble = &catch.found.trouble;
    let property = document::property(trouble);
    let mut told = catch.finding(property, || document::untold(trouble));
    let schedule = catch.schedule.as_ref().unwrap_or(&catch.found.schedule);
    told.replay = Some(replay_command(&schedule.to_string(), test));
    told
}
